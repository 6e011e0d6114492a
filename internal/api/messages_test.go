package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const noMessage = "msg_00000000000000000000000000"

// reported applies a status of the message that the provider knows under the id.
func reported(t *testing.T, c *apitest.Case, providerID, status string, errs ...*provider.Error) {
	t.Helper()
	c.InTx(t, func(tx *store.Tx) error {
		return applier().Apply(tx, provider.StatusUpdate{
			Origin: provider.Origin{PhoneNumberID: c.Get("number")}, ProviderID: providerID, Status: status,
			Timestamp: c.Clock.Now().Truncate(time.Second), Errors: errs, Raw: provider.Raw{Item: json.RawMessage(`{}`)},
		})
	})
}

// someMessages are an hour of messages, by name: in1 and out1 with Ada, then in2 and out2 with
// Bob, a minute apart, and late, which came last and is older than all.
func someMessages(t *testing.T, c *apitest.Case) map[string]string {
	t.Helper()
	connected(t, c)
	ids := map[string]string{}
	begin := c.Clock.Now()
	next := func(name string, make func()) {
		c.Clock.Advance(time.Minute)
		make()
		ids[name] = c.Get(name)
	}
	send := func(name, to string) {
		var made struct {
			ID           string
			Conversation string `json:"conversation_id"`
		}
		c.Call(t, post(`{"messaging_product":"chat","to":"`+to+`","type":"text","text":{"body":"x"}}`)).RequireStatus(t, http.StatusOK).Data(t, &made)
		c.Set(name, made.ID)
		c.Set("with_"+name, made.Conversation)
	}
	receive := func(name, from string, m provider.Message) {
		m.ProviderID, m.Contact.Phone = "wamid."+name, from
		c.Set(name, received(t, c, m).ID)
	}
	next("in1", func() { receive("in1", "+15550001111", provider.Message{}) })
	next("out1", func() { send("out1", "+15550001111") })
	next("in2", func() {
		receive("in2", "+15550002222", provider.Message{Type: chat.TypeLocation, Content: json.RawMessage(`{"latitude":48.13,"longitude":11.57}`)})
	})
	next("out2", func() { send("out2", "+15550002222") })
	next("late", func() { receive("late", "+15550001111", provider.Message{Timestamp: begin.Add(-time.Hour)}) })
	c.InTx(t, func(tx *store.Tx) error {
		_, err := tx.MarkSent(c.Org.ID, store.SentMessage{ID: ids["out1"], ProviderID: "wamid.out1"})
		return err
	})
	return ids
}

