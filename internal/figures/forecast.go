package figures

import (
	"math"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// Month is how many messages were to be sent this month, and how many it will be when it ends.
type Month struct {
	From, Until time.Time
	Outbound    int64
	Forecast    int64
	Days        []Day // those that have begun
}

// leastDays is from how many days a forecast is made: the first days of a month say little about the rest of it.
const leastDays = 7

// ThisMonth counts the messages of the month of an instant, in UTC as plans do. The forecast goes on as the month has
// gone so far, or as the last week did where the month is younger than that.
func ThisMonth(r store.Reader, orgID string, now time.Time) (m Month, err error) {
	now = now.UTC()
	m.From = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	m.Until = m.From.AddDate(0, 1, 0)
	counts, err := r.MessageCounts(orgID, nil, m.From, now)
	if err != nil {
		return m, err
	}
	month := totalsByDay(Query{OrgID: orgID, From: m.From, Until: now}, counts)
	for _, d := range month {
		m.Outbound += d.Outbound
	}
	m.Days = month
	since, sent := m.From, m.Outbound
	if week := now.AddDate(0, 0, -leastDays); week.Before(since) {
		before, err := r.MessageCounts(orgID, nil, week, m.From)
		if err != nil {
			return m, err
		}
		var t Totals
		for _, c := range before {
			t.add(c)
		}
		since, sent = week, sent+t.Outbound
	}
	m.Forecast = m.Outbound + int64(math.Round(float64(sent)*m.Until.Sub(now).Hours()/now.Sub(since).Hours()))
	return m, nil
}
