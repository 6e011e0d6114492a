package app

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/rest"
)

func registerHome(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/attention", ID: "getAttention", Tag: "Home", Role: chat.RoleAgent,
		Summary:     "What needs attention now",
		Description: "Of what the user may see. Endpoints, templates and the quota are for admins; others get none.",
	}, getAttention)
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/figures", ID: "getFigures", Tag: "Home", Role: chat.RoleAgent,
		Summary: "Figures of the last days",
		Description: "Of the numbers that the user may see, with those of as many days before. Messages are counted a few " +
			"seconds behind. Users who see only what is assigned to them get `forbidden`.",
	}, getFigures)
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/figures/webhooks", ID: "getWebhookFigures", Tag: "Home", Role: chat.RoleAdmin,
		Summary:     "What became of webhook deliveries in the last days",
		Description: "Of all endpoints together, a few seconds behind. They count what the list of deliveries shows, and stay when that is removed.",
	}, getWebhookFigures)
}

type webhookFiguresInput struct {
	Days string `query:"days" enum:"1,7,30,90" default:"7" doc:"How many, today included."`
	Zone string `query:"zone" maxLength:"64" default:"UTC" doc:"The time zone whose days are meant, Asia/Jakarta for example."`
}

type webhookFiguresView struct {
	From   rest.Instant     `json:"from"`
	Days   []webhookDayView `json:"days"`
	Now    deliveriesView   `json:"now"`
	Before deliveriesView   `json:"before" doc:"As many days before, up to the same time of day."`
}

type webhookDayView struct {
	Date       string         `json:"date"`
	Deliveries deliveriesView `json:"deliveries"`
}

// deliveriesView counts deliveries by their current status, over the time of their creation.
type deliveriesView struct {
	Total     int64 `json:"total"`
	Succeeded int64 `json:"succeeded"`
	Waiting   int64 `json:"waiting" doc:"Still to be attempted, for the first time or again."`
	Dead      int64 `json:"dead" doc:"Given up, or called off."`
}

func getWebhookFigures(c *rest.Call, in *webhookFiguresInput) (view webhookFiguresView, err error) {
	from, days, err := daysOf(c.Now(), in.Days, in.Zone)
	if err != nil {
		return view, err
	}
	q := figures.Query{OrgID: c.Caller.Organization.ID, From: from, Until: c.Now().In(from.Location())}
	by, now, err := figures.ReadDeliveries(c.Read(), q)
	if err != nil {
		return view, err
	}
	q.From, q.Until = q.From.AddDate(0, 0, -days), q.Until.AddDate(0, 0, -days)
	_, before, err := figures.ReadDeliveries(c.Read(), q)
	view = webhookFiguresView{From: rest.Instant(from), Days: []webhookDayView{}, Now: deliveriesView(now), Before: deliveriesView(before)}
	for _, d := range by {
		view.Days = append(view.Days, webhookDayView{d.Date.Format(time.DateOnly), deliveriesView(d.Deliveries)})
	}
	return view, err
}

type attentionView struct {
	Waiting    waitingView            `json:"waiting"`
	Unassigned int                    `json:"unassigned" doc:"Open conversations that are nobody's; stops at 1000."`
	Numbers    []troubledNumberView   `json:"numbers" doc:"Those that cannot send as they should."`
	Endpoints  []endpointAlarmView    `json:"endpoints" doc:"Webhook endpoints that fail or were disabled for it."`
	Templates  []templateAlarmView    `json:"templates" doc:"Those that were rejected or paused."`
	Quota      rest.OrNull[quotaView] `json:"quota"`
}

type waitingView struct {
	Count int           `json:"count" doc:"Conversations in which a person waits for an answer; stops at 1000."`
	Since *rest.Instant `json:"since" nullable:"true" doc:"Since when the one who waits longest does."`
}

type troubledNumberView struct {
	PhoneNumberID  *string `json:"phone_number_id"`
	PhoneNumber    *string `json:"phone_number"`
	Name           *string `json:"name"`
	Status         string  `json:"status"`
	ProviderStatus *string `json:"provider_status"`
	Quality        *string `json:"quality"`
	Restriction    *string `json:"restriction"`
}

type endpointAlarmView struct {
	ID           string        `json:"id"`
	URL          string        `json:"url"`
	Status       string        `json:"status"`
	FailingSince *rest.Instant `json:"failing_since" nullable:"true"`
}

type templateAlarmView struct {
	ID             string  `json:"id"`
	Name           string  `json:"name"`
	Language       string  `json:"language"`
	ProviderStatus string  `json:"provider_status"`
	RejectedReason *string `json:"rejected_reason"`
}

type quotaView struct {
	Used  int64 `json:"used" doc:"Messages of this month."`
	Limit int64 `json:"limit"`
}

func getAttention(c *rest.Call, _ *noInput) (view attentionView, err error) {
	a, err := core.NeedsAttention(c.Read(), *c.Caller.User, c.Caller.Plan, c.Now())
	if err != nil {
		return view, err
	}
	view = attentionView{
		Waiting: waitingView{a.Waiting, rest.InstantPtr(a.WaitingSince)}, Unassigned: a.Unassigned,
		Numbers: []troubledNumberView{}, Endpoints: []endpointAlarmView{}, Templates: []templateAlarmView{},
	}
	for _, n := range a.Numbers {
		restriction, _ := n.RestrictionAt(c.Now())
		view.Numbers = append(view.Numbers, troubledNumberView{n.PhoneNumberID, n.PhoneNumber, n.Name, string(n.Status),
			n.ProviderStatus, n.Quality, (*string)(restriction)})
	}
	for _, s := range a.Endpoints {
		view.Endpoints = append(view.Endpoints, endpointAlarmView{s.ID, s.URL, string(s.Status), rest.InstantPtr(s.FailingSince)})
	}
	for _, t := range a.Templates {
		view.Templates = append(view.Templates, templateAlarmView{t.ID, t.Name, t.Language, t.ProviderStatus, t.RejectedReason})
	}
	if a.Quota != nil {
		view.Quota = rest.OrNull[quotaView]{Value: &quotaView{a.Quota.Used, a.Quota.Limit}}
	}
	return view, nil
}
