package webhook

import (
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// What was removed while its delivery waited in memory is not sent, whether this node hears of the removal or only finds it
// in the table.
func TestRemovedWhileItWaits(t *testing.T) {
	for name, hears := range map[string]bool{"heard of": true, "found in the table": false} {
		t.Run(name, func(t *testing.T) {
			onEachEngine(t, func(w *world) { w.removeWhileItWaits(hears) })
		})
	}
}

func (w *world) removeWhileItWaits(hears bool) {
	s := w.sink(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "100")
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	sub := w.subscribe(s.URL)
	first := w.deliver(sub, "a")[0]
	w.next(s)
	w.settles(first, 1)
	w.Receive(w.Text("wamid.1", "a secret"))
	w.idle(w.engine)
	if !hears {
		w.Store.HandTo(func(h *store.Hands) { h.CallOff = nil })
	}
	w.InTx(func(tx *store.Tx) error { return core.DeleteContact(tx, w.Account, w.Contacts()[0].ID) })
	s.answers(status(http.StatusOK))
	w.advance(100 * time.Second)
	w.ends(first, chat.DeliverySucceeded)
	page, err := w.Read().WebhookDeliveries(w.Org.ID, store.DeliveryFilter{EventType: chat.EventMessageReceived}, store.Page{Limit: 10})
	w.Must(err)
	for _, subject := range []string{"z", page.Rows[0].Subject} { // what follows about the same conversation is not held up
		w.ends(w.deliver(sub, subject)[0], chat.DeliverySucceeded)
	}
	w.idle(w.engine)
	for range len(s.calls) {
		if c := w.next(s); c.header.Get("X-Svc-Event") == string(chat.EventMessageReceived) {
			w.t.Errorf("it was sent: %s", c.body)
		}
	}
	if len(page.Rows) != 1 || page.Rows[0].Status != chat.DeliveryDead || page.Rows[0].AttemptCount != 0 {
		w.t.Errorf("its delivery is %+v", page.Rows)
	}
}
