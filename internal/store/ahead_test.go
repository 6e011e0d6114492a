package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// addLabel makes the changes of creating a label.
func addLabel(tx *store.Tx, org storetest.Organization, name string) error {
	if teams, err := tx.Teams(org.ID); err != nil || len(teams) != 1 {
		return errors.Join(err, fmt.Errorf("%d teams", len(teams)))
	}
	return tx.InsertLabel(storetest.NewLabel(tx, org, name))
}

// count adds one to the number in a label's color.
func count(tx *store.Tx, org storetest.Organization, id string) error {
	label, err := tx.Label(org.ID, id)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(label.Color)
	changed, err := store.Exec(tx, "UPDATE labels SET color = $3 WHERE org_id = $1 AND id = $2", org.ID, id, strconv.Itoa(n+1))
	if err == nil && changed != 1 {
		err = fmt.Errorf("%d rows were changed", changed)
	}
	return err
}

// inOneGroup runs n members together, and returns their errors.
func inOneGroup(t *testing.T, st *store.Store, n int, member func(i int) (store.Foresight, func(*store.Tx) error), before func()) []error {
	t.Helper()
	inside, open := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		st.InGroup(context.Background(), store.Foresight{}, func(*store.Tx) error {
			close(inside)
			<-open
			return errRefused
		})
	})
	<-inside
	done := make(chan []error)
	go func() {
		done <- together(n, func(i int) error {
			want, run := member(i)
			return st.InGroup(context.Background(), want, run)
		})
	}()
	for store.InLine(st) < n {
		runtime.Gosched()
	}
	before()
	close(open)
	first.Wait()
	return <-done
}

func oneLine(t *testing.T) (*store.Store, *store.Journey, storetest.Organization) {
	t.Helper()
	cfg, journey := store.Traced(storetest.NewConfig(t, storetest.Postgres))
	st := storetest.OpenAt(t, cfg)
	store.OneGroup(st)
	return st, journey, storetest.Org(t, st)
}

// Ordinary writes cost a few statements and three round trips, however many come together.
func TestStatementsOfLabels(t *testing.T) {
	t.Parallel()
	st, journey, org := oneLine(t)
	for _, c := range []struct {
		name              string
		keys              bool
		statements, trips int64
	}{
		{"labels", false, 6, 3}, // BEGIN, settings, teams | names | rows, COMMIT
		{"with keys", true, 9, 3},
	} {
		for _, n := range []int{2, 40} {
			var statements, trips int64
			errs := inOneGroup(t, st, n, func(i int) (store.Foresight, func(*store.Tx) error) {
				name := fmt.Sprintf("%s %d of %d", c.name, i, n)
				want := store.Foresight{Kind: "label"}
				if c.keys {
					want.Answer = store.AnswerKey{OrgID: org.ID, Key: name}
				}
				return want, func(tx *store.Tx) error {
					if err := addLabel(tx, org, name); err != nil || !c.keys {
						return err
					}
					return answered(tx, want.Answer)
				}
			}, func() { statements, trips = journey.Statements.Load(), journey.Trips.Load() })
			requireAllNil(t, errs)
			statements, trips = journey.Statements.Load()-statements, journey.Trips.Load()-trips
			t.Logf("%s, %d of them: %d statements, %d journeys", c.name, n, statements, trips)
			if statements > c.statements || trips > c.trips {
				t.Errorf("%s: %d of them cost %d statements and %d journeys, at most %d and %d were expected", c.name, n, statements, trips, c.statements, c.trips)
			}
		}
	}
}

// Of equal names in one group one is added. The others are refused, and nobody is run alone because of them.
func TestEqualNamesInAGroup(t *testing.T) {
	t.Parallel()
	st, journey, org := oneLine(t)
	storetest.Label(t, st, org, "There Before")
	names := []string{"new", "NEW", "there before", "other", "New"}
	var trips int64
	errs := inOneGroup(t, st, len(names), func(i int) (store.Foresight, func(*store.Tx) error) {
		return store.Foresight{Kind: "label"}, func(tx *store.Tx) error { return addLabel(tx, org, names[i]) }
	}, func() { trips = journey.Trips.Load() })
	refused := 0
	for i, err := range errs {
		if errors.Is(err, store.ErrDuplicate) {
			refused++
		} else if err != nil {
			t.Errorf("%q: %v", names[i], err)
		}
	}
	if refused != 3 || errs[3] != nil || errs[2] == nil {
		t.Errorf("the outcomes are %v", errs)
	}
	if trips = journey.Trips.Load() - trips; trips != 3 {
		t.Errorf("%d journeys", trips)
	}
	labels, err := st.Read(t.Context()).LabelsOfTeam(org.ID, org.TeamID)
	requireEqual(t, len(labels), err, 3)
}

