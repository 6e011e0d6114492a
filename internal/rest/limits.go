package rest

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// The two classes of requests; each caller has a bucket for each.
const (
	classRead  = "read"
	classWrite = "write"
)

const (
	// leaseShare is the part of a bucket that a node takes at a time: 1/200. Ten nodes with one lease each
	// exceed the limit by at most 5 %.
	leaseShare = 200
	// leaseLife is how long a node may spend a lease. The rest then expires, so that an idle node does not keep
	// tokens of a bucket that has filled up again.
	leaseLife = time.Second
	// leaseTime is how long a lease may take. The requests of an organization wait for it.
	leaseTime = 5 * time.Second
	// LimiterIdle is the time after which an unused bucket leaves the node's memory.
	LimiterIdle = 10 * time.Minute
)

// limiter spends tokens that it leases from the buckets in the store. All nodes together keep to one limit
// without asking the store on each request.
type limiter struct {
	store   *store.Store
	mu      sync.Mutex
	buckets map[bucketKey]*bucket
	swept   store.Moment
}

type bucketKey struct{ orgID, class string }

func (k bucketKey) reads() bool { return strings.HasPrefix(k.class, classRead) }

// bucket is a node's share of one bucket. Its lock is held during a lease, so that the requests of one
// organization wait for one lease instead of taking many.
type bucket struct {
	mu       sync.Mutex
	capacity int64
	held     int64
	leasedAt store.Moment
	left     float64 // in the store, at leasedAt
	usedAt   store.Moment
}

// allowance is the state of a bucket as the response headers show it.
type allowance struct {
	ok        bool
	limit     int64
	remaining int64
	full      time.Duration // until the bucket is full
	retry     time.Duration
}

func newLimiter(st *store.Store) *limiter {
	return &limiter{store: st, buckets: map[bucketKey]*bucket{}, swept: st.Moment()}
}

// take spends one token if there is one.
func (l *limiter) take(ctx context.Context, key bucketKey, capacity int64) (allowance, error) {
	now := l.store.Moment()
	b := l.bucket(key, now)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil { // it has waited for the leases of others for too long
		return allowance{}, err
	}
	if b.held == 0 || b.capacity != capacity || now.Sub(b.leasedAt) >= leaseLife {
		if b.capacity == capacity && b.tokens(now) < 1 {
			return b.allowance(now), nil
		}
		err := l.lease(ctx, b, key, capacity)
		if key.reads() && (errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)) {
			b.leaseAlone(capacity, l.store.Moment()) // reading goes on while nothing can be written
			err = nil
		}
		if err != nil {
			return allowance{}, err
		}
	}
	if b.held == 0 {
		return b.allowance(now), nil
	}
	b.held--
	a := b.allowance(now)
	a.ok = true
	return a, nil
}

func (l *limiter) lease(ctx context.Context, b *bucket, key bucketKey, capacity int64) error {
	var lease store.TokenLease
	begin := l.store.Moment()
	// The lease serves all waiting requests, so it does not end with the request that asked for it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTime)
	defer cancel()
	err := l.store.InTx(ctx, func(tx *store.Tx) (err error) {
		lease, err = tx.LeaseTokens(key.orgID, key.class, capacity, max(1, capacity/leaseShare), l.since(b))
		return err
	})
	if err != nil {
		return err
	}
	b.capacity, b.held, b.left, b.leasedAt = capacity, lease.Granted, lease.Left, begin
	return nil
}

// leaseAlone takes a lease from what this node knows of the bucket, without the other nodes.
func (b *bucket) leaseAlone(capacity int64, now store.Moment) {
	left := float64(capacity)
	if b.capacity == capacity {
		left = b.tokens(now)
	}
	granted := min(max(1, capacity/leaseShare), int64(left))
	b.capacity, b.held, b.left, b.leasedAt = capacity, granted, left-float64(granted), now
}

