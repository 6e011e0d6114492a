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
	"github.com/parleyhq/parley/internal/store"
)

const conversations = "/v1/${number}/conversations"

// hasConversation makes ${conversation} with ${contact} on ${number}, and ${user} in its team.
func hasConversation(t *testing.T, c *apitest.Case) {
	hasContact(`{"phone_number":"+4915112345678","name":"Ada"}`)(t, c)
	c.Set("conversation", conversationWith(t, c, "contact").ID)
	user := c.NewUser(t, c.Org.ID, c.Org.Team.ID, "Uma")
	c.Set("user", user.ID)
	c.Set("raw_user", strings.TrimPrefix(user.ID, "usr_"))
	c.Set("email", user.Email)
}

// assigned also gives the conversation to ${user}.
func assigned(t *testing.T, c *apitest.Case) {
	hasConversation(t, c)
	c.Call(t, patchConversation(`{"assigned_to":"${user}"}`)).RequireStatus(t, http.StatusOK)
}

// resolved also closes the conversation.
func resolved(t *testing.T, c *apitest.Case) {
	hasConversation(t, c)
	c.Call(t, patchConversation(`{"status":"resolved"}`)).RequireStatus(t, http.StatusOK)
}

func patchConversation(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPatch, Path: conversations + "/${conversation}", Body: body}
}

// conversationFields is a conversation as the API shows it. Fields that are not given are as a
// new conversation has them.
func conversationFields(fields string) string {
	return withFields(map[string]string{
		"id": `"${conversation}"`, "object": `"conversation"`, "status": `"open"`,
		"contact":      `{"id":"${contact}","phone_number":"+4915112345678","name":"Ada"}`,
		"chat_account": `{"phone_number":"${phone}","phone_number_id":"${number}","customer":null}`,
		"assignee":     "null", "labels": "[]", "unread_count": "0", "last_message_at": "null", "last_inbound_at": "null",
		"created_at": `"<now>"`, "updated_at": `"<now>"`,
	}, fields)
}

func conversationShown(fields string) string {
	return `{"data":` + conversationFields(fields) + `,"request_id":"<req>"}`
}

const uma = `assignee={"id":"${user}","name":"Uma","email":"${email}"}`

// assignedEvent tells of users by their ids, which it has without their prefix.
func assignedEvent(status, user, previous string) string {
	return `{"id":"<evt>","type":"conversation.assigned","created_at":"<now>","data":{"conversation":{"id":"${conversation}","object":"conversation","status":"` + status +
		`","phone_number_id":"${number}"},"assignee":{"user_id":` + user + `,"team_id":"${team}","previous_user_id":` + previous + `}}}`
}

const closedEvent = `{"id":"<evt>","type":"conversation.closed","created_at":"<now>","data":{"conversation":{"id":"${conversation}","object":"conversation","status":"resolved",` +
	`"closed_by_user_id":null,"phone_number_id":"${number}"}}}`

// strangers makes what must not be reached: ${foreign_conversation}, ${sibling_conversation}.
func strangers(t *testing.T, c *apitest.Case) {
	foreignContact(t, c)
	siblingContact(t, c)
	for _, whose := range []string{"foreign_", "sibling_"} {
		account, err := c.Store.Read(t.Context()).AccountForCallback(c.Get(whose + "number"))
		must(t, err)
		c.Set(whose+"conversation", c.NewConversation(t, account, c.Get(whose+"contact"), nil).ID)
	}
}

func TestGetConversation(t *testing.T) {
	get := func(id string) apitest.Request { return apitest.Request{Path: conversations + "/" + id} }
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "new", Given: hasConversation, Request: get("${conversation}"), Status: http.StatusOK, Want: conversationShown("")},
		{Name: "in use", Given: func(t *testing.T, c *apitest.Case) {
			assigned(t, c)
			c.InTx(t, func(tx *store.Tx) error {
				conversation, err := tx.Conversation(c.Org.ID, accountOf(t, c).ID, c.Get("conversation"))
				if err != nil {
					return err
				}
				conversation.UnreadCount, conversation.LastMessageAt, conversation.LastInboundAt = 2, new(time.UnixMilli(1_700_000_000_123)), new(time.UnixMilli(1_600_000_000_000))
				return tx.UpdateConversation(conversation)
			})
		}, Request: get("${conversation}"), Status: http.StatusOK,
			Want: conversationShown(uma + "\nunread_count=2\nlast_message_at=\"2023-11-14T22:13:20.123Z\"\nlast_inbound_at=\"2020-09-13T12:26:40.000Z\"")},
		{Name: "unknown", Given: connected, Request: get(noConversation), Code: "resource_not_found"},
		{Name: "foreign", Given: all(connected, strangers), Request: get("${foreign_conversation}"), Code: "resource_not_found"},
		{Name: "of another number", Given: all(connected, strangers), Request: get("${sibling_conversation}"), Code: "resource_not_found"},
		{Name: "malformed", Given: connected, Request: get("cnv_1"), Code: "invalid_field_value", Param: "id"},
	})
}

