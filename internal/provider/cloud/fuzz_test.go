package cloud

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/provider"
)

func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		string(batch(2)),
		phpEscaped(string(batch(1))),
		callback("messages", `{`+metadata+`,"contacts":[`+ada+`],"messages":[`+wireMessage(`"type":"sticker","sticker":{"id":"9","sha256":"AA==","url":"u"}`)+`]}`),
		callback("messages", `{`+metadata+`,"messages":[`+wireMessage(`"type":"edit","edit":{"original_message_id":"wamid.O","message":{"type":"text","text":{"body":"n"}}}`)+`]}`),
		callback("messages", `{`+metadata+`,"messages":[`+wireMessage(`"type":"system","system":{"type":"user_changed_user_id","body":"changed from DE.1 to DE.2"}`)+`]}`),
		callback("messages", `{`+metadata+`,"statuses":[{"id":"wamid.S","status":"failed","errors":[{"code":131047,"error_data":{"details":"d"}}]}],"errors":[{"code":1}]}`),
		callback("history", `{`+metadata+`,"history":[{"metadata":{"phase":0},"threads":[{"id":"4915510000001","messages":[{"id":"w","type":"media_placeholder"}]}]}]}`),
		callback("smb_app_state_sync", `{"state_sync":[{"contact":{"phone_number":"4915510000001"},"action":"add"}]}`),
		callback("smb_message_echoes", `{"message_echoes":[{"id":"w","to":"4915510000001","type":"text","text":{"body":"x"}}]}`),
		callback("user_preferences", `{"user_preferences":[{"wa_id":"4915510000001","value":"stop","timestamp":1767225600}]}`),
		callback("user_id_update", `{"user_id_update":[{"wa_id":"4915510000001","user_id":{"previous":"DE.1","current":"DE.2"}}]}`),
		callback("account_update", `{"event":"X","restriction_info":[{"restriction_type":"A","expiration":"2026-01-01"}]}`),
		callback("message_template_status_update", `{"event":"APPROVED","message_template_id":1e5}`),
		callback("phone_number_quality_update", `{"display_phone_number":"4930555000"}`),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		updates, err := Decode(body)
		if err != nil {
			return
		}
		if len(updates) > len(body) {
			t.Fatalf("%d updates from %d bytes", len(updates), len(body))
		}
		for _, update := range updates {
			checkUpdate(t, update)
		}
	})
}

// checkUpdate checks the guarantees that later code relies on.
func checkUpdate(t *testing.T, update provider.Update) {
	t.Helper()
	switch u := update.(type) {
	case provider.InboundMessage:
		checkMessage(t, u.Message)
	case provider.Echo:
		checkMessage(t, u.Message)
	case provider.HistoryChunk:
		for _, m := range u.Messages {
			checkMessage(t, m.Message)
		}
	case provider.Edit:
		if u.OriginalID == "" || (u.Content != nil && !json.Valid(u.Content)) {
			t.Errorf("got %+v", u)
		}
	case provider.StatusUpdate:
		if u.Status == "" || !json.Valid(u.Raw.Item) {
			t.Errorf("got %+v", u)
		}
	case provider.Ignored:
		if u.Reason == "" {
			t.Errorf("got %+v", u)
		}
	}
}

func checkMessage(t *testing.T, m provider.Message) {
	t.Helper()
	checkPerson(t, m.Contact)
	if m.ProviderID == "" || m.Type == "" || !json.Valid(m.Content) || !json.Valid(m.Raw.Item) {
		t.Errorf("got %+v", m)
	}
	var item map[string]json.RawMessage
	if err := json.Unmarshal(m.Raw.Item, &item); err != nil || string(item["type"]) != `"`+string(m.Type)+`"` {
		t.Errorf("%v: got %s for %s", err, m.Raw.Item, m.Type)
	}
}

func checkPerson(t *testing.T, p provider.Person) {
	t.Helper()
	if p.Phone == "" && p.UserID == "" {
		t.Error("nobody")
	}
	for _, s := range []string{p.Phone, p.UserID, p.ParentUserID, p.Username, p.ProfileName} {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Errorf("a text that no store takes: %q", s)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("secret", "sha256=00", []byte("{}"))
	f.Add("", "", []byte(nil))
	f.Fuzz(func(t *testing.T, secret, header string, body []byte) {
		if !Verify(secret, header, body) {
			return
		}
		if secret == "" || len(header) != len("sha256=")+64 {
			t.Errorf("accepted %q", header)
		}
		if Verify(secret, header, append(body, 'x')) {
			t.Error("the signature holds for another body")
		}
	})
}
