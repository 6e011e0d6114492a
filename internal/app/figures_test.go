package app

import (
	"testing"
	"time"
)

// The last days begin when their first one does, which is not midnight where clocks are set forward then.
func TestDaysOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.September, 7, 15, 0, 0, 0, time.UTC)
	for number, want := range map[string]string{
		"1": "2026-09-07T00:00:00-03:00", "2": "2026-09-06T01:00:00-03:00", "3": "2026-09-05T00:00:00-04:00", "30": "2026-08-09T00:00:00-04:00",
	} {
		from, _, err := daysOf(now, number, "America/Santiago")
		if got := from.Format(time.RFC3339); err != nil || got != want {
			t.Errorf("the last %s days begin at %s, %v, want %s", number, got, err, want)
		}
	}
}
