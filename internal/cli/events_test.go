package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// event is a printed event.
type event struct {
	ID      string `json:"id"`
	Org     string `json:"organization_id"`
	Type    string `json:"type"`
	Payload struct {
		Data struct{ Session string }
	} `json:"payload"`
}

// tailed runs events tail without following.
func (s site) tailed(t *testing.T, args ...string) []event {
	t.Helper()
	o := s.run(t, append([]string{"events", "tail", "--follow=false", "--json"}, args...)...)
	if o.code != 0 || o.stderr != "" {
		t.Fatalf("got %+v", o)
	}
	return eventsIn(t, o.stdout)
}

func eventsIn(t *testing.T, output string) (events []event) {
	t.Helper()
	for line := range strings.Lines(output) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		events = append(events, e)
	}
	return events
}

// TestEventsTail follows real events: a message goes out, and its statuses come in.
func TestEventsTail(t *testing.T) {
	t.Parallel()
	d := newDemoSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, stderr, code := newPrinted(), newPrinted(), make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"events", "tail", "--json", "--types", "message.sent,message.status"}, d.flags...), nil, stdout, stderr)
	}()
	d.sent(t, "--template", "hello_world")
	stdout.wait(t, `"type":"message.status".*"status":"delivered"`)
	cancel()
	if got := <-code; got != exitOK || stderr.String() != "" {
		t.Errorf("exit %d: %s", got, stderr)
	}
	followed := eventsIn(t, stdout.String())
	if followed[0].Type != "message.sent" || followed[0].Payload.Data.Session != demoNumber {
		t.Errorf("got %+v", followed)
	}
	// The followed events equal the stored ones, except for those that came since.
	kept := d.tailed(t, "--types=message.sent,message.status", "--last=-1")
	if len(kept) < len(followed) || !slices.Equal(kept[:len(followed)], followed) {
		t.Errorf("followed %+v\nkept %+v", followed, kept)
	}
	if created := d.tailed(t, "--types", "contact.created"); len(created) != 1 || created[0].Org != followed[0].Org {
		t.Errorf("got %+v", created)
	}
	line := d.run(t, "events", "tail", "--follow=false", "--types", "contact.created", "--org", followed[0].Org)
	if line.code != 0 || !strings.Contains(line.stdout, "  contact.created               "+demoNumber+"  +4915510000001  -  ctc_") || strings.Contains(line.stdout, "\x1b") {
		t.Errorf("got %+v", line)
	}
}

func TestEventsOfOrganizations(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		first, second := s.newOrg(t), s.newOrg(t)
		var ids []string
		s.change(t, func(tx *store.Tx) error {
			for range 3 {
				for _, org := range []string{first, second} {
					e := newEvent(tx, org)
					ids = append(ids, e.ID)
					if err := tx.InsertEvent(e); err != nil {
						return err
					}
				}
			}
			return nil
		})
		for _, test := range []struct {
			args []string
			want []string
		}{
			{nil, ids},
			{[]string{"--last=3"}, ids[3:]},
			{[]string{"--last=0"}, nil},
			{[]string{"--org", first}, []string{ids[0], ids[2], ids[4]}},
			{[]string{"--org", second, "--last=1"}, ids[5:]},
			{[]string{"--org", first, "--last=-1"}, []string{ids[0], ids[2], ids[4]}},
			{[]string{"--types", "message.sent"}, nil},
		} {
			var got []string
			for _, e := range s.tailed(t, test.args...) {
				got = append(got, e.ID)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v: got %v, want %v", test.args, got, test.want)
			}
		}
		s.run(t, "events", "tail", "--org", absentOrg).refused(t, exitFailed, `No such organization. "parley org list" shows them`)
	})
}

// change changes the site's store directly.
func (s site) change(t *testing.T, fn func(*store.Tx) error) {
	t.Helper()
	cfg := store.Config{Dir: s.flags[1]}
	if s.flags[0] == "--database-url" {
		cfg = store.Config{URL: s.flags[1]}
	}
	st, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	storetest.InTx(t, st, fn)
}

func newEvent(tx *store.Tx, orgID string) chat.Event {
	id := tx.NewID(chat.KindEvent)
	return chat.Event{ID: id, OrgID: orgID, EventID: id, Type: chat.EventContactCreated, Source: chat.SourceService, Payload: []byte(`{}`), CreatedAt: tx.Now()}
}

// TestLateEvents shows an event whose transaction took longer than that of a younger one, and shows no event
// twice.
func TestLateEvents(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	st := storetest.Open(t, storetest.SQLite, storetest.WithClock(clock))
	org := storetest.Org(t, st)
	var out bytes.Buffer
	tail := &tail{cmd: &eventsTailCommand{JSON: true}, out: &out, followers: map[string]*follower{}}
	if err := tail.begin(st.Read(t.Context())); err != nil {
		t.Fatal(err)
	}
	var events []chat.Event // by age
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for range 4 {
			events = append(events, newEvent(tx, org.ID))
		}
		return nil
	})
	var want []string
	for _, i := range []int{2, 0, 3, 1} { // in the order in which they appear
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.InsertEvent(events[i]) })
		want = append(want, events[i].ID)
		for range 2 {
			if err := tail.poll(st.Read(t.Context()), clock.Advance(time.Second)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tail.poll(st.Read(t.Context()), clock.Advance(time.Hour)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range eventsIn(t, out.String()) {
		got = append(got, e.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if f := tail.followers[org.ID]; f.after != events[3].ID || len(f.known) != 0 {
		t.Errorf("what is settled is kept: %+v", f)
	}
}

// Somebody without a number goes by one name in every event: the id of the contact.
func TestPersonWithoutANumberHasOneName(t *testing.T) {
	t.Parallel()
	const id = "ctc_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	sent := &client.MessageSent{}
	sent.Contact.ID = id
	for _, value := range []any{
		&client.MessageReceived{From: client.Person{BSUID: "DE.123abc"}, ContactID: id}, &client.MessageStatusChanged{ContactID: id}, sent,
		&client.ContactCreated{Contact: client.EventContact{ID: id}}, &client.ContactUpdated{Contact: client.EventContact{ID: id}},
	} {
		if who, _, _ := describe(value); who != id {
			t.Errorf("%T names %q", value, who)
		}
	}
}

func TestHelpNamesTheSimulator(t *testing.T) {
	t.Parallel()
	if o := parley(t, "--help"); !strings.Contains(o.stdout, "\n  simulate run") || !strings.Contains(o.stdout, "nor does log") {
		t.Errorf("the help is %s", o.stdout)
	}
	if o := parley(t, "simulate", "--help"); !strings.Contains(o.stdout, "simulate run") || !strings.Contains(o.stdout, "shows its flags") {
		t.Errorf("the help of simulate is %s", o.stdout)
	}
	if o := parley(t, "simulate", "run", "--help"); !strings.Contains(o.stdout, "--callback-url") || !strings.Contains(o.stdout, "--listen") {
		t.Errorf("the help of simulate run is %s", o.stdout)
	}
}
