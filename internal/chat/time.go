package chat

import "time"

// TimeLayout is how every instant is shown: RFC 3339, UTC, milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime shows t in TimeLayout.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }
