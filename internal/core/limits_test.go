package core_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// eachLimit runs a test for everything of which there can be only so many. free is how many more there can be.
func eachLimit(t *testing.T, free int, test func(p pair, create func(*store.Tx) error)) {
	for name, c := range map[string]struct {
		most   int
		create func(p pair) func(*store.Tx) error
	}{
		"webhook subscriptions": {chat.MaxWebhookSubscriptions, func(p pair) func(*store.Tx) error {
			vault := plainVault(p.world)
			return func(tx *store.Tx) error {
				_, _, err := core.CreateWebhookSubscription(tx, vault, p.Org.ID, chat.NewWebhookSubscription{URL: "https://hooks.example/x", Events: []string{"*"}})
				return err
			}
		}},
		"unfinished templates": {core.MostSketches, func(p pair) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				_, err := core.CreateSketch(tx, p.Account, chat.User{OrgID: p.Org.ID, ID: "usr_1"}, core.NewSketch{Name: "hello"})
				return err
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			create := c.create(p)
			p.InTx(func(tx *store.Tx) (err error) {
				for i := 0; i < c.most-free && err == nil; i++ {
					err = create(tx)
				}
				return err
			})
			test(p, create)
		})
	}
}

// refused reports whether a creation was refused because there are enough.
func refused(err error) bool {
	code, _ := chat.CodeOf(err)
	return code == chat.CodeInvalidFieldValue
}

// Of two who add the last one that there can be, one is refused.
func TestTheLastOneIsAddedOnce(t *testing.T) {
	eachLimit(t, 1, func(p pair, create func(*store.Tx) error) {
		if err := p.do(create, create); !refused(err) {
			p.t.Errorf("another one: %v", err)
		}
	})
}

// Limits hold for transactions that run together.
func TestLimitsOfAGroup(t *testing.T) {
	const free, tries = 3, 40
	eachLimit(t, free, func(p pair, create func(*store.Tx) error) {
		var added atomic.Int64
		var all sync.WaitGroup
		for range tries {
			all.Go(func() {
				err := p.Store.InGroup(context.Background(), store.Foresight{Kind: "create"}, create)
				if err == nil {
					added.Add(1)
				} else if !refused(err) {
					p.t.Error(err)
				}
			})
		}
		all.Wait()
		if n := added.Load(); n != free {
			p.t.Errorf("%d were added, want %d", n, free)
		}
	})
}
