package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources are what the build reads; web/scripts/stamp.mjs has the same list.
var sources = []string{"index.html", "package-lock.json", "package.json", "public", "src", "tsconfig.json", "vite.config.ts"}

var testFile = regexp.MustCompile(`\.test\.tsx?$`)

func TestDistIsBuiltFromTheSources(t *testing.T) {
	t.Parallel()
	stamp, err := fs.ReadFile(dist, "dist/"+stampName)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(stamp)); got != sourcesSum(t) {
		t.Error("web/dist was built from other sources: run make web and commit web/dist")
	}
}

func sourcesSum(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, root := range sources {
		err := fs.WalkDir(os.DirFS("."), root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || testFile.MatchString(name) {
				return err
			}
			content, err := os.ReadFile(name)
			lines = append(lines, hexSum(content)+"  "+name+"\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(lines)
	return hexSum([]byte(strings.Join(lines, "")))
}

func hexSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// limit is what a browser may have to fetch, compressed, before the inbox can be used.
const limit = 350 << 10

var imported = regexp.MustCompile(`(?:from|import|src=|href=)\s*"(?:\./|/assets/)([\w.-]+\.(?:js|css))"`)

// What the document names, and what those files import at once, is the main bundle; the first page is added.
func TestBundleStaysSmall(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{}
	index, err := fs.ReadFile(dist, "dist/index.html")
	if err != nil {
		t.Fatal(err)
	}
	follow(t, index, sizes)
	pages, err := fs.Glob(dist, "dist/assets/InboxPage-*")
	if err != nil || len(pages) == 0 {
		t.Fatalf("found no inbox among the built files: %v", err)
	}
	for _, page := range pages {
		count(t, strings.TrimPrefix(page, "dist/assets/"), sizes)
	}
	total, list := 0, ""
	for name, size := range sizes {
		total, list = total+size, list+fmt.Sprintf("\n%7d %s", size, name)
	}
	t.Logf("%d bytes, gzipped:%s", total, list)
	if total > limit || len(sizes) < 3 {
		t.Errorf("the main bundle of %d files has %d bytes, gzipped; the limit is %d", len(sizes), total, limit)
	}
}

func follow(t *testing.T, content []byte, sizes map[string]int) {
	t.Helper()
	for _, match := range imported.FindAllSubmatch(content, -1) {
		count(t, string(match[1]), sizes)
	}
}

func count(t *testing.T, name string, sizes map[string]int) {
	t.Helper()
	if _, counted := sizes[name]; counted {
		return
	}
	content, err := fs.ReadFile(dist, "dist/assets/"+name)
	if err != nil {
		t.Fatal(err)
	}
	sizes[name] = len(squeeze(content))
	follow(t, content, sizes)
}

// Source maps, and names of files that were read, have no place in the program.
func TestDistHasOnlyWhatIsServed(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(dist, name)
		if bytes.Contains(content, []byte("node_modules/")) || strings.HasSuffix(name, ".map") {
			t.Errorf("%s tells about the machine that built it", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
