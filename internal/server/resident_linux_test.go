package server

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const someMaps = `00400000-017d1000 r-xp 00000000 fe:00 1317                               /opt/my parley/parley
Size:              20292 kB
Rss:               16580 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
017d1000-03079000 r--p 013d1000 fe:00 1317                               /opt/my parley/parley
Rss:               19168 kB
Anonymous:             4 kB
03079000-0315f000 rw-p 02c79000 fe:00 1317                               /opt/my parley/parley
Anonymous:             0 kB
0315f000-051ae000 rw-p 00000000 00:00 0
Anonymous:             0 kB
7ff97c2aa000-7ff97c400000 r-xp 00028000 fe:00 1441                       /usr/lib/libc.so.6
Anonymous:             0 kB
`

// What is writable, was written to, or belongs to another file stays.
func TestOnlyUnchangedPagesAreGivenBack(t *testing.T) {
	t.Parallel()
	got := unchangedMaps(strings.NewReader(someMaps), "/opt/my parley/parley")
	if want := []memoryMap{{0x400000, 0x17d1000}}; !slices.Equal(got, want) {
		t.Errorf("got %x", got)
	}
}

func TestTheProgramFindsItself(t *testing.T) {
	t.Parallel()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	if len(unchangedMaps(strings.NewReader(string(maps)), program)) == 0 {
		t.Errorf("%s is mapped nowhere:\n%s", program, maps)
	}
	settle() // and goes on
}
