package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// accept makes the changes of accepting a message.
func accept(tx *store.Tx, account chat.Account, number, text string) (store.SendJob, error) {
	contact, conversation, err := tx.ThreadByNumber(account.OrgID, account.ID, number)
	if errors.Is(err, store.ErrNotFound) {
		contact, conversation, err = meet(tx, account, number)
	}
	if err != nil {
		return store.SendJob{}, err
	}
	at := tx.After(conversation.LastMessageAt)
	m := chat.Message{
		ID: tx.NewIDAt(chat.KindMessage, at), OrgID: account.OrgID, AccountID: account.ID, ConversationID: conversation.ID, ContactID: contact.ID,
		Direction: chat.Outbound, Type: chat.TypeText, Status: chat.StatusQueued, Content: fmt.Appendf(nil, "{%q:1}", text), CreatedAt: at, UpdatedAt: at,
	}
	if err := errors.Join(tx.InsertMessage(m), tx.NoteMessage(m.OrgID, m.ConversationID, at)); err != nil {
		return store.SendJob{}, err
	}
	return tx.InsertSendJob(store.SendJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ConversationID: m.ConversationID, DueAt: at, Owner: "node"})
}

// meet makes the contact and the conversation of a new person, unless another transaction was first.
func meet(tx *store.Tx, account chat.Account, number string) (chat.Contact, chat.Conversation, error) {
	contact, err := tx.ContactByNumber(account.OrgID, account.ID, number)
	if errors.Is(err, store.ErrNotFound) {
		contact = storetest.NewContact(tx, account, number)
		if err = tx.InsertContact(contact); errors.Is(err, store.ErrDuplicate) {
			contact, err = tx.ContactByNumber(account.OrgID, account.ID, number)
		}
	}
	if err != nil {
		return contact, chat.Conversation{}, err
	}
	conversation, err := tx.ConversationWith(account.OrgID, contact.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return contact, conversation, err
	}
	conversation = chat.Conversation{
		ID: tx.NewID(chat.KindConversation), OrgID: account.OrgID, AccountID: account.ID, ContactID: contact.ID,
		Status: chat.ConversationOpen, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	if err = tx.InsertConversation(conversation); errors.Is(err, store.ErrDuplicate) {
		conversation, err = tx.ConversationWith(account.OrgID, contact.ID)
	}
	return contact, conversation, err
}

func threadOf(account chat.Account, number string) store.Foresight {
	return store.Foresight{Thread: store.ThreadKey{OrgID: account.OrgID, AccountID: account.ID, Number: number}}
}

// jobsOf are the jobs for a number, oldest first.
func jobsOf(t testing.TB, st *store.Store, account chat.Account, number string) (messages []string) {
	t.Helper()
	_, conversation, err := st.Read(t.Context()).ThreadByNumber(account.OrgID, account.ID, number)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	requireNoError(t, err)
	jobs, err := st.Read(t.Context()).SendJobsBehind(account.OrgID, conversation.ID, "", 1000)
	requireNoError(t, err)
	for _, j := range jobs {
		messages = append(messages, j.MessageID)
	}
	return messages
}

var errPanicked = errors.New("panicked")

// try accepts a message in a group, and fails in the given way.
func try(st *store.Store, account chat.Account, number, how string) (job store.SendJob, err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = st.InGroup(ctx, threadOf(account, number), func(tx *store.Tx) (err error) {
		if how == "refuse before" {
			return errRefused
		}
		if job, err = accept(tx, account, number, how); err != nil {
			return err
		}
		switch how {
		case "refuse":
			return errRefused
		case "refuse late": // its writes were already sent
			_, err := tx.Contacts(account.OrgID, account.ID, store.ContactFilter{}, store.Page{Limit: 1})
			return errors.Join(err, errRefused)
		case "refuse inside":
			tx.Savepoint(func() error {
				_, err := accept(tx, account, number, "undone")
				return errors.Join(err, errRefused)
			})
		case "panic":
			panic("on purpose")
		case "leave":
			cancel()
		}
		return nil
	})
	return job, err
}

// Whatever happens to the members of a group: a member that succeeded has its message, in the order of its
// conversation, and no other member has one.
func TestGroupsKeepTheirMembersApart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1001")
		round := 0
		rapid.Check(t, func(rt *rapid.T) {
			round++
			hows := rapid.SliceOfN(rapid.SampledFrom([]string{"go", "go", "go", "refuse", "refuse before", "refuse late", "refuse inside", "panic", "leave"}), 1, 30).Draw(rt, "hows")
			people := rapid.IntRange(1, 6).Draw(rt, "people")
			var mu sync.Mutex
			want := map[string][]string{}
			together(len(hows), func(i int) error {
				number := fmt.Sprintf("+1555%04d%03d", round, i%people)
				job, err := try(st, account, number, hows[i])
				if succeeds := hows[i] == "go" || hows[i] == "refuse inside"; succeeds != (err == nil) {
					t.Errorf("%q ended with %v", hows[i], err)
				}
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					want[number] = append(want[number], job.MessageID)
				}
				return nil
			})
			for i := range people {
				number := fmt.Sprintf("+1555%04d%03d", round, i)
				slices.Sort(want[number])
				if got := jobsOf(t, st, account, number); !slices.Equal(got, want[number]) {
					rt.Fatalf("%s has %v, want %v", number, got, want[number])
				}
			}
		})
	})
}

