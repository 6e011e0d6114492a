package broadcast_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// optOut makes a person opt out of marketing.
func (r *rig) optOut(to string) {
	r.t.Helper()
	r.InTx(func(tx *store.Tx) error {
		contact, err := tx.ContactByNumber(r.Org.ID, r.Account.ID, to)
		if errors.Is(err, store.ErrNotFound) {
			contact = storetest.NewContact(tx, r.Account, to)
			contact.Consent = chat.ConsentOptedOut
			return tx.InsertContact(contact)
		}
		if err != nil {
			return err
		}
		contact.Consent = chat.ConsentOptedOut
		return tx.UpdateContact(contact)
	})
}

// A pause takes effect within a second: messages waiting to be sent are taken back.
func TestPause(t *testing.T) {
	inBubble(t, func(r *rig) {
		const people = 150
		b := r.create(0, people)
		r.do(b, core.StartBroadcast)
		r.untilCalled(20)
		r.do(b, pause)
		pass(2 * time.Second) // the messages that were under way are finished
		called := r.called()
		if called == people {
			t.Fatal("everybody got it before the pause")
		}
		pass(20 * time.Second)
		if n := r.counts(b); r.called() != called || n.Sent != int64(called) || n.Waiting != int64(people-called) {
			t.Errorf("after the pause there were %d calls more: %+v", r.called()-called, n)
		}
		r.requireLedger(b)
		r.do(b, core.ResumeBroadcast)
		r.untilOver(b)
		r.requireState(b, chat.BroadcastCompleted, "")
		for to, n := range r.calls {
			if n != 1 {
				t.Errorf("%s got %d messages", to, n)
			}
		}
	})
}

// Recipients who wait when a broadcast is stopped are skipped, with the reason.
func TestStop(t *testing.T) {
	inBubble(t, func(r *rig) {
		b := r.create(0, 150)
		r.do(b, core.StartBroadcast)
		r.untilCalled(20)
		r.do(b, core.StopBroadcast)
		r.untilOver(b)
		r.requireState(b, chat.BroadcastStopped, chat.ReasonByUser)
		if n := r.counts(b); n.Sent == 0 || n.Skipped == 0 || n.Sent+n.Skipped != 150 {
			t.Errorf("the counts are %+v", n)
		}
		r.requireLedger(b)
	})
}

// A broadcast pauses itself when its number or its template has a problem.
func TestHealth(t *testing.T) {
	t.Parallel()
	change := func(fn func(*chat.Account)) func(*rig) {
		return func(r *rig) {
			r.InTx(func(tx *store.Tx) error {
				account, err := tx.Account(r.Org.ID, r.Account.ID)
				fn(&account)
				return errors.Join(err, tx.UpdateAccount(account))
			})
		}
	}
	refuse := func(code int) func(*rig) {
		return func(r *rig) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.answer = func(string) error { return &provider.Error{HTTPStatus: 400, Code: code, Message: "no"} }
		}
	}
	for name, c := range map[string]struct {
		happens func(*rig)
		want    chat.BroadcastReason
	}{
		"red":              {change(func(a *chat.Account) { a.Quality = new("RED") }), chat.ReasonQualityRed},
		"restricted":       {change(func(a *chat.Account) { a.Restriction = new(chat.RestrictBusiness) }), chat.ReasonAccountRestricted},
		"disconnected":     {change(func(a *chat.Account) { a.Status = chat.AccountDisconnected }), chat.ReasonAccountDisconnected},
		"template paused":  {func(r *rig) { r.template(chat.CategoryMarketing, "PAUSED", "Hi {{1}}, welcome here.") }, chat.ReasonTemplatePaused},
		"template refused": {func(r *rig) { r.template(chat.CategoryMarketing, "REJECTED", "Hi {{1}}, welcome here.") }, chat.ReasonTemplateDisabled},
		"template edited":  {func(r *rig) { r.template(chat.CategoryMarketing, "APPROVED", "Ho {{1}}, welcome here.") }, chat.ReasonTemplateEdited},
		"failures":         {refuse(131026), chat.ReasonFailureRate},
		"paused, unheard":  {refuse(132015), chat.ReasonTemplatePaused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runRig(t, storetest.NewConfig(t, storetest.SQLite), 1, func(r *rig) {
				b := r.create(0, 300)
				r.do(b, core.StartBroadcast)
				r.untilCalled(30)
				c.happens(r)
				r.until("it pauses", func() bool { return r.read(b).Status != chat.BroadcastSending })
				pass(time.Second)
				r.requireState(b, chat.BroadcastPaused, c.want)
				r.requireLedger(b)
			})
		})
	}
}

