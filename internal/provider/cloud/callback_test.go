package cloud

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

const metadata = `"messaging_product":"whatsapp","metadata":{"display_phone_number":"4930555000","phone_number_id":"100200300400"}`

var origin = provider.Origin{WABAID: "555", PhoneNumberID: "100200300400", DisplayPhoneNumber: "4930555000"}

// callback wraps the value of one change.
func callback(field, value string) string {
	return `{"object":"whatsapp_business_account","entry":[{"id":"555","changes":[{"field":"` + field + `","value":` + value + `}]}]}`
}

// decode reads a callback, also in the upstream's own escaping, which must make no difference.
func decode(t *testing.T, body string) []provider.Update {
	t.Helper()
	updates, err := Decode([]byte(body))
	must(t, err)
	escaped, err := Decode([]byte(phpEscaped(body)))
	if err != nil || !reflect.DeepEqual(updates, escaped) {
		t.Errorf("escaped: got %+v, %v\nwant %+v", escaped, err, updates)
	}
	return updates
}

// decodeOne reads a callback that holds one update of type T.
func decodeOne[T provider.Update](t *testing.T, field, value string) T {
	t.Helper()
	updates := decode(t, callback(field, value))
	if len(updates) != 1 {
		t.Fatalf("got %d updates: %+v", len(updates), updates)
	}
	update, ok := updates[0].(T)
	if !ok {
		t.Fatalf("got %T: %+v", updates[0], updates[0])
	}
	return update
}

// phpEscaped writes JSON as PHP does: slashes escaped, and all that is not ASCII as \u with
// lower-case digits.
func phpEscaped(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "/", `\/`) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

