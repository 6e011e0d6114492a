package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/store"
)

type eventsCommands struct {
	Tail eventsTailCommand `cmd:"" help:"Print the latest events, and new ones as they happen."`
}

const (
	pollInterval = time.Second
	// settleTime is how long an event may take to appear. Its id is made before its transaction commits, so
	// that on PostgreSQL it can appear after younger events.
	settleTime = 10 * time.Second
	eventBatch = 500
)

type eventsTailCommand struct {
	Org          someOrgID `placeholder:"ORG" help:"Only this organization's events (org_…). Without: those of all."`
	Types        []string  `type:"list" placeholder:"TYPES" help:"Only these types, separated by commas, as message.received,message.status."`
	Last         int64     `default:"10" placeholder:"N" help:"How many events of the past to begin with; -1 for all that are kept."`
	Follow       bool      `default:"true" help:"Go on with new events until interrupted; --follow=false ends after those of the past."`
	JSON         bool      `name:"json" help:"Print each event as a JSON object on a line of its own."`
	config.Store `embed:""`
}

// Validate is called by kong.
func (cmd *eventsTailCommand) Validate() error {
	for _, name := range cmd.Types {
		if !slices.Contains(chat.EventTypes, chat.EventType(name)) {
			return fmt.Errorf("--types %q must be a list of %s", name, strings.Join(texts(chat.EventTypes), ", "))
		}
	}
	if cmd.Last < -1 || cmd.Last > 100_000 {
		return errors.New("--last must be between 0 and 100000, or -1 for all")
	}
	return cmd.Store.Validate()
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func (cmd *eventsTailCommand) Run(c *console) error {
	f := storeFlags{JSON: cmd.JSON, Store: cmd.Store}
	err := f.with(c, func(st *store.Store) error {
		t := &tail{cmd: cmd, out: c.stdout, colours: c.colours, followers: map[string]*follower{}}
		if err := t.begin(st.Read(c.ctx)); err != nil {
			return err
		}
		return t.follow(c.ctx, st)
	})
	if errors.Is(err, context.Canceled) { // interrupted by the user, which is how it ends
		return nil
	}
	return err
}

// tail prints events of some organizations.
type tail struct {
	cmd       *eventsTailCommand
	out       io.Writer
	colours   colours
	followers map[string]*follower
}

// organizations are the organizations whose events are shown.
func (t *tail) organizations(r store.Reader) ([]chat.Organization, error) {
	if t.cmd.Org == "" {
		return r.Organizations()
	}
	org, err := r.Organization(string(t.cmd.Org))
	if errors.Is(err, store.ErrNotFound) {
		err = pointTo(chat.NotFound("organization"), listOrgs)
	}
	return []chat.Organization{org}, err
}

// begin prints the requested past events, and places each follower after them.
func (t *tail) begin(r store.Reader) error {
	orgs, err := t.organizations(r)
	if err != nil || t.cmd.Last < 0 {
		return err
	}
	var past []chat.Event
	for _, org := range orgs {
		f := &follower{org: org.ID, known: map[string]bool{}}
		t.followers[org.ID] = f
		newest, err := r.LatestEvents(org.ID, nil, 1)
		if err != nil {
			return err
		}
		for _, e := range newest {
			f.after = e.ID
		}
		latest, err := r.LatestEvents(org.ID, t.types(), int(t.cmd.Last))
		if err != nil {
			return err
		}
		for _, e := range latest { // one may be newer than the head read before
			f.known[e.ID] = true
		}
		past = append(past, latest...)
	}
	slices.SortFunc(past, func(a, b chat.Event) int { return cmp.Compare(a.ID, b.ID) })
	for _, e := range past[max(0, len(past)-int(t.cmd.Last)):] {
		if err := t.print(e); err != nil {
			return err
		}
	}
	return nil
}

func (t *tail) types() []chat.EventType {
	types := make([]chat.EventType, len(t.cmd.Types))
	for i, name := range t.cmd.Types {
		types[i] = chat.EventType(name)
	}
	return types
}

// follow prints new events until ctx ends.
func (t *tail) follow(ctx context.Context, st *store.Store) error {
	if !t.cmd.Follow && t.cmd.Last >= 0 {
		return nil
	}
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if err := t.poll(st.Read(ctx), time.Now()); err != nil || !t.cmd.Follow {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *tail) poll(r store.Reader, now time.Time) error {
	orgs, err := t.organizations(r)
	if err != nil {
		return err
	}
	for _, org := range orgs {
		f := t.followers[org.ID]
		if f == nil { // the organization is new, or all past events are wanted
			f = &follower{org: org.ID}
			t.followers[org.ID] = f
		}
		if err := f.poll(r, now.Add(-settleTime), t.show); err != nil {
			return err
		}
	}
	return nil
}

func (t *tail) show(e chat.Event) error {
	if len(t.cmd.Types) > 0 && !slices.Contains(t.cmd.Types, string(e.Type)) {
		return nil
	}
	return t.print(e)
}

// follower reads one organization's events in the order of their ids.
type follower struct {
	org   string
	after string          // no event will appear before this id any more
	known map[string]bool // ids after it that were already shown
}

// poll shows the events that have appeared since the last poll. Events made before settled cannot appear any
// more.
func (f *follower) poll(r store.Reader, settled time.Time, show func(chat.Event) error) error {
	known, from := f.known, f.after
	f.known = map[string]bool{}
	for {
		events, err := r.EventsAfter(f.org, from, eventBatch)
		if err != nil {
			return err
		}
		for _, e := range events {
			from = e.ID
			if e.CreatedAt.Before(settled) {
				f.after = e.ID
			} else {
				f.known[e.ID] = true
			}
			if known[e.ID] {
				continue
			}
			if err := show(e); err != nil {
				return err
			}
		}
		if len(events) < eventBatch {
			return nil
		}
	}
}

func (t *tail) print(e chat.Event) error {
	number := any(nil)
	if e.PhoneNumberID != "" {
		number = e.PhoneNumberID
	}
	if len(e.Payload) == 0 { // deleted with its message
		e.Payload = []byte("null")
	}
	if t.cmd.JSON {
		return printJSON(t.out, record{
			{"id", e.ID}, {"organization_id", e.OrgID}, {"type", string(e.Type)}, {"source", string(e.Source)}, {"event_id", e.EventID},
			{"phone_number_id", number}, {"subject", e.Subject}, {"created_at", instant(e.CreatedAt)}, {"payload", jsontext.Value(e.Payload)},
		})
	}
	shown := shownEvent{at: e.CreatedAt, kind: string(e.Type), number: e.PhoneNumberID, payload: e.Payload, id: e.EventID}
	if t.cmd.Org == "" {
		shown.beside = "  " + e.OrgID
	}
	_, err := io.WriteString(t.out, shown.line(t.colours))
	return err
}
