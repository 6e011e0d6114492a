package e2e

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

func testCallbackVerification(t *testing.T, w world) {
	ask := func(mode, token string) Reply {
		q := url.Values{"hub.mode": {mode}, "hub.verify_token": {token}, "hub.challenge": {"1158201444"}}
		return fetch(t, w.srv.URL()+"/provider/webhook?"+q.Encode())
	}
	if right := ask("subscribe", verifyToken); right.Status != http.StatusOK || right.Body != "1158201444" {
		t.Errorf("the right token got %+v", right)
	}
	for _, wrong := range []Reply{ask("subscribe", "guessed"), ask("subscribe", ""), ask("unsubscribe", verifyToken), ask("", verifyToken)} {
		if wrong.Status != http.StatusForbidden || strings.Contains(wrong.Body, "1158201444") {
			t.Errorf("a wrong request got %+v", wrong)
		}
	}
}

func testCallbackSignatures(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	body := textCallback(n, person, "wamid.forged", "forged")
	right := sign(body)
	for name, signature := range map[string]string{
		"none": "", "empty": "sha256=", "of another body": sign(body + " "), "cut": right[:len(right)-2], "longer": right + "00",
		"without its name": strings.TrimPrefix(right, "sha256="), "another hash": "sha1=" + right[7:], "no hex": "sha256=" + strings.Repeat("z", 64),
	} {
		if reply, err := n.srv.callBack(body, signature); err != nil || reply.Status != http.StatusUnauthorized {
			t.Errorf("%s: got %+v, %v", name, reply, err)
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		request, err := http.NewRequest(method, n.srv.URL()+"/provider/webhook", strings.NewReader(body))
		must(t, err)
		request.Header.Set("X-Hub-Signature-256", right)
		response, err := client.Do(request)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "GET, POST" {
			t.Errorf("%s got %s", method, response.Status)
		}
	}
	n.srv.CallBack(textCallback(n, person, "wamid.true", "true"))
	n.find("wamid.true")
	if rows := n.all("/messages"); len(rows) != 1 {
		t.Errorf("the messages are %v", rows)
	}
}

// testRepeatedCallbacks: however often and in whatever order the provider reports something, it counts once.
func testRepeatedCallbacks(t *testing.T, w world) {
	n, person := w.number(t), newPerson()
	first, second := textCallback(n, person, "wamid.1."+n.ID, "one"), textCallback(n, person, "wamid.2."+n.ID, "two")
	n.open(person)
	id := n.send(person, "text", text("hello"))
	providerID := n.awaitStatus(id, "read").str("message_id")
	var statuses []string
	for _, status := range []string{"read", "sent", "delivered"} {
		statuses = append(statuses, envelopeOf(n, fmt.Sprintf(`"statuses":[{"id":%q,"status":%q,"timestamp":"%d","recipient_id":%q}]`,
			providerID, status, time.Now().Unix(), person[1:])))
	}
	var wg sync.WaitGroup
	for range 3 {
		for _, body := range append(slices.Clone(statuses), second, first) {
			wg.Go(func() {
				if reply, err := n.srv.callBack(body, sign(body)); err != nil || reply.Status != http.StatusOK {
					t.Errorf("the callback got %+v, %v", reply, err)
				}
			})
		}
	}
	wg.Wait()
	n.settle(person)
	for _, id := range []string{"wamid.1." + n.ID, "wamid.2." + n.ID} {
		n.onlyEvent(chat.EventMessageReceived, id)
	}
	if rows := n.all("/messages"); len(rows) != 4 {
		t.Errorf("the messages are %v", rows)
	}
	if c := n.conversation(person); c["unread_count"] != 3.0 {
		t.Errorf("the conversation is %v", c)
	}
	if told := n.statuses(providerID); !slices.Equal(told, []string{"sent", "delivered", "read"}) {
		t.Errorf("message.status told %v", told)
	}
	if got := n.message(id).str("status"); got != "read" {
		t.Errorf("the message is %s", got)
	}
	n.onlyEvent(chat.EventContactCreated, n.contact(person).str("id"))
	n.onlyEvent(chat.EventMessageSent, id)
}

// testThousandUpdates: the largest possible callback is applied completely, in order and once, though it comes twice.
func testThousandUpdates(t *testing.T, w world) {
	const people, each, sent, repeats = 50, 5, 10, 25
	n := w.number(t)
	phones := make([]string, people)
	for p := range people {
		phones[p] = newPerson()
	}
	var updates [1000]string // 250 messages, and between them 10 times 25 times 3 statuses
	for i := range people * each {
		p := i % people
		updates[4*i] = updateOf(n, fmt.Sprintf(`"contacts":[{"profile":{"name":"Person %d"},"wa_id":%q}],"messages":[%s]`, p, phones[p][1:],
			textMessage(phones[p][1:], fmt.Sprintf("wamid.%s.%d.%d", n.ID, p, i/people), fmt.Sprint(i/people))))
	}
	ids := make([]string, sent)
	for i := range sent {
		silent := fmt.Sprintf("+99970000005%04d", i) // the provider reports nothing about this person's messages
		n.open(silent)
		ids[i] = n.send(silent, "text", text("hello"))
		providerID := n.awaitStatus(ids[i], "sent").str("message_id")
		for j, status := range slices.Repeat([]string{"read", "delivered", "sent"}, repeats) {
			k := i*3*repeats + j
			updates[k/3*4+k%3+1] = updateOf(n, fmt.Sprintf(`"statuses":[{"id":%q,"status":%q,"timestamp":"1790000000"}]`, providerID, status))
		}
	}
	body := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":%q,"changes":[%s]}]}`, n.WABAID, strings.Join(updates[:], ","))
	for range 2 {
		n.srv.CallBack(body)
	}
	n.settle(phones[0]) // it is applied after both callbacks
	for kind, want := range map[chat.EventType]int{
		chat.EventMessageReceived: people*each + 1, chat.EventContactCreated: people + sent, chat.EventMessageSent: sent, chat.EventMessageStatus: 3 * sent,
	} {
		if got := len(n.events(kind)); got != want {
			t.Errorf("%d times %s, want %d", got, kind, want)
		}
	}
	for _, id := range ids {
		if got := n.message(id).str("status"); got != "read" {
			t.Errorf("%s is %s", id, got)
		}
	}
	checkThousand(t, n, phones[1:], each)
}

// checkThousand checks each person's messages: all are there, in the order they were written.
func checkThousand(t *testing.T, n *Number, people []string, each int) {
	t.Helper()
	byPerson := map[string][]string{}
	for _, m := range n.all("/messages") {
		byPerson[m.str("from")] = append(byPerson[m.str("from")], m.str("text", "body"))
	}
	unread := map[string]any{}
	for _, c := range n.all("/conversations") {
		unread[c.str("contact", "phone_number")] = c["unread_count"]
	}
	for _, person := range people {
		got := byPerson[person]
		slices.Reverse(got) // the list is newest first
		if !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) || unread[person] != float64(each) {
			t.Errorf("%s wrote %v, of which %v are unread", person, got, unread[person])
		}
	}
}

