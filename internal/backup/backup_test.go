package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/parleyhq/parley/internal/backup"
	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// office is a store in a folder, with a conversation to write in.
type office struct {
	t       *testing.T
	dir     string
	st      *store.Store
	account chat.Account
	contact chat.Contact
}

func newOffice(t *testing.T) *office {
	t.Helper()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	o := &office{t: t, dir: cfg.Dir, st: storetest.OpenAt(t, cfg)}
	org := storetest.Org(t, o.st)
	o.account = storetest.Account(t, o.st, org, "123456")
	o.contact = storetest.Contact(t, o.st, o.account, "+4915112345678")
	at := o.st.Now()
	storetest.Conversation(t, o.st, o.contact, &at)
	return o
}

// send accepts a message, which stays queued because no sender runs.
func (o *office) send(text string) string {
	o.t.Helper()
	var id string
	storetest.InTx(o.t, o.st, func(tx *store.Tx) error {
		content, err := json.Marshal(map[string]string{"body": text})
		if err != nil {
			return err
		}
		accepted, err := core.AcceptSend(tx, o.account, chat.Plan{}, core.NewMessage{
			To: *o.contact.PhoneNumber, Type: chat.TypeText, Content: content, Source: chat.SourceAPI,
		})
		id = accepted.Message.ID
		return err
	})
	return id
}

func (o *office) copy(options backup.Options) string {
	o.t.Helper()
	path := filepath.Join(o.t.TempDir(), "copy.tar.gz")
	if _, err := backup.Write(o.t.Context(), o.dir, path, options); err != nil {
		o.t.Fatal(err)
	}
	return path
}

// restore makes a folder from a copy and opens it as a server would.
func restore(t *testing.T, copied string) (backup.Restored, *store.Store) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	r, err := backup.Restore(t.Context(), copied, dir)
	must(t, err)
	return r, storetest.OpenAt(t, store.Config{Dir: dir, Exclusive: true, MustExist: true})
}

func statuses(t *testing.T, st *store.Store, account chat.Account, ids []string) (found []chat.MessageStatus) {
	t.Helper()
	for _, id := range ids {
		m, err := st.Read(t.Context()).Message(account.OrgID, account.ID, id)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		found = append(found, m.Status)
	}
	return found
}

func requireSound(t *testing.T, st *store.Store, dir string) {
	t.Helper()
	blobs, err := blob.OpenFolder(filepath.Join(dir, "media"))
	must(t, err)
	faults, err := backup.Check(t.Context(), st, blobs, false)
	if err != nil || len(faults) > 0 {
		t.Errorf("the check finds %+v (%v)", faults, err)
	}
}

// A copy contains everything committed before it began, whatever is written meanwhile, and is sound.
func TestCopyWhileSomebodyWrites(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var before []string
	for i := range 20 {
		before = append(before, o.send(fmt.Sprint("before ", i)))
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for ctx.Err() == nil {
				o.send("meanwhile")
			}
		})
	}
	copied := o.copy(backup.Options{Media: true})
	stop()
	writers.Wait()

	r, st := restore(t, copied)
	if got := statuses(t, st, o.account, before); slices.ContainsFunc(got, func(s chat.MessageStatus) bool { return s != chat.StatusQueued }) {
		t.Errorf("what was written before the copy is %v", got)
	}
	if r.Held.Messages < int64(len(before)) {
		t.Errorf("%d messages are held, and %d waited", r.Held.Messages, len(before))
	}
	requireSound(t, st, t.TempDir())
}

