package core_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// TestEventPayloads holds the exact bytes of every event that messages cause. Run it with -update after an intended
// change, and read the difference.
func TestEventPayloads(t *testing.T) {
	eachCase(t, map[string]func(w *world) chat.Event{
		"contact.created":               contactCreatedByMessage,
		"contact.updated":               contactNamedByMessage,
		"contact.identity_updated":      contactMoved,
		"message.received":              textReceived,
		"message.received-file":         fileReceived,
		"message.received-file_missing": fileMissed,
		"message.sent":                  textSent,
		"message.sent-reply":            replySent,
		"message.sent-interactive":      interactiveSent,
		"message.sent-link":             linkSent,
		"message.sent-library":          librarySent,
		"message.sent-callback_first":   librarySentCallbackFirst,
		"message.sent-bsuid":            bsuidSent,
		"message.sent-echo":             echoSent,
		"message.sent-echo_file":        echoFileSent,
		"message.sent-echo_file_missed": echoFileMissed,
		"message.status":                statusDelivered,
		"message.status-played":         statusPlayed,
		"message.status-refused":        sendRefused,
		"message.status-exhausted":      sendFailed,
		"message.status-no_answer":      sendUnanswered,
		"message.revoked":               messageRevoked,
		"message.edited":                messageEdited,
	}, func(t *testing.T, w *world, happen func(w *world) chat.Event) {
		event := happen(w)
		_, name, _ := strings.Cut(t.Name(), "/")
		_, name, _ = strings.Cut(name, "/")
		w.golden(name, event.Payload)
		if event.PhoneNumberID != *w.Account.PhoneNumberID || event.OrgID != w.Org.ID || event.Subject == "" || !event.CreatedAt.Equal(w.Clock.Now()) {
			t.Errorf("the event is filed as %+v", event)
		}
		var envelope struct{ ID string }
		if err := json.Unmarshal(event.Payload, &envelope); err != nil {
			t.Error(err)
		}
		native := event.Source == chat.SourceService
		if native != (envelope.ID != "") || native && envelope.ID != event.EventID {
			t.Errorf("a receiver would tell %s of %s by %q", event.Source, event.EventID, envelope.ID)
		}
	})
}

func contactCreatedByMessage(w *world) chat.Event {
	w.Apply(w.Text("wamid.1", "hi"))
	return w.Expect(chat.EventContactCreated, chat.EventMessageReceived)[0]
}

func contactNamedByMessage(w *world) chat.Event {
	w.Send(chat.TypeText, `{"body":"x"}`)
	w.Expect(chat.EventContactCreated)
	w.Clock.Advance(time.Minute)
	w.Apply(w.Text("wamid.1", "hi"))
	return w.Expect(chat.EventContactUpdated, chat.EventMessageReceived)[0]
}

func contactMoved(w *world) chat.Event {
	w.Apply(w.Text("wamid.1", "hi"))
	w.Events()
	w.Clock.Advance(time.Minute)
	w.Apply(provider.IdentityChange{
		Origin: w.Origin(), Previous: provider.Person{Phone: adaNumber, UserID: adaID},
		Current: provider.Person{Phone: "+4915510000009", UserID: "DE.ada2", ParentUserID: "DE.ENT.ada"},
	})
	return w.Expect(chat.EventContactIdentityUpdated)[0]
}

func textReceived(w *world) chat.Event {
	w.Apply(w.Text("wamid.1", "first"))
	w.Events()
	conversation := w.Conversations()[0].Conversation
	w.InTx(func(tx *store.Tx) error {
		for _, in := range []chat.NewLabel{{Name: "VIP", Color: "amber"}, {Name: "late", Color: "red"}} {
			label, err := core.CreateLabel(tx, w.Org.ID, in)
			if err != nil {
				return err
			}
			if err := core.LabelConversation(tx, w.Account, conversation.ID, label.ID, nil); err != nil {
				return err
			}
		}
		u := chat.User{ID: "usr_00000000000000000000000000", OrgID: w.Org.ID, Email: "ben@example.com", Name: "Ben", Role: chat.RoleAgent, Sees: chat.SeesAll}
		if err := errors.Join(tx.InsertUser(u), tx.PutMember(u.OrgID, w.Account.TeamID, u.ID)); err != nil {
			return err
		}
		conversation.AssignedTo, conversation.Status = &u.ID, chat.ConversationResolved
		return tx.UpdateConversation(conversation)
	})
	w.Apply(w.Text("wamid.2", "<b>é\u2028</b>"))
	return w.Expect(chat.EventMessageReceived)[0]
}

// imageFrom is a message from Ada with a file.
func imageFrom(w *world) provider.InboundMessage {
	m := w.Text("wamid.1", "x")
	m.Type, m.Content = chat.TypeImage, json.RawMessage(`{"id":"9001","mime_type":"image/jpeg","caption":"c"}`)
	m.Media = &provider.Media{ID: "9001", MimeType: "image/jpeg", SHA256: []byte{1, 2, 3}, Filename: "a.jpg"}
	m.Raw.Item = json.RawMessage(`{"id":"wamid.1","type":"image","image":{"id":"9001","mime_type":"image/jpeg","caption":"c"}}`)
	return m
}

