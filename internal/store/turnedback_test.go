package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Work that was due when it was written is found after the clock was turned back. Postponed work waits for its
// time, unless nothing is ever postponed that far.
func TestWorkFromBeforeAClockWasTurnedBack(t *testing.T) {
	t.Parallel()
	const node, longest = "node", 2 * time.Hour
	for name, turn := range map[string]struct {
		by   time.Duration
		want []string
	}{
		"not":      {0, []string{"callback", "own callback", "file", "own file", "job", "sync"}},
		"an hour":  {-time.Hour, []string{"callback", "own callback", "file", "own file", "job"}},
		"very far": {-100 * time.Hour, []string{"callback", "own callback", "file", "own file", "job", "claimed job", "sync", "next sync"}},
		"hardly":   {-time.Second, []string{"callback", "own callback", "file", "own file"}},
	} {
		t.Run(name, func(t *testing.T) {
			slices.Sort(turn.want)
			storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
				storetest.Alive(t, st, node)
				storetest.InTx(t, st, func(tx *store.Tx) error { return writeWork(tx, node) })
				clock.Step(turn.by)
				got := foundWork(t, st, node, longest)
				slices.Sort(got)
				requireEqual(t, got, nil, turn.want)
			})
		})
	}
}

// writeWork writes due work of each kind, of the node and of nobody, and some postponed work.
func writeWork(tx *store.Tx, node string) error {
	soon := tx.Now().Add(time.Minute)
	for _, c := range []store.Callback{
		{Body: []byte("callback"), DueAt: tx.Now()}, {Body: []byte("own callback"), DueAt: tx.Now(), Owner: node},
		{Body: []byte("tried callback"), DueAt: soon, Attempts: 1},
	} {
		c.ID = tx.NewID(chat.KindCallback)
		if err := tx.InsertCallback(c); err != nil {
			return err
		}
	}
	for _, j := range []store.MediaJob{
		{MessageID: "file", DueAt: tx.Now()}, {MessageID: "own file", DueAt: tx.Now(), Owner: node}, {MessageID: "tried file", DueAt: soon, Attempts: 1},
	} {
		j.OrgID = "org"
		if err := tx.InsertMediaJob(j); err != nil {
			return err
		}
	}
	if err := tx.PutAccountJob("org", "claimed job", store.JobConnected); err != nil {
		return err
	}
	if _, err := tx.ClaimAccountJobs(store.JobConnected, node, soon, 0, 1); err != nil {
		return err
	}
	if err := tx.PutAccountJob("org", "job", store.JobConnected); err != nil {
		return err
	}
	if err := tx.ScheduleTemplateSync("org", "sync", tx.Now()); err != nil {
		return err
	}
	return tx.ScheduleTemplateSync("org", "next sync", soon)
}

// foundWork is the work that the node finds.
func foundWork(t *testing.T, st *store.Store, node string, longest time.Duration) (found []string) {
	t.Helper()
	own, err := st.Read(t.Context()).DueCallbacks(node, st.Now(), 10)
	requireNoError(t, err)
	syncs, err := st.Read(t.Context()).DueTemplateSyncs(st.Now(), longest, 10)
	requireNoError(t, err)
	for _, s := range syncs {
		found = append(found, s.WABAID)
	}
	storetest.InTx(t, st, func(tx *store.Tx) error {
		callbacks, err := tx.ClaimCallbacks(node, 10)
		if err != nil {
			return err
		}
		for _, id := range append(own, callbacks...) {
			c, err := tx.DueCallback(id, node, tx.Now())
			if err != nil {
				return err
			}
			found = append(found, string(c.Body))
		}
		if _, err := tx.ClaimMediaJobs(node, 10); err != nil {
			return err
		}
		files, err := tx.DueMediaJobs(node, tx.Now(), 10, 10)
		if err != nil {
			return err
		}
		for _, j := range files {
			found = append(found, j.MessageID)
		}
		jobs, err := tx.ClaimAccountJobs(store.JobConnected, node, tx.Now().Add(time.Minute), longest, 10)
		for _, j := range jobs {
			found = append(found, j.AccountID)
		}
		return err
	})
	return found
}

// An event that arrived after the clock was read is not taken for one from before the clock was turned back.
func TestHeldEventsThatHaveJustCome(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		looked, hold := st.Now(), 10*time.Second
		put := func(after time.Duration) {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				m := chat.Message{ID: tx.NewID(chat.KindMessage), OrgID: org.ID, AccountID: account.ID, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
				return errors.Join(tx.InsertMessage(m), tx.InsertHeldEvent(org.ID, m.ID, []byte("{}"), looked.Add(after+hold)))
			})
		}
		put(4 * time.Second) // committed after the clock was looked at
		held, err := st.Read(t.Context()).HeldEventsBeyond(looked, looked.Add(hold), 10)
		requireEqual(t, len(held), err, 0)
		put(time.Minute) // before it was turned back
		held, err = st.Read(t.Context()).HeldEventsBeyond(looked, looked.Add(hold), 10)
		requireEqual(t, len(held), err, 1)
	})
}
