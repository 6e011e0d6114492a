package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// ofConversations are valid bodies for the operations on one conversation.
var ofConversations = map[string]string{
	"GET /conversations/{id}":                      "",
	"PATCH /conversations/{id}":                    `{"status":"resolved"}`,
	"POST /conversations/{id}/labels":              `{"label_id":"${label}"}`,
	"DELETE /conversations/{id}/labels/{label_id}": "",
	"GET /conversations/{id}/timeline":             "",
	"POST /conversations/{id}/notes":               `{"body":"x"}`,
	"PATCH /conversations/{id}/notes/{note_id}":    `{"body":"x"}`,
	"DELETE /conversations/{id}/notes/{note_id}":   "",
	"GET /conversations/{id}/draft":                "",
	"PUT /conversations/{id}/draft":                `{"body":"x"}`,
	"GET /conversations/{id}/presence":             "",
	"POST /conversations/{id}/presence":            `{"state":"viewing"}`,
	"GET /{phone_number_id}/messages/{id}/media":   "",
	"POST /{phone_number_id}/messages":             `{"messaging_product":"chat","to":"+4915112345678","type":"text","text":{"body":"x"}}`,
	"POST /{phone_number_id}/messages ":            `{"messaging_product":"chat","status":"read","message_id":"wamid.1"}`,
}

// hidden is a conversation with all its ids.
type hidden struct {
	*office
	id   string
	fill *strings.Replacer
}

func newHidden(t testing.TB, w *apptest.World) hidden {
	o := newOffice(t, w)
	h := hidden{office: o, id: o.receive(t, o.account, "+4915112345678", "wamid.1", "Secret")}
	label := storetest.Label(t, w.Store, o.org, "VIP")
	o.as.Do(t, "POST", "/conversations/"+h.id+"/labels", `{"label_id":"`+label.ID+`"}`).RequireStatus(t, http.StatusOK)
	var note item
	o.as.Do(t, "POST", "/conversations/"+h.id+"/notes", `{"body":"Secret"}`).RequireStatus(t, http.StatusCreated).Data(t, &note)
	var message struct{ ID string } // with a file
	o.as.Do(t, "POST", "/"+*o.account.PhoneNumberID+"/messages",
		`{"messaging_product":"chat","to":"+4915112345678","type":"image","image":{"link":"https://files.example/a.png"}}`).RequireStatus(t, http.StatusOK).Data(t, &message)
	o.as.Get(t, "/"+*o.account.PhoneNumberID+"/messages/"+message.ID+"/media").RequireStatus(t, http.StatusFound)
	h.fill = strings.NewReplacer("{phone_number_id}/messages/{id}", *o.account.PhoneNumberID+"/messages/"+message.ID,
		"{phone_number_id}", *o.account.PhoneNumberID, "{id}", h.id, "{note_id}", note.ID, "{label_id}", label.ID, "${label}", label.ID)
	return h
}

// A user who may not see a conversation finds it nowhere: no list or count includes it, and each operation on
// it answers 404 and changes nothing.
func TestHiddenConversations(t *testing.T) {
	t.Parallel()
	for name, who := range map[string]func(testing.TB, *office) chat.User{
		"another organization": func(t testing.TB, o *office) chat.User {
			org := storetest.Org(t, o.Store)
			return o.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID)
		},
		"another team": func(t testing.TB, o *office) chat.User {
			team := storetest.Team(t, o.Store, o.org.ID, "Others")
			return o.User(t, o.org, chat.RoleAdmin, chat.SeesTeams, team.ID)
		},
		"no team": func(t testing.TB, o *office) chat.User {
			return o.User(t, o.org, chat.RoleAgent, chat.SeesTeams)
		},
		"a colleague of whom it is not": func(t testing.TB, o *office) chat.User {
			return o.User(t, o.org, chat.RoleAgent, chat.SeesAssigned, o.org.TeamID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			apptest.Each(t, func(t *testing.T, w *apptest.World) {
				h := newHidden(t, w)
				u := who(t, h.office)
				stranger := w.As(t, u)
				before := h.conversation(t, h.id)
				for operation, body := range ofConversations {
					method, path, _ := strings.Cut(strings.TrimSpace(operation), " ")
					stranger.Do(t, method, h.fill.Replace(path), h.fill.Replace(body)).RequireFailure(t, "resource_not_found", "")
				}
				stranger.Do(t, "POST", "/conversations/bulk", `{"ids":["`+h.id+`"],"change":{"status":"resolved"}}`).RequireFailure(t, "resource_not_found", "")
				if r := bulk(t, stranger, `{"filter":{"status":"any"},"change":{"status":"resolved"}}`); r.Changed != 0 {
					t.Errorf("%d were changed", r.Changed)
				}
				h.mention(t, u)
				for _, query := range []string{
					"", "status=any", "view=mine", "view=unassigned", "view=mentions", "view=mentions&status=any", "sort=waiting", "sort=oldest", "unread=true",
					"number=" + *h.account.PhoneNumberID, "team_id=" + h.org.TeamID, h.fill.Replace("label_id={label_id}"),
				} {
					same(t, "the list with "+query, list(t, stranger, query), []string{})
				}
				for view, n := range counts(t, stranger) {
					same(t, view, n, count{})
				}
				same(t, "the conversation", h.conversation(t, h.id), before)
			})
		})
	}
}

