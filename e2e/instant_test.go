//go:build torture

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
)

// TestDatabaseGoesBackToAnInstant follows the recipe of docs/backup.md, with the commands on the page: a copy of the
// database and its archived log give the store of the second before the harm.
func TestDatabaseGoesBackToAnInstant(t *testing.T) {
	t.Parallel()
	primary, files := pgtest.NewInstance(t), t.TempDir()
	r := readRecipe(t, primary)
	primary.Shell(r.folders)
	primary.Shell(r.archive)
	primary.Stop()
	primary.Start()

	p := StartProvider(t)
	worker := p.Serve(OnFolder(files), OnDatabase(primary.URL()), WithFlags("--role=worker"))
	api := p.Serve(OnFolder(files), OnDatabase(primary.URL()), WithFlags("--role=api"))
	n := plant(t, api, p.Sim, api.stored())
	before := &book{t: t, n: n}
	primary.Shell(night("2026-11-15-0200") + r.copy)
	before.write(10)
	primary.Shell(night("2026-11-16-0200") + r.copy)
	before.write(10)
	worker.Stop()
	waiting := before.send(5)
	instant := primary.Shell(`psql -Atc "SELECT clock_timestamp()"`)

	worker.Restart()
	for _, id := range waiting {
		n.awaitStatus(id, "read")
	}
	after := &book{t: t, n: n}
	after.write(10)
	primary.Shell(`psql -qc "TRUNCATE messages, conversations CASCADE"`)
	if left := n.all("/messages"); len(left) > 0 {
		t.Fatalf("the harm left %d messages", len(left))
	}
	worker.Stop()
	api.Stop()
	primary.Shell(r.rest)

	restored := pgtest.NewEmptyInstance(t)
	restored.Shell(strings.NewReplacer("/var/lib/postgresql/restored", restored.Data(), "2026-11-16 06:00:00+00", instant).Replace(r.restore))
	restored.Start()
	restored.AwaitRecovered()
	if recovering := restored.Shell(r.done); recovering != "f" {
		t.Fatalf("the page's question whether it recovers is answered with %q", recovering)
	}
	checkRestored(t, p, n, prepare(t, OnFolder(files), OnDatabase(restored.URL()), WithProvider(p.URL)), before, waiting)
}

// checkRestored starts a server on the restored database, and compares what it knows and what it sends.
func checkRestored(t *testing.T, p *Provider, n *Number, srv *Server, before *book, waiting []string) {
	t.Helper()
	if held := srv.CLIObject("held", "hold"); held["held_messages"] != float64(len(waiting)) {
		t.Errorf("%d messages waited at the instant; held: %v", len(waiting), held)
	}
	checkSound(t, srv)
	srv.Restart()
	t.Cleanup(srv.cleanUp)
	p.server.Store(srv)
	now := *n
	now.srv, now.log = srv, srv.stored()
	before.check(&now)

	// A message that waited would go out before a later one to the same person.
	later := now.send(before.person(0), "text", text("later"))
	now.awaitStatus(later, "read")
	sent := map[string]int{}
	for _, m := range p.accepted("phone_number_id=" + n.ID) {
		sent[m.str("biz_opaque_callback_data")]++
	}
	for _, id := range append(slices.Clone(waiting), later) {
		if sent[id] != 1 {
			t.Errorf("%s was sent %d times", id, sent[id])
		}
	}
	if given := srv.CLIObject("held", "discard"); given["discarded"] != float64(len(waiting)) {
		t.Errorf("given up: %v", given)
	}
	for _, id := range waiting {
		now.awaitStatus(id, "failed")
	}
	p.quiet()
	checkSound(t, srv)
}

func checkSound(t *testing.T, srv *Server) {
	t.Helper()
	if r := srv.CLI("check"); r.Code != 0 || !strings.Contains(r.Stderr, "The store is sound.") {
		t.Errorf("parley check: %+v", r)
	}
}

// recipe has the commands of docs/backup.md, with folders of this test.
type recipe struct{ folders, archive, copy, rest, restore, done string }

func readRecipe(t *testing.T, primary *pgtest.Instance) recipe {
	t.Helper()
	page, err := os.ReadFile("../docs/backup.md")
	must(t, err)
	_, section, _ := strings.Cut(string(page), "\n### Back to an instant\n")
	_, blocks := snippets(t, section)
	if len(blocks) != 6 {
		t.Fatalf("docs/backup.md has %d blocks of commands, this test knows 6", len(blocks))
	}
	place := strings.NewReplacer("/var/backups/parley-pg", filepath.Join(filepath.Dir(primary.Data()), "backups"),
		" -o postgres -g postgres", "") // here all is done by the server's user
	step := func(i int) string { return place.Replace(blocks[i].commands[0]) }
	return recipe{folders: step(0), archive: step(1), copy: step(2), rest: step(3), restore: step(4), done: step(5)}
}

// night has a shell take this for the time.
func night(is string) string { return "date() { echo " + is + "; }\n" }

// book has the messages of a time: those sent, by our id, and those received, by the provider's.
type book struct {
	t    *testing.T
	n    *Number
	keys []string
}

// bookPeople is how many people a book is about.
const bookPeople = 5

func (b *book) person(i int) string {
	return fmt.Sprintf("+49176%s%02d", b.n.ID[len(b.n.ID)-5:], i%bookPeople)
}

// write sends and receives messages, and waits until everything about them is stored.
func (b *book) write(count int) {
	b.t.Helper()
	for _, id := range b.send(count) {
		b.n.awaitStatus(id, "read")
	}
	for i := range count {
		b.keys = append(b.keys, b.n.receiveText(b.person(i), "hello").str("message_id"))
	}
}

func (b *book) send(count int) (ids []string) {
	b.t.Helper()
	for i := range count {
		ids = append(ids, b.n.send(b.person(i), "text", text(fmt.Sprint(i))))
	}
	b.keys = append(b.keys, ids...)
	return ids
}

// check compares the book with what a number has now.
func (b *book) check(now *Number) {
	b.t.Helper()
	var have []string
	for _, m := range now.all("/messages") {
		if m.str("direction") == "inbound" {
			have = append(have, m.str("message_id"))
		} else {
			have = append(have, m.str("id"))
		}
	}
	want := slices.Sorted(slices.Values(b.keys))
	if slices.Sort(have); !slices.Equal(have, want) {
		b.t.Errorf("there are %d messages:\n%v\nat the instant there were %d:\n%v", len(have), have, len(want), want)
	}
	if reply := now.srv.Get(now.org.Key, now.path("/messages/"+b.keys[0])); reply.Status != http.StatusOK {
		b.t.Errorf("the first message is %d %s", reply.Status, reply.Body)
	}
}
