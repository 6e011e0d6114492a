package figures_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// office is an organization with two numbers whose messages are counted.
type office struct {
	*worldtest.World
	counter  *figures.Counter
	accounts []chat.Account
	contacts []chat.Contact
	messages []chat.Message
}

// inOffice runs a test in an office on each engine.
func inOffice(t *testing.T, test func(t *testing.T, o *office)) {
	t.Helper()
	worldtest.Each(t, func(t *testing.T, w *worldtest.World) {
		o := &office{World: w, accounts: []chat.Account{w.Account, w.Number()}}
		o.start()
		for i, account := range o.accounts {
			o.contacts = append(o.contacts, storetest.Contact(t, o.Store, account, "+62812345000"+fmt.Sprint(i)))
		}
		test(t, o)
	})
}

// start starts counting, as after a restart of the process.
func (o *office) start() {
	o.counter = figures.New(figures.Config{Store: o.Store, Log: slog.New(slog.DiscardHandler)})
	o.Store.HandTo(func(h *store.Hands) { h.Count = o.counter.Mark })
}

// write stores a message of a number.
func (o *office) write(t rapid.TB, number int, direction chat.Direction, status chat.MessageStatus) {
	m := chat.Message{
		OrgID: o.Org.ID, AccountID: o.accounts[number].ID, ConversationID: "cnv_" + fmt.Sprint(number), ContactID: o.contacts[number].ID,
		Direction: direction, Type: chat.TypeText, Content: json.RawMessage("{}"), CreatedAt: o.Clock.Now(), UpdatedAt: o.Clock.Now(),
	}
	o.setStatus(&m, status)
	storetest.InTx(t, o.Store, func(tx *store.Tx) error {
		m.ID = tx.NewID(chat.KindMessage)
		return tx.InsertMessage(m)
	})
	o.messages = append(o.messages, m)
}

func (o *office) setStatus(m *chat.Message, status chat.MessageStatus) {
	m.Status, m.Error = status, nil
	if status == chat.StatusFailed {
		code := []chat.MessageErrorCode{chat.FailOutsideWindow, chat.FailUndeliverable}[len(o.messages)%2]
		m.Error = &chat.MessageError{Code: code, Message: "It failed."}
	}
}

