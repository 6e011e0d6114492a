package housekeeping_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const day = 24 * time.Hour

// archive is an organization with messages and files.
type archive struct {
	*house
	account      chat.Account
	contact      chat.Contact
	conversation chat.Conversation
}

// newArchive makes an organization whose plan keeps messages for so many days; nil is for ever.
func (h *house) archive(days *int64) *archive {
	h.T.Helper()
	org := storetest.Org(h.T, h.Store)
	h.InTx(func(tx *store.Tx) error {
		o, err := tx.Organization(org.ID)
		o.Plan = "plan of " + org.ID
		return errors.Join(err, tx.PutPlan(chat.Plan{Name: o.Plan, RetentionDays: days}), tx.UpdateOrganization(o))
	})
	a := &archive{house: h, account: h.Connect(org, "+4930555001", "200000000000")}
	a.contact = storetest.Contact(h.T, h.Store, a.account, "+4915112345678")
	a.conversation = storetest.Conversation(h.T, h.Store, a.contact, nil)
	return a
}

// add stores a message with a file and with every kind of pending work.
func (a *archive) add(direction chat.Direction, origin chat.MediaOrigin) (chat.Message, chat.Media) {
	a.T.Helper()
	key := a.putFile()
	var m chat.Message
	var file chat.Media
	a.InTx(func(tx *store.Tx) (err error) {
		if file, err = core.AddMedia(tx, a.account, origin, core.StoredFile{BlobKey: key, MimeType: "image/png"}); err != nil {
			return err
		}
		m = chat.Message{
			ID: tx.NewID(chat.KindMessage), OrgID: a.account.OrgID, AccountID: a.account.ID, ConversationID: a.conversation.ID, ContactID: a.contact.ID,
			Direction: direction, Type: chat.TypeImage, Status: chat.StatusQueued, Source: chat.SourceAPI, Content: []byte("{}"), MediaID: file.ID,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		_, jobErr := tx.InsertSendJob(store.SendJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ConversationID: m.ConversationID, DueAt: tx.Now()})
		return errors.Join(tx.InsertMessage(m), jobErr, tx.InsertHeldEvent(m.OrgID, m.ID, []byte("{}"), tx.Now()),
			tx.InsertMediaJob(store.MediaJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, DueAt: tx.Now()}))
	})
	return m, file
}

// putFile stores bytes, and returns their key.
func (h *house) putFile() string {
	h.T.Helper()
	key := h.Store.NewID(chat.KindMedia)
	_, err := h.blobs.Put(context.Background(), key, strings.NewReader("bytes"), 10)
	h.Must(err)
	return key
}

// attach stores a file that nobody sends.
func (a *archive) attach() (file chat.Media) {
	a.T.Helper()
	key := a.putFile()
	a.InTx(func(tx *store.Tx) (err error) {
		file, err = core.AddMedia(tx, a.account, chat.MediaAttachment, core.StoredFile{BlobKey: key, MimeType: "image/png"})
		return err
	})
	return file
}

// repeat stores a message again, as one of now.
func (a *archive) repeat(m chat.Message) chat.Message {
	a.T.Helper()
	a.InTx(func(tx *store.Tx) error {
		m.ID, m.CreatedAt = tx.NewID(chat.KindMessage), tx.Now()
		return tx.InsertMessage(m)
	})
	return m
}

// left are the ids of the organization's messages, newest first.
func (a *archive) left() []string {
	a.T.Helper()
	page, err := a.Read().Messages(a.account.OrgID, a.account.ID, store.MessageFilter{}, store.Page{Limit: 1000})
	a.Must(err)
	ids := []string{}
	for _, m := range page.Rows {
		ids = append(ids, m.ID)
	}
	return ids
}

// requireFile fails the test unless row and bytes of a file are both there, or both gone.
func (a *archive) requireFile(m chat.Media, there bool) {
	a.T.Helper()
	_, rowErr := a.Read().MediaByToken(m.Token)
	file, bytesErr := a.blobs.Get(context.Background(), m.BlobKey)
	if bytesErr == nil {
		file.Close()
	}
	if errors.Is(rowErr, store.ErrNotFound) == there || errors.Is(bytesErr, fs.ErrNotExist) == there {
		a.T.Errorf("the row: %v, the bytes: %v; want it there: %v", rowErr, bytesErr, there)
	}
}

