package chat

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// WebhookStatus says whether a subscription's deliveries go out.
type WebhookStatus string

const (
	WebhookActive   WebhookStatus = "active"
	WebhookPaused   WebhookStatus = "paused"   // by its owner; deliveries wait
	WebhookDisabled WebhookStatus = "disabled" // by the service; its deliveries end at once
	// WebhookDeleted hides the subscription. Its row is deleted after its open deliveries have ended.
	WebhookDeleted WebhookStatus = "deleted"
)

// AllEvents subscribes to every type of event, including future ones.
const AllEvents = "*"

const (
	// MaxWebhookSubscriptions bounds the deliveries that one event can cause.
	MaxWebhookSubscriptions = 500
	maxWebhookURL           = 2048
	maxDescription          = 500
	maxNumberFilter         = 1000
)

// WebhookSubscription is an endpoint that events of an organization are delivered to.
type WebhookSubscription struct {
	ID                  string
	OrgID               string
	URL                 string
	Description         *string
	Events              []string // types, or AllEvents
	PhoneNumberIDs      []string // empty: every number
	Status              WebhookStatus
	DisabledReason      *string
	ConsecutiveFailures int64
	FailingSince        *time.Time
	Spared              Spared
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// Spared is until when deliveries are kept back from an endpoint in trouble.
type Spared struct {
	ProbeAt   *time.Time // it failed too often in a row: when a delivery tries it again
	HeldUntil *time.Time // it asked for a wait
}

// NextAttempt is the earliest instant at which a delivery that is due can leave; nil if the subscription delivers
// nothing now.
func (s WebhookSubscription) NextAttempt(due time.Time) *time.Time {
	if s.Status != WebhookActive {
		return nil
	}
	for _, until := range []*time.Time{s.Spared.ProbeAt, s.Spared.HeldUntil} {
		if until != nil && until.After(due) {
			due = *until
		}
	}
	return &due
}

// Wants reports whether an event is delivered to the subscription. The filter by numbers does not apply to
// events without a number: a subscription to their type gets them.
func (s WebhookSubscription) Wants(t EventType, phoneNumberID string) bool {
	if !slices.Contains(s.Events, AllEvents) && !slices.Contains(s.Events, string(t)) {
		return false
	}
	return len(s.PhoneNumberIDs) == 0 || phoneNumberID == "" || slices.Contains(s.PhoneNumberIDs, phoneNumberID)
}

// The reasons for which a subscription is disabled.
const (
	DisabledForFailures = "consecutive_failures"
	DisabledAsGone      = "endpoint_gone"
)

// CheckUsable refuses a disabled subscription.
func (s WebhookSubscription) CheckUsable() error {
	if s.Status != WebhookDisabled {
		return nil
	}
	why := "kept failing"
	if s.DisabledReason != nil && *s.DisabledReason == DisabledAsGone {
		why = "answered 410"
	}
	return Fail(CodeWebhookSubscriptionDisabled, "The subscription was disabled because its endpoint %s. Set its status to active first.", why)
}

// NewWebhookSubscription is the request to subscribe.
type NewWebhookSubscription struct {
	URL            string
	Events         []string
	Description    *string
	PhoneNumberIDs []string
}

// Clean checks the fields in their documented order.
func (n *NewWebhookSubscription) Clean() error {
	if err := CheckWebhookURL(n.URL); err != nil {
		return err
	}
	if err := checkSubscribedEvents(n.Events); err != nil {
		return err
	}
	if err := checkDescription(n.Description); err != nil {
		return err
	}
	var err error
	n.PhoneNumberIDs, err = cleanNumberFilter(n.PhoneNumberIDs)
	return err
}

// WebhookSubscriptionPatch changes a subscription.
type WebhookSubscriptionPatch struct {
	URL            *string
	Events         *[]string
	Description    Patch[string]
	PhoneNumberIDs Patch[[]string]
	Status         *WebhookStatus
}

// revives reports the one patch that a disabled subscription accepts.
func (p WebhookSubscriptionPatch) revives() bool {
	return p.Status != nil && *p.Status == WebhookActive
}

// Apply returns s with the patch applied, and whether that changed anything.
func (p WebhookSubscriptionPatch) Apply(s WebhookSubscription) (WebhookSubscription, bool, error) {
	before := s
	if err := p.applyFields(&s); err != nil {
		return WebhookSubscription{}, false, err
	}
	if s.Status == WebhookDisabled && !p.revives() {
		return WebhookSubscription{}, false, s.CheckUsable()
	}
	if p.Status != nil {
		s.setStatus(*p.Status)
	}
	if s.Status != before.Status || s.URL != before.URL {
		s.Spared = Spared{} // its owner believes that it is mended
	}
	return s, !before.same(s), nil
}

func (p WebhookSubscriptionPatch) applyFields(s *WebhookSubscription) (err error) {
	if p.URL != nil {
		if err := CheckWebhookURL(*p.URL); err != nil {
			return err
		}
		s.URL = *p.URL
	}
	if p.Events != nil {
		if err := checkSubscribedEvents(*p.Events); err != nil {
			return err
		}
		s.Events = *p.Events
	}
	p.Description.apply(&s.Description)
	if err := checkDescription(s.Description); err != nil {
		return err
	}
	if p.PhoneNumberIDs.Given {
		var numbers []string
		if p.PhoneNumberIDs.Value != nil {
			numbers = *p.PhoneNumberIDs.Value
		}
		s.PhoneNumberIDs, err = cleanNumberFilter(numbers)
	}
	return err
}

// setStatus changes the status. A subscription that was disabled for its failures starts counting them anew.
func (s *WebhookSubscription) setStatus(status WebhookStatus) {
	if s.Status == WebhookDisabled {
		s.DisabledReason, s.ConsecutiveFailures, s.FailingSince = nil, 0, nil
	}
	s.Status = status
}

// same compares the fields that a patch can change.
func (s WebhookSubscription) same(o WebhookSubscription) bool {
	return s.URL == o.URL && s.Status == o.Status && equal(s.Description, o.Description) &&
		slices.Equal(s.Events, o.Events) && slices.Equal(s.PhoneNumberIDs, o.PhoneNumberIDs)
}

// CheckWebhookURL checks the form of an endpoint's address. The network guard decides where it may lead and
// whether it needs TLS.
func CheckWebhookURL(text string) error {
	bad := func(format string, args ...any) error {
		e := Invalid("url", format, args...)
		e.Code = CodeInvalidWebhookURL
		return e
	}
	if utf8.RuneCountInString(text) > maxWebhookURL {
		return bad("Must be at most %d characters long.", maxWebhookURL)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return bad("Must not contain white space, control characters or backslashes.")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return bad("Must be a URL like https://example.com/webhooks.")
	case u.Scheme != "https" && u.Scheme != "http":
		return bad("Must begin with https://.")
	case u.User != nil:
		return bad("Must not contain a user or password. Verify the signature instead.")
	case strings.Contains(text, "#"):
		return bad("Must not have a fragment.")
	case !validPort(u):
		return bad("The port must be a number from 1 to 65535.")
	}
	return nil
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}

func checkSubscribedEvents(events []string) error {
	if len(events) == 0 {
		return Invalid("events", "Must have at least 1 item.")
	}
	for i, name := range events {
		if name != AllEvents && !EventType(name).Known() {
			return unknownEvent(indexed("events", i), name)
		}
		if slices.Contains(events[:i], name) {
			return Invalid(indexed("events", i), "%s is given twice.", name)
		}
	}
	return nil
}

// Known reports whether the type is in the catalogue.
func (t EventType) Known() bool { return slices.Contains(EventTypes, t) }

// CheckEventType checks the name of one type of event.
func CheckEventType(param, name string) error {
	if !EventType(name).Known() {
		return unknownEvent(param, name)
	}
	return nil
}

func unknownEvent(param, name string) error {
	known := make([]string, len(EventTypes))
	for i, t := range EventTypes {
		known[i] = string(t)
	}
	return &Error{Code: CodeInvalidEventType, Param: param, Message: "There is no event " + strconv.Quote(name) + ". There are " + strings.Join(known, ", ") + "."}
}

func checkDescription(d *string) error {
	if d != nil && utf8.RuneCountInString(*d) > maxDescription {
		return Invalid("description", "Must be at most %d characters long.", maxDescription)
	}
	return nil
}

// cleanNumberFilter drops repetitions. Whether the numbers exist is checked against the store.
func cleanNumberFilter(numbers []string) ([]string, error) {
	if len(numbers) > maxNumberFilter {
		return nil, Invalid("phone_number_ids", "Must have at most %d items.", maxNumberFilter)
	}
	var clean []string
	for _, n := range numbers {
		if !slices.Contains(clean, n) {
			clean = append(clean, n)
		}
	}
	return clean, nil
}