func TestUpdateConversation(t *testing.T) {
	changed := apitest.Changes{"conversations": "~1", "happenings": "+1"}
	twice := apitest.Changes{"conversations": "~1", "happenings": "+2"}
	refused := func(name, body, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: hasConversation, Request: patchConversation(body), Code: code, Param: param}
	}
	elsewhere := func(t *testing.T, c *apitest.Case) {
		hasConversation(t, c)
		secondTeam(t, c)
		c.Set("other_user", c.NewUser(t, c.Org.ID, c.Get("second"), "Otto").ID)
		org := c.Stranger(t)
		c.Set("foreign_user", c.NewUser(t, org.ID, org.Team.ID, "Fritz").ID)
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "assign", Given: hasConversation, Request: patchConversation(`{"assigned_to":"${user}"}`), Status: http.StatusOK, Change: changed,
			Want: conversationShown(uma), Events: []string{assignedEvent("open", `"${raw_user}"`, "null")}},
		{Name: "assign to whom an event named", Given: hasConversation, Request: patchConversation(`{"assigned_to":"${raw_user}"}`), Status: http.StatusOK, Change: changed,
			Want: conversationShown(uma), Events: []string{assignedEvent("open", `"${raw_user}"`, "null")}},
		{Name: "assign again", Given: assigned, Request: patchConversation(`{"assigned_to":"${user}","status":"open"}`), Status: http.StatusOK, Want: conversationShown(uma)},
		{Name: "let go", Given: assigned, Request: patchConversation(`{"assigned_to":null}`), Status: http.StatusOK, Change: changed,
			Want: conversationShown(""), Events: []string{assignedEvent("open", "null", `"${raw_user}"`)}},
		{Name: "let go of nothing", Given: hasConversation, Request: patchConversation(`{"assigned_to":null}`), Status: http.StatusOK, Want: conversationShown("")},
		{Name: "hand on", Given: func(t *testing.T, c *apitest.Case) {
			assigned(t, c)
			c.Set("first", c.Get("raw_user"))
			second := c.NewUser(t, c.Org.ID, c.Org.Team.ID, "Uma")
			c.Set("user", second.ID)
			c.Set("raw_user", strings.TrimPrefix(second.ID, "usr_"))
			c.Set("email", second.Email)
		}, Request: patchConversation(`{"assigned_to":"${user}"}`), Status: http.StatusOK, Change: changed,
			Want: conversationShown(uma), Events: []string{assignedEvent("open", `"${raw_user}"`, `"${first}"`)}},
		{Name: "resolve", Given: hasConversation, Request: patchConversation(`{"status":"resolved"}`), Status: http.StatusOK, Change: changed,
			Want: conversationShown(`status="resolved"`), Events: []string{closedEvent}},
		{Name: "resolve again", Given: resolved, Request: patchConversation(`{"status":"resolved"}`), Status: http.StatusOK, Want: conversationShown(`status="resolved"`)},
		{Name: "reopen", Given: resolved, Request: patchConversation(`{"status":"open"}`), Status: http.StatusOK, Change: changed, Want: conversationShown("")},
		{Name: "pending", Given: hasConversation, Request: patchConversation(`{"status":"pending"}`), Status: http.StatusOK, Change: apitest.Changes{"conversations": "~1"}, Want: conversationShown(`status="pending"`)},
		{Name: "assign and resolve", Given: hasConversation, Request: patchConversation(`{"status":"resolved","assigned_to":"${user}"}`), Status: http.StatusOK, Change: twice,
			Want: conversationShown(uma + "\nstatus=\"resolved\""), Events: []string{assignedEvent("resolved", `"${raw_user}"`, "null"), closedEvent}},
		refused("nothing", `{}`, "missing_required_field", "status"),
		refused("nothing known", `{"unread_count":0}`, "missing_required_field", "status"),
		refused("another status", `{"status":"closed"}`, "invalid_field_value", "status"),
		refused("null status", `{"status":null}`, "invalid_field_value", "status"),
		refused("malformed user", `{"assigned_to":"uma"}`, "invalid_field_value", "assigned_to"),
		refused("empty user", `{"assigned_to":""}`, "invalid_field_value", "assigned_to"),
		refused("unknown user", `{"assigned_to":"usr_00000000000000000000000000"}`, "invalid_field_value", "assigned_to"),
		refused("unknown user, and a status", `{"assigned_to":"usr_00000000000000000000000000","status":"resolved"}`, "invalid_field_value", "assigned_to"),
		{Name: "user of another team", Given: elsewhere, Request: patchConversation(`{"assigned_to":"${other_user}"}`), Code: "invalid_field_value", Param: "assigned_to"},
		{Name: "foreign user", Given: elsewhere, Request: patchConversation(`{"assigned_to":"${foreign_user}"}`), Code: "invalid_field_value", Param: "assigned_to"},
		{Name: "unknown", Given: connected, Request: apitest.Request{Method: http.MethodPatch, Path: conversations + "/" + noConversation, Body: `{"status":"open"}`}, Code: "resource_not_found"},
		{Name: "foreign", Given: all(connected, strangers), Request: apitest.Request{Method: http.MethodPatch, Path: conversations + "/${foreign_conversation}", Body: `{"status":"pending"}`}, Code: "resource_not_found"},
		{Name: "of another number", Given: all(connected, strangers), Request: apitest.Request{Method: http.MethodPatch, Path: conversations + "/${sibling_conversation}", Body: `{"status":"pending"}`}, Code: "resource_not_found"},
	})
}

