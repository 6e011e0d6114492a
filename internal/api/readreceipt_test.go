package api_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
)

// readProvider refuses to mark some messages, by their id.
func readProvider(messageID string, _ bool) error {
	switch messageID {
	case "wamid.down":
		return &provider.Error{HTTPStatus: 503}
	case "wamid.lost":
		return &provider.Error{OutcomeUnknown: true}
	case "wamid.slow":
		return &provider.Error{HTTPStatus: 400, Code: 130429}
	case "wamid.old":
		return &provider.Error{HTTPStatus: 400, Code: 131009, Message: "Parameter value is not valid"}
	case "wamid.auth":
		return &provider.Error{HTTPStatus: 401, Code: 190, Message: "Error validating access token"}
	}
	return nil
}

// cameIn receives a message with this id; ${message} names it.
func cameIn(providerID string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		connected(t, c)
		m := received(t, c, provider.Message{ProviderID: providerID})
		c.Set("message", m.ID)
		c.Set("conversation", m.ConversationID)
	}
}

func readBody(fields string) apitest.Request {
	return post(`{"messaging_product":"chat","status":"read",` + fields + `}`)
}

// degraded is what the refusal of a number's token changes.
var degraded = apitest.Changes{"accounts": "~1", "account_history": "+1 -1"}

func TestMarkRead(t *testing.T) {
	const wantRead = `{"data":{"id":"${message}","object":"message","status":"read","message_id":"wamid.in"},"request_id":"<req>"}`
	markedRead := apitest.Changes{"messages": "~1", "conversations": "~1"}
	readAlready := all(cameIn("wamid.in"), func(t *testing.T, c *apitest.Case) {
		c.Call(t, readBody(`"message_id":"wamid.in"`)).RequireStatus(t, http.StatusOK)
	})
	refused := func(name, id, code string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: cameIn(id), Request: readBody(`"message_id":"` + id + `"`), Code: code}
	}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "a new message", Given: cameIn("wamid.in"), Request: readBody(`"message_id":"wamid.in"`), Status: http.StatusOK, Want: wantRead, Change: markedRead, Events: []string{}, Then: nothingUnread},
		{Name: "with a typing bubble", Given: cameIn("wamid.in"), Request: readBody(`"message_id":"wamid.in","typing_indicator":{"type":"text"}`), Status: http.StatusOK, Want: wantRead, Change: markedRead, Events: []string{}},
		{Name: "again", Given: readAlready, Request: readBody(`"message_id":"wamid.in"`), Status: http.StatusOK, Want: wantRead, Events: []string{}},
		{Name: "the first of several sets the count to zero", Given: all(cameIn("wamid.in"), func(t *testing.T, c *apitest.Case) {
			received(t, c, provider.Message{ProviderID: "wamid.next"})
		}), Request: readBody(`"message_id":"wamid.in"`), Status: http.StatusOK, Want: wantRead, Change: markedRead, Then: nothingUnread},
		{Name: "from a number that cannot send", Given: all(cameIn("wamid.in"), changeNumber(func(a *chat.Account) { a.Restriction = new(chat.RestrictAll) })), Request: readBody(`"message_id":"wamid.in"`), Status: http.StatusOK, Change: markedRead},
		{Name: "fields of a send are not looked at", Given: cameIn("wamid.in"), Request: post(`{"messaging_product":"chat","status":"read","message_id":"wamid.in","to":"bad","recipient":5,"recipient_type":"x","context":{}}`), Status: http.StatusOK,
			Want: wantRead, Change: markedRead, Events: []string{}},
		{Name: "with a key", Given: cameIn("wamid.in"), Request: under("k", "/v1/${number}/messages", `{"messaging_product":"chat","status":"read","message_id":"wamid.in"}`), Status: http.StatusOK,
			Want: wantRead, Header: fresh, Change: apitest.Changes{"messages": "~1", "conversations": "~1", "idempotency": "+1"}},
		{Name: "again with its key", Given: all(cameIn("wamid.in"), first(under("k", "/v1/${number}/messages", `{"messaging_product":"chat","status":"read","message_id":"wamid.in"}`))),
			Request: under("k", "/v1/${number}/messages", `{"status":"read","message_id":"wamid.in","messaging_product":"chat"}`), Status: http.StatusOK, Header: replayed, Then: sameBody},
		{Name: "from a number that is gone", Given: all(cameIn("wamid.in"), changeNumber(func(a *chat.Account) { a.Status = chat.AccountDisconnected })), Request: readBody(`"message_id":"wamid.in"`), Code: "upstream_error"},
		{Name: "from a number that is not approved", Given: all(cameIn("wamid.in"), changeNumber(func(a *chat.Account) { a.ProviderStatus = new("PENDING") })), Request: readBody(`"message_id":"wamid.in"`), Code: "whatsapp_number_not_verified"},

		{Name: "unknown", Given: connected, Request: readBody(`"message_id":"wamid.in"`), Code: "resource_not_found"},
		{Name: "our own id of it", Given: cameIn("wamid.in"), Request: readBody(`"message_id":"${message}"`), Code: "resource_not_found"},
		{Name: "one that we sent", Given: all(connected, sentAs("wamid.out")), Request: readBody(`"message_id":"wamid.out"`), Code: "resource_not_found"},
		{Name: "one to another number", Given: func(t *testing.T, c *apitest.Case) {
			cameIn("wamid.in")(t, c)
			connected(t, c)
		}, Request: readBody(`"message_id":"wamid.in"`), Code: "resource_not_found"},
		{Name: "from an unknown number", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/999999999999/messages", Body: `{"messaging_product":"chat","status":"read","message_id":"wamid.in"}`}, Code: "resource_not_found"},
		{Name: "no id", Given: connected, Request: post(`{"messaging_product":"chat","status":"read"}`), Code: missing, Param: "message_id"},
		{Name: "empty id", Given: connected, Request: readBody(`"message_id":""`), Code: bad, Param: "message_id"},
		{Name: "null id", Given: connected, Request: readBody(`"message_id":null`), Code: bad, Param: "message_id"},
		{Name: "another status", Given: connected, Request: post(`{"messaging_product":"chat","status":"delivered","message_id":"x"}`), Code: bad, Param: "status"},
		{Name: "missing before bad", Given: connected, Request: post(`{"messaging_product":"chat","status":"seen"}`), Code: missing, Param: "message_id"},
		{Name: "no product", Given: connected, Request: post(`{"status":"read","message_id":"x"}`), Code: missing, Param: "messaging_product"},
		{Name: "a typing bubble of another type", Given: connected, Request: readBody(`"message_id":"x","typing_indicator":{"type":"audio"}`), Code: bad, Param: "typing_indicator.type"},
		{Name: "a typing bubble without type", Given: connected, Request: readBody(`"message_id":"x","typing_indicator":{}`), Code: missing, Param: "typing_indicator.type"},
		{Name: "a typing bubble as a switch", Given: connected, Request: readBody(`"message_id":"x","typing_indicator":true`), Code: bad, Param: "typing_indicator"},

		refused("the provider is down", "wamid.down", "whatsapp_upstream_error"),
		refused("the provider does not answer", "wamid.lost", "whatsapp_upstream_error"),
		refused("the provider wants it slower", "wamid.slow", "whatsapp_upstream_error"),
		refused("the provider refuses", "wamid.old", upstream),
		{Name: "the token is lost", Given: cameIn("wamid.auth"), Request: readBody(`"message_id":"wamid.auth"`), Code: upstream, Change: degraded},
		{Name: "a failure of the provider's is not kept", Given: cameIn("wamid.down"), Request: under("k", "/v1/${number}/messages", `{"messaging_product":"chat","status":"read","message_id":"wamid.down"}`), Code: "whatsapp_upstream_error"},
	}, calling(t, &providertest.Client{OnMarkRead: readProvider}))
}

