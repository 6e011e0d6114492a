package chat

import "time"

// TimeLayout is how every instant is shown: RFC 3339, UTC, milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime shows t in TimeLayout.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// DayBegins is the first instant of a day in a time zone, which takes days beyond the month as time.Date does. Where clocks
// are set forward at midnight it is not midnight, for which time.Date may return an instant of the day before.
func DayBegins(year int, month time.Month, day int, zone *time.Location) time.Time {
	at := time.Date(year, month, day, 0, 0, 0, 0, zone)
	midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if _, offset := at.Zone(); at.Unix()+int64(offset) < midnight.Unix() {
		_, at = at.ZoneBounds()
	}
	return at
}
