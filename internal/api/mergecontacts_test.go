package api_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// knownTwice makes a person who is two contacts with a conversation each: ${contact} and ${conversation} by
// number, the older ones, ${other} and ${other_conversation} by BSUID.
func knownTwice(t *testing.T, c *apitest.Case) {
	t.Helper()
	connected(t, c)
	for _, person := range []struct{ contact, conversation, body, message string }{
		{"contact", "conversation", `{"phone_number":"+4915112345678","name":"Ada","metadata":{"a":1}}`, `"to":"+4915112345678"`},
		{"other", "other_conversation", `{"bsuid":"DE.ada","name":"A. L.","email":"ada@example.com","metadata":{"a":2,"b":3}}`, `"recipient":"DE.ada"`},
	} {
		c.Make(t, person.contact, contacts, person.body)
		var sent struct {
			ID string `json:"conversation_id"`
		}
		c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/messages",
			Body: `{"messaging_product":"chat",` + person.message + `,"type":"text","text":{"body":"x"}}`}).RequireStatus(t, http.StatusOK).Data(t, &sent)
		c.Set(person.conversation, sent.ID)
	}
}

func merge(contact, body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: contacts + "/" + contact + "/merge", Body: body}
}

// identityEvent tells that Ada's contacts have become one.
func identityEvent(fields, previous string) string {
	contact := withFields(map[string]string{
		"id": `"${contact}"`, "object": `"contact"`, "phone_number": `"+4915112345678"`, "name": `"Ada"`, "email": `"ada@example.com"`, "metadata": `{"a":1,"b":3}`,
		"phone_number_id": `"${number}"`, "created_at": `"<now>"`, "updated_at": `"<now>"`, "bsuid": `"DE.ada"`, "parent_bsuid": "null", "username": "null",
	}, fields)
	return `{"id":"<evt>","type":"contact.identity_updated","created_at":"<now>","data":{"contact":` + contact + `,"previous":` + previous +
		`,"merged":[{"contact_id":"${other}","conversation_id":"${other_conversation}"}],"phone_number_id":"${number}"}}`
}

const byNumber = `{"bsuid":null,"parent_bsuid":null,"phone_number":"+4915112345678"}`

// mergedAda is how the contact is shown afterwards.
const mergedAda = `id="${contact}"
	phone_number="+4915112345678"
	bsuid="DE.ada"
	email="ada@example.com"
	metadata={"a":1,"b":3}
	`

func TestMergeContacts(t *testing.T) {
	changed := apitest.Changes{"contacts": "~1 -1", "conversations": "-1", "messages": "~1", "merged_ids": "+2", "send_jobs": "+2 -2"}
	refused := func(name, contact, body, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: knownTwice, Request: merge(contact, body), Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "into the older one", Given: knownTwice, Request: merge("${contact}", `{"contact_id":"${other}"}`), Status: http.StatusOK,
			Want: contactWith(mergedAda + `name="Ada"`), Change: changed, Events: []string{identityEvent("", byNumber)}, Then: requireMerged},
		{Name: "into the younger one", Given: knownTwice, Request: merge("${other}", `{"contact_id":"${contact}"}`), Status: http.StatusOK,
			Want: contactWith(mergedAda + "name=\"A. L.\"\nmetadata={\"a\":2,\"b\":3}"), Change: changed,
			Events: []string{identityEvent("name=\"A. L.\"\nmetadata={\"a\":2,\"b\":3}", byNumber)}, Then: requireMerged},
		{Name: "once more", Given: func(t *testing.T, c *apitest.Case) {
			knownTwice(t, c)
			c.Call(t, merge("${contact}", `{"contact_id":"${other}"}`)).RequireStatus(t, http.StatusOK)
		}, Request: merge("${contact}", `{"contact_id":"${other}"}`), Status: http.StatusOK, Want: contactWith(mergedAda + `name="Ada"`)},
		{Name: "with itself", Given: hasContact(`{"phone_number":"+4915112345678"}`), Request: merge("${contact}", `{"contact_id":"${contact}"}`),
			Status: http.StatusOK, Want: contactWith("id=\"${contact}\"\nphone_number=\"+4915112345678\"")},
		{Name: "two numbers", Given: func(t *testing.T, c *apitest.Case) {
			knownTwice(t, c)
			c.Make(t, "third", contacts, `{"phone_number":"+4915112345679"}`)
		}, Request: merge("${contact}", `{"contact_id":"${third}"}`), Code: "invalid_field_value", Param: "contact_id"},
		{Name: "of another number", Given: func(t *testing.T, c *apitest.Case) {
			knownTwice(t, c)
			siblingContact(t, c)
		}, Request: merge("${contact}", `{"contact_id":"${sibling_contact}"}`), Code: "resource_not_found"},
		refused("unknown in the path", noContact, `{"contact_id":"${other}"}`, "resource_not_found", ""),
		refused("unknown in the body", "${contact}", `{"contact_id":"`+noContact+`"}`, "resource_not_found", ""),
		refused("nothing", "${contact}", `{}`, "missing_required_field", "contact_id"),
		refused("empty", "${contact}", `{"contact_id":""}`, "invalid_field_value", "contact_id"),
		refused("no id", "${contact}", `{"contact_id":"x"}`, "invalid_field_value", "contact_id"),
	})
}

