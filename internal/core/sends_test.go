package core_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// jobOwner is the node that is to send a message; "" if there is no job any more.
func (w *world) jobOwner(messageID string) string {
	w.T.Helper()
	owner, err := w.Read().SendJobOwner(w.Org.ID, messageID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		w.T.Fatal(err)
	}
	return owner
}

// The provider's id comes with the answer to the send and with every callback. The first of them emits message.sent,
// and no other does.
func TestSentIsToldOnce(t *testing.T) {
	const sent, status = chat.EventMessageSent, chat.EventMessageStatus
	answer := func(w *world, a core.Accepted) { w.Answered(a, "wamid.9") }
	callback := func(word string) func(*world, core.Accepted) {
		return func(w *world, a core.Accepted) { w.Apply(w.Status("wamid.9", a.Message.ID, word)) }
	}
	type steps struct {
		steps  []func(*world, core.Accepted)
		events []chat.EventType
		ends   chat.MessageStatus
	}
	eachCase(t, map[string]steps{
		"answer":                       {[]func(*world, core.Accepted){answer}, []chat.EventType{sent}, chat.StatusSent},
		"answer twice":                 {[]func(*world, core.Accepted){answer, answer}, []chat.EventType{sent}, chat.StatusSent},
		"answer, then sent":            {[]func(*world, core.Accepted){answer, callback("sent")}, []chat.EventType{sent, status}, chat.StatusSent},
		"sent, then answer":            {[]func(*world, core.Accepted){callback("sent"), answer}, []chat.EventType{sent, status}, chat.StatusSent},
		"sent twice, then answer":      {[]func(*world, core.Accepted){callback("sent"), callback("sent"), answer}, []chat.EventType{sent, status}, chat.StatusSent},
		"delivered, then answer":       {[]func(*world, core.Accepted){callback("delivered"), answer}, []chat.EventType{sent, status}, chat.StatusDelivered},
		"read, answer, delivered":      {[]func(*world, core.Accepted){callback("read"), answer, callback("delivered")}, []chat.EventType{sent, status, status}, chat.StatusRead},
		"failed, then answer":          {[]func(*world, core.Accepted){callback("failed"), answer}, []chat.EventType{sent, status}, chat.StatusFailed},
		"an unknown word, then answer": {[]func(*world, core.Accepted){callback("warning"), answer}, []chat.EventType{sent}, chat.StatusSent},
		"played, then answer":          {[]func(*world, core.Accepted){callback("played"), answer}, []chat.EventType{sent, status}, chat.StatusSent},
	}, func(t *testing.T, w *world, test steps) {
		a := w.Send(chat.TypeText, `{"body":"x"}`)
		w.Expect(chat.EventContactCreated)
		for _, step := range test.steps {
			step(w, a)
		}
		w.Expect(test.events...)
		m := w.Message(a.Message.ID)
		if m.ProviderID != "wamid.9" || m.Status != test.ends {
			t.Errorf("the message is %s under %q", m.Status, m.ProviderID)
		}
		if owner := w.jobOwner(m.ID); owner != "" {
			t.Errorf("%s is still to send it", owner)
		}
	})
}

