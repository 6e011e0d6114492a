package app_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	hiddenNumber = "+4915112345678"
	hiddenBSUID  = "DE.hiddenidentifier"
)

// hiddenWamid is an id as the provider makes them, with the number in it.
var hiddenWamid = "wamid." + base64.StdEncoding.EncodeToString([]byte("\x1c\x18\x0d4915112345678\x15\x02\x00"))

// newMasked is an office that hides numbers from its agents, with a conversation that names a person in every
// possible way.
func newMasked(t testing.TB, w *apptest.World) hidden {
	t.Helper()
	h := newHidden(t, w)
	storetest.InTx(t, w.Store, func(tx *store.Tx) error {
		contact, err := tx.ContactByNumber(h.org.ID, h.account.ID, hiddenNumber)
		if err != nil {
			return err
		}
		contact.BSUID = new(hiddenBSUID)
		return tx.UpdateContact(contact)
	})
	h.receiveAs(t, h.account, hiddenNumber, provider.Message{ProviderID: hiddenWamid, Type: chat.TypeText, Content: json.RawMessage(`{"body":"needle"}`), Context: "wamid.1"})
	h.as.Do(t, "POST", h.sends(), `{"messaging_product":"chat","to":"`+hiddenNumber+`","type":"reaction","reaction":{"message_id":"`+hiddenWamid+`","emoji":"👍"}}`).
		RequireStatus(t, http.StatusOK)
	h.fail(t)
	h.choose(t, `{"mask_numbers":true}`)
	h.index(t)
	return h
}

func (h hidden) sends() string { return "/" + *h.account.PhoneNumberID + "/messages" }

// fail fails a message with an error that names the person.
func (h hidden) fail(t testing.TB) {
	t.Helper()
	storetest.InTx(t, h.Store, func(tx *store.Tx) error {
		a, err := core.AcceptSend(tx, h.account, chat.Plan{}, core.NewMessage{To: hiddenNumber, Type: chat.TypeText, Content: json.RawMessage(`{"body":"x"}`), Source: chat.SourceAPI})
		if err != nil {
			return err
		}
		m := a.Message
		m.Status, m.Error = chat.StatusFailed, &chat.MessageError{Code: "undeliverable", Message: "Nobody answers at " + hiddenNumber + "."}
		return tx.UpdateMessage(m)
	})
}

// leaks returns the person's number if an answer contains it.
func leaks(r *apitest.Response) string {
	for _, secret := range []string{hiddenNumber[1:], hiddenNumber[3:], hiddenBSUID, "hiddenidentifier", "wamid."} {
		if strings.Contains(string(r.Body), secret) {
			return secret
		}
	}
	return ""
}

// No operation that an agent may call shows a hidden number. Unknown inputs are made up, because a refusal must
// not show it either.
func TestMaskedNumbersAreNowhere(t *testing.T) {
	each(t, newMasked, func(t *testing.T, h hidden) {
		succeeded := map[string]bool{}
		for path, item := range h.Document().At("paths") {
			for method := range item.(map[string]any) {
				operation := strings.ToUpper(method) + " " + path
				if path == "/stream" || path == "/session" || strings.Contains(path, "/phone/") {
					continue // a stream without content, and signing out
				}
				body, known := ofConversations[operation]
				if !known && method != "get" && method != "delete" {
					body = "{}"
				}
				query := map[string]string{"/search": "?q=person", "/conversations": "?status=any"}[path]
				r := h.as.Do(t, strings.ToUpper(method), h.fill.Replace(path)+query, h.fill.Replace(body))
				if secret := leaks(r); secret != "" {
					t.Errorf("%s shows %s: %s", operation, secret, r.Body)
				}
				succeeded[operation] = r.Status < 300 && (path != "/search" || strings.Contains(string(r.Body), "ctc_"))
			}
		}
		for _, operation := range []string{
			"GET /me", "GET /conversations", "GET /conversations/{id}", "GET /conversations/{id}/timeline", "GET /search", "GET /contacts",
			"PATCH /conversations/{id}", "POST /{phone_number_id}/messages",
		} {
			if !succeeded[operation] {
				t.Errorf("%s was not answered", operation)
			}
		}
	})
}

