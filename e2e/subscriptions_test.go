package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	parley "github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/pgtest"
)

// subscription is an endpoint as its owner knows it.
type subscription struct {
	n       *Number
	id      string
	secrets []string
}

// subscribe subscribes a receiver to a number's events.
func (n *Number) subscribe(t *testing.T, to *hookReceiver, events string) *subscription {
	t.Helper()
	r := n.srv.Post(n.org.Key, "/v1/webhook_subscriptions", fmt.Sprintf(`{"url":%q,"events":%s,"phone_number_ids":[%q]}`, to.URL+"/hooks", events, n.ID))
	expect(t, r, http.StatusCreated, "")
	data := parseObject(t, []byte(r.Body))
	return &subscription{n, data.str("data", "id"), []string{data.str("data", "initial_secret")}}
}

func (s *subscription) call(t *testing.T, method, path, body string, status int) object {
	t.Helper()
	r := s.n.srv.Do(Call{Method: method, Path: "/v1/webhook_subscriptions/" + s.id + path, Key: s.n.org.Key, Body: body})
	expect(t, r, status, "")
	return parseObject(t, []byte(r.Body))
}

// check verifies everything received, and returns the types of the events.
func (s *subscription) check(t *testing.T, got []receivedHook) (types []string) {
	t.Helper()
	for _, hook := range got {
		event, err := parley.ParseWebhook(hook.Header, []byte(hook.Body), time.Now(), s.secrets...)
		if err != nil {
			t.Fatalf("%v in %v", err, hook)
		}
		types = append(types, string(event.Type))
	}
	return types
}

// TestSubscriptions: the events of a number reach its subscriber, signed, through pauses and rotations.
func TestSubscriptions(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store, WithProvider(""), WithFlags("--allow-network=127.0.0.0/8"))
		w := world{srv: srv, sim: srv.Sim(), log: srv.stored()}
		n := w.number(t)
		receiver := newHookReceiver(t, http.StatusOK)
		s := n.subscribe(t, receiver, `["message.received","message.sent","message.status","contact.created"]`)

		person := newPerson()
		m := n.receiveText(person, "hello")
		for _, hook := range receiver.await(t, 2) { // and contact.created
			if hook.Header.Get("X-Svc-Event") == "message.received" && (hook.Header.Get("X-Svc-Event-Id") != m.str("message_id") || !strings.Contains(hook.Body, `"body":"hello"`)) {
				t.Errorf("the message came as %v", hook)
			}
		}
		n.awaitStatus(n.send(person, "text", text("hi")), "read")
		types := s.check(t, receiver.await(t, 2+1+3)) // sent, and the statuses sent, delivered, read
		if count := strings.Count(strings.Join(types, " "), "message.status"); count != 3 {
			t.Errorf("%v came", types)
		}

		s.call(t, http.MethodPatch, "", `{"status":"paused"}`, http.StatusOK)
		n.newContact(t)
		secret := s.call(t, http.MethodPost, "/secrets", `{"expire_others_in_hours":0}`, http.StatusCreated).str("data", "secret")
		s.secrets = []string{secret}
		before := len(receiver.all())
		s.call(t, http.MethodPatch, "", `{"status":"active"}`, http.StatusOK)
		released := receiver.await(t, before+1)[before:]
		if types := s.check(t, released); len(types) != 1 || types[0] != "contact.created" {
			t.Errorf("%v came on resuming", types)
		}

		test := s.call(t, http.MethodPost, "/test", `{"event_type":"customer.created"}`, http.StatusOK)
		sample := receiver.await(t, before+2)[before+1]
		s.check(t, []receivedHook{sample})
		if sample.Header.Get("X-Svc-Delivery-Id") != test.str("data", "id") || sample.Header.Get("X-Svc-Signature-256") != sample.Header.Get("X-Svc-Signature") {
			t.Errorf("the sample came with %v", sample.Header)
		}
		path := "/v1/webhook_deliveries/" + test.str("data", "id")
		if !eventually(func() bool {
			return parseObject(t, []byte(srv.Get(n.org.Key, path).Body)).str("data", "status") == "succeeded"
		}) {
			t.Errorf("the delivery is %s", srv.Get(n.org.Key, path).Body)
		}
		expect(t, srv.Post(n.org.Key, path+"/replay", ""), http.StatusOK, "")
		again := receiver.await(t, before+3)[before+2]
		s.check(t, []receivedHook{again})
		if again.Body != sample.Body || again.Header.Get("X-Svc-Event-Id") != sample.Header.Get("X-Svc-Event-Id") || again.Header.Get("X-Svc-Delivery-Id") == sample.Header.Get("X-Svc-Delivery-Id") {
			t.Errorf("the replay came as %v", again)
		}
	})
}

