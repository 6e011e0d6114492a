package core_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// plainVault is a vault for secrets that need no protection.
func plainVault(w *world) *vault.Vault {
	v, err := vault.New([]byte("32 bytes that are no secret here"))
	w.Must(err)
	return v
}

// subscribe subscribes an endpoint with the name in its URL.
func (w *world) subscribe(name string, numbers []string, events ...string) chat.WebhookSubscription {
	w.T.Helper()
	s, err := run(w.Store, func(tx *store.Tx) (chat.WebhookSubscription, error) {
		s, _, err := core.CreateWebhookSubscription(tx, plainVault(w), w.Org.ID, chat.NewWebhookSubscription{
			URL: "https://hooks.example/" + name, Events: events, PhoneNumberIDs: numbers,
		})
		return s, err
	})
	w.Must(err)
	return s
}

func (w *world) patch(s chat.WebhookSubscription, change func(*chat.WebhookSubscription)) {
	w.T.Helper()
	change(&s)
	w.InTx(func(tx *store.Tx) error { return tx.UpdateWebhookSubscription(s) })
}

// deliveries lists deliveries by endpoint, event and state, oldest first.
func (w *world) deliveries() []string {
	w.T.Helper()
	page, err := w.Read().WebhookDeliveries(w.Org.ID, store.DeliveryFilter{}, store.Page{Limit: 1000})
	w.Must(err)
	told := []string{}
	for _, d := range slices.Backward(page.Rows) {
		s, err := w.Read().WebhookSubscription(w.Org.ID, d.SubscriptionID)
		w.Must(err)
		told = append(told, strings.TrimPrefix(s.URL, "https://hooks.example/")+" "+string(d.EventType)+" "+string(d.Status))
	}
	return told
}

func (w *world) requireDeliveries(want ...string) {
	w.T.Helper()
	if got := w.deliveries(); !slices.Equal(got, want) {
		w.T.Errorf("deliveries are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEventsReachTheirSubscriptions(t *testing.T) {
	const created, received = "contact.created", "message.received"
	own := func(w *world) []string { return []string{*w.Account.PhoneNumberID} }
	other := func(w *world) []string {
		account, err := connect(w.Store, chat.NewAccount{OrgID: w.Org.ID, PhoneNumberID: "9" + *w.Account.PhoneNumberID, PhoneNumber: "+4930555999", WABAID: "1"})
		w.Must(err)
		return []string{*account.PhoneNumberID}
	}
	none := func(*world) []string { return nil }
	eachCase(t, map[string]struct {
		events  []string
		numbers func(*world) []string
		want    []string
	}{
		"one type":                  {[]string{received}, none, []string{"x message.received pending"}},
		"two types":                 {[]string{received, created}, none, []string{"x contact.created pending", "x message.received pending"}},
		"all":                       {[]string{"*"}, none, []string{"x contact.created pending", "x message.received pending"}},
		"all and one":               {[]string{"*", received}, none, []string{"x contact.created pending", "x message.received pending"}},
		"others":                    {[]string{"message.status"}, none, nil},
		"of the number":             {[]string{"*"}, own, []string{"x contact.created pending", "x message.received pending"}},
		"one type of the number":    {[]string{created}, own, []string{"x contact.created pending"}},
		"of another number":         {[]string{"*"}, other, nil},
		"of this and another":       {[]string{received}, func(w *world) []string { return append(other(w), own(w)...) }, []string{"x message.received pending"}},
		"of another type of number": {[]string{"message.sent"}, own, nil},
	}, func(t *testing.T, w *world, c struct {
		events  []string
		numbers func(*world) []string
		want    []string
	}) {
		w.subscribe("x", c.numbers(w), c.events...)
		w.Apply(w.Text("wamid.1", "hi"))
		w.requireDeliveries(c.want...)
	})
}

// A filter by numbers does not apply to events without a number.
func TestEventsWithoutANumberPassTheFilter(t *testing.T) {
	t.Parallel()
	for _, kind := range chat.EventTypes {
		s := chat.WebhookSubscription{Events: []string{string(kind)}, PhoneNumberIDs: []string{"123456"}}
		if !s.Wants(kind, "") || !s.Wants(kind, "123456") || s.Wants(kind, "654321") || s.Wants("another", "") {
			t.Errorf("%s is matched otherwise", kind)
		}
	}
}

func TestDeliveriesFollowTheStatus(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.subscribe("active", nil, "message.received")
		w.patch(w.subscribe("paused", nil, "message.received"), func(s *chat.WebhookSubscription) { s.Status = chat.WebhookPaused })
		w.patch(w.subscribe("disabled", nil, "message.received"), func(s *chat.WebhookSubscription) { s.Status = chat.WebhookDisabled })
		deleted := w.subscribe("deleted", nil, "message.received")
		w.InTx(func(tx *store.Tx) error { return core.DeleteWebhookSubscription(tx, w.Org.ID, deleted.ID) })
		w.Apply(w.Text("wamid.1", "hi"))
		w.requireDeliveries("active message.received pending", "paused message.received pending", "disabled message.received dead")
	})
}