// since is the time since this node's last lease from the bucket.
func (l *limiter) since(b *bucket) time.Duration {
	if b.leasedAt.IsZero() {
		return store.Unknown
	}
	return l.store.Moment().Sub(b.leasedAt)
}

// peek reports the bucket's state without taking a token.
func (l *limiter) peek(ctx context.Context, key bucketKey, capacity int64) (allowance, error) {
	now := l.store.Moment()
	b := l.bucket(key, now)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.capacity == capacity {
		return b.allowance(now), nil
	}
	state, err := l.store.Read(ctx).Bucket(key.orgID, key.class, capacity, l.store.Now(), l.since(b))
	if errors.Is(err, store.ErrNotFound) {
		state, err = store.TokenLease{Left: float64(capacity)}, nil
	}
	seen := bucket{capacity: capacity, left: state.Left, leasedAt: now}
	return seen.allowance(now), err
}

// tokens is the estimate of the tokens in the store.
func (b *bucket) tokens(now store.Moment) float64 {
	return store.Refill(b.left, b.capacity, max(0, now.Sub(b.leasedAt)))
}

func (b *bucket) allowance(now store.Moment) allowance {
	tokens := math.Min(float64(b.capacity), b.tokens(now)+float64(b.held))
	perSecond := float64(b.capacity) / 60
	seconds := func(n float64) time.Duration { return time.Duration(n / perSecond * float64(time.Second)) }
	return allowance{
		limit:     b.capacity,
		remaining: int64(tokens),
		full:      seconds(float64(b.capacity) - tokens),
		retry:     seconds(math.Max(0, 1-tokens)),
	}
}

func (l *limiter) bucket(key bucketKey, now store.Moment) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > LimiterIdle {
		l.sweep(now)
	}
	b := l.buckets[key]
	if b == nil {
		b = &bucket{}
		l.buckets[key] = b
	}
	b.usedAt = now
	return b
}

func (l *limiter) sweep(now store.Moment) {
	for key, b := range l.buckets {
		if now.Sub(b.usedAt) > LimiterIdle {
			delete(l.buckets, key)
		}
	}
	l.swept = now
}

// bucket returns the caller's bucket and its size.
func (c *Call) bucket() (bucketKey, int64) {
	switch c.R.Method {
	case http.MethodGet, http.MethodHead:
		return bucketKey{c.OrgID(), classRead + c.Caller.Share}, c.Caller.ReadsPerMinute
	default:
		return bucketKey{c.OrgID(), classWrite + c.Caller.Share}, c.Caller.WritesPerMinute
	}
}

// TakeToken takes a token for the call, or refuses the call if the caller has made too many.
func (c *Call) TakeToken() error {
	key, capacity := c.bucket()
	a, err := c.surface.limiter.take(c.Ctx, key, capacity)
	if err != nil {
		return err
	}
	c.setLimitHeaders(a)
	if a.ok {
		c.paid = true
		return nil
	}
	wait := max(1, int64(math.Ceil(a.retry.Seconds())))
	c.W.Header().Set("Retry-After", strconv.FormatInt(wait, 10))
	return chat.Fail(chat.CodeRateLimitExceeded, "More than %d %s requests in a minute. Try again in %d s.", a.limit, strings.TrimSuffix(key.class, c.Caller.Share), wait)
}

// showLimit sets the headers on a response that was refused before TakeToken.
func (c *Call) showLimit() {
	key, capacity := c.bucket()
	if a, err := c.surface.limiter.peek(c.Ctx, key, capacity); err == nil {
		c.setLimitHeaders(a)
	}
}

func (c *Call) setLimitHeaders(a allowance) {
	c.limited = true
	h := c.W.Header()
	h.Set("X-RateLimit-Limit", strconv.FormatInt(a.limit, 10))
	h.Set("X-RateLimit-Remaining", strconv.FormatInt(a.remaining, 10))
	full := c.surface.store.Now().Add(a.full)
	h.Set("X-RateLimit-Reset", strconv.FormatInt(int64(math.Ceil(float64(full.UnixMilli())/1000)), 10))
}
