package figures

import (
	"cmp"
	"slices"
	"sort"
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

// Summary is the figures of a period without its course.
type Summary struct {
	Totals
	Answered Durations
	Resolved Durations
}

// Report is the figures of a period.
type Report struct {
	Summary
	Days     []Day
	Failures []Failure    // most frequent first
	Hours    [7][24]int64 // inbound messages by weekday (Sunday first) and hour
}

// Read makes a report.
func Read(r store.Reader, q Query) (report Report, err error) {
	counts, err := r.MessageCounts(q.OrgID, q.Accounts, q.From, q.Until)
	if err != nil {
		return report, err
	}
	for _, c := range counts {
		at := time.UnixMilli(c.Slot).In(q.From.Location())
		report.Hours[at.Weekday()][at.Hour()] += c.Inbound
	}
	report.Days = totalsByDay(q, counts)
	if report.Failures, err = failures(r, q); err != nil {
		return report, err
	}
	report.Summary, err = summarize(r, q, counts)
	return report, err
}

// Summarize makes the summary of a report.
func Summarize(r store.Reader, q Query) (Summary, error) {
	counts, err := r.MessageCounts(q.OrgID, q.Accounts, q.From, q.Until)
	if err != nil {
		return Summary{}, err
	}
	return summarize(r, q, counts)
}

func summarize(r store.Reader, q Query, counts []store.SlotCount) (s Summary, err error) {
	for _, c := range counts {
		s.add(c)
	}
	if s.Answered, err = durations(r, q, chat.OutcomeAnswered); err != nil {
		return s, err
	}
	s.Resolved, err = durations(r, q, chat.OutcomeResolved)
	return s, err
}

// totalsByDay adds counts, the oldest first, up for each day of a query.
func totalsByDay(q Query, counts []store.SlotCount) []Day {
	days := q.days()
	i := 0
	for _, c := range counts {
		for i+1 < len(days) && days[i+1].Date.UnixMilli() <= c.Slot {
			i++
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
		at = chat.DayBegins(year, month, day+1, at.Location())
	}
	return days
}

func (t *Totals) add(c store.SlotCount) {
	t.Inbound += c.Inbound
	t.Outbound += c.Outbound()
	t.Sent += c.Sent + c.Delivered + c.Read
	t.Delivered += c.Delivered + c.Read
	t.Read += c.Read
	t.Failed += c.Failed
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
	if err != nil || took.Count == 0 {
		return d, err
	}
	d.Count = took.Count
	d.Mean = took.Sum / time.Duration(took.Count)
	d.Median = time.Duration(median(took)) * time.Second
	return d, nil
}

// median finds the middle one of sorted lists without merging them: the smallest number of seconds that more
// than half of the durations do not exceed.
func median(d store.Durations) int64 {
	var longest int32
	for _, list := range d.Lists {
		if len(list) > 0 {
			longest = max(longest, list[len(list)-1])
		}
	}
	return int64(sort.Search(int(longest), func(seconds int) bool {
		within := 0
		for _, list := range d.Lists {
			n, _ := slices.BinarySearch(list, int32(seconds)+1)
			within += n
		}
		return within > d.Count/2
	}))
}