// Two nodes meet the same new people at the same time.
func TestGroupsOfTwoNodes(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	nodes := []*store.Store{storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)}
	account := storetest.Account(t, nodes[0], storetest.Org(t, nodes[0]), "1001")
	const messages, people = 200, 20
	requireAllNil(t, together(messages, func(i int) error {
		number := fmt.Sprintf("+1555000%04d", i%people)
		_, err := try(nodes[i/people%2], account, number, "go")
		return err
	}))
	for i := range people {
		if got := jobsOf(t, nodes[0], account, fmt.Sprintf("+1555000%04d", i)); len(got) != messages/people {
			t.Errorf("person %d is sent %d messages, want %d", i, len(got), messages/people)
		}
	}
}

// A transaction that waits for a conversation has not locked the contact, which the group that has the conversation may
// ask for. Otherwise both would wait until PostgreSQL ends one of them.
func TestGroupsDoNotWaitInACircle(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	st := storetest.OpenAt(t, cfg)
	account := storetest.Account(t, st, storetest.Org(t, st), "1001")
	const number = "+15550001234"
	_, err := try(st, account, number, "go")
	requireNoError(t, err)
	var attempts atomic.Int32
	alone := make(chan error)
	requireNoError(t, st.InGroup(t.Context(), threadOf(account, number), func(tx *store.Tx) error {
		if attempts.Add(1) > 1 {
			return errors.New("the group was given up")
		}
		contact, _, err := tx.ThreadByNumber(account.OrgID, account.ID, number)
		if err != nil {
			return err
		}
		go func() {
			alone <- st.InTx(context.Background(), func(tx *store.Tx) error {
				attempts.Add(1)
				_, _, err := tx.ThreadByNumber(account.OrgID, account.ID, number)
				return err
			})
		}()
		waitForRowLock(t, cfg)
		_, err = tx.Contact(account.OrgID, account.ID, contact.ID)
		return err
	}))
	requireNoError(t, <-alone)
	requireEqual(t, attempts.Load(), nil, 2)
}

// Each message of a conversation knows its predecessor, even if both are in one group.
func TestGroupsKnowWhatComesBefore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		account := storetest.Account(t, st, storetest.Org(t, st), "1001")
		var mu sync.Mutex
		behind := map[string]string{}
		requireAllNil(t, together(50, func(int) error {
			job, err := try(st, account, "+15550001234", "go")
			mu.Lock()
			defer mu.Unlock()
			behind[job.MessageID] = job.Behind
			return err
		}))
		last := ""
		for _, id := range slices.Sorted(maps.Keys(behind)) {
			if behind[id] != last {
				t.Fatalf("%s is behind %q, want %q", id, behind[id], last)
			}
			last = id
		}
	})
}

