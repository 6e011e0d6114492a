package api_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// knowsAda has written to Ada before.
func knowsAda(t *testing.T, c *apitest.Case) {
	connected(t, c)
	var made struct {
		ID             string
		ConversationID string `json:"conversation_id"`
	}
	c.Call(t, post(content("text", `{"body":"first"}`))).RequireStatus(t, http.StatusOK).Data(t, &made)
	c.Set("conversation", made.ConversationID)
	c.Set("first", made.ID)
}

func TestSend(t *testing.T) {
	const ada = `"to":"+15550001111","id":"<msg>","conversation_id":"<cnv>",`
	const again = `"to":"+15550001111","id":"<msg>","conversation_id":"${conversation}",`
	another := apitest.Changes{"messages": "+1", "send_jobs": "+1"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "to a new person", Given: connected, Request: post(content("text", `{"body":"Hello"}`)), Status: http.StatusOK,
			Want:   messageWith(ada + `"type":"text","text":{"body":"Hello"}`),
			Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)}},
		{Name: "to a known person", Given: knowsAda, Request: post(content("text", `{"body":"Hello","preview_url":false}`)), Status: http.StatusOK,
			Want: messageWith(again + `"type":"text","text":{"body":"Hello","preview_url":false}`), Change: another, Events: []string{}},
		{Name: "the number without +", Given: knowsAda, Request: post(`{"messaging_product":"chat","to":"15550001111","type":"text","text":{"body":"x"}}`), Status: http.StatusOK,
			Want: messageWith(again + `"type":"text","text":{"body":"x"}`), Change: another, Events: []string{}},
		{Name: "all fields", Given: connected, Request: post(toAda(`"recipient_type":"individual","context":{"message_id":"wamid.Q"},"type":"text","text":{"body":"x"},"status":"read","message_id":"wamid.A","typing_indicator":{"type":"text"},"extra":[1]`)), Status: http.StatusOK,
			Want: messageWith(ada + `"type":"text","text":{"body":"x"},"context":{"message_id":"wamid.Q"}`), Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)}},
		{Name: "to a BSUID", Given: connected, Request: post(`{"messaging_product":"chat","recipient":"DE.abc123","type":"text","text":{"body":"x"}}`), Status: http.StatusOK,
			Want: `{"data":{"object":"message","direction":"outbound","from":"${phone}","to":null,"bsuid":"DE.abc123","parent_bsuid":null,"username":null,"id":"<msg>","conversation_id":"<cnv>",
				"status":"queued","source":"api","is_revoked":false,"created_at":"<now>","updated_at":"<now>","type":"text","text":{"body":"x"}},"request_id":"<req>"}`,
			Change: firstMessage, Events: []string{newContactEvent(`null`)}},
		{Name: "to a parent BSUID", Given: connected, Request: post(`{"messaging_product":"chat","recipient":"DE.ENT.abc123","type":"text","text":{"body":"x"}}`), Status: http.StatusOK,
			Want: `{"data":{"object":"message","direction":"outbound","from":"${phone}","to":null,"bsuid":null,"parent_bsuid":"DE.ENT.abc123","username":null,"id":"<msg>","conversation_id":"<cnv>",
				"status":"queued","source":"api","is_revoked":false,"created_at":"<now>","updated_at":"<now>","type":"text","text":{"body":"x"}},"request_id":"<req>"}`,
			Change: firstMessage, Events: []string{newContactEvent(`null`)}},
		{Name: "a BSUID that belongs to a contact with a number", Given: func(t *testing.T, c *apitest.Case) {
			connected(t, c)
			c.NewContact(t, accountOf(t, c), chat.NewContact{PhoneNumber: new("+15550001111"), BSUID: new("DE.abc123"), Username: new("ada")})
		}, Request: post(`{"messaging_product":"chat","recipient":"DE.abc123","type":"text","text":{"body":"x"}}`), Status: http.StatusOK,
			Want: `{"data":{"object":"message","direction":"outbound","from":"${phone}","to":"+15550001111","bsuid":"DE.abc123","parent_bsuid":null,"username":"ada","id":"<msg>","conversation_id":"<cnv>",
				"status":"queued","source":"api","is_revoked":false,"created_at":"<now>","updated_at":"<now>","type":"text","text":{"body":"x"}},"request_id":"<req>"}`,
			Change: apitest.Changes{"messages": "+1", "conversations": "+1", "send_jobs": "+1"}, Events: []string{}},
		{Name: "to wins over recipient", Given: connected, Request: post(toAda(`"recipient":"DE.abc123","type":"text","text":{"body":"x"}`)), Status: http.StatusOK,
			Want: messageWith(ada + `"type":"text","text":{"body":"x"}`), Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)}},
		{Name: "fields of a read receipt are not looked at", Given: connected, Request: post(toAda(`"recipient":"","type":"text","text":{"body":"x"},"status":"x","message_id":"","typing_indicator":5`)), Status: http.StatusOK,
			Want: messageWith(ada + `"type":"text","text":{"body":"x"}`), Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)}},
		{Name: "a program names no conversation", Given: knowsAda, Request: post(`{"messaging_product":"chat","recipient":"cnv_01J0000000000000000000000A","type":"text","text":{"body":"x"}}`), Code: bad, Param: "recipient"},
		{Name: "objects of other types are not looked at", Given: connected, Request: post(toAda(`"type":"text","text":{"body":"x"},"image":{"link":5,"caption":null},"template":"no","interactive":[],"reaction":{},"audio":null`)), Status: http.StatusOK,
			Want: messageWith(ada + `"type":"text","text":{"body":"x"}`), Change: firstMessage, Events: []string{newContactEvent(`"+15550001111"`)}},
		{Name: "to a resolved conversation, which stays resolved", Given: all(knowsAda, closed), Request: post(content("text", `{"body":"x"}`)), Status: http.StatusOK,
			Change: another, Events: []string{}, Then: func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
				var got struct {
					Status string
					Unread int `json:"unread_count"`
				}
				c.Call(t, apitest.Request{Path: "/v1/${number}/conversations/${conversation}"}).RequireStatus(t, http.StatusOK).Data(t, &got)
				if got.Status != "resolved" || got.Unread != 0 {
					t.Errorf("the conversation is %+v", got)
				}
			}},
		{Name: "from an unknown number", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/999999999999/messages", Body: content("text", `{"body":"x"}`)}, Code: "resource_not_found"},
		{Name: "from another organization's number", Given: func(t *testing.T, c *apitest.Case) {
			c.Set("number", *c.NewAccount(t, c.Stranger(t)).PhoneNumberID)
		}, Request: post(content("text", `{"body":"x"}`)), Code: "resource_not_found"},
		{Name: "from something that is no number", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/12345/messages", Body: content("text", `{"body":"x"}`)}, Code: "invalid_field_value", Param: "phone_number_id"},
	})
}