func TestLabelConversation(t *testing.T) {
	given := all(hasConversation, hasLabel(`{"name":"VIP","color":"sky"}`))
	attach := func(conversation, body string) apitest.Request {
		return apitest.Request{Method: http.MethodPost, Path: conversations + "/" + conversation + "/labels", Body: body}
	}
	detach := func(conversation, label string) apitest.Request {
		return apitest.Request{Method: http.MethodDelete, Path: conversations + "/" + conversation + "/labels/" + label}
	}
	vip := attach("${conversation}", `{"label_id":"${label}"}`)
	labelled := all(given, func(t *testing.T, c *apitest.Case) { c.Call(t, vip).RequireStatus(t, http.StatusOK) })
	const attached = `{"data":{"conversation_id":"${conversation}","label_id":"${label}","attached":true},"request_id":"<req>"}`
	const detached = `{"data":{"conversation_id":"${conversation}","label_id":"${label}","attached":false},"request_id":"<req>"}`
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "attach", Given: given, Request: vip, Status: http.StatusOK, Want: attached, Change: apitest.Changes{"conversation_labels": "+1", "happenings": "+1"}},
		{Name: "attach again", Given: labelled, Request: vip, Status: http.StatusOK, Want: attached},
		{Name: "shown", Given: labelled, Request: apitest.Request{Path: conversations + "/${conversation}"}, Status: http.StatusOK,
			Want: conversationShown(`labels=[{"id":"${label}","name":"VIP","color":"sky"}]`)},
		{Name: "detach", Given: labelled, Request: detach("${conversation}", "${label}"), Status: http.StatusOK, Want: detached, Change: apitest.Changes{"conversation_labels": "-1", "happenings": "+1"}},
		{Name: "detach what is not attached", Given: given, Request: detach("${conversation}", "${label}"), Status: http.StatusOK, Want: detached},
		{Name: "no label", Given: given, Request: attach("${conversation}", `{}`), Code: "missing_required_field", Param: "label_id"},
		{Name: "malformed label", Given: given, Request: attach("${conversation}", `{"label_id":"lbl_1"}`), Code: "invalid_field_value", Param: "label_id"},
		{Name: "unknown label", Given: given, Request: attach("${conversation}", `{"label_id":"`+noLabel+`"}`), Code: "resource_not_found"},
		{Name: "detach an unknown label", Given: given, Request: detach("${conversation}", noLabel), Code: "resource_not_found"},
		{Name: "foreign label", Given: all(given, foreign), Request: attach("${conversation}", `{"label_id":"${foreign_label}"}`), Code: "resource_not_found"},
		{Name: "another team's label", Given: all(given, otherTeam), Request: attach("${conversation}", `{"label_id":"${other_label}"}`), Code: "invalid_field_value", Param: "label_id"},
		{Name: "unknown conversation", Given: given, Request: attach(noConversation, `{"label_id":"${label}"}`), Code: "resource_not_found"},
		{Name: "foreign conversation", Given: all(given, strangers), Request: attach("${foreign_conversation}", `{"label_id":"${label}"}`), Code: "resource_not_found"},
		{Name: "another number's conversation", Given: all(given, strangers), Request: detach("${sibling_conversation}", "${label}"), Code: "resource_not_found"},
	})
}