// Restored messages are held until somebody releases them, and then sent once.
func TestHeldUntilSent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ids := []string{o.send("one"), o.send("two")}
	r, st := restore(t, o.copy(backup.Options{}))
	if r.Held.Messages != 2 {
		t.Errorf("%+v is held", r.Held)
	}
	waiting := func() (jobs []store.SendJob) {
		storetest.Alive(t, st, "node")
		storetest.InTx(t, st, func(tx *store.Tx) (err error) {
			jobs, err = tx.ClaimSendJobs("node", 10)
			return err
		})
		return jobs
	}
	if jobs := waiting(); len(jobs) > 0 {
		t.Fatalf("%+v would be sent", jobs)
	}
	if n, err := core.SendHeld(t.Context(), st); n != 2 || err != nil {
		t.Fatalf("%d are on their way (%v)", n, err)
	}
	var sent []string
	for _, job := range waiting() {
		sent = append(sent, job.MessageID)
	}
	if !slices.Equal(sent, ids) {
		t.Errorf("%v are to be sent, want %v", sent, ids)
	}
	if n, err := core.SendHeld(t.Context(), st); n != 0 || err != nil {
		t.Errorf("%d more are on their way (%v)", n, err)
	}
}

// A running broadcast is paused with a reason; a scheduled one becomes a draft, which a person starts.
func TestBroadcastsAreHeld(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	at := o.st.Now()
	begun := map[chat.BroadcastStatus]string{}
	for _, status := range []chat.BroadcastStatus{chat.BroadcastSending, chat.BroadcastScheduled, chat.BroadcastCompleted} {
		storetest.InTx(t, o.st, func(tx *store.Tx) error {
			b := chat.Broadcast{ID: tx.NewID(chat.KindBroadcast), OrgID: o.account.OrgID, AccountID: o.account.ID, Name: string(status), Status: status,
				Active: status == chat.BroadcastSending, ScheduledAt: &at, CreatedAt: at, UpdatedAt: at}
			begun[status] = b.ID
			return tx.InsertBroadcast(b)
		})
	}
	r, st := restore(t, o.copy(backup.Options{}))
	if r.Held.Broadcasts != 2 {
		t.Errorf("%+v is held", r.Held)
	}
	for was, want := range map[chat.BroadcastStatus]chat.Broadcast{
		chat.BroadcastSending:   {Status: chat.BroadcastPaused, Reason: chat.ReasonRestored},
		chat.BroadcastScheduled: {Status: chat.BroadcastDraft, Reason: chat.ReasonRestored},
		chat.BroadcastCompleted: {Status: chat.BroadcastCompleted},
	} {
		b, err := st.Read(t.Context()).Broadcast(o.account.OrgID, o.account.ID, begun[was])
		if err != nil || b.Status != want.Status || b.Reason != want.Reason || b.Active || b.ScheduledAt == nil || !b.ScheduledAt.Equal(at) {
			t.Errorf("what was %s is %+v (%v)", was, b, err)
		}
	}
	if held, err := st.Read(t.Context()).HeldBroadcasts(10); err != nil || len(held) != 2 {
		t.Errorf("%v are held (%v)", held, err)
	}
}

// Some of the held messages can be sent or given up, by their ids. A wrong id touches none.
func TestHeldOneByOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ids := []string{o.send("one"), o.send("two"), o.send("three")}
	_, st := restore(t, o.copy(backup.Options{}))
	held, err := st.Read(t.Context()).HeldSends(10)
	if err != nil || len(held) != 3 || held[0].To == "" || held[0].Type != chat.TypeText || !strings.Contains(string(held[0].Content), "one") || held[0].WrittenAt.IsZero() {
		t.Fatalf("%+v are held (%v)", held, err)
	}
	if n, err := core.DiscardHeld(t.Context(), st, ids[0], "msg_00000000000000000000000000"); n != 0 || err == nil || !strings.Contains(err.Error(), "is not held") {
		t.Errorf("%d are given up with a wrong id (%v)", n, err)
	}
	if n, err := core.DiscardHeld(t.Context(), st, ids[0]); n != 1 || err != nil {
		t.Errorf("%d are given up (%v)", n, err)
	}
	if n, err := core.SendHeld(t.Context(), st, ids[2]); n != 1 || err != nil {
		t.Errorf("%d are sent (%v)", n, err)
	}
	if got := statuses(t, st, o.account, ids); got[0] != chat.StatusFailed || got[1] == chat.StatusFailed || got[2] == chat.StatusFailed {
		t.Errorf("they are %v", got)
	}
	if left, err := st.Read(t.Context()).HeldSends(10); err != nil || len(left) != 1 || left[0].MessageID != ids[1] {
		t.Errorf("%+v are still held (%v)", left, err)
	}
}

