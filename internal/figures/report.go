package figures

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Query selects the messages of a report.
type Query struct {
	OrgID    string
	Accounts []string // nil: all
	// From and Until are its bounds. Days begin in the zone of From.
	From, Until time.Time
}

// Totals are counts of messages, and cumulative: a read message counts as delivered, and a delivered one as
// sent.
type Totals struct {
	Inbound, Outbound, Sent, Delivered, Read, Failed int64
}

// Day is the totals of a day.
type Day struct {
	Date time.Time // its beginning
	Totals
}

// Failure is the number of messages that failed for a reason.
type Failure struct {
	Code    string
	Count   int64
	Numbers []store.FailureCount // by number, most first
}

// Durations say how long something took.
type Durations struct {
	Count        int
	Median, Mean time.Duration
}

// Report is the figures of a period.
type Report struct {
	Totals
	Days     []Day
	Failures []Failure    // most frequent first
	Hours    [7][24]int64 // inbound messages by weekday (Sunday first) and hour
	Answered Durations
	Resolved Durations
}

// Read makes a report.
func Read(r store.Reader, q Query) (report Report, err error) {
	counts, err := r.MessageCounts(q.OrgID, q.Accounts, q.From, q.Until)
	if err != nil {
		return report, err
	}
	for _, c := range counts {
		at := time.UnixMilli(c.Slot).In(q.From.Location())
		report.add(c)
		if c.Direction == chat.Inbound {
			report.Hours[at.Weekday()][at.Hour()] += c.Count
		}
	}
	report.Days = totalsByDay(q, counts)
	if report.Failures, err = failures(r, q); err != nil {
		return report, err
	}
	if report.Answered, err = durations(r, q, chat.OutcomeAnswered); err != nil {
		return report, err
	}
	report.Resolved, err = durations(r, q, chat.OutcomeResolved)
	return report, err
}

// totalsByDay adds counts up for each day of a query.
func totalsByDay(q Query, counts []store.MessageCount) []Day {
	days := q.days()
	for _, c := range counts {
		at := time.UnixMilli(c.Slot).In(q.From.Location())
		i, _ := slices.BinarySearchFunc(days, at, func(d Day, at time.Time) int { return d.Date.Compare(at) })
		if i == len(days) || days[i].Date.After(at) {
			i--
		}
		days[i].add(c)
	}
	return days
}

// days are the beginnings of the days of a report.
func (q Query) days() (days []Day) {
	for at := q.From; at.Before(q.Until); {
		days = append(days, Day{Date: at})
		year, month, day := at.Date()
		at = time.Date(year, month, day+1, 0, 0, 0, 0, at.Location())
	}
	return days
}

func (t *Totals) add(c store.MessageCount) {
	if c.Direction == chat.Inbound {
		t.Inbound += c.Count
		return
	}
	t.Outbound += c.Count
	switch c.Status {
	case chat.StatusRead:
		t.Read += c.Count
		fallthrough
	case chat.StatusDelivered:
		t.Delivered += c.Count
		fallthrough
	case chat.StatusSent:
		t.Sent += c.Count
	case chat.StatusFailed:
		t.Failed += c.Count
	}
}

// failures are the reasons of failed messages, most frequent first.
func failures(r store.Reader, q Query) ([]Failure, error) {
	counts, err := r.FailureCounts(q.OrgID, q.Accounts, q.From, q.Until)
	byCode := map[string]*Failure{}
	for _, c := range counts {
		f := byCode[c.Code]
		if f == nil {
			f = &Failure{Code: c.Code}
			byCode[c.Code] = f
		}
		f.Count += c.Count
		f.Numbers = append(f.Numbers, c)
	}
	var all []Failure
	for _, f := range byCode {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b Failure) int { return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Code, b.Code)) })
	return all, err
}

func durations(r store.Reader, q Query, what chat.OutcomeKind) (d Durations, err error) {
	took, err := r.Durations(q.OrgID, q.Accounts, what, q.From, q.Until)
	if err != nil || len(took) == 0 {
		return d, err
	}
	var sum int64
	for _, ms := range took {
		sum += ms
	}
	d.Count = len(took)
	d.Median = time.Duration(took[len(took)/2]) * time.Millisecond
	d.Mean = time.Duration(sum/int64(len(took))) * time.Millisecond
	return d, nil
}
