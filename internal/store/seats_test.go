package store

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// poolWithoutStore has connections that lead nowhere.
func poolWithoutStore(size int) *sqlitePool {
	p, err := newSQLitePool(size, func() (*sqliteConn, error) { return &sqliteConn{}, nil })
	if err != nil {
		panic(err)
	}
	return p
}

// pastRules says which rule the lent connections break, if any.
func (p *sqlitePool) pastRules() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := 0
	for turn, has := range p.has {
		all += has
		switch {
		case turn.OrgID == "" && has > p.size-seatsKept:
			return "the program's own reads leave too few"
		case turn.OrgID != "" && 3*(has-1) >= 2*(p.size-1):
			return "an organization has more than two thirds"
		}
	}
	if _, _, ok := p.waiting.First(p.may); ok {
		return "somebody waits who may have one"
	}
	if all != p.taken || all > p.size || all == p.size && p.has[Turn{}] == 0 {
		return "the last one is lent to an organization"
	}
	return ""
}

// TestReadersTakeTurns tries any readers, who have a connection for any time and give up after any: each who does not give up
// gets one, nobody waits who may have one, and nobody gets so many that too few are left.
func TestReadersTakeTurns(t *testing.T) {
	t.Parallel()
	type reader struct {
		turn                  Turn
		comes, takes, patient int // ms
	}
	readers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) reader {
		return reader{
			rapid.SampledFrom([]Turn{{}, {OrgID: "a"}, {OrgID: "a", Bulk: true}, {OrgID: "b"}, {OrgID: "c"}}).Draw(t, "turn"),
			rapid.IntRange(0, 20).Draw(t, "comes"), rapid.IntRange(1, 30).Draw(t, "takes"), rapid.IntRange(1, 200).Draw(t, "patient"),
		}
	}), 1, 60)
	rapid.Check(t, func(rt *rapid.T) {
		all, size := readers.Draw(rt, "readers"), rapid.IntRange(3, 12).Draw(rt, "size")
		synctest.Test(t, func(t *testing.T) {
			p := poolWithoutStore(size)
			left := atomic.Int32{}
			for _, r := range all {
				left.Add(1)
				go func() {
					defer left.Add(-1)
					<-time.After(time.Duration(r.comes) * time.Millisecond)
					ctx, cancel := context.WithTimeout(WithTurn(t.Context(), r.turn), time.Duration(r.patient)*time.Millisecond)
					defer cancel()
					served := false
					err := p.use(ctx, func(*sqliteConn) error {
						served = true
						<-time.After(time.Duration(r.takes) * time.Millisecond)
						return nil
					})
					if served == (err != nil) || err != nil && ctx.Err() == nil {
						t.Errorf("served: %t, and the error is %v", served, err)
					}
				}()
			}
			for left.Load() > 0 {
				synctest.Wait()
				if rule := p.pastRules(); rule != "" {
					t.Errorf("of %d connections are lent %v: %s", size, p.has, rule)
				}
				<-time.After(time.Millisecond)
			}
			if p.taken != 0 || len(p.has) != 0 || len(p.idle) > size {
				t.Errorf("%d are lent when all have left, to %v, and %d are open", p.taken, p.has, len(p.idle))
			}
		})
	})
}

// readFor has an organization come with so many reads, each of which takes that long. It returns how many have a connection.
func (p *sqlitePool) readFor(t *testing.T, orgID string, reads int, takes time.Duration) int {
	for range reads {
		go func() {
			if err := p.use(WithTurn(t.Context(), Turn{OrgID: orgID}), func(*sqliteConn) error {
				<-time.After(takes)
				return nil
			}); err != nil {
				t.Error(err)
			}
		}()
	}
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.has[Turn{OrgID: orgID}]
}

// A hundred long reads leave connections for others. When several organizations have many, whoever comes gets what becomes
// free first, and the program's own reads need not even wait for that.
func TestLongReadsOfOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := poolWithoutStore(6)
		has := func(orgID string) int { return p.readFor(t, orgID, 0, 0) }
		begin := time.Now()
		if got := p.readFor(t, "busy", 100, time.Second); got != 4 {
			t.Errorf("who is alone has %d", got)
		}
		<-time.After(time.Millisecond)
		if got := p.readFor(t, "second", 100, time.Second); got != 1 {
			t.Errorf("the second one has %d", got)
		}
		if got := p.readFor(t, "", 1, time.Millisecond); got != 1 {
			t.Errorf("the program's own have %d", got)
		}
		if got := p.readFor(t, "third", 1, 3*time.Second); got != 0 {
			t.Errorf("the third one has %d", got)
		}
		<-time.After(time.Until(begin.Add(time.Second)))
		synctest.Wait()
		if has("third") != 1 {
			t.Errorf("the third one waits although others have left: %v", p.has)
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		if has("busy") != 2 || has("second") != 2 {
			t.Errorf("two with many reads do not share: %v", p.has)
		}
		<-time.After(time.Minute)
	})
}

// Where there are few connections they are shared by time, and not by the number of reads.
func TestReadersShareTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := poolWithoutStore(3)
		ctx, cancel := context.WithCancel(t.Context())
		used := map[string]time.Duration{}
		for orgID, takes := range map[string]time.Duration{"long": 50 * time.Millisecond, "short": 5 * time.Millisecond} {
			for range 1000 {
				go p.use(WithTurn(ctx, Turn{OrgID: orgID}), func(*sqliteConn) error {
					<-time.After(takes)
					p.mu.Lock()
					defer p.mu.Unlock()
					used[orgID] += takes
					return nil
				})
			}
		}
		<-time.After(2 * time.Second)
		cancel()
		synctest.Wait()
		if d := used["long"] - used["short"]; d.Abs() > 200*time.Millisecond || used["long"] < time.Second/2 {
			t.Errorf("they have had connections for %v", used)
		}
		<-time.After(time.Second)
	})
}

// What cannot be opened takes nobody's place, and neither does a reader that panics.
func TestReadersThatFail(t *testing.T) {
	t.Parallel()
	p := poolWithoutStore(4)
	p.idle = nil
	p.open = func() (*sqliteConn, error) { return nil, ErrUnavailable }
	if err := p.use(t.Context(), nil); !errors.Is(err, ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
	p.idle = []*sqliteConn{{}}
	func() {
		defer func() { recover() }()
		p.use(t.Context(), func(*sqliteConn) error { panic("in a reader") })
	}()
	if p.taken != 0 || len(p.has) != 0 || len(p.idle) != 1 {
		t.Errorf("%d are lent to %v, and %d are there", p.taken, p.has, len(p.idle))
	}
}

// Closing waits for those who have a connection, and sends away those who wait for one.
func TestCloseReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := poolWithoutStore(3)
		outcomes := make(chan error, 8)
		for range 5 {
			go func() {
				outcomes <- p.use(WithTurn(t.Context(), Turn{OrgID: "busy"}), func(conn *sqliteConn) error {
					<-time.After(time.Second)
					return nil
				})
			}()
		}
		synctest.Wait()
		begin := time.Now()
		p.close()
		if took := time.Since(begin); took != time.Second {
			t.Errorf("closing took %v", took)
		}
		outcomes <- p.use(t.Context(), nil)
		synctest.Wait()
		close(outcomes)
		var refused int
		for err := range outcomes {
			if errors.Is(err, ErrClosed) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		if refused != 4 {
			t.Errorf("%d were refused", refused)
		}
	})
}
