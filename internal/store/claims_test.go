package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// claimable is a kind of work that a node takes over from dead ones: how it is made and claimed, by id.
type claimable struct {
	name   string
	insert func(tx *store.Tx, id, owner string, due time.Time) error
	claim  func(tx *store.Tx, node string, limit int) ([]string, error)
	early  bool // work that is not due yet is taken too, and keeps its place
}

var claimables = []claimable{
	{
		"callbacks",
		func(tx *store.Tx, id, owner string, due time.Time) error {
			c := store.Callback{ID: id, Body: []byte("{}"), DueAt: due, Owner: owner}
			if due.After(tx.Now()) { // it was tried
				c.Attempts = 1
			}
			return tx.InsertCallback(c)
		},
		(*store.Tx).ClaimCallbacks,
		false,
	},
	{
		"send jobs",
		func(tx *store.Tx, id, owner string, due time.Time) error {
			_, err := tx.InsertSendJob(store.SendJob{OrgID: "org", MessageID: id, ConversationID: id, DueAt: due, Owner: owner})
			return err
		},
		func(tx *store.Tx, node string, limit int) (ids []string, err error) {
			claimed, err := tx.ClaimSendJobs(node, limit)
			for _, j := range claimed {
				ids = append(ids, j.MessageID)
			}
			return ids, err
		},
		true,
	},
	{
		"media jobs",
		func(tx *store.Tx, id, owner string, due time.Time) error {
			j := store.MediaJob{OrgID: "org", MessageID: id, DueAt: due, Owner: owner}
			if due.After(tx.Now()) { // it was tried
				j.Attempts = 1
			}
			return tx.InsertMediaJob(j)
		},
		func(tx *store.Tx, node string, limit int) (ids []string, err error) {
			claimed, err := tx.ClaimMediaJobs(node, limit)
			for _, j := range claimed {
				ids = append(ids, j.MessageID)
			}
			return ids, err
		},
		false,
	},
}

func (c claimable) claimOnce(st *store.Store, node string, limit int) (ids []string, err error) {
	err = st.InTx(context.Background(), func(tx *store.Tx) (err error) {
		ids, err = c.claim(tx, node, limit)
		return err
	})
	return ids, err
}

func eachClaimable(t *testing.T, test func(t *testing.T, st *store.Store, c claimable)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for _, c := range claimables {
			t.Run(c.name, func(t *testing.T) { test(t, st, c) })
		}
	})
}

func TestClaimTakesTheDueWorkOfDeadNodes(t *testing.T) {
	eachClaimable(t, func(t *testing.T, st *store.Store, c claimable) {
		storetest.Alive(t, st, "alive", "me")
		var want []string
		storetest.InTx(t, st, func(tx *store.Tx) error {
			want = nil
			for _, w := range []struct {
				owner string
				due   time.Duration
				taken bool
			}{
				{"dead", 0, true}, {"unheard of", 0, true}, {"alive", 0, false}, {"dead", time.Minute, c.early}, {"me", 0, false},
			} {
				id := tx.NewID(chat.KindMessage)
				if w.taken {
					want = append(want, id)
				}
				if err := c.insert(tx, id, w.owner, tx.Now().Add(w.due)); err != nil {
					return err
				}
			}
			return nil
		})
		got, err := c.claimOnce(st, "me", 10)
		requireEqual(t, got, err, want)
		got, err = c.claimOnce(st, "me", 10)
		requireEqual(t, got, err, nil) // its own work is not claimed again
	})
}

// Work is claimed oldest first, in whatever order the rows are stored.
func TestClaimIsInOrder(t *testing.T) {
	eachClaimable(t, func(t *testing.T, st *store.Store, c claimable) {
		storetest.Alive(t, st, "me")
		ids := insertShuffled(t, st, c, 40)
		got, err := c.claimOnce(st, "me", 30)
		requireEqual(t, got, err, ids[:30])
		got, err = c.claimOnce(st, "me", 30)
		requireEqual(t, got, err, ids[30:])
	})
}

