package core_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// news are updates of a number and of its business account, by name.
var news = map[string]provider.Update{
	"flagged":     provider.NumberUpdate{Event: "FLAGGED"},
	"unflagged":   provider.NumberUpdate{Event: "UNFLAGGED"},
	"upgrade":     provider.NumberUpdate{Event: "UPGRADE", Limit: "TIER_10K"},
	"downgrade":   provider.NumberUpdate{Event: "DOWNGRADE", Limit: "TIER_1K"},
	"named":       provider.NumberUpdate{Event: provider.EventNameUpdate, NameDecision: "APPROVED", Name: "Shop & Sons"},
	"renamed":     provider.NumberUpdate{Event: provider.EventNameUpdate, NameDecision: "APPROVED", Name: "Daughters"},
	"capability":  provider.AccountUpdate{Event: provider.EventCapability, MessagingLimit: "TIER_100K"},
	"removed":     provider.AccountUpdate{Event: "PARTNER_REMOVED"},
	"reconnected": provider.AccountUpdate{Event: "ACCOUNT_RECONNECTED"},
	"disabled":    provider.AccountUpdate{Event: "DISABLED_UPDATE", BanState: "DISABLE"},
	"reinstated":  provider.AccountUpdate{Event: "DISABLED_UPDATE", BanState: "REINSTATE"},
	"no opening":  provider.AccountUpdate{Event: "ACCOUNT_RESTRICTION", Restrictions: []provider.Restriction{{Type: "RESTRICTED_BIZ_INITIATED_MESSAGING"}}},
	"no answers":  provider.AccountUpdate{Event: "ACCOUNT_RESTRICTION", Restrictions: []provider.Restriction{{Type: "RESTRICTED_CUSTOMER_INITIATED_MESSAGING"}}},
}

// report makes an update for the world's number, with a time.
func (w *world) report(word string, at time.Time) provider.Update {
	origin := provider.Origin{WABAID: w.Account.WABAID, ReportedAt: at}
	switch u := news[word].(type) {
	case provider.NumberUpdate:
		u.Origin, u.Phone = origin, *w.Account.PhoneNumber
		return u
	case provider.AccountUpdate:
		u.Origin = origin
		return u
	}
	w.T.Fatalf("there is no news %q", word)
	return nil
}

// standings are all fields of an account that the provider reports.
type standings struct {
	Status                             chat.AccountStatus
	Quality, Limit, Name, Restrictions string
}

func (w *world) standings() standings {
	w.T.Helper()
	a := w.Reload()
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return standings{a.Status, text(a.Quality), text(a.MessagingLimit), text(a.Name), text((*string)(a.Restriction))}
}

// Whatever the order of a number's updates, and however often each comes, the result is as if each had come once, in
// the order in which the provider made them.
func TestLateAccountUpdatesProperty(t *testing.T) {
	words := make([]string, 0, len(news))
	for word := range news {
		words = append(words, word)
	}
	slices.Sort(words)
	checkProperty(t, func(rt *rapid.T, w *world) {
		beside := newWorld(t, w.Store, w.Clock) // gets everything in order
		beside.T = rt
		begin := w.Clock.Now()
		said := rapid.SliceOfN(rapid.SampledFrom(words), 1, 8).Draw(rt, "said")
		var order []int
		for i, word := range said {
			beside.Apply(beside.report(word, begin.Add(time.Duration(i)*time.Second)))
			order = append(order, i)
		}
		again := rapid.SliceOfN(rapid.SampledFrom(order), 0, 4).Draw(rt, "again")
		for _, i := range rapid.Permutation(append(order, again...)).Draw(rt, "order") {
			w.Apply(w.report(said[i], begin.Add(time.Duration(i)*time.Second)))
		}
		if d := cmp.Diff(beside.standings(), w.standings()); d != "" {
			rt.Errorf("it stands otherwise (-in order +out of order):\n%s", d)
		}
	})
}

// A removal from before a number was connected again does not take it out of service when it is repeated.
func TestRemovalFromBeforeANewConnection(t *testing.T) {
	eachWorld(t, func(w *world) {
		removed := w.report("removed", w.Clock.Now())
		w.Apply(removed)
		w.Clock.Advance(10 * time.Minute)
		w.InTx(func(tx *store.Tx) error { return core.ConnectAgain(tx, w.Reload()) })
		w.Apply(removed)
		if got := w.Reload().Status; got != chat.AccountConnected {
			w.T.Errorf("it is %s", got)
		}
		w.Apply(w.report("removed", w.Clock.Now()))
		if got := w.Reload().Status; got != chat.AccountDisconnected {
			w.T.Errorf("after another removal it is %s", got)
		}
	})
}

