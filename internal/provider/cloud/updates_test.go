package cloud

import (
	"reflect"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

var newYear = time.Unix(1767225600, 0).UTC()

func decodeStatus(t *testing.T, contacts, status string) provider.StatusUpdate {
	t.Helper()
	return decodeOne[provider.StatusUpdate](t, "messages", `{`+metadata+`,"contacts":[`+contacts+`],"statuses":[`+status+`]}`)
}

func TestStatus(t *testing.T) {
	const rest = `"timestamp":"1767225600","recipient_id":"4915510000001","recipient_user_id":"DE.7001","recipient_parent_user_id":"DE.ENT.9001",
		"conversation":{"id":"9f0c","expiration_timestamp":"1767312000","origin":{"type":"utility"}},"pricing":{"billable":true,"pricing_model":"PMP","type":"regular","category":"utility"}`
	for _, status := range []string{"sent", "delivered", "read", "played", "deleted", "warning"} {
		u := decodeStatus(t, ada, `{"id":"wamid.S","status":"`+status+`","biz_opaque_callback_data":"msg_1",`+rest+`}`)
		if u.ProviderID != "wamid.S" || u.Status != status || !u.Timestamp.Equal(newYear) || u.CallbackData != "msg_1" || u.Recipient != adaPerson || u.Errors != nil || u.About() != origin {
			t.Errorf("got %+v", u)
		}
		sameJSON(t, u.Raw.Item, `{"id":"wamid.S","status":"`+status+`",`+rest+`}`)
		sameJSON(t, u.Raw.Contact, ada)
		sameJSON(t, u.Raw.Metadata, `{"display_phone_number":"4930555000","phone_number_id":"100200300400"}`)
	}
}

func TestStatusFailed(t *testing.T) {
	u := decodeStatus(t, ``, `{"id":"wamid.S","status":"failed","timestamp":1767225600,"recipient_id":"4915510000001","errors":[
		{"code":131047,"title":"Re-engagement message","message":"Re-engagement message","error_data":{"messaging_product":"whatsapp","details":"More than 24 hours"},"href":"https://docs.test/","fbtrace_id":"T","error_subcode":7},
		"bad",
		{"code":"131000","title":"Unknown","details":"of old"}]}`)
	want := []*provider.Error{
		{Code: 131047, Subcode: 7, Title: "Re-engagement message", Text: "Re-engagement message", Details: "More than 24 hours", Message: "More than 24 hours", Href: "https://docs.test/", Trace: "T"},
		{Code: 131000, Title: "Unknown", Details: "of old", Message: "of old", Transient: true},
	}
	if !reflect.DeepEqual(u.Errors, want) || u.Recipient != (provider.Person{Phone: "+4915510000001"}) || !u.Timestamp.Equal(newYear) {
		t.Errorf("got %+v, %+v", u, u.Errors)
	}
	if m := u.Errors[0].MessageError(); m.Code != chat.FailOutsideWindow || *m.ProviderCode != 131047 {
		t.Errorf("got %+v", m)
	}
	if u.Raw.Contact != nil {
		t.Errorf("a contact from nowhere: %s", u.Raw.Contact)
	}
	sameJSON(t, u.Raw.Item, `{"id":"wamid.S","status":"failed","timestamp":"1767225600","recipient_id":"4915510000001","errors":[
		{"code":131047,"title":"Re-engagement message","message":"Re-engagement message","error_data":{"messaging_product":"chat","details":"More than 24 hours"},"href":"https://docs.test/","fbtrace_id":"T","error_subcode":7},
		"bad",
		{"code":"131000","title":"Unknown","details":"of old"}]}`)
}

func TestStatusRecipients(t *testing.T) {
	for status, want := range map[string]provider.Person{
		`"recipient_user_id":"DE.7001","parent_recipient_user_id":"DE.ENT.1"`:        {UserID: "DE.7001", ParentUserID: "DE.ENT.1"},
		`"recipient_user_id":"DE.7001","parent_user_id":"DE.ENT.1"`:                  {UserID: "DE.7001", ParentUserID: "DE.ENT.1"},
		`"recipient_id":"DE.7001"`:                                                   {UserID: "DE.7001"},
		`"recipient_id":"120363000","recipient_type":"group"`:                        {},
		`"biz_opaque_callback_data":"msg_1"`:                                         {},
		`"recipient_id":{"a":1},"timestamp":[],"errors":{"code":1},"conversation":7`: {},
	} {
		if u := decodeStatus(t, ``, `{"id":"wamid.S","status":"sent",`+status+`}`); u.Recipient != want {
			t.Errorf("%s: got %+v, want %+v", status, u.Recipient, want)
		}
	}
}

func TestErrorReport(t *testing.T) {
	u := decodeOne[provider.ErrorReport](t, "messages", `{`+metadata+`,"errors":[{"code":131000,"title":"Something went wrong","error_data":{"details":"d"}}]}`)
	if len(u.Errors) != 1 || u.Errors[0].Code != 131000 || u.Errors[0].Details != "d" || !u.Errors[0].Transient || u.About() != origin {
		t.Errorf("got %+v", u)
	}
}

func TestIdentityChange(t *testing.T) {
	tests := []struct {
		name, message     string
		previous, current provider.Person
	}{
		{
			"number, complete", `"from":"4915510000001","system":{"type":"user_changed_number","body":"User Ada changed from 4915510000001 to 4915510000009","wa_id":"4915510000009",
				"user_id":"DE.2","parent_user_id":"DE.ENT.2","previous_user_id":"DE.1","previous_parent_user_id":"DE.ENT.1"}`,
			provider.Person{Phone: "+4915510000001", UserID: "DE.1", ParentUserID: "DE.ENT.1"},
			provider.Person{Phone: "+4915510000009", UserID: "DE.2", ParentUserID: "DE.ENT.2"},
		},
		{
			"number, of old", `"from":"4915510000001","system":{"type":"customer_changed_number","new_wa_id":"4915510000009"}`,
			provider.Person{Phone: "+4915510000001"}, provider.Person{Phone: "+4915510000009"},
		},
		{
			"number, only told in words", `"from_user_id":"DE.2","system":{"type":"user_changed_number","user_id":"DE.2","body":"User Ada changed from 4915510000001 to +4915510000009."}`,
			provider.Person{Phone: "+4915510000001"}, provider.Person{Phone: "+4915510000009", UserID: "DE.2"},
		},
		{
			"user id, complete", `"system":{"type":"user_changed_user_id","user_id":"DE.2","parent_user_id":"DE.ENT.2","previous_user_id":"DE.1","previous_parent_user_id":"DE.ENT.1","body":"b"}`,
			provider.Person{UserID: "DE.1", ParentUserID: "DE.ENT.1"}, provider.Person{UserID: "DE.2", ParentUserID: "DE.ENT.2"},
		},
		{
			"user id, previous told in words", `"from_user_id":"DE.2","system":{"type":"user_changed_user_id","user_id":"DE.2","body":"User Ada changed from DE.1 to DE.2"}`,
			provider.Person{UserID: "DE.1"}, provider.Person{UserID: "DE.2"},
		},
		{
			"user id, sender is the previous", `"from_user_id":"DE.1","system":{"type":"user_changed_user_id","user_id":"DE.2"}`,
			provider.Person{UserID: "DE.1"}, provider.Person{UserID: "DE.2"},
		},
		{
			"a name that lies", `"system":{"type":"user_changed_user_id","user_id":"DE.2","body":"User X changed from DE.666 to DE.667 changed from DE.1 to DE.2"}`,
			provider.Person{UserID: "DE.1"}, provider.Person{UserID: "DE.2"},
		},
		{
			"user id in place of the number", `"from":"DE.1","system":{"type":"user_changed_user_id","wa_id":"DE.2"}`,
			provider.Person{UserID: "DE.1"}, provider.Person{UserID: "DE.2"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := decodeOne[provider.IdentityChange](t, "messages", `{`+metadata+`,"messages":[{`+test.message+`,"id":"wamid.I","timestamp":"1767225600","type":"system"}]}`)
			if u.Previous != test.previous || u.Current != test.current {
				t.Errorf("got %+v", u)
			}
		})
	}
}

func TestUserIDUpdate(t *testing.T) {
	u := decodeOne[provider.IdentityChange](t, "user_id_update", `{`+metadata+`,"contacts":[{"profile":{"name":"Ada"},"wa_id":"4915510000001","user_id":"DE.2"}],
		"user_id_update":[{"wa_id":"4915510000001","detail":"changed","user_id":{"previous":"DE.1","current":"DE.2"},"parent_user_id":{"previous":"","current":"DE.ENT.2"},"timestamp":"1767225600"}]}`)
	want := provider.IdentityChange{
		Origin: origin, Detail: "changed",
		Previous: provider.Person{Phone: "+4915510000001", UserID: "DE.1"},
		Current:  provider.Person{Phone: "+4915510000001", UserID: "DE.2", ParentUserID: "DE.ENT.2", ProfileName: "Ada"},
	}
	if u != want {
		t.Errorf("got  %+v\nwant %+v", u, want)
	}
}

func TestPreference(t *testing.T) {
	for value, want := range map[string]string{"stop": provider.PreferenceStop, "RESUME": provider.PreferenceResume, "signup": "signup"} {
		u := decodeOne[provider.Preference](t, "user_preferences", `{`+metadata+`,"contacts":[{"wa_id":"4915510000001","user_id":"DE.7001"}],
			"user_preferences":[{"wa_id":"4915510000001","detail":"d","category":"marketing_messages","value":"`+value+`","timestamp":1767225600}]}`)
		wanted := provider.Preference{
			Origin: origin, Contact: provider.Person{Phone: "+4915510000001", UserID: "DE.7001"},
			Category: "marketing_messages", Value: want, Timestamp: newYear,
		}
		if u != wanted {
			t.Errorf("got  %+v\nwant %+v", u, wanted)
		}
	}
}

func TestContactSync(t *testing.T) {
	value := func(contact, action string) string {
		return `{` + metadata + `,"state_sync":[{"type":"contact","contact":` + contact + `,"action":"` + action + `","metadata":{"timestamp":"1767225600"}}]}`
	}
	added := decodeOne[provider.ContactSync](t, "smb_app_state_sync", value(`{"full_name":"Ada L","first_name":"Ada","phone_number":"4915510000001","user_id":"DE.7001","username":"ada.l"}`, "add"))
	want := provider.ContactSync{
		Origin:  origin,
		Contact: provider.Person{Phone: "+4915510000001", UserID: "DE.7001", Username: "ada.l", ProfileName: "Ada L"},
	}
	if added != want {
		t.Errorf("got  %+v\nwant %+v", added, want)
	}
	removed := decodeOne[provider.ContactSync](t, "smb_app_state_sync", value(`{"phone_number":"4915510000001"}`, "remove"))
	if !removed.Removed || removed.Contact != (provider.Person{Phone: "+4915510000001"}) {
		t.Errorf("got %+v", removed)
	}
}

func TestHistory(t *testing.T) {
	u := decodeOne[provider.HistoryChunk](t, "history", `{`+metadata+`,"history":[{"metadata":{"phase":1,"chunk_order":"2","progress":55},"threads":[
		{"id":"4915510000001","context":{"wa_id":"4915510000001","user_id":"DE.7001","username":"ada.l"},"messages":[
			{"from":"4930555000","to":"4915510000001","id":"wamid.1","timestamp":"1767225600","type":"text","text":{"body":"x"},"history_context":{"status":"READ"}},
			{"from":"4915510000001","id":"wamid.2","timestamp":"1767225600","type":"media_placeholder","history_context":{"status":"PLAYED"}},
			{"from_user_id":"DE.7001","id":"wamid.3","type":"text","text":{"body":"y"}}]},
		{"id":"DE.7002","messages":[{"to_user_id":"DE.7002","id":"wamid.4","type":"text","text":{"body":"z"},"history_context":{"status":"ERROR"}},
			{"from":"DE.7002","to":"4930555000","id":"wamid.5","type":"text","text":{"body":"z"},"history_context":{"status":"NEW"}}]}]}]}`)
	if u.About() != origin {
		t.Errorf("got %+v", u)
	}
	who := provider.Person{Phone: "+4915510000001", UserID: "DE.7001", Username: "ada.l"}
	other := provider.Person{UserID: "DE.7002"}
	want := []provider.HistoryMessage{
		{Message: provider.Message{ProviderID: "wamid.1", Contact: who, Type: chat.TypeText}, Outbound: true, Status: chat.StatusRead},
		{Message: provider.Message{ProviderID: "wamid.2", Contact: who, Type: chat.TypeUnsupported}, Status: chat.StatusRead, Placeholder: true},
		{Message: provider.Message{ProviderID: "wamid.3", Contact: who, Type: chat.TypeText}},
		{Message: provider.Message{ProviderID: "wamid.4", Contact: other, Type: chat.TypeText}, Outbound: true, Status: chat.StatusFailed},
		{Message: provider.Message{ProviderID: "wamid.5", Contact: other, Type: chat.TypeText}},
	}
	if len(u.Messages) != len(want) {
		t.Fatalf("got %d messages", len(u.Messages))
	}
	for i, m := range u.Messages {
		m.Message = provider.Message{ProviderID: m.ProviderID, Contact: m.Contact, Type: m.Type}
		if !reflect.DeepEqual(m, want[i]) {
			t.Errorf("got  %+v\nwant %+v", m, want[i])
		}
	}
	sameJSON(t, u.Messages[1].Content, `{"type":"media_placeholder"}`)
}

func TestHistoryDeclined(t *testing.T) {
	u := decodeOne[provider.HistoryChunk](t, "history", `{`+metadata+`,"history":[{"errors":[{"code":2593109,"title":"Declined"}]}]}`)
	if len(u.Messages) != 0 {
		t.Errorf("got %+v", u)
	}
}

func TestHistoryFiles(t *testing.T) {
	u := decodeOne[provider.HistoryChunk](t, "history", `{`+metadata+`,"contacts":[`+ada+`],
		"messages":[{"from":"4915510000001","id":"wamid.1","type":"image","image":{"id":"9001"}}],
		"message_echoes":[{"from":"4930555000","to":"4915510000001","id":"wamid.2","type":"video","video":{"id":"9002"}}]}`)
	if len(u.Messages) != 2 {
		t.Fatalf("got %+v", u)
	}
	for i, m := range u.Messages {
		if m.Contact != adaPerson || m.Outbound != (i == 1) || m.Media == nil || m.Placeholder {
			t.Errorf("got %+v", m)
		}
	}
}

// A bad message of a chat does not affect the others.
func TestHistoryWithBadItems(t *testing.T) {
	updates := decode(t, callback("history", `{`+metadata+`,"history":[{"threads":["bad",{"id":"?","messages":[{"id":"wamid.0","type":"text"}]},
		{"id":"4915510000001","messages":[7,{"id":"wamid.1","type":"text","text":{"body":"x"}}]}]}]}`))
	if len(updates) != 3 {
		t.Fatalf("got %+v", updates)
	}
	if u, ok := updates[2].(provider.HistoryChunk); !ok || len(u.Messages) != 1 || u.Messages[0].ProviderID != "wamid.1" {
		t.Errorf("got %+v", updates[2])
	}
}