// insertShuffled gives a dead node work and returns its ids, oldest first.
func insertShuffled(t *testing.T, st *store.Store, c claimable, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = st.NewID(chat.KindMessage)
	}
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
			if err := c.insert(tx, ids[i], "dead", tx.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

func TestNothingIsClaimedByTwoNodes(t *testing.T) {
	const nodes, rows = 4, 40
	eachClaimable(t, func(t *testing.T, st *store.Store, c claimable) {
		for i := range nodes {
			storetest.Alive(t, st, nodeName(i))
		}
		ids := insertShuffled(t, st, c, rows)
		var claimed [nodes][]string
		var taken atomic.Int64
		requireAllNil(t, together(nodes, func(i int) error {
			for taken.Load() < rows { // a node that comes while another claims gets nothing
				got, err := c.claimOnce(st, nodeName(i), 3)
				if err != nil {
					return err
				}
				claimed[i] = append(claimed[i], got...)
				taken.Add(int64(len(got)))
			}
			return nil
		}))
		all := slices.Sorted(slices.Values(slices.Concat(claimed[:]...)))
		requireEqual(t, all, nil, ids)
	})
}

func nodeName(i int) string { return string(rune('a' + i)) }

// A conversation belongs to one node. A job behind another node's message is left until the node that has that
// message claims. A job without an owner cannot have been sent.
func TestSendJobsOfAConversationStayTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		var ids []string
		storetest.InTx(t, st, func(tx *store.Tx) error {
			ids = nil
			for i, owner := range []string{"a", "dead", "other dead", ""} {
				job := store.SendJob{OrgID: "org", MessageID: tx.NewID(chat.KindMessage), ConversationID: nodeName(i), Owner: owner}
				if _, err := tx.InsertSendJob(job); err != nil {
					return err
				}
				ids = append(ids, job.MessageID)
			}
			return nil
		})
		storetest.Alive(t, st, "a", "b")
		moved := func(from, to int) { // as a take-over that was cut short leaves it
			requireNoError(t, store.MoveSendJob(t.Context(), st, ids[from], nodeName(to)))
		}
		moved(1, 0) // a dead node's behind a living one's
		moved(2, 3) // a dead node's before nobody's
		claim := func(node string) (got []string) {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				got = nil
				jobs, err := tx.ClaimSendJobs(node, 10)
				for _, j := range jobs {
					if j.InDoubt != (j.MessageID != ids[3]) {
						t.Errorf("%+v", j)
					}
					got = append(got, j.MessageID)
				}
				return err
			})
			return got
		}
		requireEqual(t, claim("b"), nil, ids[2:3])
		requireEqual(t, claim("b"), nil, ids[3:])
		requireEqual(t, claim("b"), nil, nil)
		requireEqual(t, claim("a"), nil, ids[1:2])
	})
}

// A node finds its own jobs by the index, however many jobs others have, and their ids in nothing else.
func TestOwnSendJobsAreFoundByTheirIndex(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		last := store.SendJob{AccountID: "acc", MessageID: "msg"}
		plans, err := store.Plans(t.Context(), st, func(r store.Reader) error {
			_, err := r.OwnSendJobs("me", time.Second, st.Now(), last, 10)
			_, keysErr := r.OwnSendJobKeys("me", last, 10)
			return errors.Join(err, keysErr)
		})
		requireNoError(t, err)
		plan, rest, covering := strings.Join(plans, "\n"), "account_id=? AND <expr>>?", 2
		if engine == storetest.Postgres {
			rest, covering = "(account_id = 'acc'::text) AND ((message_id || ''::text) > 'msg'::text)", 0
		}
		if sorts(plan) || strings.Count(plan, "send_jobs_by_owner") != 4 || strings.Count(plan, rest) != 2 || strings.Count(plan, "COVERING") != covering {
			t.Errorf("they are read so:\n%s", plan)
		}
	})
}

