package simulator

import (
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"net/http"
	"time"
)

// DefaultAppID is the app where the configuration names none.
const DefaultAppID = "700100200300400"

// Config is how a simulator is set up. The zero value works: any number, any token, no callbacks.
type Config struct {
	// AppID and AppSecret are the app that customers sign up with; callbacks are signed with the secret.
	AppID     string
	AppSecret string
	// BusinessID is the business that owns the app; partner callbacks are addressed to it.
	BusinessID string
	// VerifyToken is what the callback's owner expects in a verification request.
	VerifyToken string
	// CallbackURL is where signed callbacks go, unless an account or a number overrides it. Empty: nowhere.
	CallbackURL string
	// BaseURL is the address under which the simulator is reached. It goes into media URLs and paging
	// links. Empty: taken from each request, and callbacks carry no media URLs.
	BaseURL string
	// ControlToken, when set, must be sent as a bearer token to the control API.
	ControlToken string

	// Strict refuses unknown tokens, numbers and accounts. Otherwise an unknown number that is used with
	// any token exists from then on, so neither a demo nor a restart needs a set-up.
	Strict bool
	// IgnoreWindow lets free-form messages through at any time, for load tests.
	IgnoreWindow bool
	// AllowList, when not empty, holds the only people that can be written to, as with a test number.
	AllowList []string

	// Known tells what others know of a phone number id that the simulator has not heard of. Nil: nobody
	// knows anything.
	Known func(phoneNumberID string) (NumberSpec, bool)

	// Folder is where phones, windows and templates outlive the process. Empty: nothing does.
	Folder string

	// Delays is how long things take. Nil: DefaultDelays. All zero: everything happens at once.
	Delays *Delays
	// Client posts the callbacks. Nil: one with kept connections and a time limit of 20 s.
	Client *http.Client
	// Now is the clock. Nil: one that runs on from now, whatever the machine's is turned to.
	Now func() time.Time
	Log *slog.Logger
	// Seed makes ids and chance repeatable. Zero: random.
	Seed uint64

	// MaxMessages bounds the messages remembered. Zero: 100,000.
	MaxMessages int
	// MaxQueued bounds the callbacks waiting; the oldest are dropped beyond it. Zero: 500,000.
	MaxQueued int
	// MaxMediaBytes bounds the files held; the oldest are dropped beyond it. Zero: 256 MiB.
	MaxMediaBytes int64
	// CallbackLanes is how many callback requests may be under way to one address. What concerns
	// one person stays in one lane, hence in order. Zero: 4.
	CallbackLanes int
}

// Delays is how long things take. Each status waits for the one before.
type Delays struct {
	Sent      time.Duration
	Delivered time.Duration
	Read      time.Duration
	Played    time.Duration
	Review    time.Duration // of a template
	Retry     time.Duration // before the first retry of a callback; doubles each time
}

// DefaultDelays are short enough for a demo and long enough to be seen.
func DefaultDelays() Delays {
	return Delays{
		Sent: 150 * time.Millisecond, Delivered: 400 * time.Millisecond, Read: 1500 * time.Millisecond,
		Played: 2 * time.Second, Review: 3 * time.Second, Retry: time.Second,
	}
}

func (c Config) withDefaults() Config {
	if c.AppID == "" {
		c.AppID = DefaultAppID
	}
	if c.BusinessID == "" {
		c.BusinessID = "300100200300400"
	}
	if c.Delays == nil {
		d := DefaultDelays()
		c.Delays = &d
	}
	if c.Now == nil {
		begin := time.Now()
		c.Now = func() time.Time { return begin.Add(time.Since(begin)) }
	}
	if c.Known == nil {
		c.Known = func(string) (NumberSpec, bool) { return NumberSpec{}, false }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Seed == 0 {
		c.Seed = randomSeed()
	}
	if c.Client == nil {
		c.Client = defaultClient()
	}
	return c.withBounds()
}

func (c Config) withBounds() Config {
	c.MaxMessages = orDefault(c.MaxMessages, 100_000)
	c.MaxQueued = orDefault(c.MaxQueued, 500_000)
	c.CallbackLanes = orDefault(c.CallbackLanes, 4)
	if c.MaxMediaBytes == 0 {
		c.MaxMediaBytes = 256 << 20
	}
	return c
}

func orDefault(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

func defaultClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return &http.Client{
		Transport: t,
		Timeout:   20 * time.Second,
		// A callback address that redirects is misconfigured: upstream does not follow either.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) | 1
}
