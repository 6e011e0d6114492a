package chat_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

func TestDayBegins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone             string
		year, month, day int
		want             string
	}{
		{"UTC", 2026, 2, 29, "2026-03-01T00:00:00Z"},
		{"Asia/Jakarta", 2026, 3, 0, "2026-02-28T00:00:00+07:00"},
		{"Europe/Berlin", 2026, 3, 29, "2026-03-29T00:00:00+01:00"},
		{"America/Santiago", 2026, 9, 6, "2026-09-06T01:00:00-03:00"},
		{"America/Santiago", 2026, 9, 7, "2026-09-07T00:00:00-03:00"},
		{"America/Havana", 2026, 3, 8, "2026-03-08T01:00:00-04:00"},
		{"Atlantic/Azores", 2026, 3, 29, "2026-03-29T01:00:00Z"},
		{"Africa/Cairo", 2026, 4, 24, "2026-04-24T01:00:00+03:00"},
		{"Pacific/Apia", 2011, 12, 30, "2011-12-31T00:00:00+14:00"}, // the day that there was not
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := chat.DayBegins(test.year, time.Month(test.month), test.day, zone).Format(time.RFC3339); got != test.want {
			t.Errorf("%d-%d-%d in %s begins at %s, want %s", test.year, test.month, test.day, test.zone, got, test.want)
		}
	}
}
