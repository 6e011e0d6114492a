package core_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const secret = "the secret"

// everyText puts the secret into the store by every way that a message's content can take.
func (w *world) everyText() {
	w.T.Helper()
	withFile := func(id string) provider.Message {
		m := imageFrom(w).Message
		m.ProviderID = id
		m.Content = json.RawMessage(`{"id":"9001","mime_type":"image/jpeg","caption":"` + secret + `"}`)
		m.Raw.Item = json.RawMessage(`{"id":"` + id + `","type":"image","image":{"id":"9001","caption":"` + secret + `"}}`)
		return m
	}
	file := jpeg
	file.BlobKey = "med_of_" + w.Org.ID
	w.Apply(w.Text("wamid.1", secret))
	w.fetched(w.Apply(provider.InboundMessage{Origin: w.Origin(), Message: withFile("wamid.2")}), &file)
	w.Apply(w.edit("wamid.3", "wamid.1", secret+"!", w.Clock.Now()), w.edit("wamid.4", "wamid.1", secret+"?", w.Clock.Now()))
	w.Apply(provider.Revoke{Origin: w.Origin(), ProviderID: "wamid.5", OriginalID: "wamid.1"})
	w.Answered(w.Send(chat.TypeText, `{"body":"`+secret+`"}`), "wamid.6")
	learned := w.Send(chat.TypeText, `{"body":"`+secret+`"}`)
	w.Apply(w.Status("wamid.7", learned.Message.ID, "delivered"))
	w.Apply(provider.Echo{Origin: w.Origin(), Message: w.Text("wamid.8", secret).Message})
	w.fetched(w.Apply(provider.Echo{Origin: w.Origin(), Message: withFile("wamid.9")}), nil)
	w.Apply(provider.InboundMessage{Origin: w.Origin(), Message: withFile("wamid.10")}) // its file is still being fetched
}

// telling counts the events that contain the secret.
func (w *world) telling() (n int) {
	w.T.Helper()
	w.Seen = ""
	for _, e := range w.Events() {
		if strings.Contains(string(e.Payload), secret) {
			n++
		}
	}
	return n
}

// Removing messages also removes their content from events: by retention, by deleting a contact, and by purging a
// number. Nothing else of the organization is touched.
func TestTextsGoWithTheirMessages(t *testing.T) {
	eachCase(t, map[string]func(w *world, tx *store.Tx) error{
		"retention": func(w *world, tx *store.Tx) error {
			_, err := tx.PurgeMessages(w.Org.ID, tx.Now().Add(time.Millisecond), 1000)
			return err
		},
		"contact": func(w *world, tx *store.Tx) error { return core.DeleteContact(tx, w.Account, w.Contacts()[0].ID) },
		"contact, in parts": func(w *world, tx *store.Tx) error {
			_, err := core.DeleteSomeMessages(tx, w.Account, w.Contacts()[0].ID, 100)
			return err
		},
		"number": func(w *world, tx *store.Tx) error {
			_, err := core.PurgeBatch(tx, w.Account, 1000)
			return err
		},
	}, func(t *testing.T, w *world, remove func(*world, *store.Tx) error) {
		other := newWorld(t, w.Store, w.Clock)
		other.everyText()
		w.everyText() // before anybody has subscribed
		before := len(w.Events())
		if n := w.telling(); n != 8 {
			t.Fatalf("%d events say it: the test does not know all ways any more", n)
		}
		w.InTx(func(tx *store.Tx) error { return remove(w, tx) })
		if n := w.telling(); n != 0 {
			t.Errorf("%d events still say it", n)
		}
		w.Seen = ""
		if after := len(w.Events()); after != before-8 {
			t.Errorf("of %d events %d are left", before, after)
		}
		if n := other.telling(); n != 8 {
			t.Errorf("in another organization %d say it", n)
		}
	})
}

// Deliveries of removed content stay, without it. Open ones end, and none can be replayed.
func TestDeliveriesOfRemovedTexts(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		w := newWorld(t, st, clock)
		s := w.subscribe("all", nil, "message.received", "message.status")
		w.Apply(w.Text("wamid.1", secret), w.Text("wamid.2", secret))
		a := w.Send(chat.TypeText, `{"body":"x"}`)
		w.Apply(w.Status("wamid.3", a.Message.ID, "delivered"))
		page, err := w.Read().WebhookDeliveries(w.Org.ID, store.DeliveryFilter{EventType: chat.EventMessageReceived}, store.Page{Limit: 10})
		w.Must(err)
		open, done := page.Rows[0], page.Rows[1]
		w.InTx(func(tx *store.Tx) error {
			return tx.CompleteDeliveries("", []store.DeliveryDone{{OrgID: done.OrgID, ID: done.ID, Epoch: 1, Attempts: 2, Status: chat.DeliveryDead}})
		})
		w.InTx(func(tx *store.Tx) error {
			_, err := tx.PurgeMessages(w.Org.ID, tx.Now().Add(time.Millisecond), 1000)
			return err
		})
		w.requireDeliveries("all message.received dead", "all message.received dead", "all message.status pending")
		for id, want := range map[string]string{open.ID: chat.DeliveryPayloadRemoved, done.ID: ""} {
			d, err := w.Read().WebhookDeliveryDetail(w.Org.ID, id)
			if err != nil || d.Payload != nil || d.NextAttemptAt != nil || (d.EndedBy == nil) != (want == "") || want != "" && *d.EndedBy != want {
				t.Errorf("want it ended by %q: %+v, %v", want, d, err)
			}
			_, err = run(w.Store, func(tx *store.Tx) (chat.WebhookDeliveryDetail, error) { return core.ReplayDelivery(tx, w.Org.ID, id) })
			requireCode(t, err, chat.CodeInvalidFieldValue, "id")
		}
		dead := store.ReplayFilter{DeliveryFilter: store.DeliveryFilter{SubscriptionID: s.ID, Status: chat.DeliveryDead}}
		got, err := run(w.Store, func(tx *store.Tx) (core.BulkReplay, error) { return core.ReplayDeliveries(tx, w.Org.ID, dead) })
		requireEqual(t, got, err, core.BulkReplay{})
		w.requireDeliveries("all message.received dead", "all message.received dead", "all message.status pending")
	})
}