func TestListMessages(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		c := s.NewCase(t)
		begin := s.Clock.Now()
		ids := someMessages(t, c)
		c.Set("other", *s.NewAccount(t, c.Org).PhoneNumberID)
		at := func(d time.Duration, layout string) string { return url.QueryEscape(begin.Add(d).Format(layout)) }
		const precise = time.RFC3339Nano
		east := func(d time.Duration) string {
			return url.QueryEscape(begin.Add(d).In(time.FixedZone("", 5*3600+1800)).Format(precise))
		}
		for query, want := range map[string]string{
			"":                                        "out2 in2 out1 in1 late",
			"unknown=1":                               "out2 in2 out1 in1 late",
			"direction=inbound":                       "in2 in1 late",
			"direction=outbound":                      "out2 out1",
			"status=queued":                           "out2",
			"status=sent":                             "out1",
			"status=delivered":                        "in2 in1 late",
			"status=failed":                           "",
			"type=text":                               "out2 out1 in1 late",
			"type=location":                           "in2",
			"type=unsupported":                        "",
			"conversation_id=${with_out1}":            "out1 in1 late",
			"conversation_id=${with_out2}":            "out2 in2",
			"conversation_id=" + noConversation:       "",
			"conversation_id=${with_out2}&type=text":  "out2",
			"message_id=wamid.out1":                   "out1",
			"message_id=wamid.out1&direction=inbound": "",
			"message_id=wamid.nobody":                 "",
			"direction=inbound&type=text&status=delivered&conversation_id=${with_out1}":                   "in1 late",
			"created_after=" + at(2*time.Minute, precise):                                                 "out2 in2",
			"created_after=" + at(2*time.Minute-time.Millisecond, precise):                                "out2 in2 out1",
			"created_after=" + at(2*time.Minute-time.Microsecond, precise):                                "out2 in2 out1",
			"created_after=" + at(2*time.Minute+time.Microsecond, precise):                                "out2 in2",
			"created_after=" + at(2*time.Minute, time.RFC3339):                                            "out2 in2 out1", // cut to the second: earlier
			"created_after=" + east(2*time.Minute):                                                        "out2 in2",
			"created_before=" + at(2*time.Minute, precise):                                                "in1 late",
			"created_before=" + at(2*time.Minute+time.Millisecond, precise):                               "out1 in1 late",
			"created_before=" + at(2*time.Minute+time.Microsecond, precise):                               "out1 in1 late",
			"created_before=" + at(2*time.Minute-time.Microsecond, precise):                               "in1 late",
			"created_before=" + east(2*time.Minute):                                                       "in1 late",
			"created_after=" + at(time.Minute, precise) + "&created_before=" + at(4*time.Minute, precise): "in2 out1",
			"created_after=" + at(4*time.Minute, precise) + "&created_before=" + at(time.Minute, precise): "",
			"created_after=1960-01-01T00:00:00Z":                                                          "out2 in2 out1 in1 late",
			"created_before=1960-01-01T00:00:00Z":                                                         "",
			"created_before=9999-12-31T23:59:59Z":                                                         "out2 in2 out1 in1 late",
			"created_after=9999-12-31T23:59:59Z":                                                          "",
		} {
			var wanted []string
			for name := range strings.FieldsSeq(want) {
				wanted = append(wanted, ids[name])
			}
			pages := max(1, (len(wanted)+1)/2)
			if got := idsOfPages(t, c, "/v1/${number}/messages", strings.Trim(query+"&limit=2", "&"), pages); !slices.Equal(got, wanted) {
				t.Errorf("?%s: got %v, want %s", c.Expand(query), got, want)
			}
		}
		if got := idsOfPages(t, c, "/v1/${other}/messages", "", 1); len(got) != 0 {
			t.Errorf("another number has %v", got)
		}
	})
}

func TestListMessagesRules(t *testing.T) {
	list := func(query string) apitest.Request {
		return apitest.Request{Path: "/v1/${number}/messages?" + query}
	}
	var scenarios []apitest.Scenario
	for query, param := range map[string]string{
		"direction=in": "direction", "direction=": "direction", "status=played": "status", "status=QUEUED": "status", "type=sticker": "type", "type=": "type",
		"conversation_id=x": "conversation_id", "conversation_id=": "conversation_id", "conversation_id=ctc_00000000000000000000000000": "conversation_id",
		"created_after=yesterday": "created_after", "created_after=2026-03-01": "created_after", "created_after=1772366400": "created_after", "created_after=": "created_after",
		"created_before=2026-03-01T12:00:00": "created_before", "created_before=2026-02-30T12:00:00Z": "created_before",
	} {
		scenarios = append(scenarios, apitest.Scenario{Name: query, Given: connected, Request: list(query), Code: bad, Param: param})
	}
	apitest.RunEach(t, append(scenarios,
		apitest.Scenario{Name: "limit too large", Given: connected, Request: list("limit=101"), Code: "invalid_limit", Param: "limit"},
		apitest.Scenario{Name: "no cursor of ours", Given: connected, Request: list("cursor=x"), Code: "invalid_cursor", Param: "cursor"},
		apitest.Scenario{Name: "a cursor of other filters", Given: cursorOf("direction=outbound"), Request: list("cursor=${cursor}"), Code: "invalid_cursor", Param: "cursor"},
		apitest.Scenario{Name: "a cursor of another number", Given: all(cursorOf(""), connected), Request: list("cursor=${cursor}&limit=1"), Code: "invalid_cursor", Param: "cursor"},
		apitest.Scenario{Name: "no messages", Given: connected, Request: list(""), Status: http.StatusOK, Want: emptyPage},
		apitest.Scenario{Name: "unknown number", Request: apitest.Request{Path: "/v1/999999999999/messages"}, Code: "resource_not_found"},
		apitest.Scenario{Name: "foreign number", Given: foreignNumber, Request: apitest.Request{Path: "/v1/${foreign_number}/messages"}, Code: "resource_not_found"},
	))
}