func TestListConversations(t *testing.T) {
	// Of two conversations the first, ${conversation}, is assigned and labelled; ${quiet} is resolved.
	given := func(t *testing.T, c *apitest.Case) {
		assigned(t, c)
		hasLabel(`{"name":"VIP"}`)(t, c)
		c.Call(t, apitest.Request{Method: http.MethodPost, Path: conversations + "/${conversation}/labels", Body: `{"label_id":"${label}"}`}).RequireStatus(t, http.StatusOK)
		c.Make(t, "second", contacts, `{"bsuid":"DE.a1"}`)
		c.Set("quiet", conversationWith(t, c, "second").ID)
		c.Call(t, apitest.Request{Method: http.MethodPatch, Path: conversations + "/${quiet}", Body: `{"status":"resolved"}`}).RequireStatus(t, http.StatusOK)
		strangers(t, c)
		now := c.Clock.Now()
		c.Set("before", chat.FormatTime(now.Add(-time.Millisecond)))
		c.Set("now", chat.FormatTime(now))
		c.Set("before_there", now.Add(-time.Millisecond).In(time.FixedZone("", 7200)).Format(time.RFC3339Nano))
	}
	first := conversationFields(uma + "\n" + `labels=[{"id":"${label}","name":"VIP","color":"gray"}]`)
	second := conversationFields("id=\"${quiet}\"\nstatus=\"resolved\"\n" + `contact={"id":"${second}","phone_number":null,"name":null}`)
	found := func(name, query string, want ...string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: apitest.Request{Path: conversations + "?" + query}, Status: http.StatusOK, Want: accountPage(want...)}
	}
	refused := func(name, query, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: given, Request: apitest.Request{Path: conversations + "?" + query}, Code: code, Param: param}
	}
	apitest.RunEach(t, []apitest.Scenario{
		found("all", "", second, first),
		found("open", "status=open", first),
		found("resolved", "status=resolved", second),
		found("pending", "status=pending"),
		found("with a contact", "contact_id=${second}", second),
		found("with a contact, another status", "contact_id=${second}&status=open"),
		found("with an unknown contact", "contact_id="+noContact),
		found("with another number's contact", "contact_id=${sibling_contact}"),
		found("assigned", "assigned_to=${user}", first),
		found("assigned, by the id of events", "assigned_to=${raw_user}", first),
		found("assigned, another status", "assigned_to=${user}&status=resolved"),
		found("assigned to nobody known", "assigned_to=usr_00000000000000000000000000"),
		found("labelled", "label_id=${label}", first),
		found("labelled and assigned", "label_id=${label}&assigned_to=${user}&status=open", first),
		found("unknown label", "label_id="+noLabel),
		found("updated since just before", "updated_since=${before}", second, first),
		found("updated since just before, elsewhere", "updated_since=${before_there}", second, first),
		found("updated since then", "updated_since=${now}"),
		found("updated and labelled", "updated_since=${before}&label_id=${label}", first),
		refused("another status", "status=closed", "invalid_field_value", "status"),
		refused("malformed contact", "contact_id=x", "invalid_field_value", "contact_id"),
		refused("not an instant", "updated_since=yesterday", "invalid_field_value", "updated_since"),
		refused("a date", "updated_since=2026-03-01", "invalid_field_value", "updated_since"),
		refused("malformed label", "label_id=x", "invalid_field_value", "label_id"),
		refused("malformed user", "assigned_to=x", "invalid_field_value", "assigned_to"),
		refused("limit", "limit=101", "invalid_limit", "limit"),
		refused("cursor", "cursor=x", "invalid_cursor", "cursor"),
	})
}