// Their ids come in the order of the jobs, from any job on.
func TestOwnSendJobKeysAreInOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for i := range 12 {
				job := store.SendJob{OrgID: "org", MessageID: tx.NewID(chat.KindMessage), AccountID: nodeName(i % 3), ConversationID: nodeName(i), Owner: nodeName(i % 4 / 3), DueAt: st.Now()}
				if _, err := tx.InsertSendJob(job); err != nil {
					return err
				}
			}
			return nil
		})
		r := st.Read(t.Context())
		jobs, err := r.OwnSendJobs("a", 0, st.Now().Add(time.Minute), store.SendJob{}, 100)
		requireNoError(t, err)
		if len(jobs) != 9 {
			t.Fatalf("%d jobs", len(jobs))
		}
		for from := range len(jobs) {
			var last store.SendJob
			if from > 0 {
				last = jobs[from-1]
			}
			keys, err := r.OwnSendJobKeys("a", last, 4)
			requireNoError(t, err)
			want := jobs[from:min(from+4, len(jobs))]
			if !slices.EqualFunc(keys, want, func(k, j store.SendJob) bool { return k.MessageID == j.MessageID && k.AccountID == j.AccountID }) {
				t.Errorf("after %d jobs: %v, not %v", from, keys, want)
			}
		}
	})
}

// The jobs behind a message are read by the index, however long the conversation is.
func TestSendJobsBehindAMessage(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		plans, err := store.Plans(t.Context(), st, func(r store.Reader) error {
			_, err := r.SendJobsBehind("org", "con", "msg", 10)
			return err
		})
		requireNoError(t, err)
		if plan := strings.Join(plans, "\n"); sorts(plan) || !strings.Contains(plan, "send_jobs_by_conversation") {
			t.Errorf("they are read so:\n%s", plan)
		}
	})
}

// The cost of looking for dead nodes' work does not grow with the living nodes' work.
func TestClaimsGoByOwner(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		storetest.Alive(t, st, "node")
		for _, c := range claimables {
			storetest.InTx(t, st, func(tx *store.Tx) error { return c.insert(tx, "x", "dead", tx.Now()) })
			plans, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error {
				_, err := c.claim(tx, "node", 10)
				return err
			})
			requireNoError(t, err)
			table, plan := strings.ReplaceAll(c.name, " ", "_"), strings.Join(plans, "\n")
			if strings.Contains(plan, "SCAN "+table) || strings.Contains(plan, "Seq Scan on "+table) || !strings.Contains(plan, table+"_by_owner") {
				t.Errorf("%s are not looked for by owner:\n%s", c.name, plan)
			}
		}
	})
}

// The jobs of messages are found by their key, although the table is empty most of the time and PostgreSQL knows that: then
// every index seems as good to it as the right one.
func TestSendJobsOfMessages(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			_, err := store.Exec(tx, "ANALYZE send_jobs")
			return err
		})
		ids := []string{"msg_1", "msg_2"}
		plans, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error {
			_, among := tx.SendJobsAmong("org", ids)
			_, owners := tx.SendJobOwners("org", ids)
			_, owner := tx.SendJobOwner("org", "msg_1")
			_, finish := tx.FinishSendJob("org", "msg_1", "me")
			_, retry := tx.RetrySendJob(store.SendJob{OrgID: "org", MessageID: "msg_1", Owner: "me"})
			if errors.Is(owner, store.ErrNotFound) {
				owner = nil
			}
			return errors.Join(among, owners, owner, finish, retry, tx.DropSendJobs("org", ids...), tx.DropSendJobs("org", "msg_1"))
		})
		requireNoError(t, err)
		key := map[storetest.Engine]string{storetest.SQLite: "(org_id=? AND message_id=?)", storetest.Postgres: "Index Cond: ((org_id = "}[engine]
		plan := strings.Join(plans, "\n")
		if n := strings.Count(plan, key); n != 7 || strings.Count(plan, "message_id >=") > 3 {
			t.Errorf("%d of 7 are found by the key:\n%s", n, plan)
		}
	})
}
