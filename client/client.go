package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	defaultRetries = 3
	// defaultTimeout is a little more than the service's own limit for a request.
	defaultTimeout = 40 * time.Second
	// uploadTimeout is the service's limit for sending a file.
	uploadTimeout = 5 * time.Minute
	// maxAnswer is far more than the longest page.
	maxAnswer = 64 << 20
)

// Client calls the API with one key. It may be used by several goroutines at once.
type Client struct {
	base      string // ends with /v1
	key       string
	http      http.Client
	retries   int
	timeout   time.Duration
	userAgent string

	sleep  func(context.Context, time.Duration) error
	strict bool // tests: an unknown field in an answer is an error
}

// Option changes how a client works.
type Option func(*Client)

// WithHTTPClient makes the calls through h, for a transport of your own. Its redirect policy is not
// used: the API does not redirect calls.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = *h } }

// WithRetries sets how often a call is repeated at most; 0: never.
func WithRetries(n int) Option { return func(c *Client) { c.retries = max(0, n) } }

// WithTimeout sets how long one attempt may take; 0: as long as the context allows. The default is 40 seconds.
// An upload always gets five minutes or more.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithUserAgent sets the User-Agent header.
func WithUserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// New makes a client for the service at baseURL, such as https://chat.example.com; its /v1 may be
// left out.
func New(baseURL, apiKey string, options ...Option) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, errors.New("client: the base URL must be like https://chat.example.com") // not repeated: it may hold a password
	}
	if !printable(apiKey) || strings.Contains(apiKey, " ") {
		return nil, errors.New("client: the API key is empty or has characters that no key has")
	}
	c := &Client{
		http: http.Client{Transport: transport()},
		base: strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/v1") + "/v1", key: apiKey,
		retries: defaultRetries, timeout: defaultTimeout, userAgent: "parley-go", sleep: sleep,
	}
	for _, option := range options {
		option(c)
	}
	// The key must not be sent to the target of a redirect.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// transport is shared by all clients. It keeps more connections open than the default one, which would open a
// new one for nearly every call of a busy program.
var transport = sync.OnceValue(func() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has replaced it
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 64
	return t
})

// String keeps the key out of logs.
func (c *Client) String() string { return "client of " + c.base }

// GoString keeps the key out of logs.
func (c *Client) GoString() string { return c.String() }

// printable reports whether s can be the value of a header: visible ASCII, and not empty.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