// A discarded message fails, with an event.
func TestHeldAndDiscarded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ids := []string{o.send("one"), o.send("two"), o.send("three")}
	_, st := restore(t, o.copy(backup.Options{}))
	if n, err := core.DiscardHeld(t.Context(), st); n != 3 || err != nil {
		t.Fatalf("%d are given up (%v)", n, err)
	}
	if got := statuses(t, st, o.account, ids); slices.ContainsFunc(got, func(s chat.MessageStatus) bool { return s != chat.StatusFailed }) {
		t.Errorf("they are %v", got)
	}
	if n, err := st.Read(t.Context()).CountHeldSends(); n != 0 || err != nil {
		t.Errorf("%d are still held (%v)", n, err)
	}
	requireSound(t, st, t.TempDir())
}

// Files in object storage are named, whatever the folder contains.
func TestFilesElsewhere(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	blobs, err := blob.OpenFolder(filepath.Join(o.dir, "media"))
	must(t, err)
	if _, err := blobs.Put(t.Context(), "some-file", strings.NewReader("content"), 100); err != nil {
		t.Fatal(err)
	}
	const place = "s3://bucket/prefix at storage.example.com"
	r, err := backup.Restore(t.Context(), o.copy(backup.Options{Media: true, MediaAt: place}), filepath.Join(t.TempDir(), "data"))
	if err != nil || r.Files != 0 || r.Manifest.Media || r.Manifest.MediaAt != place {
		t.Errorf("got %+v, %v", r, err)
	}
}

// Files and, on request, the master key are copied.
func TestFilesAndKey(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	blobs, err := blob.OpenFolder(filepath.Join(o.dir, "media"))
	must(t, err)
	if _, err := blobs.Put(t.Context(), "some-file", strings.NewReader("content"), 100); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(o.dir, "secret.key")
	must(t, os.WriteFile(key, []byte("a key"), 0o600))
	for _, with := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "data")
		r, err := backup.Restore(t.Context(), o.copy(backup.Options{Media: with, Key: with}), dir)
		must(t, err)
		_, noKey := os.Stat(filepath.Join(dir, "secret.key"))
		content, noFile := os.ReadFile(filepath.Join(dir, "media", "le", "some-file"))
		if r.HasKey != with || (noKey == nil) != with || (noFile == nil) != with || with && string(content) != "content" {
			t.Errorf("with=%v: key %v, file %q %v", with, noKey, content, noFile)
		}
		if _, err := backup.Restore(t.Context(), o.copy(backup.Options{}), dir); err == nil {
			t.Error("a folder that has a store is overwritten")
		}
	}
}

// A master key may be the only one of its kind, so no copy replaces it.
func TestKeyIsNotReplaced(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	must(t, os.WriteFile(filepath.Join(o.dir, "secret.key"), []byte("a key"), 0o600))
	copied := o.copy(backup.Options{Key: true})
	for key, taken := range map[string]bool{"a key\n": true, "another key": false} {
		dir := t.TempDir()
		path := filepath.Join(dir, "secret.key")
		must(t, os.WriteFile(path, []byte(key), 0o600))
		_, err := backup.Restore(t.Context(), copied, dir)
		if (err == nil) != taken || err != nil && !strings.Contains(err.Error(), path+" is another master key") {
			t.Errorf("with %q there: %v", key, err)
		}
		there, err := os.ReadFile(path)
		if must(t, err); strings.TrimSpace(string(there)) != strings.TrimSpace(key) {
			t.Errorf("%q became %q", key, there)
		}
	}
}

