package simulator

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"net/http"
	"time"
)

// DefaultAppID is the app id if the configuration gives none.
const DefaultAppID = "700100200300400"

// appOwner is the business that owns the app. Partner callbacks are addressed to it.
const appOwner = "300100200300400"

// maxFiles bounds the bytes of the files kept. Above it the oldest are dropped.
const maxFiles = 256 << 20

// Config configures a simulator. The zero value works: any number, any token, no callbacks.
type Config struct {
	// AppID and AppSecret identify the app that customers sign up with. Callbacks are signed with the secret.
	AppID     string
	AppSecret string
	// CallbackURL is where signed callbacks go, unless an account or a number overrides it. Empty means nowhere.
	CallbackURL string
	// BaseURL is the address at which the simulator is reached. It is used in media URLs and paging links. If it is
	// empty, it is taken from each request, and callbacks carry no media URLs.
	BaseURL string
	// ControlToken, if set, must be sent as a bearer token to the control API.
	ControlToken string

	// Strict refuses unknown tokens, numbers and accounts. Otherwise an unknown number exists from its first use with
	// any token, so that neither a demo nor a restart needs a set-up.
	Strict bool
	// IgnoreWindow accepts free-form messages at any time, for load tests.
	IgnoreWindow bool

	// Known returns what others know about a phone number id that the simulator does not know. Nil means that nobody
	// knows anything.
	Known func(phoneNumberID string) (NumberSpec, bool)

	// Folder is where phones, windows and templates are saved across restarts. If it is empty, nothing is saved.
	Folder string

	// Delays is how long things take. Nil means defaultDelays. If all are zero, everything happens at once.
	Delays *Delays
	// Client posts the callbacks. Nil means one that reuses connections and has a time limit of 20 s.
	Client *http.Client
	// Now is the clock. Nil means one that starts now and ignores changes of the machine's clock.
	Now func() time.Time
	Log *slog.Logger
	// Seed makes ids and chance repeatable. Zero means random.
	Seed uint64

	// MaxMessages bounds the messages kept. Zero means 100,000.
	MaxMessages int
	// MaxQueued bounds the waiting callbacks. Above it the oldest are dropped. Zero means 500,000.
	MaxQueued int
	// CallbackLanes is how many callback requests may be under way to one address. Callbacks about one person use one
	// lane, so they stay in order. Zero means 4.
	CallbackLanes int
}

// Delays is how long things take. Each status counts from the one before.
type Delays struct {
	Sent      time.Duration
	Delivered time.Duration
	Read      time.Duration
	Played    time.Duration
	Review    time.Duration // until a template is reviewed
	Retry     time.Duration // before the first retry of a callback; doubles each time
}

// defaultDelays are short enough for a demo and long enough to be visible.
func defaultDelays() Delays {
	return Delays{
		Sent: 150 * time.Millisecond, Delivered: 400 * time.Millisecond, Read: 1500 * time.Millisecond,
		Played: 2 * time.Second, Review: 3 * time.Second, Retry: time.Second,
	}
}

func (c Config) withDefaults() Config {
	c.AppID = cmp.Or(c.AppID, DefaultAppID)
	c.Delays = cmp.Or(c.Delays, new(defaultDelays()))
	if c.Now == nil {
		begin := time.Now()
		c.Now = func() time.Time { return begin.Add(time.Since(begin)) }
	}
	if c.Known == nil {
		c.Known = func(string) (NumberSpec, bool) { return NumberSpec{}, false }
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Client = cmp.Or(c.Client, defaultClient())
	if c.Seed == 0 {
		c.Seed = randomSeed()
	}
	c.MaxMessages = cmp.Or(c.MaxMessages, 100_000)
	c.MaxQueued = cmp.Or(c.MaxQueued, 500_000)
	c.CallbackLanes = cmp.Or(c.CallbackLanes, 4)
	return c
}

func defaultClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return &http.Client{
		Transport: t,
		Timeout:   20 * time.Second,
		// A callback address that redirects is misconfigured. The upstream does not follow redirects either.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) | 1
}