func (o *office) count(t rapid.TB) {
	t.Helper()
	if err := o.counter.CountMarked(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// holds compares the report with the messages themselves.
func (o *office) holds(t rapid.TB, days int, accounts []string) {
	t.Helper()
	zone := time.FixedZone("Nepal", 5*3600+45*60)
	now := o.Clock.Now().In(zone)
	year, month, day := now.Date()
	q := figures.Query{OrgID: o.Org.ID, Accounts: accounts, From: time.Date(year, month, day-days+1, 0, 0, 0, 0, zone), Until: now.Add(time.Hour)}
	got, err := figures.Read(o.Read(), q)
	if err != nil {
		t.Fatal(err)
	}
	want, byDay := figures.Totals{}, map[string]figures.Totals{}
	for _, m := range o.messages {
		if m.CreatedAt.Before(q.From) || accounts != nil && !slices.Contains(accounts, m.AccountID) {
			continue
		}
		one := totalsOf(m)
		date := m.CreatedAt.In(zone).Format(time.DateOnly)
		want, byDay[date] = plus(want, one), plus(byDay[date], one)
	}
	if diff := cmp.Diff(o.failures(q), failed(got)); diff != "" {
		t.Fatalf("the failures are not those of the messages:\n%s", diff)
	}
	if diff := cmp.Diff(want, got.Totals); diff != "" {
		t.Fatalf("the totals are not those of the messages:\n%s", diff)
	}
	for _, d := range got.Days {
		if diff := cmp.Diff(byDay[d.Date.Format(time.DateOnly)], d.Totals); diff != "" {
			t.Fatalf("the totals of %s are not those of its messages:\n%s", d.Date.Format(time.DateOnly), diff)
		}
	}
}

// failures counts the failed messages of a query by reason and number.
func (o *office) failures(q figures.Query) map[string]int64 {
	all := map[string]int64{}
	for _, m := range o.messages {
		if m.Direction != chat.Outbound || m.Error == nil || m.CreatedAt.Before(q.From) || q.Accounts != nil && !slices.Contains(q.Accounts, m.AccountID) {
			continue
		}
		i := slices.IndexFunc(o.accounts, func(a chat.Account) bool { return a.ID == m.AccountID })
		all[string(m.Error.Code)+" "+*o.accounts[i].PhoneNumberID]++
	}
	return all
}

// failed is what a report says of the same.
func failed(r figures.Report) map[string]int64 {
	all := map[string]int64{}
	for _, f := range r.Failures {
		for _, n := range f.Numbers {
			all[f.Code+" "+n.PhoneNumberID] = n.Count
		}
	}
	return all
}

func totalsOf(m chat.Message) (t figures.Totals) {
	if m.Direction == chat.Inbound {
		t.Inbound = 1
		return t
	}
	t.Outbound = 1
	rank := slices.Index([]chat.MessageStatus{chat.StatusSent, chat.StatusDelivered, chat.StatusRead}, m.Status)
	for i, n := range []*int64{&t.Sent, &t.Delivered, &t.Read} {
		if i <= rank {
			*n = 1
		}
	}
	if m.Status == chat.StatusFailed {
		t.Failed = 1
	}
	return t
}

func plus(a, b figures.Totals) figures.Totals {
	return figures.Totals{
		Inbound: a.Inbound + b.Inbound, Outbound: a.Outbound + b.Outbound, Sent: a.Sent + b.Sent,
		Delivered: a.Delivered + b.Delivered, Read: a.Read + b.Read, Failed: a.Failed + b.Failed,
	}
}

// After any sequence of changes to messages, the figures equal the messages once they are counted, also when two nodes
// write, and when one dies before counting and is started again.
func TestFiguresAreThoseOfTheMessages(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		rapid.Check(t, func(t *rapid.T) {
			another := figures.New(figures.Config{Store: o.Store, Log: slog.New(slog.DiscardHandler)})
			for range rapid.IntRange(1, 20).Draw(t, "steps") {
				switch rapid.SampledFrom([]string{"write", "write", "status", "status", "wait", "wait a little", "count", "another node", "die"}).Draw(t, "what") {
				case "write":
					direction := rapid.SampledFrom([]chat.Direction{chat.Inbound, chat.Outbound}).Draw(t, "direction")
					o.write(t, rapid.IntRange(0, 1).Draw(t, "number"), direction, rapid.SampledFrom(chat.MessageStatuses).Draw(t, "status"))
				case "status":
					if len(o.messages) > 0 {
						m := &o.messages[rapid.IntRange(0, len(o.messages)-1).Draw(t, "message")]
						o.setStatus(m, rapid.SampledFrom(chat.MessageStatuses).Draw(t, "status"))
						storetest.InTx(t, o.Store, func(tx *store.Tx) error { return tx.UpdateMessageStatus(*m) })
					}
				case "wait":
					o.Clock.Advance(time.Duration(rapid.IntRange(1, 600).Draw(t, "minutes")) * time.Minute)
				case "wait a little":
					o.Clock.Advance(time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second)
				case "count":
					o.count(t)
				case "another node":
					o.counter, another = another, o.counter
					o.Store.HandTo(func(h *store.Hands) { h.Count = o.counter.Mark })
				case "die":
					o.start()
					if err := o.counter.Sweep(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
			}
			o.count(t)
			if err := another.CountMarked(context.Background()); err != nil {
				t.Fatal(err)
			}
			o.holds(t, 7, nil)
			o.holds(t, 30, []string{o.accounts[1].ID})
		})
	})
}

// If two nodes count the same quarter of an hour, the later reading wins.
func TestALateCountIsDropped(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.write(t, 0, chat.Inbound, chat.StatusDelivered)
		slot := store.SlotOf(o.Org.ID, o.Clock.Now())
		r := o.Read()
		version, err := r.SlotVersion(slot)
		if err != nil {
			t.Fatal(err)
		}
		early, err := r.CountMessages(slot)
		if err != nil {
			t.Fatal(err)
		}
		o.write(t, 0, chat.Inbound, chat.StatusDelivered)
		o.count(t)
		storetest.InTx(t, o.Store, func(tx *store.Tx) error {
			stored, err := tx.PutMessageCounts(slot, version, early.Sum())
			if stored {
				t.Error("an early count replaced a later one")
			}
			return err
		})
		o.holds(t, 1, nil)
	})
}

// Counts stay after old messages are deleted.
func TestCountsOutliveMessages(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.write(t, 0, chat.Inbound, chat.StatusDelivered)
		o.write(t, 1, chat.Outbound, chat.StatusRead)
		o.count(t)
		o.Clock.Advance(48 * time.Hour)
		storetest.InTx(t, o.Store, func(tx *store.Tx) error {
			_, err := tx.PurgeMessages(o.Org.ID, o.Clock.Now().Add(-time.Hour), 100)
			return err
		})
		if err := o.counter.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.count(t)
		o.holds(t, 7, nil)
	})
}

// In some places clocks are set forward at midnight, and the day begins at one.
func TestDayWithoutMidnight(t *testing.T) {
	chile, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		q := figures.Query{OrgID: "org_1", From: time.Date(2026, time.September, 4, 0, 0, 0, 0, chile), Until: time.Date(2026, time.September, 8, 12, 0, 0, 0, chile)}
		report, err := figures.Read(s.Read(t.Context()), q)
		if err != nil {
			t.Fatal(err)
		}
		var days []string
		for _, day := range report.Days {
			days = append(days, day.Date.Format("2006-01-02T15"))
		}
		if want := []string{"2026-09-04T00", "2026-09-05T00", "2026-09-06T01", "2026-09-07T00", "2026-09-08T00"}; !slices.Equal(days, want) {
			t.Errorf("the days are %q, want %q", days, want)
		}
	})
}
