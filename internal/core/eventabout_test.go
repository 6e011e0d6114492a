package core_test

import (
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
)

// Every type of event says whom it is about, and all but a new contact's and a new number's say what happened.
func TestAboutEvent(t *testing.T) {
	for _, kind := range chat.EventTypes {
		who, what := core.AboutEvent(chat.Event{Type: kind, Subject: "cnv_1", Payload: core.SamplePayload(kind)})
		silent := kind == chat.EventContactCreated || kind == chat.EventMessageRevoked || kind == "customer.onboarded" || kind == "contact.identity_updated"
		if who == "" || (what == "") != silent {
			t.Errorf("%s is about %q: %q", kind, who, what)
		}
	}
	for _, payload := range []string{"", "null", "[]", "{", `{"data":{"contact":"a text"}}`} {
		if who, what := core.AboutEvent(chat.Event{Payload: []byte(payload)}); who != "" || what != "" {
			t.Errorf("%q is about %q: %q", payload, who, what)
		}
	}
	for kind, want := range map[chat.EventType][2]string{
		chat.EventMessageReceived: {"Sample Person", "This is a test."}, chat.EventMessageStatus: {"+12025550111", "delivered"},
	} {
		if who, what := core.AboutEvent(chat.Event{Payload: core.SamplePayload(kind)}); who != want[0] || what != want[1] {
			t.Errorf("%s is about %q: %q", kind, who, what)
		}
	}
	// Somebody without a number is named by the conversation.
	status := []byte(`{"entry":[{"changes":[{"value":{"statuses":[{"status":"read"}]}}]}]}`)
	if who, what := core.AboutEvent(chat.Event{Subject: "cnv_1", Payload: status}); who != "cnv_1" || what != "read" {
		t.Errorf("a status without a number is about %q: %q", who, what)
	}
}
