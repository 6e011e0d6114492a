package app_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// ofNobody finds the operations that show admins the whole organization, or nothing of it, and the stream, which does not end.
var ofNobody = regexp.MustCompile(` /(api_log|audit|event|links|openapi|operator|setup|story|stream|webhook_)`)

// reading are the operations of the dashboard that only read.
func reading(d *apitest.Document) (all []op) {
	for path, item := range d.At("paths") {
		if o := (op{method: http.MethodGet, path: path, words: wordsOf(path)}); item.(map[string]any)["get"] != nil && !ofNobody.MatchString(o.name()) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b op) int { return strings.Compare(a.path, b.path) })
	return all
}

// hide makes what belongs to the number tell of its people: names, a message that failed, and a broadcast to them. It returns
// what nobody may read who does not see them.
func (h *holder) hide(t testing.TB) []string {
	t.Helper()
	storetest.InTx(t, h.Store, func(tx *store.Tx) error {
		m, err := tx.Message(h.org.ID, h.account.ID, h.ids["messages"])
		if err != nil {
			return err
		}
		h.ids["contacts/writes"] = m.ContactID
		m.Status, m.Error = chat.StatusFailed, &chat.MessageError{Code: chat.MessageErrorCode("upstream_error"), Message: "x"}
		return tx.UpdateMessage(m)
	})
	for _, words := range []string{"contacts", "contacts/writes"} {
		h.owner.Do(t, "PATCH", "/"+h.ids[""]+"/contacts/"+h.ids[words], `{"name":"Somebody hidden"}`).RequireStatus(t, http.StatusOK)
	}
	h.make(t, "broadcasts", "/"+h.ids[""]+"/broadcasts", `{`+promotion+`,"audience":{"contact_ids":["`+h.ids["contacts"]+`"],"filter":{}}}`)
	hidden := []string{"Somebody hidden"}
	for _, words := range []string{"conversations", "contacts", "contacts/writes", "contacts/twin", "contacts/notes", "conversations/notes", "messages", "wamid"} {
		hidden = append(hidden, h.ids[words])
	}
	return hidden
}

// What a colleague does not see is in no answer of an operation that reads, with ids of what the colleague sees.
func TestHiddenPeopleAreNowhere(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(testing.TB, *holder) *holder{
		"an admin of another team": adminElsewhere,
		"an admin with other work": func(t testing.TB, h *holder) *holder { return besides(t, h, chat.RoleAdmin) },
		"an agent with other work": agentBeside,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, newHolder, func(t *testing.T, theirs *holder) {
				hidden, mine := theirs.hide(t), of(t, theirs)
				for _, o := range reading(theirs.Document()) {
					target, _ := o.fill(mine.ids, mine.ids)
					r := mine.owner.Try(t, o.method, target, "")
					for _, secret := range hidden {
						if strings.Contains(string(r.Body), secret) {
							t.Errorf("GET %s tells of %s: %.1000s", target, secret, r.Body)
						}
					}
				}
			})
		})
	}
}

// Whoever sees only what is assigned to them, and is in no team of a number, does not administer it: there is no more of the
// number for them than the people of their conversations.
func TestNumbersOfOthersAreNotAdministered(t *testing.T) {
	each(t, newHolder, func(t *testing.T, h *holder) {
		u := h.User(t, h.org, chat.RoleAdmin, chat.SeesAssigned)
		h.owner.Do(t, "PATCH", "/conversations/"+h.ids["conversations"], `{"assigned_to":null}`).RequireStatus(t, http.StatusOK)
		storetest.InTx(t, h.Store, func(tx *store.Tx) error {
			c, err := tx.Conversation(h.org.ID, h.account.ID, h.ids["conversations"])
			if err != nil {
				return err
			}
			c.AssignedTo = &u.ID // as it stays when somebody leaves the team
			return tx.UpdateConversation(c)
		})
		admin := h.As(t, u)
		admin.Get(t, "/conversations/"+h.ids["conversations"]).RequireStatus(t, http.StatusOK)
		h.Tables.Unchanged(t, h.org.ID, func() {
			for _, o := range operationsOnRows(t, h.Document()) {
				if o.words[0] == "" && !slices.Contains(forAgents, o.name()) {
					o.ask(t, admin, h.ids, h.ids, "resource_not_found", "forbidden")
				}
			}
		})
	})
}
