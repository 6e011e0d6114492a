package chat

import (
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // machines without a list of time zones have this one
)

// Settings are what an organization has chosen for itself.
type Settings struct {
	TimeZone    string      `json:"time_zone,omitempty"` // empty: UTC
	MaskNumbers bool        `json:"mask_numbers,omitempty"`
	RoundRobin  bool        `json:"round_robin,omitempty"`
	Away        AwayMessage `json:"away_message,omitzero"`
	Hours       []OpenHours `json:"opening_hours,omitempty"`
	SecondStep  bool        `json:"second_step,omitempty"` // everybody has to sign in with two steps
	// RetentionDays is for how many days messages are kept, where that is less than the plan keeps them; 0: as long as the plan does.
	RetentionDays int64 `json:"retention_days,omitempty"`
}

// AwayMessage is what people are told who write while nobody is there.
type AwayMessage struct {
	On   bool   `json:"on,omitempty"`
	Text string `json:"text,omitempty"`
}

// OpenHours are when somebody is there on a day of the week. Hours that close before they open go on past
// midnight.
type OpenHours struct {
	Day    string `json:"day"`
	Opens  string `json:"opens"`
	Closes string `json:"closes"`
}

// Weekdays are the days as settings call them, in the order of time.Weekday.
var Weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// MostAwayText is how long an away message may be.
const MostAwayText = 1000

// Automatic tells whether a message that comes in sets something off.
func (s Settings) Automatic() bool { return s.RoundRobin || s.Away.On }

// Zone is the name of the organization's time zone.
func (s Settings) Zone() string {
	if s.TimeZone == "" {
		return "UTC"
	}
	return s.TimeZone
}

// Check refuses settings that make no sense.
func (s Settings) Check() error {
	if location(s.Zone()) == nil {
		return Invalid("time_zone", "There is no such time zone. Give one as Asia/Jakarta.")
	}
	if s.Away.On && s.Away.Text == "" {
		return Invalid("away_message.text", "Write the message that people get outside of the opening hours.")
	}
	if len([]rune(s.Away.Text)) > MostAwayText {
		return Invalid("away_message.text", "Must have at most %d characters.", MostAwayText)
	}
	days := map[string]bool{}
	for _, h := range s.Hours {
		if err := h.check(); err != nil {
			return err
		}
		if days[h.Day] {
			return Invalid("opening_hours", "Give the hours of each day once.")
		}
		days[h.Day] = true
	}
	return nil
}

func (h OpenHours) check() error {
	_, opens := clock(h.Opens)
	_, closes := clock(h.Closes)
	if !slices.Contains(Weekdays, h.Day) || !opens || !closes {
		return Invalid("opening_hours", "Hours are as {\"day\":\"monday\",\"opens\":\"09:00\",\"closes\":\"17:30\"}.")
	}
	return nil
}

// clock reads a time of day as minutes from midnight.
func clock(text string) (minutes int, ok bool) {
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil && len(text) == 5
}

// ClosedSince tells since when nobody has been there at an instant, and whether that is so. Without any hours
// nobody ever is, and since is the beginning of time.
func (s Settings) ClosedSince(now time.Time) (since time.Time, closed bool) {
	zone := location(s.Zone())
	if zone == nil {
		zone = time.UTC
	}
	local := now.In(zone)
	for back := range 9 { // a week, and what goes on past midnight
		day := time.Date(local.Year(), local.Month(), local.Day()-back, 0, 0, 0, 0, zone)
		for _, h := range s.Hours {
			if h.Day != Weekdays[day.Weekday()] {
				continue
			}
			opens, closes := h.on(day)
			if !now.Before(opens) && now.Before(closes) {
				return time.Time{}, false
			}
			if !now.Before(closes) && closes.After(since) {
				since = closes
			}
		}
	}
	return since.UTC(), true
}

// on are the hours of a day that begins at an instant.
func (h OpenHours) on(day time.Time) (opens, closes time.Time) {
	from, _ := clock(h.Opens)
	until, _ := clock(h.Closes)
	if until <= from {
		until += 24 * 60
	}
	at := func(minutes int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), 0, minutes, 0, 0, day.Location())
	}
	return at(from), at(until)
}

// locations remembers time zones, which are read from files.
var locations sync.Map

// location finds a time zone; nil: there is none of that name. "Local" would be the server's.
func location(name string) *time.Location {
	if found, ok := locations.Load(name); ok {
		return found.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" || name == "" {
		return nil
	}
	locations.Store(name, zone)
	return zone
}

// Changes are the names of the settings that others have otherwise.
func (s Settings) Changes(other Settings) (names []string) {
	for name, differs := range map[string]bool{
		"time_zone": s.TimeZone != other.TimeZone, "mask_numbers": s.MaskNumbers != other.MaskNumbers, "round_robin": s.RoundRobin != other.RoundRobin,
		"away_message": s.Away != other.Away, "opening_hours": !slices.Equal(s.Hours, other.Hours), "second_step": s.SecondStep != other.SecondStep, "retention_days": s.RetentionDays != other.RetentionDays,
	} {
		if differs {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
