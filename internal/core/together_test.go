package core_test

import (
	"log/slog"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// pair runs two transactions at the same time, which only PostgreSQL does.
type pair struct {
	*world
	t     *testing.T
	place store.Config
}

func newPair(t *testing.T) pair {
	t.Helper()
	t.Parallel()
	clock, place := storetest.NewClock(), storetest.NewConfig(t, storetest.Postgres)
	return pair{newWorld(t, storetest.OpenAt(t, place, storetest.WithClock(clock)), clock), t, place}
}

// do runs the second transaction as soon as the first has done its work, before it commits. It returns how the second
// ended.
func (p pair) do(first, second func(*store.Tx) error) error {
	p.t.Helper()
	var end func() error
	p.InTx(func(tx *store.Tx) error {
		if err := first(tx); err != nil {
			return err
		}
		end = storetest.Beside(p.t, p.place, func() error { return p.Store.InTx(p.t.Context(), second) })
		return nil
	})
	return end()
}

// Of two owners who are taken away at the same time, one stays.
func TestOneOfTwoOwnersStays(t *testing.T) {
	p := newPair(t)
	leave := func(name string) func(*store.Tx) error {
		u, err := run(p.Store, createUser(core.NewUser{OrgID: p.Org.ID, Email: name + "@example.com", Name: name, Role: chat.RoleOwner}))
		p.Must(err)
		return func(tx *store.Tx) error {
			_, err := core.UpdateUser(tx, chat.RoleOwner, p.Org.ID, u.ID, core.UserPatch{Disabled: new(true)})
			return err
		}
	}
	err := p.do(leave("ann"), leave("bob"))
	if code, _ := chat.CodeOf(err); code != chat.CodeInvalidFieldValue {
		t.Errorf("the last owner leaves: %v", err)
	}
}

// imported imports a row, and returns the job.
func (p pair) imported(row chat.ImportRow) chat.ContactJob {
	p.t.Helper()
	job, err := run(p.Store, func(tx *store.Tx) (job chat.ContactJob, err error) {
		if job, err = core.NewContactJob(tx, chat.User{OrgID: p.Org.ID, ID: "usr_1"}, chat.JobImport, chat.JobDone, chat.ContactImport{}); err != nil {
			return job, err
		}
		return core.ImportSlice(tx, p.Account, job, chat.ImportMapping{}, []chat.ImportRow{row})
	})
	p.Must(err)
	return job
}

func undo(job chat.ContactJob) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		_, err := core.UndoSlice(tx, job)
		return err
	}
}

// What is changed of a contact while its import is undone stays.
func TestUndoKeepsWhatOthersChange(t *testing.T) {
	p := newPair(t)
	contact := storetest.Contact(t, p.Store, p.Account, adaNumber)
	job := p.imported(chat.ImportRow{Number: adaNumber, Email: new("list@shop.example"), Consent: chat.ConsentOptedIn})
	p.Must(p.do(func(tx *store.Tx) error {
		_, err := core.UpdateContact(tx, p.Account, contact.ID, chat.ContactPatch{Email: chat.To("ada@shop.example"), Consent: new(chat.ConsentOptedOut)}, chat.Actor{})
		return err
	}, undo(job)))
	got, err := p.Read().Contact(p.Org.ID, p.Account.ID, contact.ID)
	p.Must(err)
	if got.Email == nil || *got.Email != "ada@shop.example" || got.Consent != chat.ConsentOptedOut {
		t.Errorf("the contact is %+v", got)
	}
}

// An imported contact who writes while the import is undone stays, with the message.
func TestUndoKeepsWhoWrites(t *testing.T) {
	p := newPair(t)
	job := p.imported(chat.ImportRow{Number: adaNumber})
	p.Must(p.do(func(tx *store.Tx) error {
		return core.Applier{PublicURL: publicURL, Log: slog.New(slog.DiscardHandler)}.Apply(tx, p.Text("wamid.1", "Hello"))
	}, undo(job)))
	if n := len(p.Messages()); n != 1 {
		t.Errorf("there are %d messages", n)
	}
}
