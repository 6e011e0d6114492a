package onboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// date formats an instant. The page's script formats it again in the visitor's own time zone.
func (t texts) date(at time.Time) string {
	at = at.UTC()
	days, months := strings.Fields(t.words["date.days"]), strings.Fields(t.words["date.months"])
	return fmt.Sprintf("%s, %d %s, %s UTC", days[at.Weekday()], at.Day(), months[at.Month()-1], at.Format(t.words["date.clock"]))
}

// remaining is a duration in the largest fitting unit. It rounds, so that a link made for seven days a minute
// ago has seven days left.
func (t texts) remaining(d time.Duration) string {
	unit, count := "in.days", d.Hours()/24
	switch {
	case d < 90*time.Second:
		unit = "in.minute"
	case d < 90*time.Minute:
		unit, count = "in.minutes", d.Minutes()
	case d < 36*time.Hour:
		unit, count = "in.hours", d.Hours()
	}
	return strings.ReplaceAll(t.words[unit], "{count}", strconv.Itoa(int(math.Round(count))))
}