func nothingUnread(t *testing.T, c *apitest.Case, _ *apitest.Response) {
	conversation, err := c.Store.Read(t.Context()).Conversation(c.Org.ID, c.Get("account"), c.Get("conversation"))
	if err != nil || conversation.UnreadCount != 0 {
		t.Errorf("%d are unread, %v", conversation.UnreadCount, err)
	}
}

// The provider is asked once, with the number's token and the typing indicator of the request.
func TestMarkReadCallsTheProvider(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		client := &providertest.Client{}
		calling(t, client)(s.API)
		c := s.NewCase(t)
		cameIn("wamid.in")(t, c)
		c.Call(t, readBody(`"message_id":"wamid.in"`)).RequireStatus(t, http.StatusOK)
		c.Call(t, readBody(`"message_id":"wamid.in","typing_indicator":{"type":"text"}`)).RequireStatus(t, http.StatusOK)
		keyed := under("k", "/v1/${number}/messages", `{"messaging_product":"chat","status":"read","message_id":"wamid.in"}`)
		c.Call(t, keyed).RequireStatus(t, http.StatusOK)
		c.Call(t, keyed).RequireStatus(t, http.StatusOK)
		c.Call(t, readBody(`"message_id":"wamid.other"`)).RequireFailure(t, "resource_not_found", "")
		const plain = "read ${number} wamid.in typing=false token=opened sealed"
		want := []string{c.Expand(plain), c.Expand("read ${number} wamid.in typing=true token=opened sealed"), c.Expand(plain)}
		if got := client.Calls(); !slices.Equal(got, want) {
			t.Errorf("the provider was called with %q, want %q", got, want)
		}
	})
}