func TestRecordSends(t *testing.T) {
	failure := (&provider.Error{HTTPStatus: 400, Code: 131047}).MessageError()
	retry := func(w *world, a core.Accepted, owner string) core.SendResult {
		job := a.Job
		job.Owner, job.Attempts, job.InDoubt, job.DueAt = owner, 1, true, w.Clock.Now().Add(time.Minute)
		return core.SendResult{Work: w.Work(a), Retry: &job}
	}
	failed := func(w *world, a core.Accepted, owner string) core.SendResult {
		work := w.Work(a)
		work.Job.Owner = owner
		return core.SendResult{Work: work, Failure: &failure}
	}
	type attempt struct {
		happen func(w *world, a core.Accepted)
		events []chat.EventType
		ends   chat.MessageStatus
		err    *chat.MessageError
		owner  string // of the remaining job
	}
	eachCase(t, map[string]attempt{
		"another attempt":                          {func(w *world, a core.Accepted) { w.Record(retry(w, a, "node_a")) }, nil, chat.StatusPending, nil, "node_a"},
		"another attempt at what another node has": {func(w *world, a core.Accepted) { w.Record(retry(w, a, "node_b")) }, nil, chat.StatusQueued, nil, "node_a"},
		"another attempt at what a callback has settled": {func(w *world, a core.Accepted) {
			w.Apply(w.Status("wamid.9", a.Message.ID, "delivered"))
			w.Record(retry(w, a, "node_a"))
		}, []chat.EventType{chat.EventMessageSent, chat.EventMessageStatus}, chat.StatusDelivered, nil, ""},
		"failed": {func(w *world, a core.Accepted) { w.Record(failed(w, a, "node_a")) }, []chat.EventType{chat.EventMessageStatus}, chat.StatusFailed, &failure, ""},
		"failed twice": {func(w *world, a core.Accepted) {
			w.Record(failed(w, a, "node_a"))
			w.Record(failed(w, a, "node_a"))
		}, []chat.EventType{chat.EventMessageStatus}, chat.StatusFailed, &failure, ""},
		"failed on a node that does not have it any more": {func(w *world, a core.Accepted) { w.Record(failed(w, a, "node_b")) }, nil, chat.StatusQueued, nil, "node_a"},
		"failed after a callback proved otherwise": {func(w *world, a core.Accepted) {
			w.Apply(w.Status("wamid.9", a.Message.ID, "sent"))
			w.Record(failed(w, a, "node_a"))
		}, []chat.EventType{chat.EventMessageSent, chat.EventMessageStatus}, chat.StatusSent, nil, ""},
		"failed, and yet it arrives": {func(w *world, a core.Accepted) {
			w.Record(failed(w, a, "node_a"))
			w.Apply(w.Status("wamid.9", a.Message.ID, "sent"), w.Status("wamid.9", a.Message.ID, "delivered"))
		}, []chat.EventType{chat.EventMessageStatus, chat.EventMessageSent, chat.EventMessageStatus, chat.EventMessageStatus}, chat.StatusDelivered, nil, ""},
		"sent by a node that does not have it any more": {func(w *world, a core.Accepted) {
			work := w.Work(a)
			work.Job.Owner = "node_b"
			w.Record(core.SendResult{Work: work, Sent: provider.Sent{MessageID: "wamid.9"}})
		}, []chat.EventType{chat.EventMessageSent}, chat.StatusSent, nil, ""},
	}, func(t *testing.T, w *world, test attempt) {
		a := w.Send(chat.TypeText, `{"body":"x"}`)
		w.Expect(chat.EventContactCreated)
		test.happen(w, a)
		w.Expect(test.events...)
		m := w.Message(a.Message.ID)
		if d := cmp.Diff(test.err, m.Error); d != "" || m.Status != test.ends {
			t.Errorf("the message is %s; its error (-want +got):\n%s", m.Status, d)
		}
		if owner := w.jobOwner(m.ID); owner != test.owner {
			t.Errorf("%q is to send it, want %q", owner, test.owner)
		}
	})
}

// Messages of a conversation are sent in the order of their ids. So those that wait keep the order in which they were
// accepted, also if the clocks of the nodes that accepted them are minutes apart, or one was turned. Once nothing waits,
// messages have their true time again.
func TestOrderOfMessagesUnderWrongClocks(t *testing.T) {
	eachWorld(t, func(w *world) {
		var waiting []core.Accepted
		for _, turn := range []time.Duration{0, 5 * time.Minute, -10 * time.Minute, time.Second, 26 * time.Hour, -26 * time.Hour, 0} {
			w.Clock.Step(turn)
			a := w.Send(chat.TypeText, `{"body":"x"}`)
			if n := len(waiting); n > 0 && a.Message.ID <= waiting[n-1].Message.ID {
				t.Errorf("after a turn by %v, %s comes before %s", turn, a.Message.ID, waiting[n-1].Message.ID)
			}
			waiting = append(waiting, a)
		}
		for i, a := range waiting {
			w.Record(core.SendResult{Work: w.Work(a), Sent: provider.Sent{MessageID: fmt.Sprint("wamid.", i)}})
		}
		if a := w.Send(chat.TypeText, `{"body":"x"}`); !a.Message.CreatedAt.Equal(w.Clock.Now()) {
			t.Errorf("at %v a message is of %v", w.Clock.Now(), a.Message.CreatedAt)
		}
	})
}

// A result that cannot be written, because its account was disconnected meanwhile, does not keep the others from being
// recorded.
func TestRecordSendsOfAnAccountThatIsGone(t *testing.T) {
	eachWorld(t, func(w *world) {
		gone := newWorld(t, w.Store, w.Clock)
		lost, kept := gone.Send(chat.TypeText, `{"body":"x"}`), w.Send(chat.TypeText, `{"body":"x"}`)
		w.Expect(chat.EventContactCreated)
		results := []core.SendResult{
			{Work: w.Work(lost), Sent: provider.Sent{MessageID: "wamid.1"}}, {Work: w.Work(kept), Sent: provider.Sent{MessageID: "wamid.2"}},
		}
		w.InTx(func(tx *store.Tx) error { return tx.DeleteAccount(gone.Org.ID, gone.Account.ID, tx.Now()) })
		w.Record(results...)
		w.Expect(chat.EventMessageSent)
		if m := gone.Message(lost.Message.ID); m.Status != chat.StatusQueued {
			t.Errorf("a message of an account that is gone is %s", m.Status)
		}
	})
}