func closed(t *testing.T, c *apitest.Case) {
	c.Call(t, patchConversation(`{"status":"resolved"}`)).RequireStatus(t, http.StatusOK)
}

// The sender is handed each committed message once, with all it needs.
func TestSendIsHandedOn(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		queue := make(chan store.SendWork, 10)
		s.Store.HandTo(func(h *store.Hands) {
			h.Node, h.Send = func() string { return "node_test" }, func(_ chat.Account, w store.SendWork) { queue <- w }
		})
		c := s.NewCase(t)
		connected(t, c)
		c.NewContact(t, accountOf(t, c), chat.NewContact{PhoneNumber: new("+15550001111"), BSUID: new("DE.abc123"), Name: new("Ada")})
		var made struct {
			ID           string
			Conversation string `json:"conversation_id"`
		}
		keyed := under("k", "/v1/${number}/messages", toAda(`"context":{"message_id":"wamid.Q"},"type":"text","text":{"body":"x"}`))
		c.Call(t, keyed).RequireStatus(t, http.StatusOK).Data(t, &made)
		c.Call(t, keyed).RequireStatus(t, http.StatusOK)
		c.Call(t, post(content("text", `{}`))).RequireFailure(t, "missing_required_field", "text.body")
		account := accountOf(t, c)
		want := store.SendWork{
			Job: store.SendJob{OrgID: c.Org.ID, MessageID: made.ID, AccountID: account.ID, ConversationID: made.Conversation, DueAt: s.Clock.Now(), Owner: "node_test"},
			Message: chat.Message{
				ID: made.ID, OrgID: c.Org.ID, AccountID: account.ID, ConversationID: made.Conversation, Direction: chat.Outbound, Type: chat.TypeText,
				Status: chat.StatusQueued, Source: chat.SourceAPI, Content: json.RawMessage(`{"body":"x"}`), Context: "wamid.Q", CreatedAt: s.Clock.Now(), UpdatedAt: s.Clock.Now(),
			},
			To: new("+15550001111"), BSUID: new("DE.abc123"), Name: new("Ada"), ConversationStatus: chat.ConversationOpen,
		}
		if len(queue) != 1 {
			t.Fatalf("%d jobs were handed on", len(queue))
		}
		got := <-queue
		want.Message.ContactID = got.Message.ContactID
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("another job (-want +got):\n%s", d)
		}
		stored, err := s.Store.Read(t.Context()).SendWork(got.Job)
		must(t, err)
		if d := cmp.Diff(stored, got); d != "" {
			t.Errorf("the table has it otherwise (-stored +handed on):\n%s", d)
		}
	})
}

// A message moves its conversation to the top of the inbox.
func TestSendMovesTheConversation(t *testing.T) {
	apitest.EachCase(t, knowsAda, func(t *testing.T, c *apitest.Case) {
		now := c.Clock.Advance(90 * time.Second)
		c.Call(t, post(content("text", `{"body":"x"}`))).RequireStatus(t, http.StatusOK)
		conversation, err := c.Store.Read(t.Context()).Conversation(c.Org.ID, c.Get("account"), c.Get("conversation"))
		must(t, err)
		if conversation.LastMessageAt == nil || !conversation.LastMessageAt.Equal(now) || !conversation.UpdatedAt.Equal(now) ||
			conversation.LastInboundAt != nil || conversation.UnreadCount != 0 {
			t.Errorf("got %+v", conversation)
		}
	})
}

// Simultaneous sends get by with the existing connections.
func TestSendsTogether(t *testing.T) {
	const n = 40
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		request := c.Expanded(post(content("text", `{"body":"x"}`)))
		keyed := c.Expanded(under("k", "/v1/${number}/messages", content("text", `{"body":"y"}`)))
		var group sync.WaitGroup
		for i := range n {
			group.Go(func() {
				r := request
				if i%2 == 0 {
					r = keyed
				}
				if got := c.Do(t, r); got.Status != http.StatusOK && got.Failure(t).Code != "idempotency_in_progress" {
					t.Errorf("got %d %s", got.Status, got.Body)
				}
			})
		}
		group.Wait()
		for table, want := range map[string]int{"messages": n/2 + 1, "contacts": 1, "conversations": 1, "events": 1} {
			if got := c.Count(t, table, c.Org.ID); got != want {
				t.Errorf("%d rows in %s, want %d", got, table, want)
			}
		}
	})
}
