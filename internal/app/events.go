package app

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerEvents(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/events", ID: "browseEvents", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "List events, newest first",
		Description: "They are kept for 30 days. One request looks at a bounded number of events: has_more may be true with few of them " +
			"or none, and the cursor goes on behind what was looked at.",
		Errors: []chat.Code{chat.CodeInvalidEventType},
	}, browseEvents)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/events/{id}", ID: "getEvent", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "Get an event", Description: "With what is delivered for it, and its deliveries.",
	}, getEvent)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/event_subjects", ID: "listEventSubjects", Tag: "Developers", Role: chat.RoleAdmin, Whole: true,
		Summary: "Tell whom and what events or deliveries are about", Description: "In a few words, for lists. Events without a payload and unknown ids are left out.",
	}, listEventSubjects)

	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/event_types", ID: "listEventTypes", Tag: "Developers", Role: chat.RoleAdmin, Whole: true,
		Summary: "List the types of events", Description: "Each with a sample of what is delivered.",
	}, listEventTypes)
}

// EventHeadView is an event without its payload.
type EventHeadView struct {
	ID            rest.EventID `json:"id"`
	Type          string       `json:"type"`
	Source        string       `json:"source" enum:"provider,svc"`
	EventID       string       `json:"event_id" doc:"What deliveries carry as X-Svc-Event-Id."`
	PhoneNumberID *string      `json:"phone_number_id" nullable:"true"`
	Sample        bool         `json:"sample" doc:"It was made to test a subscription."`
	CreatedAt     rest.Instant `json:"created_at"`
}

func viewEventHead(e chat.Event) EventHeadView {
	return EventHeadView{
		ID: rest.EventID(e.ID), Type: string(e.Type), Source: string(e.Source), EventID: e.EventID, PhoneNumberID: orNil(e.PhoneNumberID),
		Sample: core.IsSample(e), CreatedAt: rest.Instant(e.CreatedAt),
	}
}

type browseEventsInput struct {
	Type   string     `query:"type" format:"event-type"`
	Number string     `query:"number" pattern:"^[0-9]{6,20}$" doc:"Only events of this number."`
	From   *time.Time `query:"from"`
	Until  *time.Time `query:"until"`
}

func browseEvents(c *rest.Call, in *browseEventsInput, p store.Page) (store.Slice[EventHeadView], error) {
	found, err := c.Read().EventHeads(c.OrgID(), store.EventFilter{
		Type: chat.EventType(in.Type), PhoneNumberID: in.Number, From: in.From, Until: in.Until,
	}, p)
	return rest.ViewEach(found, viewEventHead), err
}

type eventDetailView struct {
	EventHeadView
	Payload    rest.AnyJSON       `json:"payload" doc:"What is delivered. Null where the message it told of was removed."`
	Deliveries []deliveryHeadView `json:"deliveries" doc:"At most 100, oldest first."`
}

type deliveryHeadView struct {
	ID             rest.DeliveryID     `json:"id"`
	SubscriptionID string              `json:"subscription_id"`
	EventType      string              `json:"event_type"`
	Status         chat.DeliveryStatus `json:"status"`
	AttemptCount   int64               `json:"attempt_count"`
	ResponseStatus *int64              `json:"response_status" nullable:"true"`
	ErrorCode      *string             `json:"error_code" nullable:"true"`
	DurationMS     *int64              `json:"duration_ms" nullable:"true"`
	LastAttemptAt  *rest.Instant       `json:"last_attempt_at" nullable:"true"`
	CreatedAt      rest.Instant        `json:"created_at"`
}

func viewDeliveryHead(d chat.WebhookDelivery) deliveryHeadView {
	code, _ := d.Failure()
	return deliveryHeadView{
		ID: rest.DeliveryID(d.ID), SubscriptionID: d.SubscriptionID, EventType: string(d.EventType), Status: d.Status, AttemptCount: d.AttemptCount,
		ResponseStatus: d.ResponseStatus, ErrorCode: code, DurationMS: d.DurationMS,
		LastAttemptAt: rest.InstantPtr(d.LastAttemptAt), CreatedAt: rest.Instant(d.CreatedAt),
	}
}

// maxEventDeliveries is the number of deliveries shown with an event.
const maxEventDeliveries = 100

func getEvent(c *rest.Call, in *rest.ByID[rest.EventID]) (eventDetailView, error) {
	r := c.Read()
	e, err := r.Event(c.OrgID(), string(in.ID))
	if err != nil {
		return eventDetailView{}, err
	}
	view := eventDetailView{EventHeadView: viewEventHead(e), Payload: rest.AnyJSON("null"), Deliveries: []deliveryHeadView{}}
	if len(e.Payload) > 0 {
		view.Payload = rest.AnyJSON(e.Payload)
	}
	deliveries, err := r.DeliveriesToldAs(c.OrgID(), []string{e.EventID}, maxEventDeliveries)
	for _, d := range deliveries {
		if d.EventRow == e.ID {
			view.Deliveries = append(view.Deliveries, viewDeliveryHead(d))
		}
	}
	return view, err
}

type eventTypeView struct {
	Type   string       `json:"type"`
	Sample rest.AnyJSON `json:"sample"`
}

func listEventTypes(_ *rest.Call, _ *noInput, _ store.Page) (all store.Slice[eventTypeView], err error) {
	for _, t := range chat.EventTypes {
		all.Rows = append(all.Rows, eventTypeView{string(t), rest.AnyJSON(core.SamplePayload(t))})
	}
	return all, nil
}

type eventSubjectsInput struct {
	IDs string `query:"ids" pattern:"^(evt|wbd)_[0-9A-Z]+(,(evt|wbd)_[0-9A-Z]+)*$" maxLength:"3200" doc:"Up to 100 ids of events or deliveries, separated by commas."`
}

type eventSubjectView struct {
	ID   string `json:"id" doc:"Of the event or the delivery, as it was asked for."`
	Who  string `json:"who" doc:"The person or customer by name, number or id."`
	What string `json:"what" doc:"What was said or changed; may be empty."`
}

func listEventSubjects(c *rest.Call, in *eventSubjectsInput, _ store.Page) (all store.Slice[eventSubjectView], err error) {
	ids := strings.Split(in.IDs, ",")
	r := c.Read()
	of, err := r.EventsOfDeliveries(c.OrgID(), ids)
	if err != nil {
		return all, err
	}
	rows := make([]string, len(ids))
	for i, id := range ids {
		rows[i] = cmp.Or(of[id], id)
	}
	events, err := r.EventsByID(c.OrgID(), rows)
	if err != nil {
		return all, err
	}
	byID := map[string]chat.Event{}
	for _, e := range events {
		byID[e.ID] = e
	}
	for i, id := range ids {
		if who, what := core.AboutEvent(byID[rows[i]]); who != "" {
			all.Rows = append(all.Rows, eventSubjectView{id, who, what})
		}
	}
	return all, nil
}
