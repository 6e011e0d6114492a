package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// Number is a connected business number, with the actions of a customer and of people who write to it.
type Number struct {
	t      *testing.T
	srv    *Server
	sim    Sim
	org    Org
	log    *store.Store
	ID     string
	Phone  string
	WABAID string

	hostile bool // it gets callbacks that no provider would send
}

var numbersMade, peopleMade atomic.Int64

// newPerson is a phone number that has not been used yet.
func newPerson() string { return fmt.Sprintf("+4915%09d", 100_000_000+peopleMade.Add(1)) }

// setting is the value of a flag that says where the store is.
func (s *Server) setting(flag string) string {
	if i := slices.Index(s.store, flag); i >= 0 {
		return s.store[i+1]
	}
	return ""
}

// stored opens the server's store beside it, to read what no operation shows.
func (s *Server) stored() *store.Store {
	s.t.Helper()
	st, err := store.Open(context.Background(), store.Config{Dir: s.setting("--data"), URL: s.setting("--database-url")})
	must(s.t, err)
	s.t.Cleanup(func() { st.Close() })
	return st
}

// newNumber makes up a number, which the provider then knows.
func newNumber(t *testing.T, srv *Server, sim Sim, log *store.Store) *Number {
	t.Helper()
	i := numbersMade.Add(1)
	n := &Number{
		t: t, srv: srv.with(t), sim: sim.with(t), log: log,
		ID: fmt.Sprint(106_540_000_000_000 + i), Phone: fmt.Sprintf("+1555%07d", 1_000_000+i), WABAID: fmt.Sprint(205_540_000_000_000 + i),
	}
	n.sim.do(http.MethodPost, "numbers", map[string]any{"id": n.ID, "waba_id": n.WABAID, "phone": n.Phone})
	description := n.srv.description()
	t.Cleanup(func() { n.checkEvents(description) })
	return n
}

// description is the program's API description, which is the same wherever it runs.
func (s *Server) description() *apitest.Document {
	s.t.Helper()
	described.Do(func() {
		reply := s.Do(Call{Path: "/v1/openapi.json"})
		described.document, described.err = apitest.ParseDocument([]byte(reply.Body))
	})
	if described.err != nil {
		s.t.Fatal(described.err)
	}
	return described.document
}

var described struct {
	sync.Once
	document *apitest.Document
	err      error
}

// checkEvents checks the number's events against their description.
func (n *Number) checkEvents(description *apitest.Document) {
	if n.org.ID == "" || n.hostile {
		return // it was never connected, or its callbacks were not a provider's
	}
	for _, e := range n.events() {
		for _, problem := range description.EventProblems(string(e.Type), e.Payload) {
			n.t.Errorf("%s %s: %s", e.Type, e.Payload, problem)
		}
	}
}

func (n *Number) token() string { return "token of " + n.ID }

// connect connects a new number with the program's command, and more flags.
func connect(t *testing.T, srv *Server, sim Sim, org Org, log *store.Store, flags ...string) *Number {
	t.Helper()
	n := newNumber(t, srv, sim, log)
	n.org = org
	n.srv.CLIObject(append([]string{"account", "connect", "--org", org.ID, "--phone-number-id", n.ID, "--phone-number", n.Phone,
		"--waba-id", n.WABAID, "--token", n.token(), "--provider-status", "CONNECTED"}, flags...)...)
	return n
}

// plant connects a new number of a new organization as the program's commands do, but without the time that processes
// take.
func plant(t *testing.T, srv *Server, sim Sim, log *store.Store) *Number {
	t.Helper()
	n := newNumber(t, srv, sim, log)
	v, err := vault.Load("", srv.setting("--data"))
	must(t, err)
	err = log.InTx(t.Context(), func(tx *store.Tx) error {
		org, team, err := core.CreateOrganization(tx, "Acme", chat.DefaultPlan)
		if err != nil {
			return err
		}
		key, text, err := core.CreateKey(tx, org.ID, "test", nil)
		if err != nil {
			return err
		}
		n.org = Org{ID: org.ID, TeamID: team.ID, Key: text, KeyID: key.ID}
		_, err = core.ConnectAccount(tx, chat.NewAccount{
			OrgID: org.ID, PhoneNumberID: n.ID, PhoneNumber: n.Phone, WABAID: n.WABAID, ProviderStatus: new("CONNECTED"),
		}, func(accountID string) string { return v.Seal(n.token(), core.TokenContext(accountID)) })
		return err
	})
	must(t, err)
	return n
}

func (n *Number) path(rest string) string { return "/v1/" + n.ID + rest }

// get reads a resource of the number, which must exist.
func (n *Number) get(rest string) object {
	n.t.Helper()
	reply := n.srv.Get(n.org.Key, n.path(rest))
	if reply.Status != http.StatusOK {
		n.t.Fatalf("GET %s: %d %s", rest, reply.Status, reply.Body)
	}
	return parseObject(n.t, []byte(reply.Body))
}

// all reads a list of the number to its end, newest first.
func (n *Number) all(rest string) (rows []object) {
	n.t.Helper()
	next := rest + "?limit=100"
	for {
		page := n.get(next)
		rows = append(rows, page.list("data")...)
		if page["next_cursor"] == nil {
			return rows
		}
		next = rest + "?limit=100&cursor=" + url.QueryEscape(page.str("next_cursor"))
	}
}