// cursorOf sends two messages and sets ${cursor} to the end of the list's first page.
func cursorOf(query string) func(*testing.T, *apitest.Case) {
	return func(t *testing.T, c *apitest.Case) {
		connected(t, c)
		for range 2 {
			c.Call(t, post(aText)).RequireStatus(t, http.StatusOK)
		}
		var page struct {
			Next *string `json:"next_cursor"`
		}
		r := c.Call(t, apitest.Request{Path: "/v1/${number}/messages?limit=1&" + query}).RequireStatus(t, http.StatusOK)
		if err := json.Unmarshal(r.Body, &page); err != nil || page.Next == nil {
			t.Fatalf("%v in %s", err, r.Body)
		}
		c.Set("cursor", *page.Next)
	}
}

func TestGetMessage(t *testing.T) {
	get := func(id string) apitest.Request { return apitest.Request{Path: "/v1/${number}/messages/" + id} }
	fromAda := all(connected, func(t *testing.T, c *apitest.Case) {
		m := received(t, c, provider.Message{
			ProviderID: "wamid.in", Context: "wamid.out", Type: chat.TypeUnsupported, Content: json.RawMessage(`{"type":"poll_creation"}`),
			Contact: provider.Person{Phone: "+15550001111", UserID: "DE.ada", ParentUserID: "DE.ENT.ada", Username: "ada", ProfileName: "Ada"},
		})
		c.Set("message", m.ID)
		c.Set("conversation", m.ConversationID)
	})
	scenarios := []apitest.Scenario{
		{Name: "a message that was sent", Given: all(connected, sentAs("wamid.out")), Request: get("${sent}"), Status: http.StatusOK,
			Want: strings.Replace(messageWith(`"to":"+15550001111","id":"${sent}","conversation_id":"<cnv>","type":"text","text":{"body":"x"},"message_id":"wamid.out"`), `"queued"`, `"sent"`, 1)},
		{Name: "a message that came in", Given: fromAda, Request: get("${message}"), Status: http.StatusOK,
			Want: `{"data":{"id":"${message}","object":"message","direction":"inbound","from":"+15550001111","to":"${phone}","bsuid":"DE.ada","parent_bsuid":"DE.ENT.ada","username":"ada",
				"type":"unsupported","unsupported":{"type":"poll_creation"},"context":{"message_id":"wamid.out"},"status":"delivered","source":null,"conversation_id":"${conversation}","message_id":"wamid.in",
				"is_revoked":false,"created_at":"<now>","updated_at":"<now>"},"request_id":"<req>"}`},
		{Name: "a message that failed", Given: all(connected, sentAs("wamid.out"), func(t *testing.T, c *apitest.Case) {
			reported(t, c, "wamid.out", "failed", &provider.Error{Code: 131047, Message: "Re-engagement message"})
		}), Request: get("${sent}"), Status: http.StatusOK,
			Want: strings.Replace(messageWith(`"to":"+15550001111","id":"${sent}","conversation_id":"<cnv>","type":"text","text":{"body":"x"},"message_id":"wamid.out",
				"error":{"code":"outside_24h_window","message":"<text>","provider_code":131047}`), `"queued"`, `"failed"`, 1)},
		{Name: "a message that the service refused", Given: all(connected, sentAs(""), func(t *testing.T, c *apitest.Case) {
			c.Exec(t, "UPDATE messages SET status = 'failed', error_code = 'customer_suspended', error_message = 'x' WHERE org_id = $1", c.Org.ID)
		}), Request: get("${sent}"), Status: http.StatusOK, Then: func(t *testing.T, _ *apitest.Case, r *apitest.Response) {
			if want := `"error":{"code":"customer_suspended","message":"x","provider_code":null}`; !strings.Contains(string(r.Body), want) {
				t.Errorf("got %s", r.Body)
			}
		}},
		{Name: "unknown", Given: connected, Request: get(noMessage), Code: "resource_not_found"},
		{Name: "of another number", Given: all(connected, sentAs("wamid.out"), connected), Request: get("${sent}"), Code: "resource_not_found"},
		{Name: "of another organization", Given: all(connected, sentAs("wamid.out"), func(t *testing.T, c *apitest.Case) {
			c.Org.Key = c.Stranger(t).Key
		}), Request: get("${sent}"), Code: "resource_not_found"},
		{Name: "its media, malformed", Given: connected, Request: get("x/media"), Code: bad, Param: "id"},
	}
	for name, id := range malformedIDs {
		scenarios = append(scenarios, apitest.Scenario{Name: name, Given: connected, Request: get(strings.Replace(id, "lbl_", "msg_", 1)), Code: bad, Param: "id"})
	}
	apitest.RunEach(t, slices.DeleteFunc(scenarios, func(s apitest.Scenario) bool { return s.Name == "prefix in capital" }))
}