// manyConversations makes conversations of which some share the instant of their last message and
// some have none, and returns their ids in the order of the list.
func manyConversations(t *testing.T, c *apitest.Case) []string {
	connected(t, c)
	account := accountOf(t, c)
	start := c.Clock.Now()
	var some, none []string
	for i := range 9 {
		contact := c.NewContact(t, account, chat.NewContact{PhoneNumber: new(fmt.Sprint("491511234567", i))})
		if i%3 == 2 {
			none = append(none, c.NewConversation(t, account, contact.ID, nil).ID)
			continue
		}
		some = append(some, c.NewConversation(t, account, contact.ID, new(start.Add(time.Duration(i/3)*time.Millisecond))).ID)
	}
	slices.Reverse(some)
	slices.Reverse(none)
	return append(some, none...)
}

func TestConversationOrder(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		want := manyConversations(t, c)
		for size, pages := range map[int]int{1: 9, 2: 5, 4: 3, 9: 1} {
			if got := idsOfPages(t, c, conversations, fmt.Sprint("limit=", size), pages); !slices.Equal(got, want) {
				t.Errorf("by %d: got %v, want %v", size, got, want)
			}
		}
		since := chat.FormatTime(c.Clock.Now())
		var updated []string
		for _, id := range []string{want[8], want[0], want[4]} {
			c.Clock.Advance(time.Millisecond)
			c.Call(t, apitest.Request{Method: http.MethodPatch, Path: conversations + "/" + id, Body: `{"status":"pending"}`}).RequireStatus(t, http.StatusOK)
			updated = append([]string{id}, updated...)
		}
		if got := idsOfPages(t, c, conversations, "limit=2&updated_since="+since, 2); !slices.Equal(got, updated) {
			t.Errorf("updated: got %v, want %v", got, updated)
		}
		if got := idsOfPages(t, c, conversations, "limit=2&status=pending", 2); !slices.Equal(got, []string{want[0], want[4], want[8]}) {
			t.Errorf("pending: got %v", got)
		}
	})
}

func TestConversationsETag(t *testing.T) {
	apitest.EachCase(t, hasConversation, func(t *testing.T, c *apitest.Case) {
		hasLabel(`{"name":"VIP"}`)(t, c)
		list := func(tag string) *apitest.Response {
			request := apitest.Request{Path: conversations}
			if tag != "" {
				request.Header = http.Header{"If-None-Match": {tag}}
			}
			return c.Call(t, request)
		}
		tag := list("").RequireStatus(t, http.StatusOK).Header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) {
			t.Fatalf("the tag is %q", tag)
		}
		for _, change := range []struct {
			name    string
			request apitest.Request
		}{
			{"a patch", patchConversation(`{"status":"pending"}`)},
			{"a label", apitest.Request{Method: http.MethodPost, Path: conversations + "/${conversation}/labels", Body: `{"label_id":"${label}"}`}},
			{"the label's color", apitest.Request{Method: http.MethodPatch, Path: "/v1/labels/${label}", Body: `{"color":"red"}`}},
			{"the contact's name", apitest.Request{Method: http.MethodPatch, Path: contacts + "/${contact}", Body: `{"name":"Bea"}`}},
			{"the contact's end", apitest.Request{Method: http.MethodDelete, Path: contacts + "/${contact}"}},
		} {
			same := list(tag).RequireStatus(t, http.StatusNotModified)
			if same.Header.Get("ETag") != tag || len(same.Body) > 0 {
				t.Errorf("304 with tag %q and body %q", same.Header.Get("ETag"), same.Body)
			}
			c.Call(t, change.request).RequireStatus(t, http.StatusOK)
			next := list(tag).RequireStatus(t, http.StatusOK).Header.Get("ETag")
			if next == tag {
				t.Errorf("%s does not change the tag", change.name)
			}
			tag = next
		}
	})
}
