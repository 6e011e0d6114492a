package housekeeping_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/housekeeping"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const day = 24 * time.Hour

// archive is an organization with messages and files.
type archive struct {
	t            *testing.T
	st           *store.Store
	blobs        blob.Store
	account      chat.Account
	contact      chat.Contact
	conversation chat.Conversation
}

// newArchive makes an organization whose plan keeps messages for so many days; nil is for ever.
func newArchive(t *testing.T, st *store.Store, blobs blob.Store, number string, days *int64) *archive {
	t.Helper()
	org := storetest.Org(t, st)
	storetest.InTx(t, st, func(tx *store.Tx) error {
		o, err := tx.Organization(org.ID)
		o.Plan = "plan of " + org.ID
		return errors.Join(err, tx.PutPlan(chat.Plan{Name: o.Plan, RetentionDays: days}), tx.UpdateOrganization(o))
	})
	a := &archive{t: t, st: st, blobs: blobs, account: storetest.Account(t, st, org, number)}
	a.contact = storetest.Contact(t, st, a.account, "+4915112345678")
	a.conversation = storetest.Conversation(t, st, a.contact, nil)
	return a
}

// add stores a message with a file and with every kind of pending work.
func (a *archive) add(direction chat.Direction, origin chat.MediaOrigin) (chat.Message, chat.Media) {
	a.t.Helper()
	key := a.st.NewID(chat.KindMedia)
	if _, err := a.blobs.Put(a.t.Context(), key, strings.NewReader("bytes"), 10); err != nil {
		a.t.Fatal(err)
	}
	var m chat.Message
	var file chat.Media
	storetest.InTx(a.t, a.st, func(tx *store.Tx) (err error) {
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

// attach stores a file that nobody sends.
func (a *archive) attach() (file chat.Media) {
	a.t.Helper()
	key := a.st.NewID(chat.KindMedia)
	if _, err := a.blobs.Put(a.t.Context(), key, strings.NewReader("bytes"), 10); err != nil {
		a.t.Fatal(err)
	}
	storetest.InTx(a.t, a.st, func(tx *store.Tx) (err error) {
		file, err = core.AddMedia(tx, a.account, chat.MediaAttachment, core.StoredFile{BlobKey: key, MimeType: "image/png"})
		return err
	})
	return file
}

// repeat stores a message again, as one of now.
func (a *archive) repeat(m chat.Message) chat.Message {
	a.t.Helper()
	storetest.InTx(a.t, a.st, func(tx *store.Tx) error {
		m.ID, m.CreatedAt = tx.NewID(chat.KindMessage), tx.Now()
		return tx.InsertMessage(m)
	})
	return m
}

// left are the ids of the organization's messages, newest first.
func (a *archive) left() []string {
	a.t.Helper()
	page, err := a.st.Read(a.t.Context()).Messages(a.account.OrgID, a.account.ID, store.MessageFilter{}, store.Page{Limit: 1000})
	if err != nil {
		a.t.Fatal(err)
	}
	ids := []string{}
	for _, m := range page.Rows {
		ids = append(ids, m.ID)
	}
	return ids
}

// requireFile fails the test unless row and bytes of a file are both there, or both gone.
func (a *archive) requireFile(m chat.Media, there bool) {
	a.t.Helper()
	_, rowErr := a.st.Read(a.t.Context()).MediaByToken(m.Token)
	file, bytesErr := a.blobs.Get(a.t.Context(), m.BlobKey)
	if bytesErr == nil {
		file.Close()
	}
	if errors.Is(rowErr, store.ErrNotFound) == there || errors.Is(bytesErr, fs.ErrNotExist) == there {
		a.t.Errorf("the row: %v, the bytes: %v; want it there: %v", rowErr, bytesErr, there)
	}
}

// requireNothingToDo fails the test unless the message's pending work is gone too.
func (a *archive) requireNothingToDo(m chat.Message) {
	a.t.Helper()
	storetest.InTx(a.t, a.st, func(tx *store.Tx) error {
		_, err := tx.SendJobOwner(m.OrgID, m.ID)
		_, held := tx.TakeHeldEvent(m.OrgID, m.ID)
		fetching, jobErr := tx.FinishMediaJob(m.OrgID, m.ID, "")
		if !errors.Is(err, store.ErrNotFound) || !errors.Is(held, store.ErrNotFound) || fetching {
			a.t.Errorf("still to be done: send %v, event %v, file %v", err, held, fetching)
		}
		return jobErr
	})
}

// Messages go when they are older than the plan keeps them, with the files that came in or were attached. Contacts,
// conversations and the library stay, and so does everything of who keeps messages for ever.
func TestRetention(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock, blobs := storetest.NewClock(), files(t)
		st := storetest.Open(t, engine, storetest.WithClock(clock))
		week := newArchive(t, st, blobs, "1000001", new(int64(7)))
		ever := newArchive(t, st, blobs, "1000002", nil)
		h := parttest.Start(t, housekeeping.New(st, blobs, slog.New(slog.DiscardHandler)))
		begin := clock.Now()
		in, inFile := week.add(chat.Inbound, chat.MediaInbound)
		_, outFile := week.add(chat.Outbound, chat.MediaLibrary)
		_, sentFile := week.add(chat.Outbound, chat.MediaAttachment)
		again, sentAgain := week.add(chat.Outbound, chat.MediaAttachment)
		unsent := week.attach()
		kept, keptFile := ever.add(chat.Inbound, chat.MediaInbound)
		clock.Advance(time.Millisecond)
		young, youngFile := week.add(chat.Inbound, chat.MediaInbound)
		repeated := week.repeat(again)

		clock.Set(begin.Add(7 * day))
		h.Sweep(t.Context())
		if got := week.left(); len(got) != 6 {
			t.Errorf("of seven days are left %v", got)
		}
		clock.Set(begin.Add(7*day + time.Millisecond))
		h.Sweep(t.Context())
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
		if _, err := st.Read(t.Context()).Conversation(week.account.OrgID, week.account.ID, week.conversation.ID); err != nil {
			t.Errorf("the conversation: %v", err)
		}
		if _, err := st.Read(t.Context()).Contact(week.account.OrgID, week.account.ID, week.contact.ID); err != nil {
			t.Errorf("the contact: %v", err)
		}
		clock.Advance(10_000 * day)
		h.Sweep(t.Context())
		if d := cmp.Diff([]string{kept.ID}, ever.left()); d != "" {
			t.Errorf("of what is kept for ever others are left (-want +got):\n%s", d)
		}
		ever.requireFile(keptFile, true)
	})
}

// Many messages are deleted in many transactions, so that no writer waits for all of them. Without due messages
// there is no transaction.
func TestRetentionWorksInBatches(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		clock, blobs := storetest.NewClock(), files(t)
		var looks atomic.Int32 // at the clock: each transaction takes one
		st := storetest.Open(t, engine, storetest.WithClock(clock), func(cfg *store.Config) {
			cfg.Now = func() time.Time {
				looks.Add(1)
				return clock.Now()
			}
		})
		a := newArchive(t, st, blobs, "1000001", new(int64(7)))
		for range 205 {
			a.add(chat.Inbound, chat.MediaInbound)
		}
		h := parttest.Start(t, housekeeping.New(st, blobs, slog.New(slog.DiscardHandler)))
		sweep := func() int32 {
			looks.Store(0)
			h.Sweep(t.Context())
			return looks.Load()
		}
		idle := sweep()
		clock.Advance(8 * day)
		if n := sweep() - idle; n != 7 { // 20, 40, 80 and 65 messages, and their files by the hundred
			t.Errorf("it took %d transactions", n)
		}
		if got := a.left(); len(got) != 0 {
			t.Errorf("%d messages are left", len(got))
		}
		if keys, err := st.Read(t.Context()).RemovedFiles(10); err != nil || len(keys) > 0 {
			t.Errorf("files are left to remove: %v, %v", keys, err)
		}
	})
}

// The files of a deleted contact are deleted too, even one that is just being fetched.
func TestFilesOfADeletedContact(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		blobs := files(t)
		st := storetest.Open(t, engine)
		a := newArchive(t, st, blobs, "1000001", nil)
		in, inFile := a.add(chat.Inbound, chat.MediaInbound)
		_, outFile := a.add(chat.Outbound, chat.MediaLibrary)
		late := st.NewID(chat.KindMedia)
		if _, err := blobs.Put(t.Context(), late, strings.NewReader("bytes"), 10); err != nil {
			t.Fatal(err)
		}
		storetest.InTx(t, st, func(tx *store.Tx) error { return core.DeleteContact(tx, a.account, a.contact.ID) })
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return core.FileFetched(tx, a.account, store.MediaJob{OrgID: in.OrgID, MessageID: in.ID}, &core.StoredFile{BlobKey: late}, "")
		})
		h := parttest.Start(t, housekeeping.New(st, blobs, slog.New(slog.DiscardHandler)))
		h.Sweep(t.Context())
		a.requireFile(inFile, false)
		a.requireFile(outFile, true)
		if _, err := blobs.Get(t.Context(), late); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file that came too late: %v", err)
		}
	})
}
