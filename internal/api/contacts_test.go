package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	noContact      = "ctc_00000000000000000000000000"
	noConversation = "cnv_00000000000000000000000000"
	contacts       = "/v1/${number}/contacts"
)

// contactFields is a contact as the API shows it. Fields that are not given are null, or as a new
// contact has them.
func contactFields(fields string) string {
	all := map[string]string{
		"id": `"<ctc>"`, "object": `"contact"`, "phone_number": "null", "bsuid": "null", "parent_bsuid": "null", "username": "null",
		"name": "null", "email": "null", "metadata": "null", "marketing_consent": `"unknown"`, "labels": "[]",
		"chat_account": `{"phone_number":"${phone}","phone_number_id":"${number}","customer":null}`,
		"created_at":   `"<now>"`, "updated_at": `"<now>"`,
	}
	return withFields(all, fields)
}

// withFields puts "name=value" pairs, parted by line breaks, over an object's fields.
func withFields(all map[string]string, fields string) string {
	for pair := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if name != "" {
			all[name] = value
		}
	}
	var parts []string
	for name, value := range all {
		parts = append(parts, `"`+name+`":`+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func contactWith(fields string) string {
	return `{"data":` + contactFields(fields) + `,"request_id":"<req>"}`
}

// contactEvent is an event that shows a contact.
func contactEvent(kind, fields string, changed ...string) string {
	contact := withFields(map[string]string{
		"id": `"<ctc>"`, "object": `"contact"`, "phone_number": "null", "name": "null", "email": "null", "metadata": "null",
		"phone_number_id": `"${number}"`, "created_at": `"<now>"`, "updated_at": `"<now>"`,
	}, fields)
	data := `{"contact":` + contact + `}`
	if changed != nil {
		data = `{"contact":` + contact + `,"changed_fields":["` + strings.Join(changed, `","`) + `"]}`
	}
	return `{"id":"<evt>","type":"` + kind + `","created_at":"<now>","data":` + data + `}`
}

func newContact(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: contacts, Body: body}
}

// hasContact makes the contact that ${contact} names, on the number ${number}.
func hasContact(body string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		connected(t, c)
		c.Make(t, "contact", contacts, body)
	}
}

// foreignContact makes a contact of another organization: ${foreign_number}, ${foreign_contact}.
func foreignContact(t *testing.T, c *apitest.Case) {
	org := c.Stranger(t)
	account := connectAs(t, c, "foreign_", chat.NewAccount{OrgID: org.ID})
	c.Set("foreign_contact", c.NewContact(t, account, chat.NewContact{PhoneNumber: new("+4915199999999")}).ID)
}

// siblingContact makes a contact of another number of the organization: ${sibling_contact}.
func siblingContact(t *testing.T, c *apitest.Case) {
	account := connectAs(t, c, "sibling_", chat.NewAccount{OrgID: c.Org.ID, TeamID: c.Org.Team.ID})
	c.Set("sibling_contact", c.NewContact(t, account, chat.NewContact{PhoneNumber: new("+4915199999999")}).ID)
}

var contactMade = apitest.Changes{"contacts": "+1"}

