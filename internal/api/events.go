package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

const (
	feedEvery = 500 * time.Millisecond
	// feedWaiters is how many requests of an organization may wait for events at the same time. All of them
	// together leave room for requests that do something.
	feedWaiters      = 32
	feedWaitersInAll = 512
)

func registerEvents(a *API) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/events", ID: "listEvents", Tag: "Events",
		Summary: "Follow the events of the organization",
		Description: "Answers with the events that were recorded since the cursor, oldest first, and with the cursor to go on from. " +
			"Without a cursor it answers with none, and the cursor from which on all that happens is given. A cursor can be used again, " +
			"after a lost connection for example, as long as events are kept: 30 days. With wait the answer is held back until there is an event. " +
			"This is for development tools; services subscribe with webhooks.",
		Errors: []chat.Code{chat.CodeInvalidLimit, chat.CodeInvalidCursor, chat.CodeInvalidEventType},
	}, a.followEvents)
}

type followEventsInput struct {
	Types string `query:"types" format:"event-types" doc:"Only events of these types, separated by commas."`
	Wait  string `query:"wait" pattern:"^([0-9]|1[0-9]|20)$" default:"0" doc:"How many seconds to wait for an event, up to 20."`
}

type eventFeedView struct {
	Object  string      `json:"object" enum:"event_feed"`
	Events  []eventView `json:"events" maxItems:"100"`
	Cursor  string      `json:"cursor" doc:"Where to go on: pass it as cursor."`
	HasMore bool        `json:"has_more" doc:"There are more events already."`
}

type eventView struct {
	ID            rest.EventID `json:"id"`
	Object        string       `json:"object" enum:"event"`
	Type          string       `json:"type"`
	Source        string       `json:"source" enum:"provider,svc"`
	EventID       string       `json:"event_id" doc:"What deliveries of the event carry as X-Svc-Event-Id."`
	PhoneNumberID *string      `json:"phone_number_id" nullable:"true" doc:"The number it concerns, if any."`
	Payload       rest.AnyJSON `json:"payload" doc:"What is delivered, byte for byte."`
	CreatedAt     rest.Instant `json:"created_at"`
}

func viewEvent(e chat.Event) eventView {
	view := eventView{
		ID: rest.EventID(e.ID), Object: "event", Type: string(e.Type), Source: string(e.Source), EventID: e.EventID,
		Payload: rest.AnyJSON(e.Payload), CreatedAt: rest.Instant(e.CreatedAt),
	}
	if e.PhoneNumberID != "" {
		view.PhoneNumberID = &e.PhoneNumberID
	}
	return view
}

func (a *API) followEvents(c *rest.Call, in *followEventsInput) (eventFeedView, error) {
	types := typesOf(c, in.Types)
	p, err := c.Page()
	if err != nil {
		return eventFeedView{}, err
	}
	var batch feedBatch
	var place feedPlace
	if p.After == nil {
		place, err = placeNow(c.Read(), c.OrgID(), c.Now())
	} else {
		place = placeOf(*p.After)
		batch, err = a.awaitEvents(c, &place, feedOf{c.OrgID(), types, p.Limit}, secondsOf(in.Wait))
	}
	return eventFeedView{
		Object: "event_feed", Events: rest.ViewEach(store.Slice[chat.Event]{Rows: batch.events}, viewEvent).Rows,
		Cursor: c.Cursor(place.position()), HasMore: batch.more,
	}, err
}

// typesOf splits a list of event types; nil stands for all types.
func typesOf(c *rest.Call, list string) (types []chat.EventType) {
	if !c.Given("types") {
		return nil
	}
	for name := range strings.SplitSeq(list, ",") {
		types = append(types, chat.EventType(strings.TrimSpace(name)))
	}
	return types
}

// awaitEvents reads until there is a new event or the caller's waiting time is over.
func (a *API) awaitEvents(c *rest.Call, place *feedPlace, of feedOf, wait time.Duration) (feedBatch, error) {
	leave, ok := a.feedWaiters.Enter(of.orgID)
	if ok {
		defer leave()
	} else {
		wait = 0
	}
	deadline, tick := time.NewTimer(wait), time.NewTicker(feedEvery)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		batch, err := place.read(c.Read(), of, c.Now())
		if err != nil || len(batch.events) > 0 || wait == 0 {
			return batch, err
		}
		if batch.more { // more events follow, none of the wanted types so far
			continue
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			wait = 0 // read once more for events of the last moment
		case <-a.released:
			wait = 0
		case <-c.Ctx.Done():
			return feedBatch{}, c.Ctx.Err()
		}
	}
}

// Drain ends the requests that wait for events, so that the node can stop.
func (a *API) Drain() { a.release.Do(func() { close(a.released) }) }

func secondsOf(text string) time.Duration {
	n, _ := time.ParseDuration(text + "s") // the rule accepted it; an absent value is 0
	return n
}
