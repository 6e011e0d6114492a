// Package cloud is the adapter to the WhatsApp Cloud API. It makes the calls, verifies and decodes the
// callbacks, and is the only place that knows the wire format.
package cloud

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/provider"
)

const (
	defaultUserAgent = "Parley"
	defaultTimeout   = 30 * time.Second
	uploadTimeout    = 5 * time.Minute

	// maxAnswer bounds the API's answers, which are small; maxFile bounds files, for which the upstream allows
	// 100 MB.
	maxAnswer = 1 << 20
	maxFile   = 128 << 20
)

var (
	errTooLarge     = errors.New("the text is too large")
	errTrailingData = errors.New("data follows the JSON value")
	errNotHTTPS     = errors.New("the address of the file is not https")
)

// Options configure a Client. Only BaseURL is required.
type Options struct {
	BaseURL   string        // with the version, such as https://graph.facebook.com/v24.0
	AppID     string        // the app of the tokens; needed to upload samples
	HTTP      *http.Client  // nil: newHTTPClient
	UserAgent string        // some of the upstream's hosts refuse requests without one
	Timeout   time.Duration // of one call; uploads and downloads may take longer
	App       App           // for signups
}

// Client calls the Cloud API. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	prefix    string
	appID     string
	http      *http.Client
	userAgent string
	timeout   time.Duration
	app       App
}

var _ provider.Client = (*Client)(nil)

// New makes a Client.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		return nil, fmt.Errorf("provider base URL %q: give an absolute one such as https://graph.facebook.com/v24.0", o.BaseURL)
	}
	c := &Client{
		base:      base,
		prefix:    strings.TrimRight(o.BaseURL, "/") + "/",
		appID:     o.AppID,
		http:      o.HTTP,
		userAgent: o.UserAgent,
		timeout:   o.Timeout,
		app:       o.App,
	}
	if c.http == nil {
		c.http = newHTTPClient()
	}
	if c.userAgent == "" {
		c.userAgent = defaultUserAgent
	}
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	return c, nil
}
