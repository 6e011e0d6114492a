package app

import (
	"net/http"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerUsage(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/usage", ID: "getUsage", Tag: "Usage", Role: chat.RoleAdmin,
		Summary: "Show what is used of the plan", Description: "Messages of this month, in UTC, with a forecast; numbers, users and files.",
	}, getUsage)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/usage/retention", ID: "previewRetention", Tag: "Usage", Role: chat.RoleAdmin,
		Summary: "Tell what a retention would remove", Description: "How many messages are older than so many days.",
		Errors: []chat.Code{chat.CodeMissingRequiredField},
	}, previewRetention)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPut, Path: "/usage/retention", ID: "setRetention", Tag: "Usage", Role: chat.RoleOwner,
		Summary: "Choose for how long messages are kept", Description: "Not longer than the plan keeps them. What is older is removed for good, within minutes.",
	}, setRetention)
}

type usageView struct {
	Plan      string        `json:"plan"`
	Messages  monthView     `json:"messages"`
	Numbers   int64         `json:"numbers"`
	Users     int64         `json:"users" doc:"Without those who have left."`
	Files     int64         `json:"files"`
	Bytes     int64         `json:"bytes" doc:"That the files take."`
	Retention retentionView `json:"retention"`
}

type monthView struct {
	From     rest.Instant   `json:"from"`
	Until    rest.Instant   `json:"until"`
	Used     int64          `json:"used" doc:"Messages that were to be sent; where the plan has a limit, those that count towards it."`
	Limit    *int64         `json:"limit" nullable:"true"`
	Forecast int64          `json:"forecast" doc:"How many it will be at the end of the month if it goes on like this."`
	Days     []monthDayView `json:"days" doc:"Those of the month that have begun."`
}

type monthDayView struct {
	Date     string `json:"date"`
	Outbound int64  `json:"outbound"`
}

type retentionView struct {
	Plan   *int64 `json:"plan_days" nullable:"true" doc:"How long the plan keeps messages at most; null: for ever."`
	Chosen *int64 `json:"chosen_days" nullable:"true" doc:"What the organization has chosen; null: as long as the plan allows."`
	Days   *int64 `json:"days" nullable:"true" doc:"What counts."`
}

func viewRetention(p chat.Plan, s chat.Settings) retentionView {
	view := retentionView{Plan: p.RetentionDays, Days: p.Keeps(s)}
	if s.RetentionDays > 0 {
		view.Chosen = &s.RetentionDays
	}
	return view
}

func getUsage(c *rest.Call, _ *noInput) (view usageView, err error) {
	r, plan := c.Read(), c.Caller.Plan
	month, err := figures.ThisMonth(r, c.OrgID(), c.Now())
	if err != nil {
		return view, err
	}
	has, err := r.Usage(c.OrgID())
	if err != nil {
		return view, err
	}
	view = usageView{
		Plan: plan.Name, Numbers: has.Numbers, Users: has.Users, Files: has.Files, Bytes: has.Bytes, Retention: viewRetention(plan, c.Caller.Organization.Settings),
		Messages: monthView{From: rest.Instant(month.From), Until: rest.Instant(month.Until), Used: month.Outbound, Limit: plan.MonthlyMessages, Forecast: month.Forecast, Days: []monthDayView{}},
	}
	for _, d := range month.Days {
		view.Messages.Days = append(view.Messages.Days, monthDayView{d.Date.Format(time.DateOnly), d.Outbound})
	}
	if plan.MonthlyMessages == nil {
		return view, nil
	}
	// The quota's own counter is exact; the figures are some seconds behind.
	counted, err := core.QuotaUsed(r, c.OrgID(), c.Now())
	view.Messages.Used, view.Messages.Forecast = counted, month.Forecast+counted-month.Outbound
	return view, err
}

// mostOld is where the count of messages to delete stops.
const mostOld = 100_000

type retentionInput struct {
	Days string `query:"days" pattern:"^[1-9][0-9]{0,4}$"`
}

type removalView struct {
	Messages int64        `json:"messages" doc:"Stops at 100,000."`
	Before   rest.Instant `json:"before"`
}

func previewRetention(c *rest.Call, in *retentionInput) (removalView, error) {
	days, err := strconv.Atoi(in.Days) // the pattern accepted it, or it is absent
	if err != nil {
		return removalView{}, chat.Missing("days")
	}
	before := c.Now().AddDate(0, 0, -days)
	n, err := c.Read().MessagesBefore(c.OrgID(), before, mostOld)
	return removalView{n, rest.Instant(before)}, err
}

type setRetentionBody struct {
	Days *int64 `json:"days" nullable:"true" minimum:"1" maximum:"36500" doc:"Null: as long as the plan allows."`
}

func setRetention(tx *store.Tx, c *rest.Call, in *rest.Sent[setRetentionBody]) (retentionView, error) {
	var days int64
	if in.Body.Days != nil {
		days = *in.Body.Days
	}
	if limit := c.Caller.Plan.RetentionDays; limit != nil && days > *limit {
		return retentionView{}, chat.Invalid("days", "The %s plan keeps messages for %d days at most.", c.Caller.Plan.Name, *limit)
	}
	org, err := core.ChangeSettings(tx, c.OrgID(), nil, func(s *chat.Settings) { s.RetentionDays = days })
	return viewRetention(c.Caller.Plan, org.Settings), err
}
