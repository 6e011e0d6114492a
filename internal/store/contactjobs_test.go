package store_test

import (
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Of each organization the oldest unfinished jobs are under way, and the first of every one come before the second.
func TestContactJobsUnderWay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		busy, quiet := storetest.Org(t, st), storetest.Org(t, st)
		add := func(org storetest.Organization, status chat.ContactJobStatus) (id string) {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				id = tx.NewID(chat.KindContactJob)
				return tx.InsertContactJob(chat.ContactJob{ID: id, OrgID: org.ID, Kind: chat.JobImport, Status: status, Task: []byte("{}"), CreatedAt: tx.Now(), UpdatedAt: tx.Now()})
			})
			return id
		}
		add(busy, chat.JobDone)
		add(quiet, chat.JobDraft)
		first, second := add(busy, chat.JobRunning), add(busy, chat.JobUndoing)
		third, other := add(busy, chat.JobRunning), add(quiet, chat.JobRunning)
		for _, c := range []struct {
			each, limit int
			want        []string
		}{{3, 10, []string{first, other, second, third}}, {2, 10, []string{first, other, second}}, {3, 2, []string{first, other}}} {
			jobs, err := st.Read(t.Context()).ContactJobsUnderWay(c.each, c.limit)
			requireNoError(t, err)
			var got []string
			for _, job := range jobs {
				got = append(got, job.ID)
				if want := map[bool]string{true: quiet.ID, false: busy.ID}[job.ID == other]; job.OrgID != want {
					t.Errorf("%s is of %s, want %s", job.ID, job.OrgID, want)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%d of each, %d in all: got %v, want %v", c.each, c.limit, got, c.want)
			}
		}
	})
}
