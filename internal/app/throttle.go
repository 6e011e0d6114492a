package app

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/clientaddr"
	"github.com/parleyhq/parley/internal/rest"
)

// How many wrong passwords may be tried at once, and how long until as many may be tried again: for an e-mail
// address from one network address, for an e-mail address from everywhere, and from one network address for all
// e-mail addresses. Codes for an e-mail address from everywhere are few: whoever guesses them knows the
// password, and three of a million codes are valid. A known browser has as many passwords as an e-mail address from one
// network address. A user's known browsers together have as many as from everywhere, and twice as many codes: more, so
// that one of them does not lock out another.
const (
	triesHere       = 8
	triesOfAddress  = 60
	triesFromPlace  = 60
	triesOfCode     = 6
	triesOfKnown    = 2 * triesOfCode
	throttleWindow  = 15 * time.Minute
	throttleEntries = 100_000 // some 15 MB
	// hashing is how many passwords are checked at once, because each takes 64 MiB.
	hashing = 4
	// waiting is how many may wait for that, some seconds' work. More would take the places of people who are signed in.
	waiting = 128
)

// throttle slows down whoever guesses passwords. It counts for unknown e-mail addresses as well, so it does not
// tell which exist.
type throttle struct {
	mu      sync.Mutex
	now     func() time.Time
	tries   map[string]*tries
	hashing chan struct{}
	waiting chan struct{}
}

// tries is a bucket: used attempts come back over the window.
type tries struct {
	used float64
	at   time.Time
	most float64
}

// usedAt is the used part of a bucket.
func (n *tries) usedAt(now time.Time) float64 {
	return max(0, n.used-now.Sub(n.at).Seconds()/throttleWindow.Seconds()*n.most)
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, tries: map[string]*tries{}, hashing: make(chan struct{}, hashing), waiting: make(chan struct{}, waiting)}
}

// codeKey begins the name of a bucket for codes.
const codeKey = "code "

// keysOf are the buckets of an attempt from a browser that is not known, with the size of each.
func keysOf(email, code string, c *rest.Call) map[string]float64 {
	email = chat.FoldEmail(email)
	network := clientaddr.Network(c.R)
	keys := map[string]float64{
		"here " + network + " " + email: triesHere, "address " + email: triesOfAddress, "place " + network: triesFromPlace,
	}
	if code != "" {
		keys[codeKey+"address "+email] = triesOfCode
	}
	return keys
}

// guard runs check unless there were too many wrong attempts, and counts the attempt if it fails. It counts
// before check runs, so that many attempts at once do not get around it.
func (t *throttle) guard(c *rest.Call, keys map[string]float64, check func() error) error {
	if err := t.admit(c, keys); err != nil {
		return err
	}
	if err := t.enter(c); err != nil {
		t.giveBack(keys)
		return err
	}
	defer func() { <-t.hashing }()
	err := check()
	switch code, refused := chat.CodeOf(err); {
	case err == nil || code == chat.CodeSecondStepRequired: // the password was right
		t.giveBack(keys)
	case !refused: // the store has failed, and nobody knows whether the attempt was right
		t.giveBack(keys)
	case code == chat.CodeInvalidCredentials: // nobody has looked at the code: only who knows the password uses up the few
		maps.DeleteFunc(keys, func(key string, _ float64) bool { return !strings.HasPrefix(key, codeKey) })
		t.giveBack(keys)
	}
	return err
}

// enter waits until a password may be hashed, unless too many wait already.
func (t *throttle) enter(c *rest.Call) error {
	select {
	case t.waiting <- struct{}{}:
		defer func() { <-t.waiting }()
	default:
		return rest.Overloaded()
	}
	select {
	case t.hashing <- struct{}{}:
		return nil
	case <-c.Ctx.Done():
		return c.Ctx.Err()
	}
}

// admit counts an attempt, or refuses it if there were too many.
func (t *throttle) admit(c *rest.Call, keys map[string]float64) error {
	wait := t.take(keys)
	if wait <= 0 {
		return nil
	}
	c.W.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return chat.Fail(chat.CodeRateLimitExceeded, "Too many attempts. Wait %s, then try again.", roughly(wait))
}

// take counts an attempt, or returns how long to wait for the next.
func (t *throttle) take(keys map[string]float64) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for key, most := range keys {
		if used := t.used(key, now); used > most-1 {
			wait = max(wait, time.Duration((used-most+1)/most*float64(throttleWindow)))
		}
	}
	if wait > 0 {
		return wait
	}
	for key, most := range keys {
		t.tries[key] = &tries{t.used(key, now) + 1, now, most}
	}
	t.sweep(now)
	return 0
}

func (t *throttle) used(key string, now time.Time) float64 {
	n := t.tries[key]
	if n == nil {
		return 0
	}
	return n.usedAt(now)
}

// giveBack uncounts an attempt that was right.
func (t *throttle) giveBack(keys map[string]float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key := range keys {
		if n := t.tries[key]; n != nil {
			n.used = max(0, n.used-1)
		}
	}
}

// sweep bounds the memory: it forgets old buckets, and if too many are new, those that are emptiest. Whoever fills the
// table with addresses that nobody has does not thereby empty the bucket of the address that they guess at.
func (t *throttle) sweep(now time.Time) {
	if len(t.tries) < throttleEntries {
		return
	}
	for key, n := range t.tries {
		if now.Sub(n.at) > throttleWindow {
			delete(t.tries, key)
		}
	}
	if len(t.tries) < throttleEntries {
		return
	}
	fullness := func(n *tries) float64 { return n.usedAt(now) / n.most }
	all := slices.SortedFunc(maps.Values(t.tries), func(a, b *tries) int { return cmp.Compare(fullness(a), fullness(b)) })
	least, left := fullness(all[len(all)/2]), len(all)/2
	for key, n := range t.tries {
		if left > 0 && fullness(n) <= least {
			delete(t.tries, key)
			left--
		}
	}
}

func roughly(d time.Duration) string {
	if d < 90*time.Second {
		return strconv.Itoa(int(math.Ceil(d.Seconds()))) + " seconds"
	}
	return strconv.Itoa(int(math.Ceil(d.Minutes()))) + " minutes"
}
