package app

import (
	"cmp"
	"strconv"
	"time"
	_ "time/tzdata" // time zones for machines that have none

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/rest"
)

type figuresInput struct {
	Days   string `query:"days" enum:"1,7,30,90" default:"7" doc:"How many, today included."`
	Zone   string `query:"zone" maxLength:"64" default:"UTC" doc:"The time zone whose days are meant, Asia/Jakarta for example."`
	Number string `query:"number" pattern:"^[0-9]{6,20}$" doc:"Only of this business number, by its phone_number_id."`
}

type figuresView struct {
	From     rest.Instant  `json:"from"`
	Until    rest.Instant  `json:"until"`
	Days     []dayView     `json:"days"`
	Hours    [][]int64     `json:"hours" doc:"Messages that came in, by weekday, Sunday first, and hour of the day."`
	Failures []failureView `json:"failures" doc:"The most frequent first."`
	Now      periodView    `json:"now"`
	Before   periodView    `json:"before" doc:"As many days before, up to the same time of day."`
}

type dayView struct {
	Date     string     `json:"date"`
	Messages totalsView `json:"messages"`
}

// totalsView counts messages.
type totalsView struct {
	Inbound   int64 `json:"inbound"`
	Outbound  int64 `json:"outbound" doc:"All that were to be sent."`
	Sent      int64 `json:"sent" doc:"Those that the provider took."`
	Delivered int64 `json:"delivered" doc:"Also those that were read."`
	Read      int64 `json:"read"`
	Failed    int64 `json:"failed"`
}

type periodView struct {
	Messages totalsView    `json:"messages"`
	Answered durationsView `json:"answered" doc:"From a person's first unanswered message until a colleague answered."`
	Resolved durationsView `json:"resolved" doc:"From when a conversation was opened, or opened again, until it was resolved."`
}

type durationsView struct {
	Count         int   `json:"count"`
	MedianSeconds int64 `json:"median_seconds"`
	MeanSeconds   int64 `json:"mean_seconds"`
}

type failureView struct {
	Code    string         `json:"code"`
	Count   int64          `json:"count"`
	Numbers []failedOfView `json:"numbers" doc:"The same by number; those that are gone are left out."`
}

type failedOfView struct {
	PhoneNumberID string  `json:"phone_number_id"`
	PhoneNumber   *string `json:"phone_number"`
	Name          *string `json:"name"`
	Count         int64   `json:"count"`
}

func getFigures(c *rest.Call, in *figuresInput) (view figuresView, err error) {
	accounts, err := countedAccounts(c, in.Number)
	if err != nil {
		return view, err
	}
	from, days, err := daysOf(c.Now(), in.Days, in.Zone)
	if err != nil {
		return view, err
	}
	until := c.Now().In(from.Location())
	now, err := figures.Read(c.Read(), figures.Query{OrgID: c.Caller.Organization.ID, Accounts: accounts, From: from, Until: until})
	if err != nil {
		return view, err
	}
	before, err := figures.Summarize(c.Read(), figures.Query{
		OrgID: c.Caller.Organization.ID, Accounts: accounts, From: from.AddDate(0, 0, -days), Until: until.AddDate(0, 0, -days),
	})
	return viewFigures(from, until, now, before), err
}

// daysOf is the beginning of each of the last days in a time zone, including today.
func daysOf(now time.Time, number, zoneName string) (from time.Time, days int, err error) {
	zone, err := time.LoadLocation(zoneName) // UTC where it is empty
	if err != nil || zoneName == "Local" {
		return from, 0, chat.Invalid("zone", "There is no such time zone.")
	}
	if days, err = strconv.Atoi(cmp.Or(number, "7")); err != nil {
		return from, 0, err
	}
	year, month, day := now.In(zone).Date()
	return chat.DayBegins(year, month, day-days+1, zone), days, nil
}

// countedAccounts are the numbers whose figures the caller may see; nil: all.
func countedAccounts(c *rest.Call, number string) ([]string, error) {
	u := *c.Caller.User
	if u.Sees == chat.SeesAssigned {
		return nil, chat.Fail(chat.CodeForbidden, "Figures are for those who see more than what is assigned to them.")
	}
	if u.Sees == chat.SeesAll && number == "" {
		return nil, nil
	}
	if number == "" {
		ids, err := c.Read().AccountsOfTeams(u)
		if err != nil {
			return nil, err
		}
		return append([]string{}, *ids...), nil // not nil for who is in no team
	}
	account, err := core.SeenNumber(c.Read(), u, number)
	if code, _ := chat.CodeOf(err); code == chat.CodeResourceNotFound {
		return []string{}, nil
	}
	return []string{account.ID}, err
}

func viewFigures(from, until time.Time, now figures.Report, before figures.Summary) figuresView {
	view := figuresView{
		From: rest.Instant(from), Until: rest.Instant(until), Days: []dayView{}, Hours: [][]int64{}, Failures: []failureView{},
		Now: viewPeriod(now.Summary), Before: viewPeriod(before),
	}
	for _, d := range now.Days {
		view.Days = append(view.Days, dayView{d.Date.Format(time.DateOnly), totalsView(d.Totals)})
	}
	for _, hours := range now.Hours {
		view.Hours = append(view.Hours, hours[:])
	}
	for _, f := range now.Failures {
		view.Failures = append(view.Failures, viewFailure(f))
	}
	return view
}

func viewFailure(f figures.Failure) failureView {
	view := failureView{f.Code, f.Count, []failedOfView{}}
	for _, n := range f.Numbers {
		if n.PhoneNumberID != "" {
			view.Numbers = append(view.Numbers, failedOfView{n.PhoneNumberID, n.PhoneNumber, n.Name, n.Count})
		}
	}
	return view
}

func viewPeriod(r figures.Summary) periodView {
	return periodView{totalsView(r.Totals), viewDurations(r.Answered), viewDurations(r.Resolved)}
}

func viewDurations(d figures.Durations) durationsView {
	return durationsView{d.Count, int64(d.Median.Seconds()), int64(d.Mean.Seconds())}
}