func TestCreateContact(t *testing.T) {
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "number only", Given: connected, Request: newContact(`{"phone_number":"+4915112345678"}`), Status: http.StatusCreated,
			Want: contactWith(`phone_number="+4915112345678"`), Change: contactMade,
			Events: []string{contactEvent("contact.created", `phone_number="+4915112345678"`)}},
		{Name: "number without plus", Given: connected, Request: newContact(`{"phone_number":"4915112345678"}`), Status: http.StatusCreated,
			Want: contactWith(`phone_number="+4915112345678"`), Change: contactMade,
			Events: []string{contactEvent("contact.created", `phone_number="+4915112345678"`)}},
		{Name: "BSUID only", Given: connected, Request: newContact(`{"bsuid":"DE.a1B2","phone_number":null}`), Status: http.StatusCreated,
			Want: contactWith(`bsuid="DE.a1B2"`), Change: contactMade, Events: []string{contactEvent("contact.created", ``)}},
		{Name: "all fields", Given: connected, Request: newContact(`{"phone_number":"+4915112345678","bsuid":"DE.a1","username":"Ada.L_1","name":" Ada ","email":"ada@example.com","metadata":{"b":[1,{"c":null}],"a":1.50}}`),
			Status: http.StatusCreated, Change: contactMade,
			Want: contactWith(`phone_number="+4915112345678"
				bsuid="DE.a1"
				username="Ada.L_1"
				name=" Ada "
				email="ada@example.com"
				metadata={"b":[1,{"c":null}],"a":1.50}`),
			Events: []string{contactEvent("contact.created", `phone_number="+4915112345678"
				name=" Ada "
				email="ada@example.com"
				metadata={"b":[1,{"c":null}],"a":1.50}`)}},
		{Name: "nulls and an empty address", Given: connected, Request: newContact(`{"phone_number":"+4915112345678","bsuid":null,"username":null,"name":null,"email":"","metadata":null}`),
			Status: http.StatusCreated, Want: contactWith(`phone_number="+4915112345678"`), Change: contactMade,
			Events: []string{contactEvent("contact.created", `phone_number="+4915112345678"`)}},
		{Name: "unusual characters", Given: connected, Request: newContact(`{"phone_number":"+4915112345678","name":"<b>&\"'\\ \u202e 👩‍👩‍👧 \u2028 é"}`), Status: http.StatusCreated,
			Want: contactWith("phone_number=\"+4915112345678\"\nname=" + `"<b>&\"'\\ \u202e 👩‍👩‍👧 \u2028 é"`), Change: apitest.Changes{"contacts": "+1", "events": "+1"}},
		{Name: "the customer's number", Given: func(t *testing.T, c *apitest.Case) {
			hasCustomer(t, c)
			connectAs(t, c, "", chat.NewAccount{OrgID: c.Org.ID, CustomerID: new(c.Get("customer"))})
		}, Request: newContact(`{"phone_number":"+4915112345678"}`), Status: http.StatusCreated, Change: apitest.Changes{"contacts": "+1", "events": "+1"},
			Want: contactWith("phone_number=\"+4915112345678\"\n" + `chat_account={"phone_number":"${phone}","phone_number_id":"${number}","customer":{"id":"${customer}","name":"Customer"}}`)},
	})
}