// What cannot be written or read is named, and nothing stays behind.
func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	dir := t.TempDir()
	_, err := backup.Write(t.Context(), o.dir, dir, backup.Options{})
	if want := dir + " is a folder"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v is not %q", err, want)
	}
	_, err = backup.Write(t.Context(), o.dir, filepath.Join(dir, "typo", "copy.tar"), backup.Options{})
	if want := "a folder that is there"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v is not %q", err, want)
	}
	_, err = backup.Write(t.Context(), o.dir, filepath.Join(dir, "copy.tar"), backup.Options{Key: true})
	if want := o.dir + " has no secret.key"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v is not %q", err, want)
	}
	copied := o.copy(backup.Options{})
	content, err := os.ReadFile(copied)
	must(t, err)
	must(t, os.WriteFile(copied, content[:len(content)/2], 0o600))
	_, err = backup.Restore(t.Context(), copied, dir)
	if want := copied + " is not complete"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v is not %q", err, want)
	}
	if left, err := os.ReadDir(filepath.Dir(copied)); err != nil || len(left) != 1 {
		t.Errorf("beside the copy are %v (%v)", left, err)
	}
}

// A copy takes the place of an earlier one, and of nothing else: a slip of the pen costs neither the store nor a device.
func TestCopyReplacesNothingElse(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.send("kept")
	elsewhere := t.TempDir()
	pipe, link := filepath.Join(elsewhere, "pipe"), filepath.Join(elsewhere, "link.tar")
	must(t, syscall.Mkfifo(pipe, 0o600))
	must(t, os.Symlink(filepath.Join(o.dir, "parley.db"), link))
	must(t, os.MkdirAll(filepath.Join(o.dir, "media", "AB"), 0o700))
	for path, want := range map[string]string{
		"":                                 "the copy needs a name",
		pipe:                               "is not a file",
		link:                               "is in use by the store",
		filepath.Join(o.dir, "parley.db"):  "is in use by the store",
		filepath.Join(o.dir, "secret.key"): "is in use by the store",
		filepath.Join(o.dir, "media", "copy.tar"):       "is in use by the store",
		filepath.Join(o.dir, "media", "AB", "x.tar.gz"): "is in use by the store",
	} {
		if _, err := backup.Write(t.Context(), o.dir, path, backup.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("for the name %q: %v", path, err)
		}
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe has become %v (%v)", info, err)
	}
	requireSound(t, o.st, o.dir)
}

// A link stays, and leads to the new copy.
func TestCopyFollowsALink(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	real := o.copy(backup.Options{})
	link := filepath.Join(t.TempDir(), "latest.tar")
	must(t, os.Symlink(real, link))
	must(t, os.Truncate(real, 0))
	must(t, second(backup.Write(t.Context(), o.dir, link, backup.Options{})))
	must(t, second(backup.Restore(t.Context(), real, filepath.Join(t.TempDir(), "data"))))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v (%v)", info, err)
	}
}

// sealed is how much stands behind an archive.
const sealed = len("parley sha256 ") + 64 + 1

