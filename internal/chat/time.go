package chat

import "time"

// TimeLayout is how every instant is shown: RFC 3339, UTC, milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime shows t in TimeLayout.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// DayBegins is the first instant of a day in a time zone. It takes days beyond the month as time.Date does. Where clocks are
// set forward at midnight it is not midnight.
func DayBegins(year int, month time.Month, day int, zone *time.Location) time.Time {
	return atClock(year, month, day, 0, zone)
}

// atClock is when clocks in a time zone show so many minutes past midnight. For a time that they leave out, because they are
// set forward, time.Date may return an earlier one, such as 23:00 of the day before; then it is when they are set.
func atClock(year int, month time.Month, day, minutes int, zone *time.Location) time.Time {
	at := time.Date(year, month, day, 0, minutes, 0, 0, zone)
	wanted := time.Date(year, month, day, 0, minutes, 0, 0, time.UTC)
	if _, offset := at.Zone(); at.Unix()+int64(offset) < wanted.Unix() {
		_, at = at.ZoneBounds()
	}
	return at
}