// hostile are signed callbacks that no provider should send. %s stands for a valid message.
func hostile(n *Number, person string) map[string]string {
	digits := person[1:]
	message := func(more string) string {
		return envelopeOf(n, fmt.Sprintf(`"contacts":[{"profile":{"name":"P"},"wa_id":%q}],"messages":[%s,%%s]`, digits, more))
	}
	from := `"from":"` + digits + `","id":"wamid.`
	return map[string]string{
		"unknown field":      `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"weather","value":{"rain":true}}]}]}`,
		"unknown object":     `{"object":"page","entry":[{"id":"1","changes":[{"field":"feed","value":{}}]}]}`,
		"no entry":           `{"object":"whatsapp_business_account"}`,
		"wrong types":        `{"object":"whatsapp_business_account","entry":[7,"x",null,{"id":[],"changes":{"field":1}},{"changes":[null,[],{"field":"messages","value":[]}]}]}`,
		"not JSON":           `{"object":"whatsapp_business_account",`,
		"empty":              ``,
		"a NUL byte":         "{\"object\":\"\x00\"}",
		"deep":               strings.Repeat("[", 200_000),
		"unknown number":     strings.ReplaceAll(textCallback(n, person, "wamid.foreign."+n.ID, "for another"), n.ID, "1999999999999"),
		"unknown members":    message(`{` + from + `a","timestamp":"1","type":"text","text":{"body":"x","colour":"red"},"wings":2}`),
		"no id":              message(`{"from":"` + digits + `","type":"text","text":{"body":"x"}}`),
		"numbers for texts":  message(`{"from":` + digits + `,"id":12345,"timestamp":1,"type":7,"text":9}`),
		"NUL escaped":        message(`{` + from + `b\u0000","timestamp":"1","type":"text","text":{"body":"a\u0000b","\u0000":"\u0000"}}`),
		"broken UTF-8":       message("{" + from + "c\",\"timestamp\":\"1\",\"type\":\"text\",\"text\":{\"body\":\"a\xff\xfe\xc3b\"}}"),
		"broken surrogates":  message(`{` + from + `d","timestamp":"1","type":"text","text":{"body":"\ud800 \udfff"}}`),
		"the year 2":         message(`{` + from + `e","timestamp":"0002-01-01T00:00:00Z","type":"text","text":{"body":"x"}}`),
		"a time before 1970": message(`{` + from + `f","timestamp":"1950-01-01","type":"text","text":{"body":"x"}}`),
		"a huge time":        message(`{` + from + `g","timestamp":"99999999999999999999","type":"text","text":{"body":"x"}}`),
		"a time to come":     message(`{` + from + `h","timestamp":"9999-12-31T00:00:00Z","type":"text","text":{"body":"x"}}`),
		"a long id":          message(`{` + from + noise(4000) + `","timestamp":"1","type":"text","text":{"body":"x"}}`),
		"a long name":        message(`{"from":"49155` + strings.Repeat("9", 100_000) + `","id":"wamid.i","type":"text","text":{"body":"x"}}`),
		"a file from afar":   message(`{` + from + `j","type":"image","image":{"id":"../../etc/passwd","mime_type":"text/html\r\nX: y","sha256":"zz","url":"http://169.254.169.254/"}}`),
		"played at no time":  envelopeOf(n, `"statuses":[{"id":"wamid.k","status":"played"}],"messages":[%s]`),
		"an unknown status":  envelopeOf(n, `"statuses":[{"id":"wamid.k","status":"teleported","timestamp":"x"}],"messages":[%s]`),
	}
}