// An archive that was cut off where an entry ends, or at its very end, looks complete but for the blocks at the end.
func TestCutOffBetweenEntries(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	copied := filepath.Join(t.TempDir(), "copy.tar")
	must(t, second(backup.Write(t.Context(), o.dir, copied, backup.Options{})))
	whole, err := os.ReadFile(copied)
	must(t, err)
	for _, missing := range []int{1024, 512} {
		must(t, os.WriteFile(copied, whole[:len(whole)-sealed-missing], 0o600))
		dir := filepath.Join(t.TempDir(), "data")
		if _, err := backup.Restore(t.Context(), copied, dir); err == nil || !strings.Contains(err.Error(), copied+" is not complete") {
			t.Errorf("without the last %d bytes: %v", missing, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without the last %d bytes a folder is left (%v)", missing, err)
		}
	}
}

// A flipped bit can change what is written without breaking the compression. The checksum at the end tells.
func TestChecksumOfACompressedCopy(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	copied := filepath.Join(t.TempDir(), "copy.tar.gz")
	must(t, second(backup.Write(t.Context(), o.dir, copied, backup.Options{})))
	content, err := os.ReadFile(copied)
	must(t, err)
	const checksum = 8 // from the end: the sum, and the length
	content[len(content)-checksum] ^= 1
	must(t, os.WriteFile(copied, content, 0o600))
	if _, err := backup.Restore(t.Context(), copied, filepath.Join(t.TempDir(), "data")); err == nil || !strings.Contains(err.Error(), copied+" is damaged") {
		t.Errorf("it is restored with %v", err)
	}
}

// Without compression there is a checksum too. An archive of an earlier version has none, and one that another program has
// packed ends with empty blocks.
func TestChecksumOfAPlainCopy(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	copied := filepath.Join(t.TempDir(), "copy.tar")
	must(t, os.MkdirAll(filepath.Join(o.dir, "media"), 0o700))
	must(t, os.WriteFile(filepath.Join(o.dir, "media", "note"), []byte("a small file"), 0o600))
	must(t, second(backup.Write(t.Context(), o.dir, copied, backup.Options{Media: true})))
	whole, err := os.ReadFile(copied)
	must(t, err)
	file := bytes.Index(whole, []byte("a small file"))
	flipped := bytes.Clone(whole)
	flipped[file] ^= 1
	wrongSum := bytes.Clone(whole)
	wrongSum[len(whole)-2] ^= 1
	for name, test := range map[string]struct {
		content []byte
		says    string
	}{
		"whole":                        {whole, ""},
		"without a seal":               {whole[:len(whole)-sealed], ""},
		"packed by another program":    {append(bytes.Clone(whole[:len(whole)-sealed]), make([]byte, 10240)...), ""},
		"with a bit of a file flipped": {flipped, copied + " is damaged"},
		"with a bit of its sum":        {wrongSum, copied + " is damaged"},
		"cut off in its seal":          {whole[:len(whole)-10], copied + " is not complete"},
	} {
		must(t, os.WriteFile(copied, test.content, 0o600))
		_, err := backup.Restore(t.Context(), copied, filepath.Join(t.TempDir(), "data"))
		if (test.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Another store's search index would find its texts in the restored one.
func TestRestoreBesideASearchIndex(t *testing.T) {
	t.Parallel()
	copied, dir := newOffice(t).copy(backup.Options{}), t.TempDir()
	index := filepath.Join(dir, "search.db")
	must(t, os.WriteFile(index, []byte("another's"), 0o600))
	if _, err := backup.Restore(t.Context(), copied, dir); err == nil || !strings.Contains(err.Error(), index+" is there already") {
		t.Errorf("it is restored with %v", err)
	}
}

// fewLooks is a context that ends after somebody has looked at it so often.
type fewLooks struct {
	context.Context
	left atomic.Int64
}

func (c *fewLooks) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return c.Context.Err()
}

func afterLooks(t *testing.T, n int64) *fewLooks {
	c := &fewLooks{Context: t.Context()}
	c.left.Store(n)
	return c
}

// Whoever interrupts a copy or a restore does not wait for the end of a large file, and nothing stays behind.
func TestInterruptedWithinAFile(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	large := filepath.Join(o.dir, "media", "AB", "med_large")
	must(t, os.MkdirAll(filepath.Dir(large), 0o700))
	must(t, os.WriteFile(large, nil, 0o600))
	must(t, os.Truncate(large, 64<<20))
	const looks = 1000 // more than everything else takes, and fewer than that file
	path := filepath.Join(t.TempDir(), "copy.tar")
	if _, err := backup.Write(afterLooks(t, looks), o.dir, path, backup.Options{Media: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("the copy: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("of the copy are left %v (%v)", left, err)
	}
	_, err := backup.Write(t.Context(), o.dir, path, backup.Options{Media: true})
	must(t, err)
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := backup.Restore(afterLooks(t, looks), path, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("the restore: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of the restore is left %s (%v)", dir, err)
	}
}

// An archive cannot write outside of the folder, and a file that is no back-up leaves no folder that looks like
// one.
func TestForeignArchives(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]string{
		"outside": {"media/../../evil", "parley.db"}, "absolute": {"/etc/evil"}, "unknown": {"other"}, "empty": {"manifest.json"},
		"without a store": {"manifest.json", "(nothing) parley.db"},
	} {
		path := filepath.Join(t.TempDir(), "copy.tar")
		f, err := os.Create(path)
		must(t, err)
		w := tar.NewWriter(f)
		for _, entry := range entries {
			content := `{"format":1}`
			entry, nothing := strings.CutPrefix(entry, "(nothing) ")
			if nothing {
				content = ""
			}
			must(t, w.WriteHeader(&tar.Header{Name: entry, Typeflag: tar.TypeReg, Size: int64(len(content))}))
			if _, err := w.Write([]byte(content)); err != nil {
				t.Fatal(err)
			}
		}
		must(t, errors.Join(w.Close(), f.Close()))
		parent := t.TempDir()
		dir := filepath.Join(parent, "data")
		if _, err := backup.Restore(t.Context(), path, dir); err == nil {
			t.Errorf("%s is restored", name)
		}
		if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v (%v)", name, left, err)
		}
	}
}

// A store alone is no back-up: nobody could tell of when it is, and which program reads it.
func TestArchiveWithoutItsManifest(t *testing.T) {
	t.Parallel()
	store := filepath.Join(storetest.NewConfig(t, storetest.SQLite).Dir, "parley.db")
	content, err := os.ReadFile(store)
	must(t, err)
	path := filepath.Join(t.TempDir(), "copy.tar")
	f, err := os.Create(path)
	must(t, err)
	w := tar.NewWriter(f)
	must(t, w.WriteHeader(&tar.Header{Name: "parley.db", Typeflag: tar.TypeReg, Size: int64(len(content))}))
	_, err = w.Write(content)
	must(t, errors.Join(err, w.Close(), f.Close()))
	if _, err := backup.Restore(t.Context(), path, filepath.Join(t.TempDir(), "data")); err == nil || !strings.Contains(err.Error(), "it has no manifest.json") {
		t.Errorf("got %v", err)
	}
}

// What is no back-up is called so, and leaves no folder behind. A folder that was there stays.
func TestFilesThatAreNoBackups(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                        "is not a back-up: the file is empty",
		"x":                       "is not a back-up: the file has 1 byte",
		"\x1f\x8b\x08":            "is not complete",
		"\x1f\x8bxxxxxxxxxxxxxxx": "is not a back-up",
		strings.Repeat("x", 2048): "is not a back-up",
	} {
		path, parent := filepath.Join(t.TempDir(), "copy"), t.TempDir()
		must(t, os.WriteFile(path, []byte(content), 0o600))
		for _, dir := range []string{filepath.Join(parent, "new", "data"), parent} {
			_, err := backup.Restore(t.Context(), path, dir)
			if err == nil || !strings.HasPrefix(err.Error(), path+" "+want) {
				t.Errorf("%.20q is restored with %v", content, err)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
				t.Errorf("%.20q leaves %v (%v)", content, left, err)
			}
		}
	}
}

// A check finds work without an owner, and repairs it without sending anything.
func TestCheck(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		contact := storetest.Contact(t, st, account, "+4915112345678")
		at := st.Now()
		storetest.Conversation(t, st, contact, &at)
		o := &office{t: t, st: st, account: account, contact: contact}
		id := o.send("lost")
		requireSound(t, st, t.TempDir())
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.DropSendJobs(org.ID, id) })
		blobs, err := blob.OpenFolder(t.TempDir())
		must(t, err)
		for _, want := range []bool{false, true} {
			faults, err := backup.Check(t.Context(), st, blobs, want)
			if err != nil || len(faults) != 1 || !slices.Equal(faults[0].IDs, []string{id}) || (faults[0].Mended != "") != want {
				t.Fatalf("with repair %v it finds %+v (%v)", want, faults, err)
			}
		}
		requireSound(t, st, t.TempDir())
		if held, err := st.Read(t.Context()).HeldSends(10); err != nil || len(held) != 1 || held[0].MessageID != id {
			t.Errorf("held are %+v (%v)", held, err)
		}
	})
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