// All deliveries of several events in a transaction are made. The ones to send are handed over once, after the commit,
// with the bytes of their events.
func TestDeliveriesAreHandedOver(t *testing.T) {
	eachWorld(t, func(w *world) {
		var handed [][]store.DeliveryJob
		var told []string
		w.Store.HandTo(func(h *store.Hands) {
			h.Node = func() string { return mediaNode }
			h.Deliver = func(jobs []store.DeliveryJob) { handed = append(handed, jobs) }
			h.Subscription = func(_, id string) { told = append(told, id) }
		})
		w.subscribe("active", nil, "*")
		paused := w.subscribe("paused", nil, "*")
		w.patch(paused, func(s *chat.WebhookSubscription) { s.Status = chat.WebhookPaused })
		if !slices.Equal(told, []string{paused.ID}) {
			w.T.Errorf("the node was told of %v", told)
		}
		w.Apply(w.Text("wamid.1", "hi"), w.Text("wamid.2", "hello"))
		events := w.Events()
		if len(handed) != 1 || len(handed[0]) != 3 || len(events) != 3 {
			w.T.Fatalf("%d events were handed over as %v", len(events), handed)
		}
		for i, j := range handed[0] {
			e := events[i]
			if j.Owner != mediaNode || j.Epoch != 1 || j.EventRow != e.ID || j.EventID != e.EventID || j.EventType != e.Type || j.Source != e.Source ||
				j.Subject != e.Subject || string(j.Payload) != string(e.Payload) || !j.DueAt.Equal(w.Clock.Now()) || !chat.KindDelivery.Valid(j.ID) {
				w.T.Errorf("event %+v is handed over as %+v", e, j)
			}
		}
		undone := errors.New("undone")
		err := w.Store.InTx(t.Context(), func(tx *store.Tx) error {
			if err := (core.Applier{}).ApplyAll(tx, nil); err != nil {
				return err
			}
			if _, err := core.CreateContact(tx, w.Account, chat.NewContact{PhoneNumber: new("+15550009999")}); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) || len(handed) != 1 || len(w.deliveries()) != 6 {
			w.T.Errorf("what was undone is handed over: %v, %v", err, w.deliveries())
		}
	})
}

// The event of a message with a file waits for the file, and so do its deliveries.
func TestHeldEventsAreDeliveredWhenReleased(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.subscribe("x", nil, "message.received")
		out := w.Apply(imageFrom(w))
		w.requireDeliveries()
		w.fetched(out, &core.StoredFile{BlobKey: "k", MimeType: "image/jpeg", Size: 1, SHA256: "s"})
		w.requireDeliveries("x message.received pending")
	})
}

// A subscription that is made or changed in a transaction applies to events that it records afterwards.
func TestSubscriptionsCountAtOnce(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.InTx(func(tx *store.Tx) error {
			contact := func(number string) error {
				_, err := core.CreateContact(tx, w.Account, chat.NewContact{PhoneNumber: &number})
				return err
			}
			if err := contact("+15550000001"); err != nil {
				return err
			}
			s, _, err := core.CreateWebhookSubscription(tx, plainVault(w), w.Org.ID, chat.NewWebhookSubscription{URL: "https://hooks.example/x", Events: []string{"*"}})
			if err != nil {
				return err
			}
			if err := contact("+15550000002"); err != nil {
				return err
			}
			_, err = core.UpdateWebhookSubscription(tx, w.Org.ID, s.ID, chat.WebhookSubscriptionPatch{Events: &[]string{"message.sent"}})
			return errors.Join(err, contact("+15550000003"))
		})
		w.requireDeliveries("x contact.created pending")
	})
}

// TestSamplePayloads holds the bytes of the sample events for testing a subscription.
func TestSamplePayloads(t *testing.T) {
	cases := map[string]chat.EventType{}
	for _, kind := range chat.EventTypes {
		cases["sample-"+string(kind)] = kind
	}
	eachCase(t, cases, func(t *testing.T, w *world, kind chat.EventType) {
		s := w.subscribe("x", nil, "*")
		w.subscribe("bystander", nil, "*")
		made, err := run(w.Store, func(tx *store.Tx) (chat.WebhookDeliveryDetail, error) {
			return core.TestWebhookSubscription(tx, w.Org.ID, s.ID, kind)
		})
		w.Must(err)
		event := w.Expect(kind)[0]
		if !core.IsSample(event) || event.EventID != made.EventID || string(event.Payload) != string(made.Payload) {
			t.Errorf("the event is %+v", event)
		}
		w.golden("sample-"+string(kind), event.Payload)
		w.requireDeliveries("x " + string(kind) + " pending")
	})
}

// What a client reads of a subscription it may write, also if a number is gone. It may not choose that number anew.
func TestSubscriptionKeepsItsNumbers(t *testing.T) {
	eachWorld(t, func(w *world) {
		s := w.subscribe("in", []string{*w.Account.PhoneNumberID}, "*")
		gone := chat.WebhookSubscriptionPatch{PhoneNumberIDs: chat.To(s.PhoneNumberIDs)}
		patch := func(p chat.WebhookSubscriptionPatch) error {
			return w.Store.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := core.UpdateWebhookSubscription(tx, w.Org.ID, s.ID, p)
				return err
			})
		}
		w.InTx(func(tx *store.Tx) error {
			_, err := core.DisconnectAccount(tx, w.Org.ID, *w.Account.PhoneNumberID)
			return err
		})
		w.Must(patch(gone))
		w.Must(patch(chat.WebhookSubscriptionPatch{PhoneNumberIDs: chat.Cleared[[]string]()}))
		if code, _ := chat.CodeOf(patch(gone)); code != chat.CodeInvalidFieldValue {
			t.Errorf("a number that is gone: %v", code)
		}
	})
}