// A user who does not see numbers finds nobody by them; other users do.
func TestMaskedNumbersFindNobody(t *testing.T) {
	each(t, newMasked, func(t *testing.T, h hidden) {
		admin := h.admin(t)
		for _, digits := range []string{"4915112345678", "12345678", "%2B4915112", "5678"} {
			for path, by := range map[string]*apptest.Browser{"/search?in=contacts&q=": h.as, "/contacts?search=": h.as} {
				if r := by.Get(t, path+digits).RequireStatus(t, http.StatusOK); strings.Contains(string(r.Body), "ctc_") {
					t.Errorf("%s%s finds somebody: %s", path, digits, r.Body)
				}
			}
			var started job
			h.as.Do(t, "POST", "/contacts/bulk", h.fill.Replace(`{"filter":{"search":"`+strings.Replace(digits, "%2B", "+", 1)+`"},"change":{"label_id":"${label}"}}`)).
				RequireStatus(t, http.StatusAccepted).Data(t, &started)
			if done := finished(t, h.as, started.ID); done.Done+done.Failed > 0 {
				t.Errorf("a change of all whose number has %s is one of %+v", digits, done)
			}
			if r := admin.Get(t, "/contacts?search="+digits); !strings.Contains(string(r.Body), hiddenNumber) {
				t.Errorf("an admin does not find %s: %s", digits, r.Body)
			}
		}
	})
}

// An agent can answer, react and mark as read without knowing the number.
func TestMaskedAgentsWrite(t *testing.T) {
	each(t, newMasked, func(t *testing.T, h hidden) {
		var newest struct{ ID string }
		for _, i := range timeline(t, h.as, h.id, "") {
			if i.Message != nil && i.Message.Direction == "inbound" {
				newest.ID = i.Message.ID
				break
			}
		}
		for _, content := range []string{
			`"type":"text","text":{"body":"Hello"},"context":{"message_id":"` + newest.ID + `"}`,
			`"type":"reaction","reaction":{"message_id":"` + newest.ID + `","emoji":"👍"}`,
		} {
			var sent struct {
				ID, To         string
				ConversationID string `json:"conversation_id"`
			}
			h.as.Do(t, "POST", h.sends(), `{"messaging_product":"chat","recipient":"`+h.id+`",`+content+`}`).RequireStatus(t, http.StatusOK).Data(t, &sent)
			m, err := h.Store.Read(t.Context()).Message(h.org.ID, h.account.ID, sent.ID)
			if err != nil || sent.ConversationID != h.id || sent.To != "+49 ••• ••• 78" || !strings.Contains(m.Context+string(m.Content), hiddenWamid) {
				t.Errorf("sent %+v as %s %s, %v", sent, m.Context, m.Content, err)
			}
		}
		person, err := h.Store.Read(t.Context()).ContactByNumber(h.org.ID, h.account.ID, hiddenNumber)
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			ConversationID string `json:"conversation_id"`
		}
		h.as.Do(t, "POST", h.sends(), `{"messaging_product":"chat","recipient":"`+person.ID+`","type":"text","text":{"body":"Hello"}}`).
			RequireStatus(t, http.StatusOK).Data(t, &sent)
		if sent.ConversationID != h.id {
			t.Errorf("what was sent to the contact is in %s", sent.ConversationID)
		}
		other := newOffice(t, h.World)
		for _, id := range []string{h.id, person.ID} {
			other.as.Do(t, "POST", "/"+*other.account.PhoneNumberID+"/messages", `{"messaging_product":"chat","recipient":"`+id+`","type":"text","text":{"body":"x"}}`).
				RequireFailure(t, "resource_not_found", "")
		}
	})
}