// Whatever members do and however they end: those that succeeded have had their effect once, one after the other, and
// the others have had none.
func TestMembersThatSayNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		rapid.Check(t, func(rt *rapid.T) {
			org := storetest.Org(t, st)
			var ids []string
			for i := range 3 {
				ids = append(ids, storetest.Label(t, st, org, fmt.Sprint("counter ", i)).ID)
			}
			hows := rapid.SliceOfN(rapid.SampledFrom([]string{"go", "go", "go", "go", "refuse", "read back", "panic", "leave", "inside"}), 1, 30).Draw(rt, "hows")
			var mu sync.Mutex
			want := map[string]int{}
			together(len(hows), func(i int) error {
				err := countAs(st, org, ids[i%3], hows[i])
				if succeeds := hows[i] == "go" || hows[i] == "read back" || hows[i] == "inside"; succeeds != (err == nil) {
					t.Errorf("%q ended with %v", hows[i], err)
				}
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					want[ids[i%3]]++
				}
				return nil
			})
			for _, id := range ids {
				label, err := st.Read(t.Context()).Label(org.ID, id)
				if n, _ := strconv.Atoi(label.Color); err != nil || n != want[id] {
					rt.Fatalf("%d of %v were counted, want %d (%v)", n, hows, want[id], err)
				}
			}
		})
	})
}

// countAs counts once on a label, and ends in the given way.
func countAs(st *store.Store, org storetest.Organization, id, how string) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return st.InGroup(ctx, store.Foresight{Kind: how}, func(tx *store.Tx) error {
		if err := count(tx, org, id); err != nil {
			return err
		}
		switch how {
		case "refuse":
			return errRefused
		case "read back": // what it has written itself, which takes a transaction of its own
			_, err := tx.Label(org.ID, id)
			return err
		case "inside":
			err := tx.Savepoint(func() error { return errors.Join(addLabel(tx, org, "undone"), errRefused) })
			if !errors.Is(err, errRefused) {
				return err
			}
		case "panic":
			panic("on purpose")
		case "leave":
			cancel()
		}
		return nil
	})
}

// Two nodes give out the same names at the same time.
func TestNamesOnTwoNodes(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	nodes := []*store.Store{storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)}
	org := storetest.Org(t, nodes[0])
	const names = 20
	var mu sync.Mutex
	added := map[int]int{}
	together(4*names, func(i int) error {
		err := nodes[i%2].InGroup(context.Background(), store.Foresight{Kind: "label"}, func(tx *store.Tx) error {
			return addLabel(tx, org, fmt.Sprint("name ", i/4))
		})
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			added[i/4]++
		} else if !errors.Is(err, store.ErrDuplicate) {
			t.Error(err)
		}
		return nil
	})
	for i := range names {
		if added[i] != 1 {
			t.Errorf("name %d was added %d times", i, added[i])
		}
	}
}

// One member reads the labels and locks nothing; another locks a setting and then reads them, for whom that lock guards
// them. What another node has changed under the lock in between, the second member sees.
func TestLocksInAGroupGuardWhatIsReadAfterThem(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, other := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
	store.OneGroup(st)
	org := guardedOrg(t, st)
	elsewhere := sync.OnceFunc(func() {
		storetest.InTx(t, other, func(tx *store.Tx) error { return addGuarded(tx, org) })
	})
	seen := seenUnderLock(t, st, org, func(tx *store.Tx) error {
		if _, err := tx.User(org.ID, "usr_nobody"); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		elsewhere() // the first member's labels were read together with this user
		return nil
	})
	if seen != 1 {
		t.Errorf("the member saw %d labels under its lock", seen)
	}
}

// The same, if the labels and the lock are asked for at the same time, and the lock is taken.
func TestLocksInAGroupAreTakenFirst(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st, other, conn := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg), admin(t, cfg)
	store.OneGroup(st)
	org := guardedOrg(t, st)
	locked := make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		storetest.InTx(t, other, func(tx *store.Tx) error {
			err := addGuarded(tx, org)
			close(locked)
			for waits := 0; waits == 0 && err == nil; {
				err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waits)
			}
			return err
		})
	})
	<-locked
	if seen := seenUnderLock(t, st, org, func(*store.Tx) error { return nil }); seen != 1 {
		t.Errorf("the member saw %d labels under its lock", seen)
	}
	holder.Wait()
}

const guard = "guard"

func guardedOrg(t *testing.T, st *store.Store) storetest.Organization {
	storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertSetting(guard, "") })
	return storetest.Org(t, st)
}