func TestCreateContactRules(t *testing.T) {
	refused := func(name, body, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: connected, Request: newContact(body), Code: code, Param: param}
	}
	with := func(field string) string { return `{"phone_number":"+4915112345678",` + field + `}` }
	many := func(n int) string {
		fields := make([]string, n)
		for i := range fields {
			fields[i] = fmt.Sprintf(`"k%d":1`, i)
		}
		return `{` + strings.Join(fields, ",") + `}`
	}
	apitest.RunEach(t, []apitest.Scenario{
		refused("no body", ``, "missing_required_field", "phone_number"),
		refused("neither number nor BSUID", `{"name":"x"}`, "missing_required_field", "phone_number"),
		refused("both null", `{"phone_number":null,"bsuid":null}`, "missing_required_field", "phone_number"),
		refused("missing before bad", `{"name":"","email":"x"}`, "missing_required_field", "phone_number"),
		refused("spaces in the number", `{"phone_number":"+49 151 12345678"}`, "invalid_phone_number", "phone_number"),
		refused("leading zero", `{"phone_number":"015112345678"}`, "invalid_phone_number", "phone_number"),
		refused("six digits", `{"phone_number":"+123456"}`, "invalid_phone_number", "phone_number"),
		refused("sixteen digits", `{"phone_number":"+1234567890123456"}`, "invalid_phone_number", "phone_number"),
		refused("empty number", `{"phone_number":""}`, "invalid_phone_number", "phone_number"),
		refused("number as number", `{"phone_number":4915112345678}`, "invalid_field_value", "phone_number"),
		refused("bad number before bad BSUID", `{"bsuid":"x","phone_number":"x"}`, "invalid_phone_number", "phone_number"),
		refused("parent BSUID", `{"bsuid":"DE.ENT.a1"}`, "invalid_field_value", "bsuid"),
		refused("BSUID of small letters", `{"bsuid":"de.a1"}`, "invalid_field_value", "bsuid"),
		refused("BSUID of 129", `{"bsuid":"DE.`+strings.Repeat("a", 129)+`"}`, "invalid_field_value", "bsuid"),
		refused("empty username", with(`"username":""`), "invalid_field_value", "username"),
		refused("username of 101", with(`"username":"`+strings.Repeat("é", 101)+`"`), "invalid_field_value", "username"),
		refused("empty name", with(`"name":""`), "invalid_field_value", "name"),
		refused("blank name", with(`"name":" \u00a0\n"`), "invalid_field_value", "name"),
		refused("name of 201", with(`"name":"`+strings.Repeat("é", 201)+`"`), "invalid_field_value", "name"),
		refused("NUL in the name", with(`"name":"a\u0000"`), "invalid_field_value", "name"),
		refused("bad address", with(`"email":"ada@"`), "invalid_field_value", "email"),
		refused("address with a name", with(`"email":"Ada <ada@example.com>"`), "invalid_field_value", "email"),
		refused("address of 256", with(`"email":"`+strings.Repeat("x", 64)+"@"+strings.Repeat("x", 187)+`.com"`), "invalid_field_value", "email"),
		refused("metadata list", with(`"metadata":[]`), "invalid_field_value", "metadata"),
		refused("metadata text", with(`"metadata":"{}"`), "invalid_field_value", "metadata"),
		refused("metadata of 65 keys", with(`"metadata":`+many(65)), "invalid_field_value", "metadata"),
		refused("metadata over 16 KiB", with(`"metadata":{"a":"`+strings.Repeat("x", 16<<10)+`"}`), "invalid_field_value", "metadata"),
		refused("NUL in the metadata", with(`"metadata":{"a":{"b":"\u0000"}}`), "invalid_field_value", "metadata"),
		refused("a key twice", with(`"metadata":{"a":1,"a":2}`), "invalid_json", "metadata.a"),
		{Name: "name of 200, username of 100, 64 keys", Given: connected, Status: http.StatusCreated, Change: apitest.Changes{"contacts": "+1", "events": "+1"},
			Request: newContact(with(`"name":"` + strings.Repeat("😀", 200) + `","username":"` + strings.Repeat("é", 100) + `","metadata":` + many(64)))},
		{Name: "with consent", Given: connected, Status: http.StatusCreated, Change: apitest.Changes{"contacts": "+1", "events": "+1", "consent_changes": "+1"},
			Request: newContact(with(`"marketing_consent":"opted_in"`)), Want: contactWith("phone_number=\"+4915112345678\"\nmarketing_consent=\"opted_in\"")},
		refused("no such consent", with(`"marketing_consent":"maybe"`), "invalid_field_value", "marketing_consent"),
		{Name: "a written-out escape", Given: connected, Status: http.StatusCreated, Change: apitest.Changes{"contacts": "+1", "events": "+1"},
			Request: newContact(with(`"metadata":{"a":"\\u0000"}`))},
	})
}

