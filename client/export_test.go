package client

import (
	"context"
	"net/url"
	"time"
)

// WithSleep replaces the wait between attempts.
func WithSleep(sleep func(context.Context, time.Duration) error) Option {
	return func(c *Client) { c.sleep = sleep }
}

// WithStrictAnswers makes a field that the client does not know an error.
func WithStrictAnswers() Option { return func(c *Client) { c.strict = true } }

// QueryOf is the query of a filter.
func QueryOf(f interface{ query() query }) url.Values { return url.Values(f.query()) }

// MaxRecentEvents is how many events the default memory knows.
const MaxRecentEvents = maxRecentEvents

// NewRecentEvents is the default memory.
func NewRecentEvents() EventMemory { return &recentEvents{} }