// fetched ends the wait for a file.
func (w *world) fetched(jobs []store.MediaJob, file *core.StoredFile) {
	w.T.Helper()
	if len(jobs) != 1 {
		w.T.Fatalf("%d files are to be fetched", len(jobs))
	}
	w.InTx(func(tx *store.Tx) error { return core.FileFetched(tx, w.Account, jobs[0], file, publicURL) })
}

var jpeg = core.StoredFile{BlobKey: "med_x", MimeType: "image/jpeg", Size: 3, SHA256: "010203"}

func fileReceived(w *world) chat.Event {
	out := w.Apply(imageFrom(w))
	w.Expect(chat.EventContactCreated)
	w.Clock.Advance(2 * time.Second)
	w.fetched(out, &jpeg)
	return w.Expect(chat.EventMessageReceived)[0]
}

func fileMissed(w *world) chat.Event {
	out := w.Apply(imageFrom(w))
	w.Expect(chat.EventContactCreated)
	w.fetched(out, nil)
	return w.Expect(chat.EventMessageReceived)[0]
}

// sentEvent is the event of a message that the provider has taken.
func (w *world) sentEvent(a core.Accepted) chat.Event {
	w.T.Helper()
	w.Expect(chat.EventContactCreated)
	w.Clock.Advance(time.Second)
	w.Answered(a, "wamid.9")
	return w.Expect(chat.EventMessageSent)[0]
}

func textSent(w *world) chat.Event {
	return w.sentEvent(w.Send(chat.TypeText, `{"body":"<b>é</b>"}`))
}

func replySent(w *world) chat.Event {
	return w.sentEvent(w.SendAs(core.NewMessage{To: adaNumber, Context: "wamid.1", Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceDashboard}))
}

func interactiveSent(w *world) chat.Event {
	return w.sentEvent(w.Send(chat.TypeInteractive, `{"type":"button","body":{"text":"Well?"},"action":{"buttons":[{"type":"reply","reply":{"id":"y","title":"Yes"}}]}}`))
}

func linkSent(w *world) chat.Event {
	return w.sentEvent(w.Send(chat.TypeImage, `{"link":"https://a.b/c.png","caption":"c"}`))
}

// library adds a picture to the library and sends it.
func (w *world) library() core.Accepted {
	w.T.Helper()
	media, err := run(w.Store, func(tx *store.Tx) (chat.Media, error) {
		return core.AddMedia(tx, w.Account, chat.MediaLibrary, jpeg)
	})
	w.Must(err)
	return w.SendAs(core.NewMessage{
		To: adaNumber, Type: chat.TypeImage, Content: json.RawMessage(`{"id":"` + media.ID + `"}`), Media: chat.LibraryFile{ID: media.ID, As: chat.TypeImage}, Source: chat.SourceAPI,
	})
}

func librarySent(w *world) chat.Event {
	a := w.library()
	w.Expect(chat.EventContactCreated)
	work := w.Work(a)
	work.MediaURL = publicURL + "/media/01234567890123456789012345678901" // as the sender sets it
	w.Record(core.SendResult{Work: work, Sent: provider.Sent{MessageID: "wamid.9"}})
	return w.Expect(chat.EventMessageSent)[0]
}

// librarySentCallbackFirst gives the same event as librarySent, though the answer was not seen.
func librarySentCallbackFirst(w *world) chat.Event {
	a := w.library()
	w.Expect(chat.EventContactCreated)
	w.Apply(w.Status("wamid.9", a.Message.ID, "delivered"))
	return w.Expect(chat.EventMessageSent, chat.EventMessageStatus)[0]
}

func bsuidSent(w *world) chat.Event {
	return w.sentEvent(w.SendAs(core.NewMessage{Recipient: adaID, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI}))
}

func (w *world) echo() provider.Echo {
	m := w.Text("wamid.1", "from the app").Message
	m.Context = "wamid.0"
	return provider.Echo{Origin: w.Origin(), Message: m}
}

func echoSent(w *world) chat.Event {
	w.Apply(w.echo())
	return w.Expect(chat.EventContactCreated, chat.EventMessageSent)[1]
}

func (w *world) echoFile() []store.MediaJob {
	out := w.Apply(provider.Echo{Origin: w.Origin(), Message: imageFrom(w).Message})
	w.Expect(chat.EventContactCreated)
	return out
}

func echoFileSent(w *world) chat.Event {
	w.fetched(w.echoFile(), &jpeg)
	return w.Expect(chat.EventMessageSent)[0]
}

func echoFileMissed(w *world) chat.Event {
	w.fetched(w.echoFile(), nil)
	return w.Expect(chat.EventMessageSent)[0]
}

func (w *world) sentToAda() core.Accepted {
	w.T.Helper()
	a := w.Send(chat.TypeText, `{"body":"x"}`)
	w.Answered(a, "wamid.9")
	w.Expect(chat.EventContactCreated, chat.EventMessageSent)
	return a
}