func TestContactsAreUniqueOnTheirNumber(t *testing.T) {
	taken := hasContact(`{"phone_number":"+4915112345678","bsuid":"DE.a1","username":"Straße"}`)
	made := apitest.Changes{"contacts": "+1", "events": "+1"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "number", Given: taken, Request: newContact(`{"phone_number":"4915112345678"}`), Code: "contact_already_exists", Param: "phone_number"},
		{Name: "number in its other spelling", Given: hasContact(`{"phone_number":"+5215512345678"}`), Request: newContact(`{"phone_number":"525512345678"}`), Code: "contact_already_exists", Param: "phone_number"},
		{Name: "a value that is wrong before the other spelling", Given: hasContact(`{"phone_number":"+5215512345678"}`), Request: newContact(`{"phone_number":"525512345678","name":""}`), Code: "invalid_field_value", Param: "name"},
		{Name: "BSUID", Given: taken, Request: newContact(`{"phone_number":"4915112345679","bsuid":"DE.a1"}`), Code: "contact_already_exists", Param: "bsuid"},
		{Name: "all three", Given: taken, Request: newContact(`{"phone_number":"4915112345678","bsuid":"DE.a1","username":"Straße"}`), Code: "contact_already_exists", Param: "phone_number"},
		{Name: "username", Given: taken, Request: newContact(`{"bsuid":"DE.a2","username":"STRAẞE"}`), Code: "invalid_field_value", Param: "username"},
		{Name: "BSUID in another case", Given: taken, Request: newContact(`{"bsuid":"DE.A1"}`), Status: http.StatusCreated, Change: made},
		{Name: "dots and underscores count", Given: hasContact(`{"bsuid":"DE.a1","username":"a.b"}`), Request: newContact(`{"bsuid":"DE.a2","username":"a_b"}`), Status: http.StatusCreated, Change: made},
		{Name: "on another number", Given: all(taken, siblingContact), Request: newContact(`{"phone_number":"+4915199999999"}`), Status: http.StatusCreated, Change: made},
		{Name: "another organization's", Given: all(taken, foreignContact), Request: newContact(`{"phone_number":"+4915199999999"}`), Status: http.StatusCreated, Change: made},
		{Name: "after it was deleted", Given: all(taken, func(t *testing.T, c *apitest.Case) {
			c.Call(t, apitest.Request{Method: http.MethodDelete, Path: contacts + "/${contact}"}).RequireStatus(t, http.StatusOK)
		}), Request: newContact(`{"phone_number":"+4915112345678","bsuid":"DE.a1","username":"straße"}`), Status: http.StatusCreated, Change: made},
		{Name: "the same request again", Given: func(t *testing.T, c *apitest.Case) {
			connected(t, c)
			c.Call(t, withKey(newContact(`{"phone_number":"+4915112345678"}`), "k")).RequireStatus(t, http.StatusCreated)
		}, Request: withKey(newContact(`{"phone_number":"+4915112345678"}`), "k"), Status: http.StatusCreated, Header: map[string]string{"Idempotent-Replayed": "true"}},
	})
}

func withKey(r apitest.Request, key string) apitest.Request {
	r.Header = http.Header{"Idempotency-Key": {key}}
	return r
}

func TestGetContact(t *testing.T) {
	get := func(id string) apitest.Request { return apitest.Request{Path: contacts + "/" + id} }
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "own", Given: hasContact(`{"phone_number":"+4915112345678","name":"Ada"}`), Request: get("${contact}"), Status: http.StatusOK,
			Want: contactWith("id=\"${contact}\"\nphone_number=\"+4915112345678\"\nname=\"Ada\"")},
		{Name: "unknown", Given: connected, Request: get(noContact), Code: "resource_not_found"},
		{Name: "foreign", Given: all(connected, foreignContact), Request: get("${foreign_contact}"), Code: "resource_not_found"},
		{Name: "of another number", Given: all(connected, siblingContact), Request: get("${sibling_contact}"), Code: "resource_not_found"},
		{Name: "malformed", Given: connected, Request: get("ctc_1"), Code: "invalid_field_value", Param: "id"},
		{Name: "of another kind", Given: connected, Request: get(noLabel), Code: "invalid_field_value", Param: "id"},
	})
}