// requireMerged fails the test unless the old ids lead to the merged objects in every operation that takes
// them.
func requireMerged(t *testing.T, c *apitest.Case, _ *apitest.Response) {
	t.Helper()
	for path, want := range map[string]string{contacts + "/${other}": "${contact}", "/v1/${number}/conversations/${other_conversation}": "${conversation}"} {
		var got struct{ ID string }
		c.Call(t, apitest.Request{Path: path}).RequireStatus(t, http.StatusOK).Data(t, &got)
		if got.ID != c.Expand(want) {
			t.Errorf("%s is %s, want %s", path, got.ID, c.Expand(want))
		}
	}
	for path, want := range map[string]int{
		"/v1/${number}/conversations": 1, contacts: 1, "/v1/${number}/conversations?contact_id=${other}": 1,
		"/v1/${number}/messages?conversation_id=${conversation}": 2, "/v1/${number}/messages?conversation_id=${other_conversation}": 2,
		"/v1/${number}/messages?conversation_id=" + noConversation: 0,
	} {
		var got []json.RawMessage
		c.Call(t, apitest.Request{Path: path}).RequireStatus(t, http.StatusOK).Data(t, &got)
		if len(got) != want {
			t.Errorf("%s has %d rows, want %d", path, len(got), want)
		}
	}
	label := `{"label_id":"${label}"}`
	c.Make(t, "label", "/v1/labels", `{"name":"vip"}`)
	c.Call(t, apitest.Request{Method: http.MethodPost, Path: contacts + "/${other}/labels", Body: label}).RequireStatus(t, http.StatusOK)
	c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/conversations/${other_conversation}/labels", Body: label}).RequireStatus(t, http.StatusOK)
	for _, r := range []apitest.Request{{Method: http.MethodPatch, Body: `{"status":"pending"}`}, {Method: http.MethodGet}} {
		var shown struct{ Labels []struct{ Name string } }
		r.Path = "/v1/${number}/conversations/${other_conversation}"
		if c.Call(t, r).RequireStatus(t, http.StatusOK).Data(t, &shown); len(shown.Labels) != 1 {
			t.Errorf("%s by the old id shows the labels %v", r.Method, shown.Labels)
		}
	}
	var labelled struct {
		Applied, Already int
		Skipped          int `json:"skipped_cross_org"`
	}
	c.Call(t, apitest.Request{Method: http.MethodPost, Path: contacts + "/bulk_label", Body: `{"contact_ids":["${contact}","${other}"],"label_id":"${label}","operation":"detach"}`}).
		RequireStatus(t, http.StatusOK).Data(t, &labelled)
	if labelled.Applied != 1 || labelled.Already != 1 || labelled.Skipped != 0 {
		t.Errorf("in bulk they are %+v", labelled)
	}
	c.Call(t, apitest.Request{Method: http.MethodDelete, Path: contacts + "/${other}"}).RequireStatus(t, http.StatusOK)
	for _, gone := range []string{"${contact}", "${other}"} {
		c.Call(t, apitest.Request{Path: contacts + "/" + gone}).RequireStatus(t, http.StatusNotFound)
	}
}

// A callback that shows a person's number and id merges the two contacts, and its message belongs to the merged
// one.
func TestCallbacksMergeContacts(t *testing.T) {
	apitest.EachCase(t, knownTwice, func(t *testing.T, c *apitest.Case) {
		seen := c.Events(t, "")
		update := provider.InboundMessage{Origin: provider.Origin{PhoneNumberID: c.Get("number")}, Message: provider.Message{
			Contact: provider.Person{Phone: "+4915112345678", UserID: "DE.ada"}, ProviderID: "wamid.1", Type: chat.TypeText,
			Content: json.RawMessage(`{"body":"hi"}`), Raw: provider.Raw{Item: json.RawMessage(`{"id":"wamid.1"}`)},
		}}
		c.InTx(t, func(tx *store.Tx) error {
			return core.Applier{Log: slog.New(slog.DiscardHandler)}.ApplyAll(tx, []provider.Update{update, update})
		})
		events := c.Events(t, seen[len(seen)-1].ID)
		if len(events) != 2 || events[0].Type != chat.EventContactIdentityUpdated || events[1].Type != chat.EventMessageReceived {
			t.Fatalf("the events are %+v", events)
		}
		if events[1].Subject != c.Get("conversation") {
			t.Errorf("the message is in %s", events[1].Subject)
		}
		var contact struct {
			ID    string
			BSUID string
		}
		c.Call(t, apitest.Request{Path: contacts + "/${other}"}).RequireStatus(t, http.StatusOK).Data(t, &contact)
		if contact.ID != c.Get("contact") || contact.BSUID != "DE.ada" {
			t.Errorf("the contact is %+v", contact)
		}
	})
}