func statusDelivered(w *world) chat.Event {
	w.sentToAda()
	u := w.Status("wamid.9", "", "delivered")
	u.Raw.Contact = json.RawMessage(`{"wa_id":"4915510000001","user_id":"DE.ada"}`)
	w.Apply(u)
	return w.Expect(chat.EventMessageStatus)[0]
}

func statusPlayed(w *world) chat.Event {
	w.sentToAda()
	w.Apply(w.Status("wamid.9", "", "played"))
	return w.Expect(chat.EventMessageStatus)[0]
}

// failing fails a message that the provider never took. said is nil if the service refuses.
func (w *world) failing(failure chat.MessageError, said *provider.Error) chat.Event {
	w.T.Helper()
	a := w.Send(chat.TypeText, `{"body":"x"}`)
	w.Expect(chat.EventContactCreated)
	w.Record(core.SendResult{Work: w.Work(a), Failure: &failure, Said: said})
	return w.Expect(chat.EventMessageStatus)[0]
}

func sendRefused(w *world) chat.Event {
	suspended := core.Standing{Account: w.Account, Organization: chat.Organization{Subscription: chat.SubscriptionActive}}
	suspended.Account.CustomerStatus = new(chat.CustomerSuspended)
	refused, err := core.RefuseQueued(w.Read(), suspended, store.SendWork{Message: chat.Message{Type: chat.TypeText}}, w.Clock.Now())
	w.Must(err)
	return w.failing(*refused, nil)
}

func sendFailed(w *world) chat.Event {
	said := &provider.Error{
		HTTPStatus: 400, Code: 131026, Subcode: 2494055, Title: "Message undeliverable", Text: "(#131026) Message undeliverable",
		Message: "The recipient is not on the network.", Details: "The recipient is not on the network.", Href: "https://provider.example/131026", Trace: "AbCdEf",
	}
	return w.failing(said.MessageError(), said)
}

func sendUnanswered(w *world) chat.Event {
	said := &provider.Error{Message: "The network did not answer in time", OutcomeUnknown: true}
	return w.failing(said.MessageError(), said)
}

func messageRevoked(w *world) chat.Event {
	w.Apply(w.Text("wamid.1", "hi"))
	w.Events()
	at := w.Clock.Now()
	w.Clock.Advance(time.Hour)
	w.Apply(provider.Revoke{Origin: w.Origin(), ProviderID: "wamid.2", OriginalID: "wamid.1", Timestamp: at.Add(time.Minute)})
	return w.Expect(chat.EventMessageRevoked)[0]
}

func (w *world) edit(id, original, body string, at time.Time) provider.Edit {
	content, err := json.Marshal(map[string]string{"body": body})
	w.Must(err)
	return provider.Edit{Origin: w.Origin(), ProviderID: id, OriginalID: original, Timestamp: at, Content: content}
}

func messageEdited(w *world) chat.Event {
	begin := w.Clock.Now()
	w.Apply(w.Text("wamid.1", "helo"))
	w.Apply(w.edit("wamid.2", "wamid.1", "hello", begin.Add(time.Second)))
	w.Events()
	w.Clock.Advance(time.Minute)
	w.Apply(w.edit("wamid.3", "wamid.1", "Hello", begin.Add(time.Minute)))
	return w.Expect(chat.EventMessageEdited)[0]
}

// A failure that the provider does not explain has an error like any other, so that receivers can rely on it.
func TestUnexplainedFailures(t *testing.T) {
	eachWorld(t, func(w *world) {
		a := w.Send(chat.TypeText, `{"body":"hi"}`)
		w.Apply(w.Status("wamid.out", a.Message.ID, "failed"))
		event := w.Expect(chat.EventContactCreated, chat.EventMessageSent, chat.EventMessageStatus)[2]
		var told struct {
			Entry []struct {
				Changes []struct {
					Value struct {
						Statuses []struct {
							ID, Status string
							Errors     []struct {
								Code           int
								Title, Message string
							}
						}
					}
				}
			}
		}
		w.Must(json.Unmarshal(event.Payload, &told))
		status := told.Entry[0].Changes[0].Value.Statuses[0]
		if status.ID != "wamid.out" || status.Status != "failed" || len(status.Errors) != 1 || status.Errors[0].Code != 131000 || status.Errors[0].Title == "" {
			w.T.Errorf("the event says %s", event.Payload)
		}
		if m := w.Message(a.Message.ID); m.Error == nil || m.Error.Code != chat.FailUndeliverable || m.Error.ProviderCode != nil {
			w.T.Errorf("the message's error is %+v", m.Error)
		}
	})
}

// The provider's code 0 stands for a lost token. It is not the same as a provider that named no code.
func TestCodeZeroIsPassedOn(t *testing.T) {
	eachWorld(t, func(w *world) {
		said := &provider.Error{HTTPStatus: 401, CodeZero: true, Title: "AuthException", Message: "AuthException"}
		event := w.failing(said.MessageError(), said)
		if !strings.Contains(string(event.Payload), `"errors":[{"code":0,`) {
			w.T.Errorf("the event says %s", event.Payload)
		}
	})
}