// Each reason to stop an accepted message ends it with its own code.
func TestRefuseQueued(t *testing.T) {
	type setting struct {
		core.Standing
		consent  chat.Consent
		category string
	}
	ended := time.Date(2026, time.March, 1, 11, 0, 0, 0, time.UTC) // an hour before the test's clock
	eachWorld(t, func(w *world) {
		w.Apply(w.Text("wamid.1", "hi"))
		contact := w.Contacts()[0]
		for name, test := range map[string]struct {
			change func(*setting)
			want   chat.MessageErrorCode
		}{
			"nothing":                    {func(*setting) {}, ""},
			"customer suspended":         {func(s *setting) { s.Account.CustomerStatus = new(chat.CustomerSuspended) }, chat.FailCustomerSuspended},
			"customer archived":          {func(s *setting) { s.Account.CustomerStatus = new(chat.CustomerArchived) }, chat.FailCustomerSuspended},
			"restricted":                 {func(s *setting) { s.Account.Restriction = new(chat.RestrictAll) }, chat.FailAccountRestricted},
			"may not open conversations": {func(s *setting) { s.Account.Restriction = new(chat.RestrictBusiness) }, ""},
			"disconnected":               {func(s *setting) { s.Account.Status = chat.AccountDisconnected }, chat.FailUpstream},
			"degraded":                   {func(s *setting) { s.Account.Status = chat.AccountDegraded }, chat.FailUpstream},
			"not verified any more":      {func(s *setting) { s.Account.ProviderStatus = new("UNVERIFIED") }, chat.FailUpstream},
			"organization suspended":     {func(s *setting) { s.Organization.Suspended = true }, chat.FailOrganizationSuspended},
			"subscription over":          {func(s *setting) { s.Organization.Subscription = chat.SubscriptionInactive }, chat.FailSubscriptionInactive},
			"trial over": {func(s *setting) {
				s.Organization.Subscription, s.Organization.TrialEndsAt = chat.SubscriptionTrialing, &ended
			}, chat.FailSubscriptionInactive},
			"marketing, opted out":         {func(s *setting) { s.category, s.consent = "MARKETING", chat.ConsentOptedOut }, chat.FailMarketingOptedOut},
			"unknown, opted out":           {func(s *setting) { s.category, s.consent = "UNKNOWN", chat.ConsentOptedOut }, chat.FailMarketingOptedOut},
			"no marketing, opted out":      {func(s *setting) { s.consent = chat.ConsentOptedOut }, ""},
			"marketing, consent not asked": {func(s *setting) { s.category = "MARKETING" }, ""},
			"marketing, consent missing":   {func(s *setting) { s.category, s.Account.RequireOptIn = "MARKETING", true }, chat.FailConsentRequired},
			"marketing, consent given": {func(s *setting) {
				s.category, s.Account.RequireOptIn, s.consent = "MARKETING", true, chat.ConsentOptedIn
			}, ""},
			"unknown, consent not knowable": {func(s *setting) { s.category, s.Account.RequireOptIn = "UNKNOWN", true }, ""},
		} {
			s := setting{consent: chat.ConsentUnknown}
			s.Account = w.Account
			s.Account.Status, s.Organization.Subscription = chat.AccountConnected, chat.SubscriptionActive
			test.change(&s)
			contact.Consent = s.consent
			w.InTx(func(tx *store.Tx) error { return tx.UpdateContact(contact) })
			work := store.SendWork{
				Job:     store.SendJob{OrgID: w.Org.ID, AccountID: w.Account.ID, Category: s.category},
				Message: chat.Message{ID: "msg_1", Type: chat.TypeText, ContactID: contact.ID},
			}
			got, err := core.RefuseQueued(w.Read(), s.Standing, work, w.Clock.Now())
			w.Must(err)
			looks, err := core.LookAt(w.Read(), w.Org.ID, []store.SendWork{work})
			w.Must(err)
			looked, err := looks[work.Message.ID].Refuse(w.Read(), s.Standing, work, w.Clock.Now())
			w.Must(err)
			switch {
			case !cmp.Equal(looked, got):
				w.T.Errorf("%s: after a look it is %+v, and without %+v", name, looked, got)
			case got == nil && test.want == "":
			case got == nil || got.Code != test.want || got.Message == "" || got.ProviderCode != nil:
				w.T.Errorf("%s: got %+v, want %q", name, got, test.want)
			}
		}
	})
}
