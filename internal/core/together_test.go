package core_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
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

// Of two who set the server up at the same time, one becomes its first user.
func TestOneFirstUser(t *testing.T) {
	p := newPair(t)
	as := func(name string) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			return core.SetUpIn(tx, core.FirstUser{Name: name, Email: name + "@example.com"})
		}
	}
	err := p.do(as("ann"), as("bob"))
	if code, _ := chat.CodeOf(err); code != chat.CodeResourceNotFound {
		t.Errorf("another first user: %v", err)
	}
}

// bulk is a job of an owner on contacts.
func (p pair) bulk(kind chat.ContactJobKind, task chat.ContactBulk) (u chat.User, job chat.ContactJob) {
	p.t.Helper()
	u, err := run(p.Store, createUser(core.NewUser{OrgID: p.Org.ID, Email: "ann@example.com", Name: "Ann", Role: chat.RoleOwner}))
	p.Must(err)
	job, err = run(p.Store, func(tx *store.Tx) (chat.ContactJob, error) { return core.ChangeContacts(tx, u, kind, task) })
	p.Must(err)
	return u, job
}

// A contact that is deleted while many are labelled leaves no label behind.
func TestManyAreLabelledWithoutThoseWhoAreGone(t *testing.T) {
	p := newPair(t)
	contact, label := storetest.Contact(t, p.Store, p.Account, adaNumber), storetest.Label(t, p.Store, p.Org, "vip")
	_, job := p.bulk(chat.JobLabel, chat.ContactBulk{IDs: []string{contact.ID}, LabelID: label.ID})
	p.Must(p.do(func(tx *store.Tx) error { return core.DeleteContact(tx, p.Account, contact.ID) }, func(tx *store.Tx) (err error) {
		job, _, err = core.BulkSlice(tx, job, 100)
		return err
	}))
	if used, err := p.Read().LabelIsUsed(p.Org.ID, label.ID); err != nil || used || job.Done != 1 || job.Changed != 0 {
		t.Errorf("the label is used: %v (%v), after %+v", used, err, job)
	}
}

// A deletion of many contacts goes on with the others if somebody deletes one of them, or merges it with one that was not
// chosen. It counts only those that it has deleted itself.
func TestManyAreDeletedWithoutThoseWhoAreGone(t *testing.T) {
	for name, goes := range map[string]func(tx *store.Tx, account chat.Account, id, other string) error{
		"deleted": func(tx *store.Tx, account chat.Account, id, _ string) error {
			return core.DeleteContact(tx, account, id)
		},
		"merged": func(tx *store.Tx, account chat.Account, id, other string) error {
			_, err := core.MergeContacts(tx, account, other, id, "")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			other, err := run(p.Store, func(tx *store.Tx) (chat.Contact, error) {
				return core.CreateContact(tx, p.Account, chat.NewContact{BSUID: new(adaID)})
			})
			p.Must(err)
			first, second := storetest.Contact(t, p.Store, p.Account, adaNumber), storetest.Contact(t, p.Store, p.Account, "+491600000001")
			u, job := p.bulk(chat.JobDelete, chat.ContactBulk{IDs: []string{first.ID, second.ID}})
			p.Must(p.do(func(tx *store.Tx) error { return goes(tx, p.Account, first.ID, other.ID) }, func(tx *store.Tx) (err error) {
				job, _, err = core.BulkSlice(tx, job, 100)
				return err
			}))
			if job.Total != 2 || job.Done != 2 || job.Changed != 1 || job.Position != second.ID {
				t.Errorf("the job is %+v", job)
			}
			left, err := p.Read().ContactEntries(u, []string{first.ID, second.ID, other.ID})
			p.Must(err)
			if len(left) != 1 || left[0].ID != other.ID {
				t.Errorf("left are %+v", left)
			}
		})
	}
}