func TestVerify(t *testing.T) {
	const secret, body = "app-secret", `{"text":"gr\u00fc\u00dfe\/"}`
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	good := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	if !Verify(secret, good, []byte(body)) {
		t.Error("the right signature was refused")
	}
	empty := hmac.New(sha256.New, nil)
	empty.Write([]byte(body))
	for name, test := range map[string]struct{ secret, header, body string }{
		"other body":      {secret, good, `{"text":"grüße/"}`},
		"other secret":    {"other", good, body},
		"no header":       {secret, "", body},
		"no scheme":       {secret, good[len("sha256="):], body},
		"other scheme":    {secret, "sha1=" + good[len("sha256="):], body},
		"not hexadecimal": {secret, "sha256=zz", body},
		"cut short":       {secret, good[:len(good)-2], body},
		"too long":        {secret, good + "00", body},
		"empty signature": {secret, "sha256=", body},
		"empty secret":    {"", "sha256=" + hex.EncodeToString(empty.Sum(nil)), body},
	} {
		if Verify(test.secret, test.header, []byte(test.body)) {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, body := range map[string]string{
		"empty":           ``,
		"white space":     "  \n",
		"not JSON":        `hello`,
		"array":           `[]`,
		"text":            `"{}"`,
		"broken off":      `{"object":"whatsapp_business_account","entry":[{"id":`,
		"trailing data":   `{"object":"whatsapp_business_account","entry":[]} {}`,
		"name twice":      `{"object":"whatsapp_business_account","object":"x"}`,
		"nested too deep": `{"object":"whatsapp_business_account","entry":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
	} {
		if updates, err := Decode([]byte(body)); err == nil {
			t.Errorf("%s: got %+v", name, updates)
		}
	}
}

func TestDecodeIgnores(t *testing.T) {
	message := func(m string) string { return `{` + metadata + `,"messages":[` + m + `]}` }
	nobodyMisses := []string{
		"another object", "no object", "entry of another type", "entry without changes", "change of another type", "unknown field", "empty value", "lists of another type",
		"group message", "other system message", "system message, no object",
	}
	for name, body := range map[string]string{
		"another object":             `{"object":"instagram","entry":[{"id":"1","changes":[]}]}`,
		"no object":                  `{}`,
		"entry of another type":      `{"object":"whatsapp_business_account","entry":["x"]}`,
		"entry without changes":      `{"object":"whatsapp_business_account","entry":[{"id":"555"}]}`,
		"change of another type":     `{"object":"whatsapp_business_account","entry":[{"id":"555","changes":[7]}]}`,
		"unknown field":              callback("flows", `{"event":"X"}`),
		"value of another type":      callback("messages", `[1,2]`),
		"empty value":                callback("messages", `{}`),
		"lists of another type":      callback("messages", `{"messages":{"id":"wamid.A"},"statuses":"x","errors":7}`),
		"message of another type":    callback("messages", message(`"x"`)),
		"message without an id":      callback("messages", message(`{"from":"4915510000001","type":"text","text":{"body":"x"}}`)),
		"message without a sender":   callback("messages", message(`{"id":"wamid.A","type":"text","text":{"body":"x"}}`)),
		"sender who is none":         callback("messages", message(`{"from":"group@x","id":"wamid.A","type":"text","text":{"body":"x"}}`)),
		"group message":              callback("messages", message(`{"from":"4915510000001","group_id":"G","id":"wamid.A","type":"text","text":{"body":"x"}}`)),
		"other system message":       callback("messages", message(`{"from":"4915510000001","id":"wamid.A","type":"system","system":{"type":"customer_identity_changed"}}`)),
		"system message, no object":  callback("messages", message(`{"from":"4915510000001","id":"wamid.A","type":"system"}`)),
		"identity change, one side":  callback("messages", message(`{"from":"4915510000001","id":"wamid.A","type":"system","system":{"type":"user_changed_number"}}`)),
		"edit of nothing":            callback("messages", message(`{"from":"4915510000001","id":"wamid.A","type":"edit"}`)),
		"revocation of nothing":      callback("messages", message(`{"from":"4915510000001","id":"wamid.A","type":"revoke","revoke":{}}`)),
		"status without an id":       callback("messages", `{"statuses":[{"status":"sent"}]}`),
		"status without a status":    callback("messages", `{"statuses":[{"id":"wamid.A"}]}`),
		"status of another type":     callback("messages", `{"statuses":[null]}`),
		"echo to nobody":             callback("smb_message_echoes", `{"message_echoes":[{"id":"wamid.A","from":"4930555000","type":"text","text":{"body":"x"}}]}`),
		"history of another type":    callback("history", `{"history":["x"]}`),
		"contact without a number":   callback("smb_app_state_sync", `{"state_sync":[{"type":"contact","action":"add","contact":{"full_name":"A"}}]}`),
		"preference of nobody":       callback("user_preferences", `{"user_preferences":[{"value":"stop"}]}`),
		"preference for nothing":     callback("user_preferences", `{"user_preferences":[{"wa_id":"4915510000001"}]}`),
		"user id update, one side":   callback("user_id_update", `{"user_id_update":[{"user_id":{"current":"DE.2"}}]}`),
		"account update, no event":   callback("account_update", `{"phone_number":"4930555000"}`),
		"number update, no number":   callback("phone_number_quality_update", `{"event":"FLAGGED"}`),
		"template update, no name":   callback("message_template_status_update", `{"event":"APPROVED"}`),
		"template update of nothing": callback("message_template_status_update", `{"message_template_id":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			updates := decode(t, body)
			if len(updates) != 1 {
				t.Fatalf("got %+v", updates)
			}
			if u, ok := updates[0].(provider.Ignored); !ok || u.Reason == "" || u.Lost == slices.Contains(nobodyMisses, name) {
				t.Errorf("got %+v", updates[0])
			}
		})
	}
	if updates := decode(t, `{"object":"whatsapp_business_account"}`); len(updates) != 0 {
		t.Errorf("no entries: got %+v", updates)
	}
}

// TestDecodeBatch decodes several entries, changes and items in order; bad ones do not affect the others.
func TestDecodeBatch(t *testing.T) {
	body := `{"object":"whatsapp_business_account","entry":[
		{"id":555,"time":1767225600,"changes":[
			{"field":"messages","value":{` + metadata + `,
				"contacts":[{"profile":{"name":"Ada"},"wa_id":"4915510000001"},"bad",{"profile":"bad","wa_id":"4915510000002"}],
				"messages":[
					{"from":"4915510000001","id":"wamid.1","timestamp":"1","type":"text","text":{"body":"a"}},
					{"from":["bad"],"id":"wamid.2"},
					{"from":"4915510000002","id":"wamid.3","timestamp":"3","type":"text","text":{"body":"c"}}],
				"statuses":[{"id":"wamid.4","status":"sent"},17,{"id":"wamid.5","status":"read"}],
				"errors":[{"code":131000}]}},
			{"field":"unheard_of","value":{}}]},
		17,
		{"id":"556","changes":[{"field":"messages","value":{"statuses":[{"id":"wamid.6","status":"delivered"}]}}]}]}`
	want := []string{
		"InboundMessage wamid.1 Ada", "Ignored", "InboundMessage wamid.3 ", "StatusUpdate wamid.4", "Ignored",
		"StatusUpdate wamid.5", "ErrorReport", "Ignored", "Ignored", "StatusUpdate wamid.6",
	}
	var got []string
	updates := decode(t, body)
	for _, update := range updates {
		got = append(got, summary(update))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	first := origin
	first.ReportedAt = time.Unix(1767225600, 0).UTC()
	if updates[0].About() != first || updates[len(updates)-1].About() != (provider.Origin{WABAID: "556"}) {
		t.Errorf("origins: %+v, %+v", updates[0].About(), updates[len(updates)-1].About())
	}
}

func summary(update provider.Update) string {
	switch u := update.(type) {
	case provider.InboundMessage:
		return "InboundMessage " + u.ProviderID + " " + u.Contact.ProfileName
	case provider.StatusUpdate:
		return "StatusUpdate " + u.ProviderID
	default:
		return strings.TrimPrefix(fmt.Sprintf("%T", u), "provider.")
	}
}

func TestDecodeThousandChanges(t *testing.T) {
	updates := decode(t, string(batch(1000)))
	if len(updates) != 1000 {
		t.Fatalf("got %d updates", len(updates))
	}
	for i, update := range updates {
		m, ok := update.(provider.InboundMessage)
		if want := fmt.Sprintf("wamid.%d", i); !ok || m.ProviderID != want || m.Contact.Phone != fmt.Sprintf("+4915510%06d", i) || m.Contact.ProfileName != fmt.Sprintf("Näme %d", i) {
			t.Fatalf("update %d: %+v", i, update)
		}
	}
}

// batch makes a callback of n changes with a message each.
func batch(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"object":"whatsapp_business_account","entry":[{"id":"555","changes":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"field":"messages","value":{%s,"contacts":[{"profile":{"name":"Näme %d"},"wa_id":"4915510%06d","user_id":"DE.%d"}],"messages":[{"from":"4915510%06d","from_user_id":"DE.%d","id":"wamid.%d","timestamp":"1767225600","type":"text","text":{"body":"hällo/world"}}]}}`,
			metadata, i, i, i, i, i, i)
	}
	b.WriteString(`]}]}`)
	return []byte(b.String())
}

// TestDecodeManyInOneValue would take minutes if each message searched all contacts.
func TestDecodeManyInOneValue(t *testing.T) {
	const n = 20_000
	var contacts, messages strings.Builder
	for i := range n {
		fmt.Fprintf(&contacts, `,{"profile":{"name":"N%d"},"wa_id":"4915510%06d"}`, i, i)
		fmt.Fprintf(&messages, `,{"from":"4915510%06d","id":"wamid.%d","type":"text","text":{"body":"x"}}`, n-1-i, i)
	}
	body := callback("messages", `{`+metadata+`,"contacts":[`+contacts.String()[1:]+`],"messages":[`+messages.String()[1:]+`]}`)
	updates, err := Decode([]byte(body))
	if err != nil || len(updates) != n {
		t.Fatalf("got %d updates, %v", len(updates), err)
	}
	if m := updates[0].(provider.InboundMessage); m.Contact.ProfileName != fmt.Sprintf("N%d", n-1) {
		t.Errorf("got %+v", m.Contact)
	}
}

func TestBrokenCharacters(t *testing.T) {
	body := callback("messages", `{`+metadata+`,"messages":[{"from":"4915510000001","id":"wamid.A","type":"text","text":{"body":"a\ud83dz\u0000\u00e9`+"\xff"+`"}}]}`)
	updates, err := Decode([]byte(body))
	if err != nil || len(updates) != 1 {
		t.Fatalf("got %+v, %v", updates, err)
	}
	m := updates[0].(provider.InboundMessage)
	sameJSON(t, m.Content, `{"body":"a\ufffdzé\ufffd"}`)
	if m.Type != chat.TypeText || !json.Valid(m.Raw.Item) {
		t.Errorf("got %+v", m)
	}
}