func TestUpdateContact(t *testing.T) {
	given := hasContact(`{"phone_number":"+4915112345678","name":"Ada","username":"ada","email":"ada@example.com","metadata":{"a":1,"b":2}}`)
	const was = `id="${contact}"
		phone_number="+4915112345678"
		name="Ada"
		username="ada"
		email="ada@example.com"
		metadata={"a":1,"b":2}
		`
	patch := func(body string) apitest.Request {
		return apitest.Request{Method: http.MethodPatch, Path: contacts + "/${contact}", Body: body}
	}
	changes := func(name, body, fields string, changed ...string) apitest.Scenario {
		shown := withoutLine(was+fields, "username", "marketing_consent") // events do not show these
		return apitest.Scenario{Name: name, Given: given, Request: patch(body), Status: http.StatusOK, Want: contactWith(was + fields),
			Change: apitest.Changes{"contacts": "~1"}, Events: []string{contactEvent("contact.updated", shown, changed...)}}
	}
	silently := func(name, body, fields string) apitest.Scenario { // no event tells of these fields
		return apitest.Scenario{Name: name, Given: given, Request: patch(body), Status: http.StatusOK, Want: contactWith(was + fields),
			Change: apitest.Changes{"contacts": "~1"}, Events: []string{}}
	}
	same := func(name, body string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: patch(body), Status: http.StatusOK, Want: contactWith(was)}
	}
	refused := func(name, body, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: patch(body), Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		changes("name", `{"name":"Bea"}`, `name="Bea"`, "name"),
		changes("name cleared", `{"name":null}`, `name=null`, "name"),
		silently("username", `{"username":"ADA"}`, `username="ADA"`),
		silently("username cleared", `{"username":null}`, `username=null`),
		changes("address", `{"email":"b@example.com"}`, `email="b@example.com"`, "email"),
		changes("address emptied", `{"email":""}`, `email=null`, "email"),
		changes("address cleared", `{"email":null}`, `email=null`, "email"),
		changes("metadata replaced", `{"metadata":{"c":3}}`, `metadata={"c":3}`, "metadata"),
		changes("metadata emptied", `{"metadata":{}}`, `metadata={}`, "metadata"),
		changes("metadata cleared", `{"metadata":null}`, `metadata=null`, "metadata"),
		{Name: "consent", Given: given, Request: patch(`{"marketing_consent":"opted_out"}`), Status: http.StatusOK,
			Want: contactWith(was + `marketing_consent="opted_out"`), Change: apitest.Changes{"contacts": "~1", "consent_changes": "+1"}, Events: []string{}},
		changes("what is told and what is not", `{"name":"Bea","username":"bea"}`, "name=\"Bea\"\nusername=\"bea\"", "name"),
		changes("several", `{"metadata":null,"email":"","name":"Bea"}`, "name=\"Bea\"\nemail=null\nmetadata=null", "name", "email", "metadata"),
		changes("only what differs", `{"email":"ada@example.com","name":"Bea"}`, `name="Bea"`, "name"),
		same("to what it is", `{"name":"Ada","username":"ada","email":"ada@example.com","metadata":{"b":2, "a":1},"marketing_consent":"unknown"}`),
		same("with unknown fields", `{"name":"Ada","phone_number":"+4915100000000","bsuid":"DE.x"}`),
		refused("nothing", `{}`, "missing_required_field", "name"),
		refused("only what cannot be changed", `{"phone_number":"+4915100000000"}`, "missing_required_field", "name"),
		refused("empty name", `{"name":""}`, "invalid_field_value", "name"),
		refused("name of 201", `{"name":"`+strings.Repeat("x", 201)+`"}`, "invalid_field_value", "name"),
		refused("empty username", `{"username":""}`, "invalid_field_value", "username"),
		refused("username of 101", `{"username":"`+strings.Repeat("x", 101)+`"}`, "invalid_field_value", "username"),
		refused("bad address", `{"email":"x"}`, "invalid_field_value", "email"),
		refused("metadata list", `{"metadata":[1]}`, "invalid_field_value", "metadata"),
		refused("metadata over 16 KiB", `{"metadata":{"a":"`+strings.Repeat("x", 16<<10)+`"}}`, "invalid_field_value", "metadata"),
		refused("no such consent", `{"marketing_consent":"maybe"}`, "invalid_field_value", "marketing_consent"),
		refused("null consent", `{"marketing_consent":null}`, "invalid_field_value", "marketing_consent"),
		refused("first bad value", `{"metadata":1,"email":"x","username":""}`, "invalid_field_value", "username"),
		{Name: "a username that is taken", Given: all(given, func(t *testing.T, c *apitest.Case) {
			c.Make(t, "other", contacts, `{"bsuid":"DE.a1","username":"Bea"}`)
		}), Request: patch(`{"username":"bEA"}`), Code: "invalid_field_value", Param: "username"},
		{Name: "unknown", Given: connected, Request: apitest.Request{Method: http.MethodPatch, Path: contacts + "/" + noContact, Body: `{"name":"x"}`}, Code: "resource_not_found"},
		{Name: "foreign", Given: all(connected, foreignContact), Request: apitest.Request{Method: http.MethodPatch, Path: contacts + "/${foreign_contact}", Body: `{"name":"x"}`}, Code: "resource_not_found"},
		{Name: "of another number", Given: all(connected, siblingContact), Request: apitest.Request{Method: http.MethodPatch, Path: contacts + "/${sibling_contact}", Body: `{"name":"x"}`}, Code: "resource_not_found"},
	})
}

