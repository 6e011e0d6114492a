package contactjobs

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// settle runs all jobs to their ends, in a worker that was not started.
func (w *Worker) settle(t storetest.Tester) {
	t.Helper()
	for {
		w.look(context.Background())
		if w.idle() {
			return
		}
		w.heard(t)
	}
}

func (w *Worker) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.here) == 0
}

// heard waits until a job has left its place.
func (w *Worker) heard(t storetest.Tester) {
	t.Helper()
	select {
	case <-w.Bell:
	case <-time.After(time.Minute):
		t.Fatalf("no job has ended")
	}
}

// gated is a blob store whose files can be opened once the gate is open.
type gated struct {
	blob.Store
	gate   chan struct{}
	asked  chan string // keys of files that were to be opened
	mu     sync.Mutex
	opened map[string]int
}

func (g *gated) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	g.mu.Lock()
	g.opened[key]++
	g.mu.Unlock()
	g.asked <- key
	select {
	case <-g.gate:
		return g.Store.Get(ctx, key)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// gate closes a gate before the files of the desk's imports.
func (d *desk) gate() *gated {
	g := &gated{Store: d.worker.blobs, gate: make(chan struct{}), asked: make(chan string, 10_000), opened: map[string]int{}}
	d.worker.blobs = g
	return g
}

// peopleFile is a file with so many people, whose numbers no other file has.
func peopleFile(prefix string, people int) []byte {
	var text strings.Builder
	text.WriteString("phone,name\n")
	for n := range people {
		fmt.Fprintf(&text, "+4915%s%05d,Ada\n", prefix, n)
	}
	return []byte(text.String())
}

var twoColumns = chat.ImportMapping{Header: true, Country: "DE", Columns: []chat.ImportColumn{{Column: 0, Field: "phone_number"}, {Column: 1, Field: "name"}}}

// relabel begins a change of one contact.
func (d *desk) relabel() (job chat.ContactJob) {
	d.T.Helper()
	contact, label := storetest.Contact(d.T, d.Store, d.Account, "+4915100000001"), storetest.Label(d.T, d.Store, d.Org, "VIP")
	d.InTx(func(tx *store.Tx) (err error) {
		job, err = core.ChangeContacts(tx, d.admin, chat.JobLabel, chat.ContactBulk{IDs: []string{contact.ID}, LabelID: label.ID})
		return err
	})
	return job
}

func (d *desk) require(id string, want chat.ContactJobStatus) chat.ContactJob {
	d.T.Helper()
	job, err := d.Read().ContactJob(d.Org.ID, id)
	if err != nil || job.Status != want {
		d.T.Fatalf("the job is %+v, %v, want %s", job, err, want)
	}
	return job
}

// However many jobs an organization has, and however long they take, another's job begins at once.
func TestManyImportsDelayNoOtherOrganization(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		busy, quiet := newDesk(t, st), newDesk(t, st)
		var jobs []chat.ContactJob
		for n := range atOnce + 1 {
			jobs = append(jobs, busy.begin(peopleFile(fmt.Sprintf("1%02d", n), 3), twoColumns))
		}
		gate, w := busy.gate(), busy.worker
		w.look(t.Context())
		small := quiet.relabel()
		w.look(t.Context())
		w.heard(t)
		if job := quiet.require(small.ID, chat.JobDone); job.Changed != 1 {
			t.Errorf("of one contact %d were changed", job.Changed)
		}
		for range atOncePerOrg {
			<-gate.asked
		}
		if len(gate.asked) > 0 {
			t.Errorf("%d more jobs of one organization have begun", len(gate.asked))
		}
		close(gate.gate)
		w.settle(t)
		for _, job := range jobs {
			if done := busy.require(job.ID, chat.JobDone); done.Created != 3 {
				t.Errorf("of three contacts %d were made", done.Created)
			}
		}
	})
}

// Large jobs give their places to others that wait, and go on where they were.
func TestJobsTakeTurns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		d.worker.turn = 0
		large := []chat.ContactJob{d.begin(peopleFile("100", 700), twoColumns), d.begin(peopleFile("101", 700), twoColumns)}
		small := d.begin(peopleFile("102", 1), twoColumns)
		gate := d.gate()
		close(gate.gate)
		d.worker.settle(t)
		d.require(small.ID, chat.JobDone)
		for _, job := range large {
			if done := d.require(job.ID, chat.JobDone); done.Created != 700 || done.Failed != 0 {
				t.Errorf("of 700 contacts %d were made, and %d failed", done.Created, done.Failed)
			}
		}
		if gate.opened[*large[0].BlobKey]+gate.opened[*large[1].BlobKey] == 2 {
			t.Error("neither of the large ones has given up its place")
		}
	})
}

// An import is undone although its file goes away while it is opened.
func TestUndoOfARunningImport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		job := d.begin(peopleFile("100", 3), twoColumns)
		gate, w := d.gate(), d.worker
		w.look(t.Context())
		<-gate.asked
		d.InTx(func(tx *store.Tx) error {
			_, err := core.UndoImport(tx, d.admin, job.ID)
			return err
		})
		w.look(t.Context()) // it is here already
		d.Must(gate.Store.Delete(t.Context(), *job.BlobKey))
		close(gate.gate)
		w.heard(t)
		w.settle(t)
		d.require(job.ID, chat.JobUndone)
	})
}
