package housekeeping_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Contacts with many messages are merged, and impossible merges are deleted.
func TestDueMerges(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		a := h.archive(nil)
		var other, stranger chat.Contact
		h.InTx(func(tx *store.Tx) (err error) {
			if other, err = core.CreateContact(tx, a.account, chat.NewContact{BSUID: new("DE.ada")}); err != nil {
				return err
			}
			stranger, err = core.CreateContact(tx, a.account, chat.NewContact{PhoneNumber: new("+4915112345679")})
			return err
		})
		h.putTexts(other, storetest.Conversation(t, h.Store, other, nil), 50)
		h.InTx(func(tx *store.Tx) error {
			for _, pair := range [][3]string{
				{a.account.ID, a.contact.ID, other.ID}, {a.account.ID, a.contact.ID, stranger.ID},
				{a.account.ID, a.contact.ID, "ctc_gone"}, {"acc_gone", "ctc_1", "ctc_2"},
			} {
				if err := tx.InsertDueMerge(store.DueMerge{OrgID: a.account.OrgID, AccountID: pair[0], ContactID: pair[1], OtherID: pair[2]}); err != nil {
					return err
				}
			}
			return nil
		})
		h.sweep()

		r := h.Read()
		if due, err := r.DueMerges(10); err != nil || len(due) != 0 {
			t.Errorf("still to be merged are %v, %v", due, err)
		}
		page, err := r.Messages(a.account.OrgID, a.account.ID, store.MessageFilter{ConversationID: a.conversation.ID}, store.Page{Limit: 100})
		if err != nil || len(page.Rows) != 50 {
			t.Errorf("the conversation has %d messages, %v", len(page.Rows), err)
		}
		contact, err := core.Contact(r, a.account, other.ID)
		if err != nil || contact.ID != a.contact.ID || *contact.BSUID != "DE.ada" {
			t.Errorf("the contact is %+v, %v", contact, err)
		}
	})
}

// putTexts stores messages of a contact.
func (h *house) putTexts(contact chat.Contact, conversation chat.Conversation, n int) {
	h.T.Helper()
	h.InTx(func(tx *store.Tx) error {
		for range n {
			m := chat.Message{
				ID: tx.NewID(chat.KindMessage), OrgID: contact.OrgID, AccountID: contact.AccountID, ConversationID: conversation.ID, ContactID: contact.ID,
				Direction: chat.Inbound, Type: chat.TypeText, Status: chat.StatusDelivered, Content: []byte("{}"), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}
			if err := tx.InsertMessage(m); err != nil {
				return err
			}
		}
		return nil
	})
}