// addGuarded adds a label under the setting's lock.
func addGuarded(tx *store.Tx, org storetest.Organization) error {
	if _, err := tx.Setting(guard); err != nil {
		return err
	}
	return tx.InsertLabel(storetest.NewLabel(tx, org, "from the other node"))
}

// seenUnderLock runs two members together, and returns how many labels the second one saw under the setting's lock.
func seenUnderLock(t *testing.T, st *store.Store, org storetest.Organization, before func(*store.Tx) error) (seen int) {
	t.Helper()
	unguarded := func(tx *store.Tx) error {
		if _, err := tx.LabelsOfTeam(org.ID, org.TeamID); err != nil {
			return err
		}
		_, err := tx.User(org.ID, "usr_another")
		return err
	}
	guarded := func(tx *store.Tx) error {
		if err := before(tx); err != nil {
			return err
		}
		if _, err := tx.Setting(guard); err != nil {
			return err
		}
		labels, err := tx.LabelsOfTeam(org.ID, org.TeamID)
		seen = len(labels)
		return err
	}
	errs := inOneGroup(t, st, 2, func(i int) (store.Foresight, func(*store.Tx) error) {
		return store.Foresight{Kind: fmt.Sprint(i)}, []func(*store.Tx) error{unguarded, guarded}[i]
	}, func() {})
	requireError(t, errs[0], store.ErrNotFound)
	requireNoError(t, errs[1])
	return seen
}

// If the connection of a group is cut, nobody is told of success, nothing remains, and the next group works.
func TestGroupWhoseConnectionIsCut(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st := storetest.OpenAt(t, cfg)
	store.OneGroup(st)
	org, conn := storetest.Org(t, st), admin(t, cfg)
	cut := sync.OnceFunc(func() {
		_, err := conn.Exec(context.Background(), `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'idle in transaction'`)
		requireNoError(t, err)
	})
	add := func(cut func()) []error {
		return inOneGroup(t, st, 10, func(i int) (store.Foresight, func(*store.Tx) error) {
			return store.Foresight{Kind: "label"}, func(tx *store.Tx) error {
				if err := addLabel(tx, org, fmt.Sprint(i)); err != nil {
					return err
				}
				cut()
				return nil
			}
		}, func() {})
	}
	for i, err := range add(cut) {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("member %d ended with %v", i, err)
		}
	}
	requireAllNil(t, add(func() {}))
}

// A row that another transaction keeps locked delays the member that needs it, and for a moment the others.
func TestMemberBehindALock(t *testing.T) {
	t.Parallel()
	st, _, org := oneLine(t)
	label := storetest.Label(t, st, org, "locked")
	locked, release := make(chan struct{}), make(chan struct{})
	var holder, waiter sync.WaitGroup
	holder.Go(func() {
		storetest.InTx(t, st, func(tx *store.Tx) error {
			_, err := tx.Label(org.ID, label.ID)
			close(locked)
			<-release
			return err
		})
	})
	<-locked
	waiter.Go(func() {
		if err := countAs(st, org, label.ID, "go"); err != nil {
			t.Error(err)
		}
	})
	requireNoError(t, st.InGroup(t.Context(), store.Foresight{Kind: "label"}, func(tx *store.Tx) error { return addLabel(tx, org, "free") }))
	close(release)
	holder.Wait()
	waiter.Wait()
	got, err := st.Read(t.Context()).Label(org.ID, label.ID)
	requireEqual(t, got.Color, err, "1")
}

// A transaction that does not fit is not tried again and again.
func TestKindThatDoesNotFit(t *testing.T) {
	t.Parallel()
	st, _, org := oneLine(t)
	label := storetest.Label(t, st, org, "a")
	requireNoError(t, countAs(st, org, label.ID, "go"))
	requireNoError(t, countAs(st, org, label.ID, "read back"))
	for kind, want := range map[string]bool{"go": true, "read back": false} {
		if got := store.RunsTogether(st, kind); got != want {
			t.Errorf("%q fits: %v", kind, got)
		}
	}
}