// Labels become recipients at the start, each contact once. Contacts who must not get messages are skipped.
func TestAudience(t *testing.T) {
	inBubble(t, func(r *rig) {
		one, two := storetest.Label(r.t, r.Store, r.Org, "one"), storetest.Label(r.t, r.Store, r.Org, "two")
		r.InTx(func(tx *store.Tx) error {
			for i := range 520 { // more than one slice
				contact := storetest.NewContact(tx, r.Account, number(i))
				contact.Consent = chat.ConsentOptedOut
				if i%10 < 2 {
					contact.Consent = chat.ConsentUnknown
				}
				if err := tx.InsertContact(contact); err != nil {
					return err
				}
				for _, label := range []chat.Label{one, two}[:1+i%2] {
					if _, err := tx.AttachToContacts(r.Org.ID, label.ID, []string{contact.ID}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		any := r.create(0, 10, func(in *core.NewBroadcast) { in.Audience = chat.Audience{LabelIDs: []string{one.ID, two.ID}} })
		both := r.create(0, 0, func(in *core.NewBroadcast) {
			in.Audience = chat.Audience{LabelIDs: []string{one.ID, two.ID}, MatchAll: true}
		})
		filtered := r.create(0, 1, func(in *core.NewBroadcast) {
			in.Audience = chat.Audience{Filter: &chat.ContactFilter{Consent: chat.ConsentUnknown, LabelIDs: []string{two.ID}}}
		})
		preview := func(b chat.Broadcast) core.BroadcastPreview {
			p, err := core.PreviewBroadcast(r.Read(), r.Account, b.ID, r.Store.Now)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		if p := preview(any); p.Total != 530 || p.Skipped[chat.SkipDuplicate] != 10 || p.Skipped["marketing_opted_out"] != 416 || len(p.Samples) != 3 {
			t.Errorf("the preview is %+v", p)
		}
		if p := preview(filtered); p.Total != 53 || p.Sendable() != 53 || p.MessagesLeft != nil {
			t.Errorf("the preview of a filter is %+v", p)
		}
		slow := r.Store.Now()
		late := func() time.Time { slow = slow.Add(time.Minute); return slow }
		if p, err := core.PreviewBroadcast(r.Read(), r.Account, any.ID, late); p.Total != 530 || p.Unchecked != 510 || p.Sendable() != 512 || err != nil {
			t.Errorf("a preview without time is %+v, %v", p, err)
		}
		long := r.create(10_000, 1_500)
		if p, err := core.PreviewBroadcast(r.Read(), r.Account, long.ID, late); p.Total != 1_500 || p.Unchecked != 500 || p.Sendable() != 1_500 || err != nil {
			t.Errorf("a preview of a long list without time is %+v, %v", p, err)
		}
		for _, b := range []chat.Broadcast{any, both, filtered} {
			r.do(b, core.StartBroadcast)
		}
		for _, b := range []chat.Broadcast{any, both, filtered} {
			r.untilOver(b)
			r.requireState(b, chat.BroadcastCompleted, "")
			r.requireLedger(b)
		}
		if n := r.counts(any); n.Total != 530 || n.Skipped != 426 || n.Sent != 104 {
			t.Errorf("any of the labels: %+v", n)
		}
		if n := r.counts(both); n.Total != 260 || n.Skipped != 208 || n.Sent != 52 {
			t.Errorf("both labels: %+v", n)
		}
		if n := r.counts(filtered); n.Total != 53 || n.Skipped != 0 || n.Sent != 53 {
			t.Errorf("by a filter: %+v", n)
		}
	})
}

// A preview counts those for whom a variable has no value, as the start would skip them.
func TestPreviewCountsMissingValues(t *testing.T) {
	inBubble(t, func(r *rig) {
		label := storetest.Label(r.t, r.Store, r.Org, "all")
		r.InTx(func(tx *store.Tx) error {
			for i := range 6 {
				contact := storetest.NewContact(tx, r.Account, number(100+i))
				if contact.Name = nil; i < 2 {
					contact.Name = new("Ada")
				}
				if err := tx.InsertContact(contact); err != nil {
					return err
				}
				if _, err := tx.AttachToContacts(r.Org.ID, label.ID, []string{contact.ID}); err != nil {
					return err
				}
			}
			return nil
		})
		r.optOut(number(0))
		r.optOut(number(101))
		text := func(variable string) func(*core.NewBroadcast) {
			return func(in *core.NewBroadcast) {
				in.Template.Components = json.RawMessage(`[{"type":"body","parameters":[{"type":"text","text":"` + variable + `"}]}]`)
			}
		}
		listed := r.create(0, 10, text("{{recipient.name}}"), func(in *core.NewBroadcast) {
			for i := range 4 {
				in.Recipients[i].Variables = nil
			}
		})
		labelled := r.create(0, 0, text("{{contact.name}}"), func(in *core.NewBroadcast) { in.Audience = chat.Audience{LabelIDs: []string{label.ID}} })
		for _, b := range []chat.Broadcast{listed, labelled} {
			p, err := core.PreviewBroadcast(r.Read(), r.Account, b.ID, r.Store.Now)
			r.Must(err)
			r.do(b, core.StartBroadcast)
			r.untilOver(b)
			n := r.counts(b)
			if p.Total != n.Total || p.Sendable() != n.Sent || p.Skipped[chat.SkipMissing] != 4 {
				t.Errorf("the preview is %+v, and it ends with %+v", p, n)
			}
		}
	})
}

// A test is filled in as for the first person, also where that is a contact whom only the start would add.
func TestFilledInAsForAContact(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.InTx(func(tx *store.Tx) error {
			contact := storetest.NewContact(tx, r.Account, number(100))
			contact.Name = new("Ada")
			return tx.InsertContact(contact)
		})
		b := r.create(0, 0, func(in *core.NewBroadcast) {
			in.Audience = chat.Audience{Filter: &chat.ContactFilter{}}
			in.Template.Components = json.RawMessage(`[{"type":"body","parameters":[{"type":"text","text":"{{contact.name}}"}]}]`)
		})
		m, err := core.TestMessage(r.Read(), r.Account, b.ID, number(500))
		if err != nil || m.To != number(500) || !strings.Contains(string(m.Content), `"Ada"`) {
			t.Errorf("the test for %s is %s: %v", m.To, m.Content, err)
		}
	})
}

// A test is filled in with what is known of the first contact under the number that it has now.
func TestFilledInAfterANewNumber(t *testing.T) {
	inBubble(t, func(r *rig) {
		contact := storetest.Contact(r.t, r.Store, r.Account, number(1))
		b := r.create(0, 0, func(in *core.NewBroadcast) {
			in.ContactIDs = []string{contact.ID}
			in.Template.Components = json.RawMessage(`[{"type":"body","parameters":[{"type":"text","text":"{{contact.name}} {{contact.phone_number}}"}]}]`)
		})
		contact.Name, contact.PhoneNumber = new("Ada"), new(number(2))
		r.InTx(func(tx *store.Tx) error { return tx.UpdateContact(contact) })
		m, err := core.TestMessage(r.Read(), r.Account, b.ID, number(500))
		if err != nil || m.To != number(500) || !strings.Contains(string(m.Content), `"Ada `+number(2)+`"`) {
			t.Errorf("the test for %s is %s: %v", m.To, m.Content, err)
		}
	})
}

// Messages that a pause takes back are returned to the quota.
func TestQuotaAfterPause(t *testing.T) {
	inBubble(t, func(r *rig) {
		const people, most = 120, 1000
		r.limit(most)
		b := r.create(0, people)
		var halted atomic.Bool
		r.answer = func(string) error { // the number is too fast, so that its messages wait
			if !halted.Load() {
				return &provider.Error{HTTPStatus: 400, Code: 130429, Message: "Too fast", Transient: true, Throttled: true}
			}
			return nil
		}
		r.do(b, core.StartBroadcast)
		r.untilCalled(1)
		pass(2 * time.Second)
		queued := len(r.Messages())
		r.do(b, pause)
		halted.Store(true)
		pass(10 * time.Minute)
		if left := len(r.Messages()); left >= queued {
			t.Fatalf("of %d messages %d are left: none was taken back", queued, left)
		}
		sent := r.counts(b).Sent
		p, err := core.PreviewBroadcast(r.Read(), r.Account, b.ID, r.Store.Now)
		if err != nil || p.MessagesLeft == nil || *p.MessagesLeft != most-sent || sent == people {
			t.Errorf("%d were sent, and %v of %d are left: %v", sent, p.MessagesLeft, most, err)
		}
	})
}

// A broadcast that uses up the month's messages sends exactly as many as there were, also those that wait to be sent when it
// pauses.
func TestQuotaIsUsedUp(t *testing.T) {
	inBubble(t, func(r *rig) {
		first := 0
		for _, most := range []int64{3, 7, 100} { // in all
			before := int64(first)
			r.limit(most)
			b := r.create(first, int(most-before)+20)
			r.do(b, core.StartBroadcast)
			pass(time.Minute)
			if n := r.counts(b); n.Sent != most-before || n.Waiting != 20 {
				t.Errorf("%d may be sent, and %d were before: %+v", most, before, n)
			}
			r.requireState(b, chat.BroadcastPaused, chat.ReasonQuotaExceeded)
			first = int(most)
		}
	})
}

// A deleted contact leaves the broadcasts: the results of messages stay, and a waiting recipient gets none.
func TestDeletedContact(t *testing.T) {
	inBubble(t, func(r *rig) {
		before, after := r.create(0, 3), r.create(0, 3)
		r.do(before, core.StartBroadcast)
		r.untilOver(before)
		r.InTx(func(tx *store.Tx) error {
			contact, err := tx.ContactByNumber(r.Org.ID, r.Account.ID, number(1))
			if err != nil {
				return err
			}
			return core.DeleteContact(tx, r.Account, contact.ID)
		})
		for _, b := range []chat.Broadcast{before, after} {
			for _, row := range r.all(b) {
				if row.Address == number(1) || row.Address == "" && (row.ContactID != "" || len(row.Variables) > 0) {
					t.Errorf("%s still tells of the person: %+v", b.ID, row)
				}
			}
		}
		if n := r.counts(before); n.Sent != 3 {
			t.Errorf("of what was sent there is left: %+v", n)
		}
		if n := r.counts(after); n.Skipped != 1 || n.Waiting != 2 {
			t.Errorf("of those who waited: %+v", n)
		}
		r.do(after, core.StartBroadcast)
		r.untilOver(after)
		if n := r.counts(after); n.Sent != 2 || r.calls[number(1)] != 1 {
			t.Errorf("afterwards: %+v, with %d messages to who is deleted", n, r.calls[number(1)])
		}
	})
}

// Somebody who is in a list as two contacts, which have become one since, gets one message.
func TestMergedContact(t *testing.T) {
	inBubble(t, func(r *rig) {
		byNumber := storetest.Contact(r.t, r.Store, r.Account, number(1))
		var byID chat.Contact
		r.InTx(func(tx *store.Tx) error {
			byID = storetest.NewContact(tx, r.Account, "")
			byID.PhoneNumber, byID.BSUID = nil, new("DE.one")
			return tx.InsertContact(byID)
		})
		b := r.create(0, 3, func(in *core.NewBroadcast) { in.ContactIDs = []string{byNumber.ID, byID.ID} })
		r.InTx(func(tx *store.Tx) error {
			_, err := core.MergeContacts(tx, r.Account, byNumber.ID, byID.ID, "")
			return err
		})
		p, err := core.PreviewBroadcast(r.Read(), r.Account, b.ID, r.Store.Now)
		if err != nil || p.Skipped[chat.SkipDuplicate] != 2 || p.Sendable() != 3 || p.Samples[1].Reason != chat.SkipDuplicate {
			t.Errorf("the preview is %+v, %v", p, err)
		}
		r.do(b, core.StartBroadcast)
		r.untilOver(b)
		r.requireLedger(b)
		if n := r.counts(b); n.Sent != 3 || n.Skipped != 2 || r.calls[number(1)] != 1 || r.calls["DE.one"] != 0 {
			t.Errorf("the counts are %+v, the messages %v", n, r.calls)
		}
		again := r.create(0, 0, func(in *core.NewBroadcast) { in.ContactIDs = []string{byID.ID, byNumber.ID} })
		if n := r.counts(again); n.Waiting != 1 || n.Skipped != 1 {
			t.Errorf("by the id of a merged contact: %+v", n)
		}
	})
}

// Somebody who is in a list under two addresses gets one message also if that comes out while it is being sent, whichever
// of them had its turn.
func TestMergedWhileItIsSent(t *testing.T) {
	inBubble(t, func(r *rig) {
		byID := func(bsuid string) (c chat.Contact) {
			r.InTx(func(tx *store.Tx) error {
				c = storetest.NewContact(tx, r.Account, "")
				c.PhoneNumber, c.BSUID = nil, &bsuid
				return tx.InsertContact(c)
			})
			return c
		}
		one, two, three := byID("DE.one"), byID("DE.two"), byID("DE.three")
		oneToo, twoToo := storetest.Contact(r.t, r.Store, r.Account, number(1)), storetest.Contact(r.t, r.Store, r.Account, number(2))
		people := func(addresses ...string) (list []core.NewRecipient) {
			for _, address := range addresses {
				if strings.HasPrefix(address, "+") {
					list = append(list, core.NewRecipient{To: address})
				} else {
					list = append(list, core.NewRecipient{Recipient: address})
				}
			}
			return list
		}
		b := r.create(100, 10, func(in *core.NewBroadcast) {
			in.PerSecond = new(int64(1))
			in.Recipients = slices.Concat(people("DE.one", number(2), "DE.three"), in.Recipients, people(number(1), "DE.two", number(3)))
		})
		r.do(b, core.StartBroadcast)
		r.untilCalled(4)
		r.InTx(func(tx *store.Tx) error {
			_, err := core.MergeContacts(tx, r.Account, one.ID, oneToo.ID, "")
			_, errToo := core.MergeContacts(tx, r.Account, two.ID, twoToo.ID, "")
			return errors.Join(err, errToo)
		})
		r.Apply(provider.IdentityChange{Origin: r.Origin(), Previous: provider.Person{UserID: *three.BSUID}, Current: provider.Person{UserID: *three.BSUID, Phone: number(3)}})
		if n := r.counts(b); n.Skipped != 3 {
			t.Errorf("at once the counts are %+v", n)
		}
		// If the other message is taken back by a pause, a skipped recipient must not count as somebody who gets it.
		if listed, err := r.Read().RecipientsAmong(b.ID, []string{number(1), "DE.two", number(3)}); err != nil || len(listed) > 0 {
			t.Errorf("the addresses are still taken: %v, %v", listed, err)
		}
		r.untilOver(b)
		r.requireLedger(b)
		if n := r.counts(b); n.Sent != 13 || n.Skipped != 3 || r.calls["DE.one"] != 1 || r.calls[number(2)] != 1 || r.calls["DE.three"] != 1 {
			t.Errorf("the counts are %+v, the messages %v", n, r.calls)
		}
	})
}

// Somebody whose number is in the list in both spellings, or in another one than the contact's, gets one message, and
// none after an opt-out.
func TestNumbersWithTwoSpellings(t *testing.T) {
	inBubble(t, func(r *rig) {
		known, other := storetest.Contact(r.t, r.Store, r.Account, "+5215512345678"), "+525512345678"
		gone := storetest.Contact(r.t, r.Store, r.Account, "+5215587654321")
		label := storetest.Label(r.t, r.Store, r.Org, "VIP")
		r.InTx(func(tx *store.Tx) error {
			gone.Consent = chat.ConsentOptedOut
			return errors.Join(tx.UpdateContact(gone), core.LabelContact(tx, r.Account, known.ID, label.ID))
		})
		b := r.create(0, 1, func(in *core.NewBroadcast) {
			in.Audience = chat.Audience{LabelIDs: []string{label.ID}}
			for _, to := range []string{other, "+5531987654321", "+553187654321", "+525587654321"} {
				in.Recipients = append(in.Recipients, core.NewRecipient{To: to})
			}
		})
		var more core.Added
		r.InTx(func(tx *store.Tx) (err error) {
			more, err = core.AddRecipients(tx, r.Account, b.ID, []core.NewRecipient{{To: "+553187654321"}, {To: "+5531987654321"}})
			return err
		})
		if more.Duplicate != 2 {
			t.Errorf("of two numbers that are listed %+v", more)
		}
		p, err := core.PreviewBroadcast(r.Read(), r.Account, b.ID, r.Store.Now)
		if want := map[string]int64{chat.SkipDuplicate: 4, string(chat.CodeMarketingOptedOut): 1}; err != nil || !maps.Equal(p.Skipped, want) || p.Sendable() != 3 {
			t.Errorf("the preview is %+v, %v", p, err)
		}
		r.do(b, core.StartBroadcast)
		r.untilOver(b)
		r.requireLedger(b)
		if n := r.counts(b); n.Sent != 3 || n.Skipped != 5 || !maps.Equal(r.calls, map[string]int{number(0): 1, *known.PhoneNumber: 1, "+5531987654321": 1}) {
			t.Errorf("the counts are %+v, the messages %v", n, r.calls)
		}
		if row := r.all(b)[1]; row.Address != other || row.ContactID != known.ID {
			t.Errorf("the recipient is %+v", row)
		}
	})
}

// Who is deleted is in no list any more, in whichever spelling.
func TestDeletedContactWithTwoSpellings(t *testing.T) {
	inBubble(t, func(r *rig) {
		known := storetest.Contact(r.t, r.Store, r.Account, "+5215512345678")
		b := r.create(0, 0, func(in *core.NewBroadcast) { in.Recipients = []core.NewRecipient{{To: "+525512345678"}} })
		r.InTx(func(tx *store.Tx) error { return core.DeleteContact(tx, r.Account, known.ID) })
		if rows := r.all(b); rows[0].Address != "" || rows[0].Reason != chat.SkipDeleted {
			t.Errorf("the recipient is %+v", rows[0])
		}
	})
}

// A contact is written to under the number that it has when its turn comes, and not twice if that is in the list as well.
func TestContactWithAnotherNumber(t *testing.T) {
	inBubble(t, func(r *rig) {
		first, second := storetest.Contact(r.t, r.Store, r.Account, number(1)), storetest.Contact(r.t, r.Store, r.Account, number(2))
		b := r.create(3, 1, func(in *core.NewBroadcast) { in.ContactIDs = []string{first.ID, second.ID} })
		first.PhoneNumber, second.PhoneNumber = new(number(3)), new(number(4))
		r.InTx(func(tx *store.Tx) error { return errors.Join(tx.UpdateContact(first), tx.UpdateContact(second)) })
		p, err := core.PreviewBroadcast(r.Read(), r.Account, b.ID, r.Store.Now)
		if err != nil || p.Skipped[chat.SkipDuplicate] != 1 || p.Sendable() != 2 || p.Samples[1].Address != number(4) {
			t.Errorf("the preview is %+v, %v", p, err)
		}
		r.do(b, core.StartBroadcast)
		r.untilOver(b)
		r.requireLedger(b)
		if n := r.counts(b); n.Sent != 2 || n.Skipped != 1 || !maps.Equal(r.calls, map[string]int{number(3): 1, number(4): 1}) {
			t.Errorf("the counts are %+v, the messages %v", n, r.calls)
		}
		if row := r.all(b)[1]; row.Address != number(4) || row.ContactID != second.ID {
			t.Errorf("the recipient is %+v", row)
		}
	})
}

// A scheduled broadcast starts by itself; one that cannot start has failed.
func TestSchedule(t *testing.T) {
	inBubble(t, func(r *rig) {
		at := r.Store.Now().Add(time.Hour)
		later := func(in *core.NewBroadcast) { in.ScheduledAt, in.TimeZone = &at, "Asia/Jakarta" }
		b, empty := r.create(0, 3, later), r.create(0, 0, later)
		pass(59 * time.Minute)
		r.requireState(b, chat.BroadcastScheduled, "")
		pass(2 * time.Minute)
		r.requireState(b, chat.BroadcastCompleted, "")
		r.requireState(empty, chat.BroadcastFailed, chat.ReasonNoRecipients)
	})
}

// A header of a file that cannot be one fails for everybody at the provider. Whose own file is wrong is skipped, as the
// preview says; a broadcast with a wrong file for all cannot be started, and pauses if it starts by itself.
func TestHeaderOfAWrongFile(t *testing.T) {
	inBubble(t, func(r *rig) {
		var photo, pdf chat.Media
		r.InTx(func(tx *store.Tx) (err error) {
			photo, err = core.AddMedia(tx, r.Account, chat.MediaLibrary, core.StoredFile{BlobKey: "a", MimeType: "image/png"})
			if err == nil {
				pdf, err = core.AddMedia(tx, r.Account, chat.MediaLibrary, core.StoredFile{BlobKey: "b", MimeType: "application/pdf"})
			}
			return err
		})
		r.setting(plot{Category: chat.CategoryUtility, Header: "IMAGE"})
		with := func(file string, in *core.NewBroadcast) {
			in.Template.Components = json.RawMessage(`[{"type":"header","parameters":[{"type":"image","image":{"id":"` + file + `"}}]},
				{"type":"body","parameters":[{"type":"text","text":"you"}]}]`)
		}
		own := r.create(0, 2, func(in *core.NewBroadcast) {
			with("{{recipient.file}}", in)
			in.Recipients[0].Variables, in.Recipients[1].Variables = map[string]string{"file": photo.ID}, map[string]string{"file": pdf.ID}
		})
		preview, err := core.PreviewBroadcast(r.Read(), r.Account, own.ID, r.Store.Now)
		r.Must(err)
		if preview.Sendable() != 1 || preview.Skipped[chat.SkipUnfit] != 1 {
			t.Errorf("the preview is %+v", preview)
		}
		r.do(own, core.StartBroadcast)
		r.untilOver(own)
		if n := r.counts(own); n.Sent != 1 || n.Skipped != 1 {
			t.Errorf("sent with own files are %+v", n)
		}
		at := r.Store.Now().Add(time.Hour)
		all := r.create(10, 2, func(in *core.NewBroadcast) {
			with(pdf.ID, in)
			in.ScheduledAt = &at
		})
		if code, _ := chat.CodeOf(core.CheckGoOn(r.Read(), r.Account, all.ID, chat.MoveStart, r.Store.Now())); code != chat.CodeInvalidFieldValue {
			t.Errorf("with a wrong file for all it starts: %s", code)
		}
		pass(61 * time.Minute)
		r.requireState(all, chat.BroadcastPaused, chat.ReasonMediaMissing)
	})
}

// A broadcast to a label that was deleted meanwhile goes to nobody, not even to who else is in it, and says why.
func TestScheduleWithDeletedLabel(t *testing.T) {
	inBubble(t, func(r *rig) {
		kept, gone := storetest.Label(r.t, r.Store, r.Org, "kept"), storetest.Label(r.t, r.Store, r.Org, "gone")
		at := r.Store.Now().Add(time.Hour)
		to := func(people int, a chat.Audience) chat.Broadcast {
			return r.create(0, people, func(in *core.NewBroadcast) { in.ScheduledAt, in.Audience = &at, a })
		}
		stays := to(1, chat.Audience{LabelIDs: []string{kept.ID}})
		fail := []chat.Broadcast{
			to(0, chat.Audience{LabelIDs: []string{gone.ID}}), to(3, chat.Audience{LabelIDs: []string{kept.ID, gone.ID}}),
			to(0, chat.Audience{Filter: &chat.ContactFilter{LabelIDs: []string{gone.ID}}}),
		}
		r.InTx(func(tx *store.Tx) error { return core.DeleteLabel(tx, r.Org.ID, gone.ID) })
		pass(61 * time.Minute)
		r.requireState(stays, chat.BroadcastCompleted, "")
		for _, b := range fail {
			r.requireState(b, chat.BroadcastFailed, chat.ReasonLabelDeleted)
		}
		if r.called() != 1 {
			t.Errorf("the messages are %v", r.calls)
		}
	})
}

// The events of a broadcast's message carry the recipient's id, and an answer is counted for the broadcast.
func TestEventsAndAnswers(t *testing.T) {
	inBubble(t, func(r *rig) {
		b := r.create(0, 3)
		r.do(b, core.StartBroadcast)
		r.untilOver(b)
		told := map[string]bool{}
		for _, e := range r.Events() {
			told[e.EventID] = true
		}
		rows := r.all(b)
		for _, row := range rows {
			if !told["broadcast_msg:"+row.ID+":sent"] {
				t.Errorf("no event tells of %s", row.ID)
			}
		}
		person := func(row chat.Recipient) provider.Person { return provider.Person{Phone: row.Address} }
		said := func(row chat.Recipient, id string, m provider.Message) {
			m.ProviderID, m.Timestamp, m.Raw, m.Contact = id, time.Now(), provider.Raw{Item: json.RawMessage(`{}`)}, person(row)
			r.Receive(provider.InboundMessage{Origin: r.Origin(), Message: m})
		}
		text := func(s string) provider.Message {
			return provider.Message{Type: chat.TypeText, Content: json.RawMessage(fmt.Sprintf(`{"body":%q}`, s))}
		}
		r.work(rows, "")
		said(rows[0], "in.1", text("thanks"))
		r.work(rows, rows[0].Address)
		said(rows[0], "in.2", text("again"))
		said(rows[1], "in.3", text("  Berhenti! "))
		said(rows[1], "in.4", text("STOP"))
		said(rows[2], "in.5", provider.Message{Type: chat.TypeButton, Content: json.RawMessage(`{"text":"Tell me more","payload":"x"}`), Context: "wamid." + rows[2].MessageID})
		if n := r.counts(b); n.Replied != 3 || n.OptedOut != 1 || n.Clicked != 1 {
			t.Errorf("the counts are %+v", n)
		}
		contact, err := r.Read().ContactByNumber(r.Org.ID, r.Account.ID, rows[1].Address)
		if err != nil || contact.Consent != chat.ConsentOptedOut {
			t.Errorf("after STOP the contact is %s, %v", contact.Consent, err)
		}
		if answers := r.automatic(); answers != 1 {
			t.Errorf("it was answered %d times", answers)
		}
		said(rows[2], "in.7", provider.Message{Type: chat.TypeButton, Content: json.RawMessage(`{"text":"Stop","payload":"x"}`), Context: "wamid." + rows[2].MessageID})
		said(rows[0], "in.8", provider.Message{Type: chat.TypeInteractive, Content: json.RawMessage(`{"type":"button_reply","button_reply":{"id":"x","title":"Stop"}}`)})
		if n := r.counts(b); n.OptedOut != 2 || r.automatic() != 2 {
			t.Errorf("after a button that says stop, the counts are %+v with %d answers", n, r.automatic())
		}
		said(rows[1], "in.6", text("mulai"))
		contact, err = r.Read().ContactByNumber(r.Org.ID, r.Account.ID, rows[1].Address)
		if err != nil || contact.Consent != chat.ConsentOptedIn || r.automatic() != 3 {
			t.Errorf("after START the contact is %s, %v", contact.Consent, err)
		}
	})
}

// work checks whose conversation is open: that of the one person who answered, if any.
func (r *rig) work(rows []chat.Recipient, answered string) {
	r.T.Helper()
	for _, row := range rows {
		_, c, err := r.Read().ThreadByNumber(r.Org.ID, r.Account.ID, row.Address)
		want := chat.ConversationResolved
		if row.Address == answered {
			want = chat.ConversationOpen
		}
		if err != nil || c.Status != want {
			r.T.Errorf("the conversation with %s is %s, %v; want %s", row.Address, c.Status, err, want)
		}
	}
}

// automatic counts the messages that were sent automatically.
func (r *rig) automatic() (n int) {
	r.t.Helper()
	for _, m := range r.Messages() {
		if m.Source == chat.SourceAutomatic {
			n++
		}
	}
	return n
}

// One of two nodes works on a broadcast, and the other continues when that one is gone.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	place := storetest.NewConfig(t, storetest.Postgres)
	runRig(t, place, 2, func(r *rig) {
		b := r.create(0, 150)
		r.do(b, core.StartBroadcast)
		r.untilCalled(20)
		owner := r.read(b).Owner
		for _, n := range r.nodes {
			if n.name == owner {
				r.kill(n)
				break
			}
		}
		r.untilOver(b)
		r.requireState(b, chat.BroadcastCompleted, "")
		if n := r.counts(b); n.Sent != 150 || len(r.calls) != 150 {
			t.Errorf("%d people were written to: %+v", len(r.calls), n)
		}
		r.requireLedger(b)
	})
}

// A message whose answer was lost is sent once a status proves it, and its broadcast is over then.
func TestStatusInPlaceOfTheAnswer(t *testing.T) {
	inBubble(t, func(r *rig) {
		b := r.create(0, 1)
		r.answer = func(string) error {
			return &provider.Error{Transient: true, OutcomeUnknown: true, Message: "The network's answer was lost"}
		}
		r.do(b, core.StartBroadcast)
		r.untilCalled(1)
		pass(time.Second)
		r.Apply(r.Status("wamid.1", r.Messages()[0].ID, "sent"))
		if n := r.counts(b); n.Sent != 1 || n.Waiting != 0 {
			t.Fatalf("the counts are %+v", n)
		}
		r.untilOver(b)
		r.requireState(b, chat.BroadcastCompleted, "")
		r.requireLedger(b)
	})
}