// sendBody is the body of a request that sends a message.
func sendBody(to, kind string, content any) string {
	body, err := json.Marshal(map[string]any{"messaging_product": "chat", "to": to, "type": kind, kind: content})
	if err != nil {
		panic(err) // all values are our own
	}
	return string(body)
}

func text(body string) map[string]any { return map[string]any{"body": body} }

// trySend sends a message.
func (n *Number) trySend(to, kind string, content any) Reply {
	n.t.Helper()
	return n.srv.Post(n.org.Key, n.path("/messages"), sendBody(to, kind, content))
}

// send sends a message, which must be accepted, and returns its id.
func (n *Number) send(to, kind string, content any) string {
	n.t.Helper()
	reply := n.trySend(to, kind, content)
	if reply.Status != http.StatusOK || reply.ID() == "" {
		n.t.Fatalf("sending a %s got %d %s", kind, reply.Status, reply.Body)
	}
	return reply.ID()
}

// message reads a message.
func (n *Number) message(id string) object {
	n.t.Helper()
	return n.get("/messages/" + id).at("data").(map[string]any)
}

// await waits until a message meets a condition.
func (n *Number) await(id, what string, holds func(object) bool) object {
	n.t.Helper()
	var m object
	if !eventually(func() bool { m = n.message(id); return holds(m) }) {
		n.t.Fatalf("the message never was %s; it is %v", what, m)
	}
	return m
}

// awaitStatus waits until a message has the status.
func (n *Number) awaitStatus(id, status string) object {
	n.t.Helper()
	return n.await(id, status, func(m object) bool { return m.str("status") == status })
}

// open opens the windows of people, so that they can get free-form messages.
func (n *Number) open(people ...string) {
	n.t.Helper()
	for _, person := range people {
		n.sim.do(http.MethodPost, "windows", map[string]any{"phone_number_id": n.ID, "person": person, "open": true})
	}
}

// receive makes a person write to the number, and returns the provider's id of the message.
func (n *Number) receive(from any, kind string, fields map[string]any) string {
	n.t.Helper()
	body := map[string]any{"phone_number_id": n.ID, "from": from, "type": kind}
	maps.Copy(body, fields)
	return n.sim.do(http.MethodPost, "inbound", body).str("messages", 0, "id")
}

// find waits for the message with the provider's id.
func (n *Number) find(providerID string) (m object) {
	n.t.Helper()
	found := eventually(func() bool {
		rows := n.get("/messages?message_id=" + url.QueryEscape(providerID)).list("data")
		if len(rows) > 0 {
			m = rows[0]
		}
		return m != nil
	})
	if !found {
		n.t.Fatalf("message %s never came in", providerID)
	}
	return m
}

// receiveText makes a person write a text and waits until it is in the inbox.
func (n *Number) receiveText(from any, body string) object {
	n.t.Helper()
	return n.find(n.receive(from, "text", map[string]any{"text": body}))
}

// events returns the number's events of these types, oldest first; without types, all events.
func (n *Number) events(types ...chat.EventType) []chat.Event {
	n.t.Helper()
	all, err := n.log.Read(context.Background()).EventsAfter(n.org.ID, "", 1_000_000)
	must(n.t, err)
	return slices.DeleteFunc(all, func(e chat.Event) bool {
		return e.PhoneNumberID != n.ID || len(types) > 0 && !slices.Contains(types, e.Type)
	})
}

// eventsWith are the events of a type whose text contains a part.
func (n *Number) eventsWith(kind chat.EventType, part string) (payloads []object) {
	n.t.Helper()
	for _, e := range n.events(kind) {
		if strings.Contains(string(e.Payload), part) {
			payloads = append(payloads, parseObject(n.t, e.Payload))
		}
	}
	return payloads
}

// onlyEvent waits for the event of a type whose text contains a part, and checks that there is only one.
func (n *Number) onlyEvent(kind chat.EventType, part string) object {
	n.t.Helper()
	var found []object
	if !eventually(func() bool { found = n.eventsWith(kind, part); return len(found) > 0 }) {
		n.t.Fatalf("no %s with %s", kind, part)
	}
	if len(found) > 1 {
		n.t.Errorf("%d times %s with %s", len(found), kind, part)
	}
	return found[0]
}

// statuses are the statuses in the message.status events of a message, in order.
func (n *Number) statuses(id string) (told []string) {
	n.t.Helper()
	for _, e := range n.eventsWith(chat.EventMessageStatus, id) {
		told = append(told, e.str("entry", 0, "changes", 0, "value", "statuses", 0, "status"))
	}
	return told
}

// settle waits until all callbacks so far have been applied. Callbacks are applied in order, so it sends one more
// message of this person and waits for that.
func (n *Number) settle(person string) {
	n.t.Helper()
	n.receiveText(person, "that was all")
}

// conversation is the only conversation with a person.
func (n *Number) conversation(person string) (c object) {
	n.t.Helper()
	for _, row := range n.all("/conversations") {
		if row.str("contact", "phone_number") == person {
			if c != nil {
				n.t.Errorf("two conversations with %s", person)
			}
			c = row
		}
	}
	if c == nil {
		n.t.Fatalf("no conversation with %s", person)
	}
	return c
}

// contact is the only contact with that number.
func (n *Number) contact(person string) object {
	n.t.Helper()
	list := n.get("/contacts?phone=" + url.QueryEscape(person)).list("data")
	if len(list) != 1 {
		n.t.Fatalf("%d contacts with %s: %v", len(list), person, list)
	}
	return list[0]
}