// The tag changes with the fields that a client waits for, and with nothing else.
func TestMessageETag(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		sentAs("wamid.out")(t, c)
		get := func(method string, tags ...string) *apitest.Response {
			return c.Call(t, apitest.Request{Method: method, Path: "/v1/${number}/messages/${sent}", Header: http.Header{"If-None-Match": tags}})
		}
		tag := get(http.MethodGet).RequireStatus(t, http.StatusOK).Header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) || !strings.HasSuffix(tag, `"`) {
			t.Fatalf("the tag is %s", tag)
		}
		unchanged := func(what string) {
			t.Helper()
			for _, given := range [][]string{{tag}, {`"x"`, tag}, {`W/"x" , ` + tag + `,"y"`}, {"*"}, {strings.TrimPrefix(tag, "W/")}} {
				if r := get(http.MethodGet, given...); r.Status != http.StatusNotModified || r.Header.Get("ETag") != tag {
					t.Errorf("%s: %q gets %d with %s", what, given, r.Status, r.Header.Get("ETag"))
				}
			}
			if r := get(http.MethodHead, tag); r.Status != http.StatusNotModified {
				t.Errorf("%s: HEAD gets %d", what, r.Status)
			}
		}
		unchanged("at first")
		for _, given := range []string{`W/"x"`, strings.ToLower(tag), tag[:len(tag)-2] + `"`, "", strings.Trim(tag, `W/"`)} {
			get(http.MethodGet, given).RequireStatus(t, http.StatusOK)
		}
		seen := []string{tag}
		changed := func(what string, change func()) {
			t.Helper()
			change()
			r := get(http.MethodGet, seen...).RequireStatus(t, http.StatusOK)
			tag = r.Header.Get("ETag")
			if slices.Contains(seen, tag) {
				t.Errorf("%s leaves the tag", what)
			}
			seen = append(seen, tag)
		}
		c.Clock.Advance(time.Minute)
		reported(t, c, "wamid.out", "sent") // it was sent already, as the answer said
		unchanged("after the confirmation")
		changed("the delivery", func() { reported(t, c, "wamid.out", "delivered") })
		reported(t, c, "wamid.out", "played")
		unchanged("a text cannot be played")
		changed("the reader", func() { reported(t, c, "wamid.out", "read") })
		changed("a failure", func() { reported(t, c, "wamid.out", "failed", &provider.Error{Code: 131026}) })
		reported(t, c, "wamid.out", "failed", &provider.Error{Code: 131047})
		unchanged("after a repeated failure")
		edited := func(text string) func() {
			return func() {
				c.InTx(t, func(tx *store.Tx) error {
					return applier().Apply(tx, provider.Edit{
						Origin: provider.Origin{PhoneNumberID: c.Get("number")}, ProviderID: "wamid." + text, OriginalID: "wamid.out", ByBusiness: true,
						Content: json.RawMessage(`{"body":"` + text + `"}`),
					})
				})
			}
		}
		changed("an edit", edited("one"))
		changed("an edit in the same second", edited("two"))
		edited("two")()
		unchanged("after a repeated edit")
		changed("a revocation", func() {
			c.InTx(t, func(tx *store.Tx) error {
				return applier().Apply(tx, provider.Revoke{Origin: provider.Origin{PhoneNumberID: c.Get("number")}, OriginalID: "wamid.out", ByBusiness: true})
			})
		})
	})
}