// A group costs a few statements and three round trips, whatever its size.
func TestStatementsOfAGroup(t *testing.T) {
	t.Parallel()
	cfg, journey := store.Traced(storetest.NewConfig(t, storetest.Postgres))
	st := storetest.OpenAt(t, cfg)
	store.OneGroup(st)
	account := storetest.Account(t, st, storetest.Org(t, st), "1001")
	for _, c := range []struct {
		name              string
		keys              bool
		statements, trips int64
	}{
		{"new people", false, 10, 3}, // BEGIN, settings, threads | receivers, jobs | 5 writes, COMMIT
		{"people who are known", false, 8, 3},
		{"with keys", true, 11, 3},
	} {
		for _, n := range []int{2, 40} {
			statements, trips := groupOf(t, st, journey, account, n, c.keys)
			t.Logf("%s, %d members: %d statements, %d journeys", c.name, n, statements, trips)
			if statements > c.statements || trips > c.trips {
				t.Errorf("%s: %d members cost %d statements and %d journeys, at most %d and %d were expected", c.name, n, statements, trips, c.statements, c.trips)
			}
		}
	}
}

// What one transaction makes for many people, as a broadcast does, costs as many statements for a hundred as for two.
func TestStatementsForManyPeople(t *testing.T) {
	t.Parallel()
	cfg, journey := store.Traced(storetest.NewConfig(t, storetest.Postgres))
	st := storetest.OpenAt(t, cfg)
	account := storetest.Account(t, st, storetest.Org(t, st), "1001")
	for _, c := range []struct {
		name              string
		statements, trips int64
	}{
		{"new people", 10, 3}, // BEGIN, settings, threads | receivers | 5 writes, COMMIT
		{"people who are known", 8, 3},
	} {
		for _, n := range []int{2, 100} {
			statements, trips := journey.Statements.Load(), journey.Trips.Load()
			storetest.InTx(t, st, func(tx *store.Tx) error { return acceptAll(tx, account, 1000*n, n) })
			statements, trips = journey.Statements.Load()-statements, journey.Trips.Load()-trips
			t.Logf("%s, %d of them: %d statements, %d journeys", c.name, n, statements, trips)
			if statements > c.statements || trips > c.trips {
				t.Errorf("%s: %d of them cost %d statements and %d journeys, at most %d and %d were expected", c.name, n, statements, trips, c.statements, c.trips)
			}
		}
	}
}

// acceptAll makes a message for each of n people, in one transaction that knows them before.
func acceptAll(tx *store.Tx, account chat.Account, first, n int) error {
	var threads []store.ThreadKey
	for i := range n {
		threads = append(threads, threadOf(account, fmt.Sprintf("+1555%07d", first+i)).Thread)
	}
	if err := tx.ForeseeThreads(threads); err != nil {
		return err
	}
	for _, k := range threads {
		if _, err := accept(tx, account, k.Number, "go"); err != nil {
			return err
		}
	}
	return nil
}

// Somebody writes for the first time while a transaction makes a message for them, and believes them missing: it is
// refused as a whole, and succeeds the next time.
func TestPersonWhoWasMissing(t *testing.T) {
	t.Parallel()
	st := storetest.OpenAt(t, storetest.NewConfig(t, storetest.Postgres))
	account := storetest.Account(t, st, storetest.Org(t, st), "1001")
	tries := 0
	both := func(tx *store.Tx) error {
		threads := []store.ThreadKey{threadOf(account, "+15550000001").Thread, threadOf(account, "+15550000002").Thread}
		if err := tx.ForeseeThreads(threads); err != nil {
			return err
		}
		if tries++; tries == 1 {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				_, err := accept(tx, account, "+15550000002", "faster")
				return err
			})
		}
		for _, k := range threads {
			if _, err := accept(tx, account, k.Number, "go"); err != nil {
				return err
			}
		}
		return nil
	}
	if err := st.InTx(t.Context(), both); !errors.Is(err, store.ErrDuplicate) {
		t.Fatalf("it ended with %v", err)
	}
	if err := st.InTx(t.Context(), both); err != nil {
		t.Fatalf("the next time: %v", err)
	}
}