// Look-ups that wait are sent together, and everybody gets the own row.
func TestLookUpsTogether(t *testing.T) {
	t.Parallel()
	st, journey, org := oneLine(t)
	const n = 40
	var labels []chat.Label
	for i := range n {
		labels = append(labels, storetest.Label(t, st, org, fmt.Sprint(i)))
	}
	waiting, release := store.HoldLookUps(st)
	done := make(chan []error)
	go func() {
		done <- together(2*n, func(i int) error {
			if i >= n {
				_, err := st.Read(context.Background()).Label(org.ID, labels[i-n].ID+"x")
				requireError(t, err, store.ErrNotFound)
				return nil
			}
			got, err := st.Read(context.Background()).Label(org.ID, labels[i].ID)
			requireEqual(t, got, err, labels[i])
			return nil
		})
	}()
	for waiting() < 2*n {
		runtime.Gosched()
	}
	statements, trips := journey.Statements.Load(), journey.Trips.Load()
	release()
	requireAllNil(t, <-done)
	if statements, trips = journey.Statements.Load()-statements, journey.Trips.Load()-trips; statements != 4 || trips != 2 {
		t.Errorf("%d look-ups cost %d statements and %d journeys", 2*n, statements, trips)
	}
}

// Who waits to be looked up for leaves when they give up, and the others stay.
func TestLookUpThatIsGivenUp(t *testing.T) {
	t.Parallel()
	st, _, org := oneLine(t)
	label := storetest.Label(t, st, org, "a")
	waiting, release := store.HoldLookUps(st)
	ctx, cancel := context.WithCancel(t.Context())
	look := func(ctx context.Context) chan error {
		done := make(chan error, 1)
		go func() {
			_, err := st.Read(ctx).Label(org.ID, label.ID)
			done <- err
		}()
		return done
	}
	given, stays := look(ctx), look(t.Context())
	for waiting() < 2 {
		runtime.Gosched()
	}
	cancel()
	requireError(t, <-given, context.Canceled)
	if n := waiting(); n != 1 {
		t.Errorf("%d wait", n)
	}
	release()
	requireNoError(t, <-stays)
}

// Of the readers who share an answer, each leaves when they give up. If it was the one to read it, another one does.
func TestSharedReadThatIsGivenUp(t *testing.T) {
	t.Parallel()
	var shared store.Sharing
	answer := make(chan struct{})
	read := func(ctx context.Context) chan error {
		done := make(chan error, 1)
		go func() {
			done <- shared.Do(ctx, func() error {
				<-answer
				return nil
			})
		}()
		return done
	}
	await := func(reading, waiting bool) {
		for {
			if r, w := shared.State(); r == reading && w == waiting {
				return
			}
			runtime.Gosched()
		}
	}
	first := read(t.Context())
	await(true, false)
	ctx, cancel := context.WithCancel(t.Context())
	leader := read(ctx)
	await(true, true)
	stays, leaves := read(t.Context()), read(ctx)
	cancel()
	requireError(t, <-leader, context.Canceled)
	requireError(t, <-leaves, context.Canceled)
	await(true, true)
	close(answer)
	requireNoError(t, <-first)
	requireNoError(t, <-stays)
	await(false, false)
}

func TestWhatIsKnownOfAStatement(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT id, name FROM labels WHERE org_id = $1 AND id = $2":                                               "read labels row",
		"SELECT id, name FROM labels WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE":                             "read labels row locked",
		"SELECT id FROM labels WHERE org_id = $1 ORDER BY id":                                                     "read",
		"SELECT a.id FROM labels a, teams t WHERE a.org_id = $1":                                                  "alone",
		"SELECT pg_try_advisory_xact_lock($1)":                                                                    "alone",
		"SELECT id FROM jobs WHERE org_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED":                                "alone",
		"INSERT INTO notes (org_id, id, text) VALUES ($1, $2, $3)":                                                "add notes row",
		"INSERT INTO labels (org_id, id, name_key) VALUES ($1, $2, $3) ON CONFLICT (org_id, name_key) DO NOTHING": "insert labels row",
		"INSERT INTO labels (org_id, id) VALUES ($1, $2) ON CONFLICT DO NOTHING":                                  "change labels row",
		"UPDATE labels SET color = $3 WHERE org_id = $1 AND id = $2":                                              "change labels row counted",
		"UPDATE labels SET name = $3, name_key = $4 WHERE org_id = $1 AND id = $2":                                "change labels row",
		"UPDATE labels SET color = $3 WHERE org_id = $1 AND id = $2 AND color <> $3":                              "change labels row",
		"UPDATE labels SET color = $2 WHERE org_id = $1":                                                          "change labels",
		"DELETE FROM labels WHERE org_id = $1 AND id = $2":                                                        "change labels row counted",
		"DELETE FROM labels WHERE org_id = $1 AND id = $2 RETURNING id":                                           "alone",
		"WITH gone AS (DELETE FROM labels WHERE org_id = $1 RETURNING id) SELECT id FROM gone":                    "alone",
	} {
		if got := store.Fit(sql); got != want {
			t.Errorf("%s\n\tis %q, want %q", sql, got, want)
		}
	}
}