// requireNothingToDo fails the test unless the message's pending work is gone too.
func (a *archive) requireNothingToDo(m chat.Message) {
	a.T.Helper()
	a.InTx(func(tx *store.Tx) error {
		_, err := tx.SendJobOwner(m.OrgID, m.ID)
		_, held := tx.TakeHeldEvent(m.OrgID, m.ID)
		fetching, jobErr := tx.FinishMediaJob(m.OrgID, m.ID, "")
		if !errors.Is(err, store.ErrNotFound) || !errors.Is(held, store.ErrNotFound) || fetching {
			a.T.Errorf("still to be done: send %v, event %v, file %v", err, held, fetching)
		}
		return jobErr
	})
}

// Messages go when they are older than the plan keeps them, with the files that came in or were attached. Contacts,
// conversations and the library stay, and so does everything of who keeps messages for ever.
func TestRetention(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		week := h.archive(new(int64(7)))
		ever := h.archive(nil)
		begin := h.Clock.Now()
		in, inFile := week.add(chat.Inbound, chat.MediaInbound)
		_, outFile := week.add(chat.Outbound, chat.MediaLibrary)
		_, sentFile := week.add(chat.Outbound, chat.MediaAttachment)
		again, sentAgain := week.add(chat.Outbound, chat.MediaAttachment)
		unsent := week.attach()
		kept, keptFile := ever.add(chat.Inbound, chat.MediaInbound)
		h.Clock.Advance(time.Millisecond)
		young, youngFile := week.add(chat.Inbound, chat.MediaInbound)
		repeated := week.repeat(again)

		h.Clock.Set(begin.Add(7 * day))
		h.sweep()
		if got := week.left(); len(got) != 6 {
			t.Errorf("of seven days are left %v", got)
		}
		h.Clock.Set(begin.Add(7*day + time.Millisecond))
		h.sweep()
		if d := cmp.Diff([]string{repeated.ID, young.ID}, week.left()); d != "" {
			t.Errorf("a millisecond later others are left (-want +got):\n%s", d)
		}
		week.requireFile(inFile, false)
		week.requireFile(outFile, true)
		week.requireFile(youngFile, true)
		week.requireFile(sentFile, false)
		week.requireFile(sentAgain, true) // a younger message has it as well
		week.requireFile(unsent, false)
		week.requireNothingToDo(in)
		if _, err := h.Read().Conversation(week.account.OrgID, week.account.ID, week.conversation.ID); err != nil {
			t.Errorf("the conversation: %v", err)
		}
		if _, err := h.Read().Contact(week.account.OrgID, week.account.ID, week.contact.ID); err != nil {
			t.Errorf("the contact: %v", err)
		}
		h.Clock.Advance(10_000 * day)
		h.sweep()
		if d := cmp.Diff([]string{kept.ID}, ever.left()); d != "" {
			t.Errorf("of what is kept for ever others are left (-want +got):\n%s", d)
		}
		ever.requireFile(keptFile, true)
	})
}

// Many messages are deleted in many transactions, so that no writer waits for all of them. Without due messages
// there is no transaction.
func TestRetentionWorksInBatches(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		a := h.archive(new(int64(7)))
		for range 205 {
			a.add(chat.Inbound, chat.MediaInbound)
		}
		idle := h.sweep()
		h.Clock.Advance(8 * day)
		if n := h.sweep() - idle; n != 7 { // 20, 40, 80 and 65 messages, and their files by the hundred
			t.Errorf("it took %d transactions", n)
		}
		if got := a.left(); len(got) != 0 {
			t.Errorf("%d messages are left", len(got))
		}
		if keys, err := h.Read().RemovedFiles("", 10); err != nil || len(keys) > 0 {
			t.Errorf("files are left to remove: %v, %v", keys, err)
		}
	})
}

// The files of a deleted contact are deleted too, even one that is just being fetched.
func TestFilesOfADeletedContact(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		a := h.archive(nil)
		in, inFile := a.add(chat.Inbound, chat.MediaInbound)
		_, outFile := a.add(chat.Outbound, chat.MediaLibrary)
		late := h.putFile()
		h.InTx(func(tx *store.Tx) error { return core.DeleteContact(tx, a.account, a.contact.ID) })
		h.InTx(func(tx *store.Tx) error {
			return core.FileFetched(tx, a.account, store.MediaJob{OrgID: in.OrgID, MessageID: in.ID}, &core.StoredFile{BlobKey: late}, "")
		})
		h.sweep()
		a.requireFile(inFile, false)
		a.requireFile(outFile, true)
		if _, err := h.blobs.Get(t.Context(), late); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file that came too late: %v", err)
		}
	})
}