// noise is a text that cannot be compressed.
func noise(length int) string {
	b := make([]byte, length/2)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// TestHostileCallbacks: unusable parts are skipped, and do not affect the others.
func TestHostileCallbacks(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine Option) { sendHostileCallbacks(t, newWorld(t, engine).number(t)) })
}

func sendHostileCallbacks(t *testing.T, n *Number) {
	n.hostile = true
	person := newPerson()
	bodies := hostile(n, person)
	expected := []string{}
	for i, name := range slices.Sorted(maps.Keys(bodies)) {
		body := bodies[name]
		if strings.Contains(body, "%s") {
			id := fmt.Sprintf("wamid.good.%s.%02d", n.ID, i)
			body = strings.Replace(body, "%s", textMessage(person[1:], id, name), 1)
			expected = append(expected, id)
		}
		if reply, err := n.srv.callBack(body, sign(body)); err != nil || reply.Status != http.StatusOK {
			t.Errorf("%s: got %+v, %v", name, reply, err)
		}
	}
	large := `{"object":"` + strings.Repeat("x", 17<<20) + `"}`
	if reply, err := n.srv.callBack(large, sign(large)); err == nil && reply.Status == http.StatusOK {
		t.Errorf("17 MiB got %+v", reply)
	}
	for _, id := range expected {
		n.onlyEvent(chat.EventMessageReceived, id)
	}
	for _, m := range n.all("/messages") {
		if year := m.str("created_at")[:4]; year < "1970" || year > "2999" {
			t.Errorf("the message is %v", m)
		}
	}
	n.settle(person)
}