func TestMessageMedia(t *testing.T) {
	media := apitest.Request{Path: "/v1/${number}/messages/${message}/media"}
	incoming := func(file *core.StoredFile) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			connected(t, c)
			m := received(t, c, provider.Message{ProviderID: "wamid.in", Type: chat.TypeImage, Content: json.RawMessage(`{}`), Media: &provider.Media{ID: "1"}})
			c.Set("message", m.ID)
			if file != nil {
				c.InTx(t, func(tx *store.Tx) error {
					job := store.MediaJob{OrgID: c.Org.ID, MessageID: m.ID, AccountID: m.AccountID}
					return core.FileFetched(tx, accountOf(t, c), job, file, api.PublicURL)
				})
				c.Set("url", mediaURL(t, c, m.ID))
			}
		}
	}
	file := &core.StoredFile{BlobKey: "med_x", MimeType: "image/png", Size: 3, SHA256: strings.Repeat("a", 64)}
	sentWith := func(kind, object string) func(*testing.T, *apitest.Case) {
		return func(t *testing.T, c *apitest.Case) {
			connected(t, c)
			c.Set("media", libraryFile(t, c, accountOf(t, c), "image/png").ID)
			var made struct{ ID string }
			c.Call(t, post(content(kind, object))).RequireStatus(t, http.StatusOK).Data(t, &made)
			c.Set("message", made.ID)
			if strings.Contains(object, "${media}") {
				c.Set("url", mediaURL(t, c, made.ID))
			}
		}
	}
	found := map[string]string{"Location": "${url}"}
	apitest.RunEach(t, []apitest.Scenario{
		{Name: "a file that was fetched", Given: incoming(file), Request: media, Status: http.StatusFound, Header: found},
		{Name: "a file of the library", Given: sentWith("image", `{"id":"${media}"}`), Request: media, Status: http.StatusFound, Header: found},
		{Name: "a link", Given: all(sentWith("image", `{"link":"https://files.example/a.png"}`), func(_ *testing.T, c *apitest.Case) {
			c.Set("url", "https://files.example/a.png")
		}), Request: media, Status: http.StatusFound, Header: found},
		{Name: "a link as people write it", Given: all(sentWith("image", `{"link":"https://files.example/a é.png?x=%20y z"}`), func(_ *testing.T, c *apitest.Case) {
			c.Set("url", "https://files.example/a%20%C3%A9.png?x=%20y%20z")
		}), Request: media, Status: http.StatusFound, Header: found},
		{Name: "a file that is being fetched", Given: incoming(nil), Request: media, Code: "resource_not_found", Header: map[string]string{"Location": ""}},
		{Name: "a text", Given: sentWith("text", `{"body":"x"}`), Request: media, Code: "resource_not_found"},
		{Name: "a file that was deleted from the library", Given: all(sentWith("image", `{"id":"${media}"}`), func(t *testing.T, c *apitest.Case) {
			c.InTx(t, func(tx *store.Tx) error { return tx.DeleteMedia(c.Org.ID, c.Get("media")) })
		}), Request: media, Code: "resource_not_found"},
		{Name: "an unknown message", Given: connected, Request: apitest.Request{Path: "/v1/${number}/messages/" + noMessage + "/media"}, Code: "resource_not_found"},
		{Name: "a message of another number", Given: all(incoming(file), connected), Request: media, Code: "resource_not_found"},
	}, calling(t, nil))
}

// mediaURL is the address of a message's file.
func mediaURL(t *testing.T, c *apitest.Case, messageID string) string {
	t.Helper()
	file, err := core.MessageFile(c.Store.Read(t.Context()), accountOf(t, c), messageID)
	must(t, err)
	return api.PublicURL + "/media/" + file.Token
}

// The deepest accepted content can be shown in every answer and event.
func TestDeepContent(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		nested := func(levels int) apitest.Request { // inside of six others
			return post(content("template", `{"name":"x","language":"en","components":[{"type":"body","parameters":[{"type":"text","a":"]}\\\"","x":`+
				strings.Repeat("[", levels)+strings.Repeat("]", levels)+`}]}]}`))
		}
		c.Call(t, nested(95)).RequireFailure(t, "invalid_json", "")
		c.Call(t, nested(9_990)).RequireFailure(t, "invalid_json", "")
		c.Call(t, nested(94)).RequireStatus(t, http.StatusOK)
		c.Call(t, apitest.Request{Path: "/v1/${number}/messages"}).RequireStatus(t, http.StatusOK)
	})
}