// groupOf runs n members as one group, and returns its statements and round trips.
func groupOf(t *testing.T, st *store.Store, journey *store.Journey, account chat.Account, n int, keys bool) (statements, trips int64) {
	t.Helper()
	inside, open := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		st.InGroup(context.Background(), threadOf(account, "+19990000000"), func(*store.Tx) error {
			close(inside)
			<-open
			return errRefused
		})
	})
	<-inside
	var members sync.WaitGroup
	for i := range n {
		members.Go(func() {
			number := fmt.Sprintf("+1555000%04d", n+i) // nobody is in groups of two sizes
			want := threadOf(account, number)
			key := store.AnswerKey{OrgID: account.OrgID, Key: fmt.Sprintf("%d of %d", i, n)}
			if keys {
				want.Answer = key
			}
			err := st.InGroup(context.Background(), want, func(tx *store.Tx) error {
				if _, err := accept(tx, account, number, "go"); err != nil || !keys {
					return err
				}
				return answered(tx, key)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for store.InLine(st) < n {
		runtime.Gosched()
	}
	before := [2]int64{journey.Statements.Load(), journey.Trips.Load()}
	close(open)
	first.Wait()
	members.Wait()
	// The first group ends with a ROLLBACK or an empty COMMIT, which is counted with it.
	return journey.Statements.Load() - before[0] - 1, journey.Trips.Load() - before[1] - 1
}

// answered stores an answer, as a request with a key does.
func answered(tx *store.Tx, k store.AnswerKey) error {
	free, err := tx.LockAnswer(k)
	if err != nil || !free {
		return errors.Join(err, errRefused)
	}
	if _, err := tx.IdempotencyRecord(k.OrgID, k.Key, tx.Now().Add(-store.IdempotencyWindow)); !errors.Is(err, store.ErrNotFound) {
		return errors.Join(err, errRefused)
	}
	return tx.PutIdempotencyRecord(store.IdempotencyRecord{OrgID: k.OrgID, Key: k.Key, Fingerprint: "f", RequestID: "req", Status: 200, Body: "{}"})
}

// What writes much is a group of its own, so that nobody waits long for the end of it.
func TestGroupsAreSmallForOthers(t *testing.T) {
	t.Parallel()
	busy, quiet := store.Turn{OrgID: "busy"}, store.Turn{OrgID: "quiet"}
	written := map[store.Turn]int{busy: 100}
	for _, c := range []struct {
		name    string
		waiting []store.Turn
		want    []store.Turn
	}{
		{"with many rows", slices.Repeat([]store.Turn{busy}, 100), []store.Turn{busy}},
		{"before one with many rows", append([]store.Turn{quiet}, slices.Repeat([]store.Turn{busy}, 100)...), []store.Turn{quiet}},
		{"with few rows", slices.Repeat([]store.Turn{quiet}, 100), slices.Repeat([]store.Turn{quiet}, 64)},
	} {
		if got := store.NextGroup(c.waiting, written); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v run together, want %v", c.name, got, c.want)
		}
	}
}

// However members come and groups end, those of an organization run in their order and in one group at a time. Nobody
// waits while nothing runs, and nobody waits for the group of a single other organization.
func TestGroupsOfALine(t *testing.T) {
	t.Parallel()
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lineStep {
		return lineStep{
			end: rapid.IntRange(-3, 1).Draw(t, "end"),
			member: store.LineMember{
				Turn: store.Turn{OrgID: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "organization"), Bulk: rapid.Bool().Draw(t, "bulk")},
				Rows: rapid.IntRange(1, 150).Draw(t, "rows"),
			},
		}
	}), 0, 60)
	rapid.Check(t, func(rt *rapid.T) {
		steps := steps.Draw(rt, "steps")
		w := lineWatch{waiting: map[store.Turn][]int{}, seen: map[*store.Group]bool{}}
		synctest.Test(t, func(*testing.T) { w.play(steps) })
		if w.complaint != "" {
			rt.Fatal(w.complaint)
		}
	})
}