// withoutLine drops the fields of these names.
func withoutLine(fields string, names ...string) string {
	var kept []string
	for line := range strings.Lines(fields) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		if !slices.Contains(names, name) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestUpdatedAtOfContacts(t *testing.T) {
	apitest.EachCase(t, hasContact(`{"phone_number":"+4915112345678","name":"Ada"}`), func(t *testing.T, c *apitest.Case) {
		hasLabel(`{"name":"VIP"}`)(t, c)
		created := chat.FormatTime(c.Clock.Now())
		want := created
		for _, step := range []struct {
			name, method, path, body string
			moves                    bool
		}{
			{"the same name", "PATCH", "", `{"name":"Ada"}`, false},
			{"another name", "PATCH", "", `{"name":"Bea"}`, true},
			{"a label", "POST", "/labels", `{"label_id":"${label}"}`, true},
			{"the label again", "POST", "/labels", `{"label_id":"${label}"}`, false},
			{"off it goes", "DELETE", "/labels/${label}", "", true},
			{"and is not there", "DELETE", "/labels/${label}", "", false},
		} {
			if now := c.Clock.Advance(time.Second); step.moves {
				want = chat.FormatTime(now)
			}
			c.Call(t, apitest.Request{Method: step.method, Path: contacts + "/${contact}" + step.path, Body: step.body}).RequireStatus(t, http.StatusOK)
			var got struct {
				CreatedAt string `json:"created_at"`
				UpdatedAt string `json:"updated_at"`
			}
			c.Call(t, apitest.Request{Path: contacts + "/${contact}"}).Data(t, &got)
			if got.CreatedAt != created || got.UpdatedAt != want {
				t.Errorf("%s: got %+v, want %s", step.name, got, want)
			}
		}
	})
}

func TestDeleteContact(t *testing.T) {
	remove := func(id string) apitest.Request {
		return apitest.Request{Method: http.MethodDelete, Path: contacts + "/" + id}
	}
	const gone = `{"data":{"id":"${contact}","object":"contact","deleted":true},"request_id":"<req>"}`
	full := func(t *testing.T, c *apitest.Case) {
		hasContact(`{"phone_number":"+4915112345678"}`)(t, c)
		hasLabel(`{"name":"VIP"}`)(t, c)
		c.Make(t, "other", contacts, `{"phone_number":"+4915112345679"}`)
		for _, contact := range []string{"contact", "other"} {
			conversationWith(t, c, contact)
			fillConversation(t, c, contact)
		}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "without a conversation", Given: hasContact(`{"phone_number":"+4915112345678"}`), Request: remove("${contact}"), Status: http.StatusOK, Want: gone,
			Change: apitest.Changes{"contacts": "-1"}},
		{Name: "with all that belongs to it", Given: full, Request: remove("${contact}"), Status: http.StatusOK, Want: gone,
			Change: apitest.Changes{"contacts": "-1", "conversations": "-1", "contact_labels": "-1", "conversation_labels": "-1", "happenings": "-1",
				"messages": "-2", "send_jobs": "-1", "media_jobs": "-1", "held_events": "-1",
				"media": "-1", "removed_files": "+1"}}, // the sent file belongs to the library, and stays
		{Name: "with more messages than go in one transaction", Given: all(full, func(t *testing.T, c *apitest.Case) {
			for range 50 {
				fillConversation(t, c, "contact")
			}
		}), Request: remove("${contact}"), Status: http.StatusOK, Want: gone,
			Change: apitest.Changes{"contacts": "-1", "conversations": "-1", "contact_labels": "-1", "conversation_labels": "-1", "happenings": "-1",
				"messages": "-102", "send_jobs": "-51", "media_jobs": "-51", "held_events": "-51", "media": "-51", "removed_files": "+51"}},
		{Name: "unknown", Given: connected, Request: remove(noContact), Code: "resource_not_found"},
		{Name: "foreign", Given: all(connected, foreignContact), Request: remove("${foreign_contact}"), Code: "resource_not_found"},
		{Name: "of another number", Given: all(connected, siblingContact), Request: remove("${sibling_contact}"), Code: "resource_not_found"},
		{Name: "twice", Given: all(hasContact(`{"phone_number":"+4915112345678"}`), func(t *testing.T, c *apitest.Case) {
			c.Call(t, remove("${contact}")).RequireStatus(t, http.StatusOK)
		}), Request: remove("${contact}"), Code: "resource_not_found"},
	})
}

