package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 10 * time.Second
	// patience is the longest Retry-After that the client waits for. Beyond it the caller decides.
	patience = time.Minute
)

// do makes a call, and repeats it if that may help.
func (c *Client) do(ctx context.Context, cl *call, out any) error {
	if cl.err != nil {
		return cl.err
	}
	for attempt := 1; ; attempt++ {
		err := c.attempt(ctx, cl, out)
		if cl.captured != nil {
			cl.captured.Attempts = attempt
		}
		if err == nil || attempt > c.retries || ctx.Err() != nil || !cl.repeatable(err) {
			return unwrapNetwork(err)
		}
		wait, ok := waitBefore(ctx, attempt, err)
		if !ok {
			return unwrapNetwork(err)
		}
		cl.unsure = cl.unsure || unsure(err)
		if stop := c.sleep(ctx, wait); stop != nil {
			return fmt.Errorf("client: %w while waiting to repeat a call that failed: %w", stop, unwrapNetwork(err))
		}
	}
}

// networkError marks a failure without an answer.
type networkError struct{ error }

func unwrapNetwork(err error) error {
	if failure, ok := err.(*networkError); ok {
		return failure.error
	}
	return err
}

// repeatable reports whether a repetition may succeed. A POST has its effect once, thanks to its key; PATCH and
// DELETE end in the same state when repeated.
func (cl *call) repeatable(err error) bool {
	if cl.body != nil && cl.body.once {
		return false
	}
	if failure, ok := err.(*networkError); ok {
		return !errors.As(failure.error, new(*tls.CertificateVerificationError))
	}
	failure, ok := err.(*Error)
	if !ok {
		return false
	}
	switch failure.HTTPStatus {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return failure.Code == CodeIdempotencyInProgress
}

// unsure reports whether a failed attempt may have had its effect.
func unsure(err error) bool {
	failure, ok := err.(*Error)
	return !ok || failure.HTTPStatus != http.StatusTooManyRequests
}

// waitBefore is the wait after the given attempt. It doubles each time, and half of it is random, so that
// clients that failed together do not come back together. ok is false if the wait is not worth it.
func waitBefore(ctx context.Context, attempt int, err error) (wait time.Duration, ok bool) {
	wait = min(firstWait<<min(attempt-1, 16), longestWait)
	wait = wait/2 + rand.N(wait/2)
	if failure, ok := err.(*Error); ok && failure.RetryAfter > 0 {
		if failure.RetryAfter > patience {
			return 0, false
		}
		wait = max(wait, failure.RetryAfter+rand.N(firstWait))
	}
	deadline, limited := ctx.Deadline()
	return wait, !limited || time.Until(deadline) > wait
}