// The total of a job follows its filter: some contacts no longer match when their turn comes, and others have begun to.
func TestTotalOfManyIsThatOfTheEnd(t *testing.T) {
	p := newPair(t)
	label := storetest.Label(t, p.Store, p.Org, "vip")
	contact := storetest.Contact(t, p.Store, p.Account, adaNumber)
	storetest.Contact(t, p.Store, p.Account, "+491600000001")
	_, job := p.bulk(chat.JobLabel, chat.ContactBulk{Filter: &chat.ContactFilter{Consent: chat.ConsentUnknown}, LabelID: label.ID})
	slice := func(tx *store.Tx) (err error) {
		job, _, err = core.BulkSlice(tx, job, 100)
		return err
	}
	p.InTx(func(tx *store.Tx) error { return core.DeleteContact(tx, p.Account, contact.ID) })
	p.InTx(slice)
	if job.Total != 2 || job.Done != 1 {
		t.Errorf("half-way the job is %+v", job)
	}
	if p.InTx(slice); job.Status != chat.JobDone || job.Total != 1 || job.Done != 1 {
		t.Errorf("in the end the job is %+v", job)
	}
	job.Status, job.Total, job.Done, job.Position = chat.JobRunning, 0, 0, "" // of when nobody matched
	if p.InTx(slice); job.Total != 1 || job.Done != 1 {
		t.Errorf("with one who was not expected the job is %+v", job)
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

// Two imports of the same people, with the same new label, at the same time: neither refuses a row, and both have done it.
func TestTwoImportsOfTheSamePeople(t *testing.T) {
	p := newPair(t)
	slice := func(job *chat.ContactJob, name string) func(*store.Tx) error {
		return func(tx *store.Tx) (err error) {
			if *job, err = core.NewContactJob(tx, chat.User{OrgID: p.Org.ID, ID: "usr_1"}, chat.JobImport, chat.JobDone, chat.ContactImport{}); err != nil {
				return err
			}
			*job, err = core.ImportSlice(tx, p.Account, *job, chat.ImportMapping{CreateLabels: true}, []chat.ImportRow{
				{Row: 1, Number: "+491600000001", Labels: []string{"vip"}}, // makes the label
				{Row: 2, Number: adaNumber, Name: &name, Labels: []string{"VIP"}},
			})
			return err
		}
	}
	var first, second chat.ContactJob
	p.Must(p.do(slice(&first, "Ann"), slice(&second, "Ada")))
	if first.Created != 2 || second.Created != 0 || second.Changed != 1 || first.Failed+second.Failed != 0 {
		t.Errorf("the first is %+v, the second %+v", first, second)
	}
	contact, err := p.Read().ContactByNumber(p.Org.ID, p.Account.ID, adaNumber)
	p.Must(err)
	if *contact.Name != "Ada" {
		t.Errorf("the contact is called %s", *contact.Name)
	}
}

// One person whose number comes in both of its spellings at the same time is one contact, however it comes.
func TestTwoSpellingsAtOnce(t *testing.T) {
	p := newPair(t)
	writes := func(number string) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			m := p.Text("wamid."+number, "hi")
			m.Contact = provider.Person{Phone: number}
			return core.Applier{Log: slog.New(slog.DiscardHandler)}.Apply(tx, m)
		}
	}
	isSent := func(number string) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			_, err := core.AcceptSend(tx, p.Account, chat.Plan{}, core.NewMessage{To: number, Type: chat.TypeText, Content: json.RawMessage(`{"body":"hi"}`)})
			return err
		}
	}
	isAdded := func(number string) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			_, err := core.CreateContact(tx, p.Account, chat.NewContact{PhoneNumber: &number})
			return err
		}
	}
	p.Must(p.do(writes("+5215512345678"), isSent("+525512345678")))
	p.Must(p.do(isSent("+551187654321"), writes("+5511987654321")))
	err := p.do(writes("+5215512345679"), isAdded("+525512345679"))
	if code, _ := chat.CodeOf(err); code != chat.CodeContactAlreadyExists {
		t.Errorf("it is added with %v", err)
	}
	if n := len(p.Contacts()); n != 3 {
		t.Errorf("there are %d contacts, want 3", n)
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

const worker = "node_1"

// create makes a broadcast of a template.
func (p pair) create(tx *store.Tx, in core.NewBroadcast) (chat.Broadcast, error) {
	in.Name, in.Template = "x", chat.BroadcastTemplate{Name: "hello", Language: "en"}
	return core.CreateBroadcast(tx, p.Account, in)
}

// sending is a broadcast that has begun.
func (p pair) sending(in core.NewBroadcast) (b chat.Broadcast) {
	p.t.Helper()
	p.Alive(worker)
	p.InTx(func(tx *store.Tx) (err error) {
		t := chat.Template{ID: tx.NewID(chat.KindTemplate), OrgID: p.Org.ID, WABAID: p.Account.WABAID, Name: "hello", Language: "en",
			Category: new(chat.CategoryUtility), Format: chat.FormatPositional, Components: []byte(`[{"type":"BODY","text":"Hi"}]`)}
		t.SetProviderStatus("APPROVED", nil)
		if err := tx.PutTemplate(t); err != nil {
			return err
		}
		if b, err = p.create(tx, in); err != nil {
			return err
		}
		if b, err = core.StartBroadcast(tx, p.Account, b.ID); err != nil {
			return err
		}
		return tx.ClaimBroadcasts(worker)
	})
	return b
}

func toAda() core.NewBroadcast {
	return core.NewBroadcast{Recipients: []core.NewRecipient{{To: adaNumber}}}
}

// advance does a step of the work on a broadcast.
func (p pair) advance(b chat.Broadcast) func(*store.Tx) error {
	p.t.Helper()
	state, err := core.ReadBroadcastState(p.Read(), b)
	p.Must(err)
	return func(tx *store.Tx) error {
		_, err := core.AdvanceBroadcast(tx, state, b.ID, worker, 10)
		return err
	}
}

func (p pair) requireCounts(b chat.Broadcast, want chat.BroadcastCounts) {
	p.t.Helper()
	if n, err := core.Counts(p.Read(), b.ID); err != nil || n != want {
		p.t.Errorf("the counts are %+v (%v), want %+v", n, err, want)
	}
}

// Who is deleted while a broadcast makes its messages gets none, and is counted once.
func TestBroadcastSkipsWhoIsBeingDeleted(t *testing.T) {
	p := newPair(t)
	contact, b := storetest.Contact(t, p.Store, p.Account, adaNumber), p.sending(toAda())
	p.Must(p.do(func(tx *store.Tx) error { return core.DeleteContact(tx, p.Account, contact.ID) }, p.advance(b)))
	if n := len(p.Messages()); n != 0 {
		t.Errorf("there are %d messages", n)
	}
	p.requireCounts(b, chat.BroadcastCounts{Total: 1, Skipped: 1})
}

// A contact that is deleted while it becomes a recipient leaves no address behind, whoever comes first.
func TestRecipientsForgetWhoIsDeleted(t *testing.T) {
	for name, adding := range map[string]func(p pair, contact chat.Contact) func(*store.Tx) (chat.Broadcast, error){
		"by id": func(p pair, contact chat.Contact) func(*store.Tx) (chat.Broadcast, error) {
			return func(tx *store.Tx) (chat.Broadcast, error) {
				return p.create(tx, core.NewBroadcast{ContactIDs: []string{contact.ID}})
			}
		},
		"by a business-scoped id": func(p pair, contact chat.Contact) func(*store.Tx) (chat.Broadcast, error) {
			return func(tx *store.Tx) (chat.Broadcast, error) {
				return p.create(tx, core.NewBroadcast{Recipients: []core.NewRecipient{{Recipient: adaID}}})
			}
		},
		"by a label": func(p pair, contact chat.Contact) func(*store.Tx) (chat.Broadcast, error) {
			label := storetest.Label(p.t, p.Store, p.Org, "vip")
			p.InTx(func(tx *store.Tx) error { return core.LabelContact(tx, p.Account, contact.ID, label.ID) })
			b := p.sending(core.NewBroadcast{Audience: chat.Audience{LabelIDs: []string{label.ID}}})
			advance := p.advance(b)
			return func(tx *store.Tx) (chat.Broadcast, error) { return b, advance(tx) }
		},
		"by copying": func(p pair, contact chat.Contact) func(*store.Tx) (chat.Broadcast, error) {
			from := p.sending(toAda())
			to, err := run(p.Store, func(tx *store.Tx) (chat.Broadcast, error) { return core.CopyBroadcast(tx, p.Account, from.ID) })
			p.Must(err)
			return func(tx *store.Tx) (chat.Broadcast, error) {
				_, err := core.CopyRecipients(tx, p.Account, from.ID, to.ID, "", 10)
				return to, err
			}
		},
	} {
		for _, deletedFirst := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", deleted first: ", deletedFirst), func(t *testing.T) {
				p := newPair(t)
				contact, err := run(p.Store, func(tx *store.Tx) (chat.Contact, error) {
					return core.CreateContact(tx, p.Account, chat.NewContact{PhoneNumber: new(adaNumber), BSUID: new(adaID)})
				})
				p.Must(err)
				var b chat.Broadcast
				add := adding(p, contact)
				first := func(tx *store.Tx) (err error) { b, err = add(tx); return err }
				second := func(tx *store.Tx) error { return core.DeleteContact(tx, p.Account, contact.ID) }
				if deletedFirst {
					first, second = second, first
				}
				if err := p.do(first, second); !refused(err) {
					p.Must(err)
				}
				for _, status := range []chat.RecipientStatus{chat.RecipientWaiting, chat.RecipientSkipped} {
					rows, err := p.Read().FirstRecipients(b.ID, status, "", 10)
					p.Must(err)
					for _, r := range rows {
						if r.Address == adaNumber || r.ContactID != "" {
							t.Errorf("there is %+v", r)
						}
					}
				}
			})
		}
	}
}