// conversationWith makes the conversation with a contact: ${contact_conversation} for ${contact}.
func conversationWith(t *testing.T, c *apitest.Case, contact string) chat.Conversation {
	conversation := c.NewConversation(t, accountOf(t, c), c.Get(contact), nil)
	c.Set(contact+"_conversation", conversation.ID)
	return conversation
}

// fillConversation adds labels, messages and their pending work.
func fillConversation(t *testing.T, c *apitest.Case, contact string) {
	c.Call(t, apitest.Request{Method: http.MethodPost, Path: contacts + "/${" + contact + "}/labels", Body: `{"label_id":"${label}"}`}).RequireStatus(t, http.StatusOK)
	c.Call(t, apitest.Request{Method: http.MethodPost, Path: "/v1/${number}/conversations/${" + contact + "_conversation}/labels", Body: `{"label_id":"${label}"}`}).RequireStatus(t, http.StatusOK)
	account := accountOf(t, c)
	c.InTx(t, func(tx *store.Tx) error {
		for _, direction := range []chat.Direction{chat.Inbound, chat.Outbound} {
			m := chat.Message{
				ID: tx.NewID(chat.KindMessage), OrgID: c.Org.ID, AccountID: account.ID, ConversationID: c.Get(contact + "_conversation"), ContactID: c.Get(contact),
				Direction: direction, Type: chat.TypeImage, Status: chat.StatusQueued, Source: chat.SourceAPI, Content: []byte("{}"), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}
			file, err := core.AddMedia(tx, account, map[chat.Direction]chat.MediaOrigin{chat.Inbound: chat.MediaInbound, chat.Outbound: chat.MediaLibrary}[direction],
				core.StoredFile{BlobKey: tx.NewID(chat.KindMedia), MimeType: "image/png"})
			if err != nil {
				return err
			}
			m.MediaID = file.ID
			if err := tx.InsertMessage(m); err != nil {
				return err
			}
			if direction == chat.Outbound {
				_, err := tx.InsertSendJob(store.SendJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ConversationID: m.ConversationID, DueAt: tx.Now()})
				return err
			}
			if err := tx.InsertMediaJob(store.MediaJob{OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, DueAt: tx.Now()}); err != nil {
				return err
			}
			if err := tx.InsertHeldEvent(m.OrgID, m.ID, []byte("{}"), tx.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestListContacts(t *testing.T) {
	given := func(t *testing.T, c *apitest.Case) {
		hasContact(`{"phone_number":"+4915112345678","bsuid":"DE.a1","username":"Ada.L","name":"Ada","email":"ada@example.com"}`)(t, c)
		c.Make(t, "bea", contacts, `{"phone_number":"+4915112345679","name":"Bea 100%"}`)
		hasLabel(`{"name":"VIP"}`)(t, c)
		c.Call(t, apitest.Request{Method: http.MethodPost, Path: contacts + "/${contact}/labels", Body: `{"label_id":"${label}"}`}).RequireStatus(t, http.StatusOK)
		siblingContact(t, c)
		foreignContact(t, c)
	}
	ada := contactFields(`id="${contact}"
		phone_number="+4915112345678"
		bsuid="DE.a1"
		username="Ada.L"
		name="Ada"
		email="ada@example.com"
		labels=[{"id":"${label}","name":"VIP","color":"gray"}]`)
	bea := contactFields("id=\"${bea}\"\nphone_number=\"+4915112345679\"\nname=\"Bea 100%\"")
	found := func(name, query string, want ...string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: apitest.Request{Path: contacts + "?" + query}, Status: http.StatusOK, Want: accountPage(want...)}
	}
	refused := func(name, query, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: apitest.Request{Path: contacts + "?" + query}, Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		found("all", "", bea, ada),
		found("number", "phone=4915112345678", ada),
		found("number with plus", "phone=%2B4915112345678", ada),
		found("number with a plus that was not escaped", "phone=+4915112345678", ada),
		found("number of another account", "phone=4915199999999"),
		{Name: "number in its other spelling", Given: hasContact(`{"phone_number":"+5215512345678"}`), Request: apitest.Request{Path: contacts + "?phone=525512345678"}, Status: http.StatusOK,
			Want: accountPage(contactFields("id=\"${contact}\"\nphone_number=\"+5215512345678\""))},
		found("BSUID", "bsuid=DE.a1", ada),
		found("BSUID in another case", "bsuid=DE.A1"),
		found("username", "username=aDA.l", ada),
		found("username with another sign", "username=ada_l"),
		found("search name", "search=aD", ada),
		found("search address", "search=EXAMPLE.com", ada),
		found("search number", "search=1234567", bea, ada),
		found("search username", "search=a.l", ada),
		found("search sign", "search=%25", bea),
		found("search nothing there", "search=nobody"),
		found("label", "label_id=${label}", ada),
		found("unknown label", "label_id="+noLabel),
		found("label and number", "label_id=${label}&phone=4915112345679"),
		found("label and search", "label_id=${label}&search=ada", ada),
		found("unknown parameters", "x=1&Search=nobody", bea, ada),
		refused("bad number", "phone=abc", "invalid_phone_number", "phone"),
		refused("empty number", "phone=", "invalid_phone_number", "phone"),
		refused("bad BSUID", "bsuid=x", "invalid_field_value", "bsuid"),
		refused("empty username", "username=", "invalid_field_value", "username"),
		refused("long username", "username="+strings.Repeat("x", 101), "invalid_field_value", "username"),
		refused("empty search", "search=", "invalid_field_value", "search"),
		refused("long search", "search="+strings.Repeat("x", 201), "invalid_field_value", "search"),
		refused("NUL in the search", "search=a%00", "invalid_field_value", "search"),
		refused("broken UTF-8", "search=%FF", "invalid_field_value", "search"),
		refused("bad label", "label_id=VIP", "invalid_field_value", "label_id"),
		refused("limit", "limit=0", "invalid_limit", "limit"),
		refused("cursor", "cursor=x", "invalid_cursor", "cursor"),
	})
}

func TestContactPagesAreBoundToTheirNumber(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		connectAs(t, c, "sibling_", chat.NewAccount{OrgID: c.Org.ID})
		account := accountOf(t, c)
		var want []string
		for i := range 5 {
			if i%2 == 0 {
				c.Clock.Advance(time.Millisecond)
			}
			want = append(want, c.NewContact(t, account, chat.NewContact{PhoneNumber: new(fmt.Sprint("491511234567", i))}).ID)
		}
		slices.Reverse(want)
		if got := idsOfPages(t, c, contacts, "limit=2", 3); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		var first labelPage
		c.Call(t, apitest.Request{Path: contacts + "?limit=2"}).Decode(t, &first)
		c.Call(t, apitest.Request{Path: "/v1/${sibling_number}/contacts?cursor=" + *first.NextCursor}).RequireFailure(t, "invalid_cursor", "cursor")
		c.Call(t, apitest.Request{Path: contacts + "?search=4&cursor=" + *first.NextCursor}).RequireFailure(t, "invalid_cursor", "cursor")
		c.Call(t, apitest.Request{Path: "/v1/${number}/conversations?cursor=" + *first.NextCursor}).RequireFailure(t, "invalid_cursor", "cursor")
	})
}
