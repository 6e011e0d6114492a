package core_test

import (
	"fmt"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// batches repeats a step, each time in its own transaction, until it does less than its limit. It returns the value of
// left after each.
func (w *world) batches(limit int, step func(*store.Tx) (int64, error), left func() int) (counts []int) {
	w.T.Helper()
	for more := true; more; counts = append(counts, left()) {
		if len(counts) > 10 {
			w.T.Fatalf("it does not end: %v", counts)
		}
		w.InTx(func(tx *store.Tx) error {
			n, err := step(tx)
			more = n >= int64(limit)
			return err
		})
	}
	return counts
}

// A label that is on everything is detached from a bounded number of rows at a time.
func TestDetachSome(t *testing.T) {
	eachWorld(t, func(w *world) {
		var label, other chat.Label
		var ids []string
		w.InTx(func(tx *store.Tx) (err error) {
			ids = nil
			if label, err = core.CreateLabel(tx, w.Org.ID, chat.NewLabel{Name: "VIP"}); err != nil {
				return err
			}
			if other, err = core.CreateLabel(tx, w.Org.ID, chat.NewLabel{Name: "Other"}); err != nil {
				return err
			}
			for i := range 1100 {
				contact, err := core.CreateContact(tx, w.Account, chat.NewContact{PhoneNumber: new(fmt.Sprint("+49155", 10_000_000+i))})
				if err != nil {
					return err
				}
				ids = append(ids, contact.ID)
			}
			for _, l := range []chat.Label{label, other} {
				if _, err := tx.AttachToContacts(w.Org.ID, l.ID, ids); err != nil {
					return err
				}
			}
			return nil
		})
		carry := func(labelID string) (n int) {
			labels, err := w.Read().LabelsOfContacts(w.Org.ID, ids)
			w.Must(err)
			for _, those := range labels {
				for _, l := range those {
					if l.ID == labelID {
						n++
					}
				}
			}
			return n
		}
		counts := w.batches(500, func(tx *store.Tx) (int64, error) { return core.DetachSome(tx, w.Org.ID, label.ID, 500) },
			func() int { return carry(label.ID) })
		requireEqual(t, counts, nil, []int{600, 100, 0})
		requireEqual(t, carry(other.ID), nil, 1100)
	})
}

// The messages of a long conversation are deleted a bounded number at a time, oldest first, with their jobs.
func TestDeleteSomeMessages(t *testing.T) {
	eachWorld(t, func(w *world) {
		var updates []provider.Update
		for i := range 250 {
			updates = append(updates, w.from(provider.Person{Phone: adaNumber}, fmt.Sprint("wamid.", i)))
		}
		updates = append(updates, w.from(provider.Person{Phone: "+4915510000002"}, "wamid.other"))
		w.Apply(updates...)
		contact, err := w.Read().ContactByNumber(w.Org.ID, w.Account.ID, adaNumber)
		w.Must(err)
		left := func() int {
			page, err := w.Read().Messages(w.Org.ID, w.Account.ID, store.MessageFilter{}, store.Page{Limit: 1000})
			w.Must(err)
			return len(page.Rows)
		}
		counts := w.batches(100, func(tx *store.Tx) (int64, error) { return core.DeleteSomeMessages(tx, w.Account, contact.ID, 100) }, left)
		requireEqual(t, counts, nil, []int{151, 51, 1})
		w.InTx(func(tx *store.Tx) error { return core.DeleteContact(tx, w.Account, contact.ID) })
		requireEqual(t, left(), nil, 1)
	})
}

func TestDeleteSomeMessagesOfNobody(t *testing.T) {
	eachWorld(t, func(w *world) {
		_, err := run(w.Store, func(tx *store.Tx) (int64, error) {
			return core.DeleteSomeMessages(tx, w.Account, w.Store.NewID(chat.KindContact), 100)
		})
		requireCode(t, err, chat.CodeResourceNotFound, "")
	})
}

// Recipients that are added to a broadcast while it is being deleted go with it.
func TestDeletedBroadcastLeavesNobody(t *testing.T) {
	eachWorld(t, func(w *world) {
		var b chat.Broadcast
		add := func(tx *store.Tx) error {
			_, err := core.AddRecipients(tx, w.Account, b.ID, []core.NewRecipient{{To: adaNumber}})
			return err
		}
		w.InTx(func(tx *store.Tx) (err error) {
			b, err = core.CreateBroadcast(tx, w.Account, core.NewBroadcast{Name: "News", Recipients: []core.NewRecipient{{To: "+4915510000012"}}})
			return err
		})
		w.InTx(func(tx *store.Tx) error {
			_, err := core.DeleteSomeRecipients(tx, w.Account, b.ID, 10)
			return err
		})
		w.InTx(add)
		w.InTx(func(tx *store.Tx) error { return core.DeleteBroadcast(tx, w.Account, b.ID) })
		left, err := w.Read().RecipientsAfter(w.Org.ID, b.ID, store.RecipientFilter{}, "", 10)
		w.Must(err)
		if len(left) != 0 {
			t.Errorf("left are %+v", left)
		}
	})
}
