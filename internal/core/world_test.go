package core_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// world is a business number to which things happen.
type world struct{ *worldtest.World }

// eachCase runs a test once for every case, each in its own world in one store per engine.
func eachCase[C any](t *testing.T, cases map[string]C, test func(t *testing.T, w *world, c C)) {
	t.Helper()
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				clock.Set(storetest.NewClock().Now())
				test(t, newWorld(t, st, clock), c)
			})
		}
	})
}

// eachWorld runs a test in a world on each engine.
func eachWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) { test(newWorld(t, st, clock)) })
}

func newWorld(t testing.TB, st *store.Store, clock *storetest.Clock) *world {
	t.Helper()
	return &world{worldtest.New(t, st, clock)}
}

func ada() provider.Person { return worldtest.Ada() }

const adaNumber, adaID, publicURL, mediaNode = worldtest.AdaNumber, worldtest.AdaID, worldtest.PublicURL, worldtest.MediaNode

var (
	updateGolden = flag.Bool("update", false, "rewrite the golden files")
	idPattern    = regexp.MustCompile(`\b([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}\b`)
	tokenPattern = regexp.MustCompile(`/media/[A-Za-z0-9_-]{32}`)
)

// golden compares a payload with the file of that name, byte for byte except for values that are new each time: ids
// are numbered in the order in which they appear.
func (w *world) golden(name string, payload []byte) {
	w.T.Helper()
	numbers := map[string]string{}
	text := idPattern.ReplaceAllStringFunc(string(payload), func(id string) string {
		if numbers[id] == "" {
			n := strconv.Itoa(len(numbers) + 1)
			prefix, rest, _ := strings.Cut(id, "_")
			numbers[id] = prefix + "_" + strings.Repeat("0", len(rest)-len(n)) + n
		}
		return numbers[id]
	})
	text = tokenPattern.ReplaceAllString(text, "/media/token")
	text = strings.ReplaceAll(text, *w.Account.PhoneNumberID, "100200300400")
	text = strings.ReplaceAll(text, w.Account.WABAID, "200300400500") + "\n"
	path := filepath.Join("testdata", "events", name+".json")
	if *updateGolden {
		w.Must(os.WriteFile(path, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	w.Must(err)
	if text != string(want) {
		w.T.Errorf("%s: got\n%swant\n%s", path, text, want)
	}
}