// An organization whose group has written much rests for as long while others come, and they do not wait for it.
func TestGroupsRestForOthers(t *testing.T) {
	t.Parallel()
	heavy, light := store.LineMember{Turn: store.Turn{OrgID: "busy"}, Rows: 100}, store.LineMember{Turn: store.Turn{OrgID: "busy"}, Rows: 5}
	quiet := store.LineMember{Turn: store.Turn{OrgID: "quiet"}, Rows: 5}
	for name, c := range map[string]struct {
		alone bool
		first store.LineMember
		took  time.Duration
		rests time.Duration
	}{
		"much":        {false, heavy, 20 * time.Millisecond, 20 * time.Millisecond},
		"locked":      {false, heavy, 20 * time.Second, store.MostRest},
		"little":      {false, light, 20 * time.Millisecond, 0},
		"much, alone": {true, heavy, 20 * time.Millisecond, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			line := store.NewLine(c.alone)
			run := func(want ...store.LineMember) {
				t.Helper()
				synctest.Wait()
				var got []store.LineMember
				for _, g := range line.Running() {
					got = append(got, g.Members...)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %v run, want %v", name, got, want)
				}
			}
			line.Add(c.first)
			run(c.first)
			line.Add(heavy)
			<-time.After(c.took)
			line.End(line.Running()[0])
			if c.rests > 0 {
				run()
				line.Add(quiet)
				run(quiet)
				line.End(line.Running()[0])
				<-time.After(c.rests - time.Millisecond)
				run()
				<-time.After(time.Millisecond)
			}
			run(heavy)
			line.End(line.Running()[0])
			<-time.After(time.Minute)
			run()
		})
	}
}

// lineStep ends the first or second group that runs, or else adds a member.
type lineStep struct {
	end    int // negative: none
	member store.LineMember
}

// lineWatch follows a line.
type lineWatch struct {
	line      *store.Line
	waiting   map[store.Turn][]int // the rows of each member
	seen      map[*store.Group]bool
	complaint string
}

func (w *lineWatch) play(steps []lineStep) {
	w.line = store.NewLine(true)
	for _, s := range steps {
		if s.end >= 0 {
			w.end(s.end)
		} else {
			w.waiting[s.member.Turn] = append(w.waiting[s.member.Turn], s.member.Rows)
			w.line.Add(s.member)
		}
		w.settle()
	}
	for len(w.line.Running()) > 0 {
		w.end(0)
		w.settle()
	}
}

func (w *lineWatch) end(i int) {
	if groups := w.line.Running(); i < len(groups) {
		w.line.End(groups[i])
	}
}

// settle waits until nothing moves, and checks what runs and what waits.
func (w *lineWatch) settle() {
	synctest.Wait()
	groups, running := w.line.Running(), map[string]*store.Group{}
	for _, g := range groups {
		for _, m := range g.Members {
			if other := running[m.Turn.OrgID]; other != nil && other != g {
				w.complaint = m.Turn.OrgID + " is in two groups"
			}
			running[m.Turn.OrgID] = g
			if w.seen[g] {
				continue
			}
			if w.waiting[m.Turn][0] != m.Rows {
				w.complaint = fmt.Sprintf("the members of %v run in another order", m.Turn)
			}
			w.waiting[m.Turn] = w.waiting[m.Turn][1:]
		}
		w.seen[g] = true
	}
	for turn, members := range w.waiting {
		if len(members) > 0 && (len(groups) == 0 || len(groups) == 1 && len(running) == 1 && running[turn.OrgID] == nil) {
			w.complaint = fmt.Sprintf("%v waits beside %d groups", turn, len(groups))
		}
	}
}