// Whose message turns out to be delivered while a broadcast is retried gets no other one, and is counted once.
func TestRetryLeavesWhoHasTheMessage(t *testing.T) {
	p := newPair(t)
	b := p.sending(toAda())
	p.InTx(p.advance(b))
	m := p.Messages()[0]
	failed := core.Accepted{Message: m, Job: store.SendJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ConversationID: m.ConversationID}}
	p.Record(core.SendResult{Work: p.Work(failed), Failure: &chat.MessageError{Code: chat.FailUpstream, Message: "no answer"}})
	p.requireCounts(b, chat.BroadcastCounts{Total: 1, Failed: 1})
	p.InTx(p.advance(b)) // completes it
	p.Must(p.do(func(tx *store.Tx) error {
		return core.Applier{Log: slog.New(slog.DiscardHandler)}.Apply(tx, p.Status("wamid.1", m.ID, "delivered"))
	},
		func(tx *store.Tx) error { _, err := core.RetrySome(tx, p.Account, b.ID, 10); return err }))
	p.requireCounts(b, chat.BroadcastCounts{Total: 1, Sent: 1, Delivered: 1})
}

// A number that is disconnected while the provider's news of its business account are applied does not keep them from the
// others.
func TestAccountUpdateReachesTheOthers(t *testing.T) {
	p := newPair(t)
	other := p.Connect(p.Org, "+4930555999", p.Account.WABAID)
	u := provider.AccountUpdate{Origin: provider.Origin{WABAID: p.Account.WABAID}, Event: "PARTNER_REMOVED"}
	p.Must(p.do(func(tx *store.Tx) error {
		_, err := core.DisconnectAccount(tx, p.Org.ID, *p.Account.PhoneNumberID)
		return err
	},
		func(tx *store.Tx) error { return core.Applier{Log: slog.New(slog.DiscardHandler)}.Apply(tx, u) }))
	if got, err := p.Read().Account(p.Org.ID, other.ID); err != nil || got.Status != chat.AccountDisconnected {
		t.Errorf("the other number is %s: %v", got.Status, err)
	}
}

// Of two people who are told at the same time that nobody is there, only one is if the plan has one message left. The
// other is not counted.
func TestLastMessageOfAPlanForTwo(t *testing.T) {
	p := newPair(t)
	p.choose(nightly())
	p.limit(1)
	p.Clock.Set(mondayNight)
	apply := func(u provider.Update) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			return core.Applier{PublicURL: publicURL, Log: slog.New(slog.DiscardHandler)}.Apply(tx, u)
		}
	}
	p.Must(p.do(apply(p.writes(1, "wamid.1")), apply(p.writes(2, "wamid.2"))))
	used, err := p.Read().MessagesCounted(p.Org.ID, "2027-03")
	if n := p.awayMessages(); err != nil || n != 1 || used != 1 {
		t.Errorf("%d away messages, %d are counted (%v)", n, used, err)
	}
}