// TestDisabledSubscriptionComesBack: an endpoint that says it is gone gets no more deliveries. When it is back, a bulk
// replay delivers everything it missed, once.
func TestDisabledSubscriptionComesBack(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store, WithProvider(""), WithFlags("--allow-network=127.0.0.0/8"))
		w := world{srv: srv, sim: srv.Sim(), log: srv.stored()}
		n := w.number(t)
		receiver := newHookReceiver(t, http.StatusGone)
		s := n.subscribe(t, receiver, `["contact.created"]`)
		missed := []string{n.newContact(t)}
		if !eventually(func() bool {
			return s.call(t, http.MethodGet, "", "", http.StatusOK).str("data", "status") == "disabled"
		}) {
			t.Fatalf("it is %v", s.call(t, http.MethodGet, "", "", http.StatusOK))
		}
		if reason := s.call(t, http.MethodGet, "", "", http.StatusOK).str("data", "disabled_reason"); reason != "endpoint_gone" {
			t.Errorf("it is disabled for %s", reason)
		}
		for range 3 {
			missed = append(missed, n.newContact(t))
		}
		replay := func() Reply {
			return srv.Post(n.org.Key, "/v1/webhook_deliveries/bulk_replay", fmt.Sprintf(`{"subscription_id":%q}`, s.id))
		}
		expect(t, replay(), http.StatusConflict, "webhook_subscription_disabled")
		before := len(receiver.all())
		receiver.status.Store(http.StatusOK)
		s.call(t, http.MethodPatch, "", `{"status":"active"}`, http.StatusOK)
		if r := replay(); !strings.Contains(r.Body, `"enqueued":4,"capped":false`) {
			t.Errorf("got %s", r.Body)
		}
		if r := replay(); !strings.Contains(r.Body, `"enqueued":0`) {
			t.Errorf("again: got %s", r.Body)
		}
		all := ""
		for _, hook := range receiver.await(t, before+4)[before:] {
			all += hook.Body
		}
		s.check(t, receiver.all()[before:])
		for _, id := range missed {
			if strings.Count(all, `"id":"`+id) != 1 {
				t.Errorf("%s came %d times", id, strings.Count(all, `"id":"`+id))
			}
		}
	})
}

// TestSubscriptionsOnSeveralNodes: changes of a subscription on one node apply on the others, one of which has no
// workers.
func TestSubscriptionsOnSeveralNodes(t *testing.T) {
	t.Parallel()
	files, database := OnFolder(t.TempDir()), OnDatabase(pgtest.NewDatabase(t))
	opened := WithFlags("--allow-network=127.0.0.0/8")
	worker := Start(t, files, database, WithProvider(""), opened)
	front := Start(t, files, database, WithProvider(""), opened, WithFlags("--role=api"))
	n := plant(t, worker, worker.Sim(), worker.stored())
	receiver := newHookReceiver(t, http.StatusOK)
	at := func(srv *Server) { n.srv = srv.with(t) }

	at(worker)
	s := n.subscribe(t, receiver, `["contact.created"]`)
	cursor := parseObject(t, []byte(worker.Get(n.org.Key, "/v1/events").Body)).str("data", "cursor")
	at(front)
	first := n.newContact(t)
	receiver.await(t, 1)
	s.call(t, http.MethodPatch, "", `{"status":"paused"}`, http.StatusOK)
	s.secrets = append(s.secrets, s.call(t, http.MethodPost, "/secrets", "", http.StatusCreated).str("data", "secret"))
	at(worker)
	second := n.newContact(t)
	at(front)
	s.call(t, http.MethodPatch, "", `{"status":"active"}`, http.StatusOK)
	got := receiver.await(t, 2)
	s.check(t, got)
	if !strings.Contains(got[0].Body, first) || !strings.Contains(got[1].Body, second) {
		t.Errorf("%v came", got)
	}
	if mark := got[1].Header.Get("X-Svc-Signature"); strings.Count(mark, "v1=") != 2 {
		t.Errorf("the signature is %s", mark)
	}
	feed := front.Get(n.org.Key, "/v1/events?cursor="+cursor).Body // a cursor is valid on every node
	if !strings.Contains(feed, first) || !strings.Contains(feed, second) {
		t.Errorf("the feed is %s", feed)
	}
}
