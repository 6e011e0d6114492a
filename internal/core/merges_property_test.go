package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// face is the set of identifiers by which an update shows a person.
type face struct{ number, id, parent bool }

func (f face) of(whole provider.Person) (p provider.Person) {
	if f.number {
		p.Phone = whole.Phone
	}
	if f.id {
		p.UserID = whole.UserID
	}
	if f.parent {
		p.ParentUserID = whole.ParentUserID
	}
	return p
}

var faces = rapid.SampledFrom([]face{{number: true}, {id: true}, {parent: true}, {number: true, id: true}, {id: true, parent: true}, {true, true, true}})

// showing is an event with a person, and how it shows them.
type showing struct {
	What string // text, echo, history, sync, stop, resume, sent by number, sent by id
	Face face
	N    int
}

// show applies the showing. All its callbacks come at once.
func (w *world) show(s showing, whole provider.Person, begin time.Time) {
	w.T.Helper()
	p, id, at := s.Face.of(whole), fmt.Sprint("wamid.", whole.UserID, ".", s.N), begin.Add(time.Duration(s.N)*time.Second)
	m := w.from(p, id).Message
	m.Timestamp = at
	switch s.What {
	case "text":
		w.Apply(provider.InboundMessage{Origin: w.Origin(), Message: m})
	case "echo":
		w.Apply(provider.Echo{Origin: w.Origin(), Message: m})
	case "history":
		w.Apply(provider.HistoryChunk{Origin: w.Origin(), Messages: []provider.HistoryMessage{{Message: m, Status: chat.StatusRead}}})
	case "sync":
		w.Apply(provider.ContactSync{Origin: w.Origin(), Contact: p})
	case provider.PreferenceStop, provider.PreferenceResume:
		w.Apply(provider.Preference{Origin: w.Origin(), Contact: p, Category: "marketing_messages", Value: s.What, Timestamp: at})
	default:
		out := core.NewMessage{To: whole.Phone, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI}
		if s.What == "sent by id" {
			out.To, out.Recipient = "", whole.UserID
		}
		w.Answered(w.SendAs(out), id)
		status := w.Status(id, "", "delivered")
		status.Recipient = p
		w.Apply(status)
	}
}

// history is what is known about a person in the end, except for what depends on when it was reported.
type history struct {
	Known         known
	Consent       chat.Consent
	Conversations int
	Unread        int64
	LastInbound   string
	Messages      []string // as the conversation lists them, oldest first
}

func (w *world) historyOf(rt *rapid.T, whole provider.Person) (h history) {
	contact, err := w.Read().ContactByNumber(w.Org.ID, w.Account.ID, whole.Phone)
	w.Must(err)
	for _, c := range w.Contacts() {
		if c.ID != contact.ID && (c.BSUID != nil && *c.BSUID == whole.UserID || c.ParentBSUID != nil && *c.ParentBSUID == whole.ParentUserID) {
			rt.Fatalf("%s is another contact of the same person", c.ID)
		}
	}
	h = history{Known: known{Phone: whole.Phone, BSUID: *contact.BSUID, Parent: *contact.ParentBSUID}, Consent: contact.Consent}
	for _, c := range w.Conversations() {
		if c.ContactID != contact.ID {
			continue
		}
		h.Conversations++
		h.Unread = c.UnreadCount
		if c.LastInboundAt != nil {
			h.LastInbound = c.LastInboundAt.Format(time.RFC3339)
		}
		page, err := w.Read().Messages(w.Org.ID, w.Account.ID, store.MessageFilter{ConversationID: c.ID}, store.Page{Limit: 100})
		w.Must(err)
		for _, m := range page.Rows {
			if m.ContactID != contact.ID {
				rt.Fatalf("%s is with %s", m.ID, m.ContactID)
			}
			h.Messages = append(h.Messages, m.ProviderID)
		}
	}
	slices.Reverse(h.Messages)
	return h
}

// Updates may show a person by number, by id or by both, in any order: in the end there is one contact with one
// conversation, and nothing is lost. Events report that each surplus contact is gone.
func TestOrderOfShowingsDoesNotMatter(t *testing.T) {
	checkProperty(t, func(rt *rapid.T, w *world) {
		showings := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) showing {
			what := rapid.SampledFrom([]string{"text", "text", "echo", "history", "sync", provider.PreferenceStop, provider.PreferenceResume, "sent by number", "sent by id"})
			return showing{What: what.Draw(rt, "what"), Face: faces.Draw(rt, "face")}
		}), 1, 8).Draw(rt, "showings")
		showings = append(showings, showing{What: "text", Face: face{true, true, true}})
		for i := range showings {
			showings[i].N = i
		}
		begin := w.Clock.Now().Add(-time.Hour)
		live := func(name string, showings []showing) history {
			whole := provider.Person{Phone: "+49155200000" + name, UserID: "DE.p" + name, ParentUserID: "DE.ENT.p" + name}
			for _, s := range showings {
				w.show(s, whole, begin)
			}
			h := w.historyOf(rt, whole)
			for i := range h.Messages { // to find out which of the two it was
				h.Messages[i] = h.Messages[i][len("wamid."+whole.UserID+"."):]
			}
			h.Known = known{}
			return h
		}
		one, other := live("1", showings), live("2", rapid.Permutation(showings).Draw(rt, "in another order"))
		sent := slices.ContainsFunc(showings, func(s showing) bool { return s.What == "sent by number" || s.What == "sent by id" })
		if sent { // sent messages have the time of their acceptance
			slices.Sort(one.Messages)
			slices.Sort(other.Messages)
		}
		if d := cmp.Diff(one, other); d != "" {
			rt.Fatalf("in another order (-one +other):\n%s", d)
		}
		imported := slices.ContainsFunc(showings, func(s showing) bool { return s.What == "history" || s.What == "sync" })
		w.checkMade(rt, 2, imported)
	})
}

// checkMade fails the case unless the contacts that events report as made, less the merged ones, are this many.
// Imported contacts have no event.
func (w *world) checkMade(rt *rapid.T, people int, imported bool) {
	made, gone := 0, 0
	for _, e := range w.Events() {
		var payload struct {
			Data struct {
				Merged []json.RawMessage `json:"merged"`
			} `json:"data"`
		}
		w.Must(json.Unmarshal(e.Payload, &payload))
		switch e.Type {
		case chat.EventContactCreated:
			made++
		case chat.EventContactIdentityUpdated:
			gone += len(payload.Data.Merged)
		}
	}
	if n := len(w.Contacts()); n != people || made-gone > people || !imported && made-gone != people {
		rt.Fatalf("there are %d contacts; %d were made and %d are gone", n, made, gone)
	}
}
