package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// The open work for messages of the contact that goes is done with the contact that stays.
func TestWorkGoesOnAfterAMerge(t *testing.T) {
	eachWorld(t, func(w *world) {
		byNumber, _ := w.strangers()
		late := w.SendAs(core.NewMessage{Recipient: adaID, Type: chat.TypeText, Content: json.RawMessage(`{"body":"z"}`), Source: chat.SourceAPI})
		under := w.Work(late)
		photo := w.from(provider.Person{UserID: adaID}, "wamid.photo")
		photo.Type, photo.Content, photo.Media = chat.TypeImage, json.RawMessage(`{}`), &provider.Media{ID: "1", MimeType: "image/jpeg"}
		out := w.Apply(photo)
		w.Apply(w.statusTo(both(), "wamid.to.n"))
		w.Events()

		w.Record(core.SendResult{Work: under, Sent: provider.Sent{MessageID: "wamid.late"}})
		w.fetched(out, nil)
		for _, e := range w.Expect(chat.EventMessageSent, chat.EventMessageReceived) {
			if e.Subject != byNumber.Conversation.ID || !namesOnly(e.Payload, byNumber.Contact.ID, byNumber.Conversation.ID) {
				t.Errorf("%s is about %s: %s", e.Type, e.Subject, e.Payload)
			}
		}
		next := w.Send(chat.TypeText, `{"body":"x"}`)
		if next.Conversation.ID != byNumber.Conversation.ID {
			t.Error("the next message is in another conversation")
		}
	})
}

// A status in the same batch as the update that merges the contacts is reported with the ids that stay.
func TestStatusesBesideAMerge(t *testing.T) {
	eachWorld(t, func(w *world) {
		byNumber, _ := w.strangers()
		w.Apply(w.from(both(), "wamid.3"), w.Status("wamid.to.i", "", "delivered"))
		events := w.Expect(chat.EventContactIdentityUpdated, chat.EventMessageReceived, chat.EventMessageStatus)
		if e := events[2]; e.Subject != byNumber.Conversation.ID || !namesOnly(e.Payload, byNumber.Contact.ID, byNumber.Conversation.ID) {
			t.Errorf("it is about %s: %s", e.Subject, e.Payload)
		}
	})
}

// A message that was accepted for the contact that goes is stopped by the consent of the contact that stays.
func TestConsentAfterAMerge(t *testing.T) {
	eachWorld(t, func(w *world) {
		byNumber, byID := w.strangers()
		under := store.SendWork{Job: byID.Job, Message: byID.Message}
		under.Job.Category = "MARKETING"
		w.InTx(func(tx *store.Tx) error {
			_, err := core.UpdateContact(tx, w.Account, byNumber.Contact.ID, chat.ContactPatch{Consent: new(chat.ConsentOptedOut)}, chat.Actor{})
			return err
		})
		for _, want := range []bool{false, true} {
			standing, err := core.ReadStanding(w.Read(), w.Org.ID, w.Account.ID)
			w.Must(err)
			refused, err := core.RefuseQueued(w.Read(), standing, under, w.Clock.Now())
			w.Must(err)
			if (refused != nil) != want {
				t.Errorf("it is refused: %v, want %v", refused, want)
			}
			w.Apply(w.from(both(), "wamid.3"))
		}
	})
}

// namesOnly reports whether a payload names no other contacts or conversations than these.
func namesOnly(payload []byte, ids ...string) bool {
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	for _, found := range idPattern.FindAllStringSubmatch(string(payload), -1) {
		if (found[1] == "ctc" || found[1] == "cnv") && !known[found[0]] {
			return false
		}
	}
	return true
}

// A contact with many messages is merged in steps, and every reader sees complete messages meanwhile.
func TestLargeMergesAreDoneLater(t *testing.T) {
	eachWorld(t, func(w *world) {
		byNumber, byID := w.strangers()
		w.InTx(func(tx *store.Tx) error {
			for range 1000 {
				m := byID.Message
				m.ID, m.ProviderID = tx.NewID(chat.KindMessage), ""
				if err := tx.InsertMessage(m); err != nil {
					return err
				}
			}
			return nil
		})
		w.Apply(w.statusTo(both(), "wamid.to.n"), w.from(both(), "wamid.3"))
		w.Expect(chat.EventMessageStatus, chat.EventMessageReceived)
		if n := len(w.Contacts()); n != 2 {
			t.Fatalf("there are %d contacts", n)
		}
		due, err := w.Read().DueMerges(10)
		w.Must(err)
		if len(due) != 1 {
			t.Fatalf("to be merged: %+v", due)
		}
		for moved := int64(1); moved > 0; {
			w.InTx(func(tx *store.Tx) (err error) {
				moved, err = core.MergeSomeMessages(tx, w.Account, due[0].ContactID, due[0].OtherID, 400)
				return err
			})
		}
		w.InTx(func(tx *store.Tx) error { return core.FinishMerge(tx, w.Account, due[0]) })
		w.Expect(chat.EventContactIdentityUpdated)
		conversation := w.Conversations()[0]
		page, err := w.Read().Messages(w.Org.ID, w.Account.ID, store.MessageFilter{ConversationID: conversation.ID}, store.Page{Limit: 2000})
		w.Must(err)
		if conversation.ID != byNumber.Conversation.ID || len(page.Rows) != 1005 {
			t.Errorf("%s has %d messages", conversation.ID, len(page.Rows))
		}
		if due, err = w.Read().DueMerges(10); len(due) != 0 || err != nil {
			t.Errorf("still to be merged: %+v, %v", due, err)
		}
		w.requireMerged(byID, byNumber)
	})
}

// Sends and callbacks of a person during a merge lose nothing.
func TestMergeBesideOtherWork(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.strangers()
		applier := core.Applier{PublicURL: publicURL, Log: slog.New(slog.DiscardHandler)}
		var work []func(tx *store.Tx) error
		for i := range 8 {
			to := core.NewMessage{To: adaNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI}
			person := provider.Person{Phone: adaNumber}
			if i%2 == 0 {
				to.To, to.Recipient, person = "", adaID, provider.Person{UserID: adaID}
			}
			inbound := w.from(person, fmt.Sprint("wamid.in.", i))
			work = append(work,
				func(tx *store.Tx) error { _, err := core.AcceptSend(tx, w.Account, chat.Plan{}, to); return err },
				func(tx *store.Tx) error { return applier.Apply(tx, inbound) })
		}
		for i, id := range []string{"wamid.to.n", "wamid.to.i"} {
			shown, status := w.from(both(), fmt.Sprint("wamid.both.", i)), w.statusTo(both(), id)
			work = append(work, func(tx *store.Tx) error { return applier.ApplyAll(tx, []provider.Update{status, shown}) })
		}
		var running sync.WaitGroup
		failures := make([]error, len(work))
		for i, do := range work {
			running.Go(func() { failures[i] = w.Store.InTx(context.Background(), do) })
		}
		running.Wait()
		w.Must(errors.Join(failures...))

		conversation := w.Conversations()[0]
		w.requireOneThread(conversation.ContactID, conversation.ID, 4+len(work))
		if conversation.UnreadCount != 2+8+2 {
			t.Errorf("%d messages are unread", conversation.UnreadCount)
		}
		jobs, err := w.Read().SendJobsBehind(w.Org.ID, conversation.ID, "", 100)
		w.Must(err)
		if len(jobs) != 8 {
			t.Errorf("%d messages of the conversation are still to be sent", len(jobs))
		}
		if n := len(w.Contacts()); n != 1 {
			t.Errorf("there are %d contacts", n)
		}
	})
}
