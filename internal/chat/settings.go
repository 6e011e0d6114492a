package chat

import (
	"regexp"
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // for machines without a time zone database
)

// Settings are an organization's own choices.
type Settings struct {
	TimeZone    string      `json:"time_zone,omitempty"` // empty: UTC
	MaskNumbers bool        `json:"mask_numbers,omitempty"`
	RoundRobin  bool        `json:"round_robin,omitempty"`
	Away        AwayMessage `json:"away_message,omitzero"`
	Hours       []OpenHours `json:"opening_hours,omitempty"`
	SecondStep  bool        `json:"second_step,omitempty"` // every user must sign in with two steps
	// RetentionDays is the number of days for which messages are kept, if that is less than the plan's; 0: as
	// long as the plan keeps them.
	RetentionDays int64 `json:"retention_days,omitempty"`
	Brand         Brand `json:"brand,omitzero"`
}

// Brand is how the page looks on which customers connect their numbers.
type Brand struct {
	Color     string `json:"color,omitempty"` // as #0a7c5a; empty: the default
	LogoID    string `json:"logo_id,omitempty"`
	LogoToken string `json:"logo_token,omitempty"` // of the picture's address; empty: none
}

// color is a colour as six digits.
var color = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// AwayMessage is the answer to people who write outside of the open hours.
type AwayMessage struct {
	On   bool   `json:"on,omitempty"`
	Text string `json:"text,omitempty"`
}

// OpenHours are the open hours on a day of the week. Hours that close before they open end on the next day.
type OpenHours struct {
	Day    string `json:"day"`
	Opens  string `json:"opens"`
	Closes string `json:"closes"`
}

// Weekdays are the days as settings call them, in the order of time.Weekday.
var Weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// mostAwayText is the length limit of an away message.
const mostAwayText = 1000

// Masks reports whether a user sees only parts of people's numbers.
func (s Settings) Masks(u User) bool { return s.MaskNumbers && u.Role == RoleAgent }

// Automatic reports whether an inbound message triggers an automatic action.
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
	if s.Brand.Color != "" && !color.MatchString(s.Brand.Color) {
		return Invalid("brand_color", "Give the colour as #0a7c5a.")
	}
	if s.Away.On && s.Away.Text == "" {
		return Invalid("away_message.text", "Write the message that people get outside of the opening hours.")
	}
	if len([]rune(s.Away.Text)) > mostAwayText {
		return Invalid("away_message.text", "Must have at most %d characters.", mostAwayText)
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

// clock parses a time of day into minutes from midnight.
func clock(text string) (minutes int, ok bool) {
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil && len(text) == 5
}

// ClosedSince returns since when it has been closed at an instant, and false if it is open. Without any hours
// it is always closed, and since is the zero time.
func (s Settings) ClosedSince(now time.Time) (since time.Time, closed bool) {
	zone := location(s.Zone())
	if zone == nil {
		zone = time.UTC
	}
	local := now.In(zone)
	for back := range 9 { // a week, plus hours that end on the next day
		day := DayBegins(local.Year(), local.Month(), local.Day()-back, zone)
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

// on returns the open hours on the day that begins at an instant.
func (h OpenHours) on(day time.Time) (opens, closes time.Time) {
	from, _ := clock(h.Opens)
	until, _ := clock(h.Closes)
	if until <= from {
		until += 24 * 60
	}
	at := func(minutes int) time.Time {
		return atClock(day.Year(), day.Month(), day.Day(), minutes, day.Location())
	}
	return at(from), at(until)
}

// locations caches time zones, which are read from files.
var locations sync.Map

// location finds a time zone, or nil. It refuses "Local", which would be the server's zone.
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

// Changes names the settings that differ.
func (s Settings) Changes(other Settings) (names []string) {
	for name, differs := range map[string]bool{
		"time_zone": s.TimeZone != other.TimeZone, "mask_numbers": s.MaskNumbers != other.MaskNumbers, "round_robin": s.RoundRobin != other.RoundRobin,
		"away_message": s.Away != other.Away, "opening_hours": !slices.Equal(s.Hours, other.Hours), "second_step": s.SecondStep != other.SecondStep, "retention_days": s.RetentionDays != other.RetentionDays,
		"brand_color": s.Brand.Color != other.Brand.Color, "logo": s.Brand.LogoID != other.Brand.LogoID,
	} {
		if differs {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