// An edit or a revocation that comes before its message is applied when the message comes.
func TestChangesBeforeTheirMessage(t *testing.T) {
	eachWorld(t, func(w *world) {
		begin := w.Clock.Now()
		first, second := w.edit("wamid.2", "wamid.1", "hello", begin.Add(time.Second)), w.edit("wamid.3", "wamid.1", "Hello", begin.Add(2*time.Second))
		revoke := provider.Revoke{Origin: w.Origin(), ProviderID: "wamid.4", OriginalID: "wamid.1", Timestamp: begin.Add(3 * time.Second)}
		w.Apply(second, revoke)
		w.Clock.Advance(time.Second)
		w.Apply(first, second)
		w.Expect()
		w.Apply(w.Text("wamid.9", "another message"))
		w.Events()
		w.Apply(w.Text("wamid.1", "helo"))
		w.Expect(chat.EventMessageReceived, chat.EventMessageEdited, chat.EventMessageRevoked, chat.EventMessageEdited)
		w.Apply(w.Text("wamid.1", "helo"), first, second, revoke)
		w.Expect()
		if m := w.Messages()[0]; string(m.Content) != `{"body":"Hello"}` || !m.Revoked {
			w.T.Errorf("the message is %+v", m)
		}
	})
}

// A message and its changes have the same result in any order.
func TestChangesInAnyOrderProperty(t *testing.T) {
	checkProperty(t, func(rt *rapid.T, w *world) {
		begin := w.Clock.Now()
		all := []provider.Update{
			w.Text("wamid.1", "helo"), w.edit("wamid.2", "wamid.1", "hello", begin.Add(time.Second)), w.edit("wamid.3", "wamid.1", "Hello", begin.Add(2*time.Second)),
			provider.Revoke{Origin: w.Origin(), ProviderID: "wamid.4", OriginalID: "wamid.1", Timestamp: begin.Add(3 * time.Second)},
		}
		again := rapid.SliceOfN(rapid.SampledFrom(all), 0, 3).Draw(rt, "again")
		inBatches(rt, rapid.Permutation(append(all, again...)).Draw(rt, "order"), func(some []provider.Update) {
			w.Apply(some...)
			w.Clock.Advance(time.Second)
		})
		messages := w.Messages()
		if len(messages) != 1 || string(messages[0].Content) != `{"body":"Hello"}` || !messages[0].Revoked {
			rt.Fatalf("the messages are %+v", messages)
		}
		told := map[chat.EventType]int{}
		for _, e := range w.Events() {
			told[e.Type]++
		}
		want := map[chat.EventType]int{chat.EventContactCreated: 1, chat.EventMessageReceived: 1, chat.EventMessageEdited: 2, chat.EventMessageRevoked: 1}
		if d := cmp.Diff(want, told); d != "" {
			rt.Errorf("other events (-want +got):\n%s", d)
		}
	})
}

// So is a change of a message that the business wrote in the phone app, with or without the new content.
func TestBusinessChangesBeforeTheirMessage(t *testing.T) {
	eachWorld(t, func(w *world) {
		edit, withheld := w.edit("wamid.2", "wamid.1", "better", w.Clock.Now()), w.edit("wamid.3", "wamid.1", "", w.Clock.Now())
		withheld.Content, edit.ByBusiness, withheld.ByBusiness = nil, true, true
		w.Apply(edit, withheld)
		w.Apply(w.echo())
		messages := w.Messages()
		if len(messages) != 2 || string(messages[1].Content) != `{"body":"better"}` || messages[0].Type != chat.TypeUnsupported || messages[0].ProviderID != "wamid.3" {
			w.T.Errorf("the messages are %+v", messages)
		}
	})
}

// Changes without a message are bounded: the oldest make room.
func TestEarlyChangesAreBounded(t *testing.T) {
	eachWorld(t, func(w *world) {
		early := func(original string) store.EarlyChange {
			return store.EarlyChange{OrgID: w.Org.ID, AccountID: w.Account.ID, OriginalID: original, ProviderID: "edit of " + original, Kind: "edit", Change: []byte("{}"), CreatedAt: w.Clock.Now()}
		}
		w.InTx(func(tx *store.Tx) error {
			for i := range store.MostEarlyChanges {
				if err := tx.InsertEarlyChange(early(string(rune('\u4e00' + i)))); err != nil {
					return err
				}
			}
			return nil
		})
		w.Clock.Advance(time.Second)
		w.Apply(w.edit("wamid.2", "wamid.1", "hello", w.Clock.Now()))
		var left int64
		w.InTx(func(tx *store.Tx) (err error) {
			left, err = tx.PurgeEarlyChanges(w.Clock.Now().Add(time.Second), 10*store.MostEarlyChanges)
			return err
		})
		if left != store.MostEarlyChanges {
			w.T.Errorf("%d are kept", left)
		}
	})
}
