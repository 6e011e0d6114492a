package figures

import (
	"math"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// Month is the number of messages sent this month, and the forecast for its end.
type Month struct {
	From, Until time.Time
	Outbound    int64
	Forecast    int64
	Days        []Day // the days that have begun
}

// leastDays is the number of days that a forecast needs: the first days of a month say little about its rest.
const leastDays = 7

// ThisMonth counts the messages of an instant's month, in UTC as plans do. The forecast continues the month so
// far, or the last seven days if the month is younger.
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
