package chat_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
)

func TestClosedSince(t *testing.T) {
	t.Parallel()
	office := chat.Settings{TimeZone: "Asia/Jakarta", Hours: []chat.OpenHours{ // seven hours before UTC
		{Day: "monday", Opens: "09:00", Closes: "17:00"}, {Day: "tuesday", Opens: "09:00", Closes: "17:00"}, {Day: "friday", Opens: "22:00", Closes: "02:00"},
	}}
	berlin := chat.Settings{TimeZone: "Europe/Berlin", Hours: []chat.OpenHours{{Day: "sunday", Opens: "01:00", Closes: "04:00"}}}
	chile := chat.Settings{TimeZone: "America/Santiago", Hours: []chat.OpenHours{{Day: "sunday", Opens: "09:00", Closes: "17:00"}}}
	late := chat.Settings{TimeZone: "America/Santiago", Hours: []chat.OpenHours{{Day: "saturday", Opens: "09:00", Closes: "00:00"}}}
	never := chat.Settings{}
	always := chat.Settings{}
	for _, day := range chat.Weekdays {
		always.Hours = append(always.Hours, chat.OpenHours{Day: day, Opens: "00:00", Closes: "00:00"})
	}
	for _, test := range []struct {
		name       string
		settings   chat.Settings
		now, since string // since is empty while it is open
	}{
		{"before the first hour of a week", office, "2026-11-16T01:59:59Z", "2026-11-13T19:00:00Z"},
		{"the first minute", office, "2026-11-16T02:00:00Z", ""},
		{"the last moment", office, "2026-11-16T09:59:59Z", ""},
		{"closing time", office, "2026-11-16T10:00:00Z", "2026-11-16T10:00:00Z"},
		{"the night", office, "2026-11-17T01:00:00Z", "2026-11-16T10:00:00Z"},
		{"past midnight", office, "2026-11-13T18:30:00Z", ""},
		{"after a night shift", office, "2026-11-13T19:00:00Z", "2026-11-13T19:00:00Z"},
		{"the night that has an hour less", berlin, "2026-03-29T01:59:00Z", ""},
		{"its end", berlin, "2026-03-29T02:00:00Z", "2026-03-29T02:00:00Z"},
		{"the night that has an hour more", berlin, "2026-10-25T02:59:00Z", ""},
		{"a day that begins at one", chile, "2026-09-06T12:00:00Z", ""},
		{"its evening", chile, "2026-09-06T20:00:00Z", "2026-09-06T20:00:00Z"},
		{"the hour before a midnight that there is not", late, "2026-09-06T03:59:59Z", ""},
		{"that midnight", late, "2026-09-06T04:00:00Z", "2026-09-06T04:00:00Z"},
		{"without hours", never, "2026-11-16T12:00:00Z", "0001-01-01T00:00:00Z"},
		{"round the clock", always, "2026-11-16T12:00:00Z", ""},
	} {
		now, err := time.Parse(time.RFC3339, test.now)
		if err != nil {
			t.Fatal(err)
		}
		since, closed := test.settings.ClosedSince(now)
		if got := since.Format(time.RFC3339); closed != (test.since != "") || closed && got != test.since {
			t.Errorf("%s: closed %v since %s, want %q", test.name, closed, got, test.since)
		}
	}
}

// Two instants belong to the same closed time if and only if it was never open in between.
func TestClosedTimes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := chat.Settings{TimeZone: rapid.SampledFrom([]string{"UTC", "Asia/Jakarta", "America/New_York", "Australia/Lord_Howe"}).Draw(t, "zone")}
		for _, day := range rapid.SliceOfDistinct(rapid.SampledFrom(chat.Weekdays), func(d string) string { return d }).Draw(t, "days") {
			times := rapid.SampledFrom([]string{"00:00", "00:30", "08:00", "12:15", "17:00", "23:59"})
			s.Hours = append(s.Hours, chat.OpenHours{Day: day, Opens: times.Draw(t, "opens"), Closes: times.Draw(t, "closes")})
		}
		a := time.Unix(rapid.Int64Range(1_700_000_000, 1_800_000_000).Draw(t, "a"), 0).Truncate(time.Minute)
		b := a.Add(time.Duration(rapid.IntRange(0, 24*60).Draw(t, "minutes")) * time.Minute)
		sinceA, closedA := s.ClosedSince(a)
		sinceB, closedB := s.ClosedSince(b)
		if !closedA || !closedB {
			return
		}
		open := false
		for at := a; at.Before(b); at = at.Add(time.Minute) {
			if _, closed := s.ClosedSince(at); !closed {
				open = true
			}
		}
		if sinceA.Equal(sinceB) == open {
			t.Fatalf("%v: closed since %s at %s and since %s at %s; open in between: %v", s.Hours, sinceA, a, sinceB, b, open)
		}
	})
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	hours := func(all ...chat.OpenHours) chat.Settings { return chat.Settings{Hours: all} }
	for param, bad := range map[string][]chat.Settings{
		"time_zone":         {{TimeZone: "Mars/Olympus"}, {TimeZone: "Local"}, {TimeZone: "../../etc/passwd"}},
		"away_message.text": {{Away: chat.AwayMessage{On: true}}},
		"opening_hours": {
			hours(chat.OpenHours{"mon", "09:00", "17:00"}), hours(chat.OpenHours{"monday", "9:00", "17:00"}), hours(chat.OpenHours{"monday", "09:00", "24:00"}),
			hours(chat.OpenHours{"monday", "09:00", "12:00"}, chat.OpenHours{"monday", "13:00", "17:00"}),
		},
	} {
		for _, s := range bad {
			if e, ok := s.Check().(*chat.Error); !ok || e.Param != param {
				t.Errorf("%+v is refused with %v, want a word on %s", s, s.Check(), param)
			}
		}
	}
	if err := (chat.Settings{TimeZone: "Asia/Jakarta", Hours: []chat.OpenHours{{"monday", "22:00", "02:00"}}}).Check(); err != nil {
		t.Error(err)
	}
}