// mention names a user in a note, as was possible before the user lost sight of the conversation.
func (h hidden) mention(t testing.TB, u chat.User) {
	storetest.InTx(t, h.Store, func(tx *store.Tx) error {
		return tx.InsertNote(chat.Note{
			ID: tx.NewID(chat.KindNote), OrgID: u.OrgID, ConversationID: h.id, AuthorID: h.agent.ID, Body: "x", Mentions: []string{u.ID}, CreatedAt: tx.Now(),
		})
	})
}

// The test above covers every operation on a conversation.
func TestHiddenConversationsCoverAll(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	for template, item := range w.Document().At("paths") {
		for method := range item.(map[string]any) {
			operation := strings.ToUpper(method) + " " + template
			if _, covered := ofConversations[operation]; !covered && strings.HasPrefix(template, "/conversations/{") {
				t.Errorf("%s is not tried with a conversation that is hidden", operation)
			}
		}
	}
}

// A message can be quoted, reacted to and marked as read in its own conversation by those who see it. For all others it
// is not there.
func TestHiddenMessagesCannotBeNamed(t *testing.T) {
	each(t, newHidden, func(t *testing.T, h hidden) {
		h.choose(t, `{"mask_numbers":true}`)
		u := h.User(t, h.org, chat.RoleAgent, chat.SeesAssigned, h.org.TeamID)
		theirs, own := h.As(t, u), h.receive(t, h.account, "+4915112345699", "wamid.2", "Hello")
		h.as.Do(t, "PATCH", "/conversations/"+own, `{"assigned_to":"`+u.ID+`"}`).RequireStatus(t, http.StatusOK)
		name := func(b *apptest.Browser, naming, id string) *apitest.Response {
			return b.Do(t, "POST", "/"+*h.account.PhoneNumberID+"/messages", `{"messaging_product":"chat",`+strings.NewReplacer("{message}", id, "{recipient}", own).Replace(naming)+`}`)
		}
		missing := h.Store.NewID(chat.KindMessage)
		foreign, mine := h.message(t, "wamid.1"), h.message(t, "wamid.2")
		for _, naming := range []string{
			`"recipient":"{recipient}","type":"text","text":{"body":"x"},"context":{"message_id":"{message}"}`,
			`"recipient":"{recipient}","type":"reaction","reaction":{"message_id":"{message}","emoji":"x"}`,
			`"status":"read","message_id":"{message}"`,
		} {
			want := name(theirs, naming, missing).RequireFailure(t, "resource_not_found", "").Failure(t)
			same(t, naming+" of a message that is hidden", name(theirs, naming, foreign).RequireFailure(t, "resource_not_found", "").Failure(t).Message, want.Message)
			if sends := strings.Contains(naming, "recipient"); sends { // to another person than who wrote the message
				same(t, naming+" of a message elsewhere", name(h.as, naming, foreign).RequireFailure(t, "resource_not_found", "").Failure(t).Message, want.Message)
			}
			if r := name(theirs, naming, mine).RequireStatus(t, http.StatusOK); strings.Contains(string(r.Body), "wamid") {
				t.Errorf("%s answers %s", naming, r.Body)
			}
		}
	})
}

// message is the id of a message that came in.
func (h hidden) message(t testing.TB, providerID string) string {
	t.Helper()
	m, err := h.Store.Read(t.Context()).MessageByProviderID(h.org.ID, h.account.ID, providerID)
	must(t, err)
	return m.ID
}

// A user who sees only assigned conversations sees one once it is assigned, and can start one, which is then
// assigned to them.
func TestAssignedOnly(t *testing.T) {
	each(t, newHidden, func(t *testing.T, h hidden) {
		u := h.User(t, h.org, chat.RoleAgent, chat.SeesAssigned, h.org.TeamID)
		theirs := h.As(t, u)
		h.as.Do(t, "PATCH", "/conversations/"+h.id, `{"assigned_to":"`+u.ID+`"}`).RequireStatus(t, http.StatusOK)
		same(t, "the list", list(t, theirs, ""), []string{h.id})
		same(t, "unassigned", list(t, theirs, "view=unassigned"), []string{})
		same(t, "the counts", counts(t, theirs), map[string]count{"mine": {1, 1}, "all": {1, 1}, "unassigned": {}, "snoozed": {}, "mentions": {}})
		theirs.Do(t, "PUT", "/conversations/"+h.id+"/draft", `{"body":"x"}`).RequireStatus(t, http.StatusOK)
		var after seen
		theirs.Do(t, "PATCH", "/conversations/"+h.id, `{"assigned_to":null}`).RequireStatus(t, http.StatusOK).Data(t, &after)
		if after.ID != h.id || after.Assignee != nil {
			t.Errorf("after it was given back it is %+v", after)
		}
		theirs.Get(t, "/conversations/"+h.id).RequireFailure(t, "resource_not_found", "")

		h.Clock.Advance(time.Minute)
		var begun struct {
			ConversationID string `json:"conversation_id"`
		}
		theirs.Do(t, "POST", "/"+*h.account.PhoneNumberID+"/messages",
			`{"messaging_product":"chat","to":"+4915112345699","type":"text","text":{"body":"Hello"}}`).RequireStatus(t, http.StatusOK).Data(t, &begun)
		same(t, "what was begun", list(t, theirs, ""), []string{begun.ConversationID})
	})
}
