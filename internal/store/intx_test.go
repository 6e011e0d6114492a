package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestTransactionSeesItsOwnWritesAndNobodyElseDoes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		storetest.InTx(t, st, func(tx *store.Tx) error {
			if err := tx.PutSetting("a", "1"); err != nil {
				return err
			}
			got, err := tx.Setting("a")
			requireEqual(t, got, err, "1")
			requireEqual(t, setting(t, st, "a"), nil, "")
			return nil
		})
		requireEqual(t, setting(t, st, "a"), nil, "1")
	})
}

func TestClosureThatFailsLeavesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		requireTxError(t, st, errRefused, func(tx *store.Tx) error {
			tx.AfterCommit(func() { t.Error("the hook ran") })
			return errors.Join(tx.PutSetting("a", "1"), errRefused)
		})
		requireEqual(t, setting(t, st, "a"), nil, "")
	})
}

func TestClosureThatPanicsLeavesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		text := panicText(func() {
			_ = st.InTx(t.Context(), func(tx *store.Tx) error {
				tx.AfterCommit(func() { t.Error("the hook ran") })
				requireNoError(t, tx.PutSetting("a", "1"))
				panic("boom")
			})
		})
		if !strings.Contains(text, "boom") {
			t.Errorf("the panic says %q", text)
		}
		requireEqual(t, setting(t, st, "a"), nil, "")
		storetest.InTx(t, st, putSetting("b", "2"))
	})
}

// panicText is what run panics with, or "".
func panicText(run func()) (text string) {
	defer func() {
		if value := recover(); value != nil {
			text = fmt.Sprint(value)
		}
	}()
	run()
	return ""
}

func TestClosureThatEndsItsGoroutineEndsItsCallers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		ended := make(chan string)
		go func() {
			outcome := "ended"
			defer func() { ended <- outcome }()
			err := st.InTx(context.Background(), func(tx *store.Tx) error {
				tx.AfterCommit(func() { outcome = "the hook ran" })
				if err := tx.PutSetting("a", "1"); err != nil {
					return err
				}
				runtime.Goexit()
				return nil
			})
			outcome = fmt.Sprint("returned ", err)
		}()
		requireEqual(t, <-ended, nil, "ended")
		requireEqual(t, setting(t, st, "a"), nil, "")
		storetest.InTx(t, st, putSetting("b", "2"))
		requireEqual(t, setting(t, st, "b"), nil, "2")
	})
}

func TestCancelledContext(t *testing.T) {
	tests := []struct {
		name string
		run  func(*store.Store, context.Context, context.CancelFunc) error
	}{
		{"before the closure", func(st *store.Store, ctx context.Context, cancel context.CancelFunc) error {
			cancel()
			return st.InTx(ctx, func(*store.Tx) error { return errors.New("the closure ran") })
		}},
		{"during the closure", func(st *store.Store, ctx context.Context, cancel context.CancelFunc) error {
			return st.InTx(ctx, func(tx *store.Tx) error {
				if err := tx.PutSetting("a", "1"); err != nil {
					return err
				}
				cancel()
				return tx.PutSetting("a", "2")
			})
		}},
		{"unnoticed by the closure", func(st *store.Store, ctx context.Context, cancel context.CancelFunc) error {
			return st.InTx(ctx, func(tx *store.Tx) error {
				defer cancel()
				return tx.PutSetting("a", "1")
			})
		}},
		{"in a savepoint whose failure is ignored", func(st *store.Store, ctx context.Context, cancel context.CancelFunc) error {
			return st.InTx(ctx, func(tx *store.Tx) error {
				if err := tx.PutSetting("a", "1"); err != nil {
					return err
				}
				_ = tx.Savepoint(func() error {
					cancel()
					return errRefused
				})
				return nil
			})
		}},
		{"before a read", func(st *store.Store, ctx context.Context, cancel context.CancelFunc) error {
			cancel()
			_, err := st.Read(ctx).Setting("a")
			return err
		}},
	}
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				requireError(t, test.run(st, ctx, cancel), context.Canceled)
				requireEqual(t, setting(t, st, "a"), nil, "")
				storetest.InTx(t, st, putSetting("b", "2"))
			})
		}
	})
}

func TestAfterCommitRunsWhenTheWorkIsDurable(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		st, other := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var ran []string
		err := st.InTx(ctx, func(tx *store.Tx) error {
			tx.AfterCommit(func() { ran = append(ran, "first "+setting(t, other, "a")) })
			tx.AfterCommit(cancel) // too late to matter
			tx.AfterCommit(func() { ran = append(ran, "second "+setting(t, other, "a")) })
			return tx.PutSetting("a", "1")
		})
		requireEqual(t, ran, err, []string{"first 1", "second 1"})
	})
}

func TestTransactionsWithoutStatements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		ran := false
		storetest.InTx(t, st, func(tx *store.Tx) error {
			tx.AfterCommit(func() { ran = true })
			return nil
		})
		if !ran {
			t.Error("the hook did not run")
		}
		requireTxError(t, st, errRefused, func(*store.Tx) error { return errRefused })
	})
}

func TestSavepoints(t *testing.T) {
	// Each step names the settings and hooks that must exist in the end.
	tests := []struct {
		name string
		run  func(*trace) error
		want string
	}{
		{"kept", func(tr *trace) error {
			return tr.savepoint("a", nil)
		}, "a"},
		{"undone alone", func(tr *trace) error {
			tr.put("before")
			requireError(tr.t, tr.savepoint("a", errRefused), errRefused)
			tr.put("after")
			return nil
		}, "after before"},
		{"undone as the first thing", func(tr *trace) error {
			requireError(tr.t, tr.savepoint("a", errRefused), errRefused)
			return nil
		}, ""},
		{"inner undone, outer kept", func(tr *trace) error {
			return tr.tx.Savepoint(func() error {
				tr.put("outer")
				requireError(tr.t, tr.savepoint("inner", errRefused), errRefused)
				return nil
			})
		}, "outer"},
		{"inner kept, outer undone", func(tr *trace) error {
			err := tr.tx.Savepoint(func() error {
				requireNoError(tr.t, tr.savepoint("inner", nil))
				tr.put("outer")
				return errRefused
			})
			requireError(tr.t, err, errRefused)
			return nil
		}, ""},
		{"one after the other", func(tr *trace) error {
			requireNoError(tr.t, tr.savepoint("a", nil))
			requireError(tr.t, tr.savepoint("b", errRefused), errRefused)
			return tr.savepoint("c", nil)
		}, "a c"},
		{"a statement's error undone", func(tr *trace) error {
			tr.put("before")
			err := tr.tx.Savepoint(func() error { // an error after which PostgreSQL aborts the transaction
				return tr.tx.PutMember("no", "such", "row")
			})
			if err == nil {
				tr.t.Error("a member of a team that does not exist was stored")
			}
			tr.put("after")
			return nil
		}, "after before"},
	}
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				tr := &trace{t: t}
				storetest.InTx(t, st, func(tx *store.Tx) error {
					tr.tx = tx
					return test.run(tr)
				})
				slices.Sort(tr.hooks)
				requireEqual(t, strings.Join(tr.hooks, " "), nil, test.want)
				requireEqual(t, strings.Join(tr.stored(st), " "), nil, test.want)
			})
		}
	})
}

// trace writes settings and hooks of the same names in a transaction.
type trace struct {
	t     *testing.T
	tx    *store.Tx
	names []string
	hooks []string
}

func (tr *trace) put(name string) {
	tr.t.Helper()
	requireNoError(tr.t, tr.tx.PutSetting(tr.t.Name()+name, "1"))
	tr.names = append(tr.names, name)
	tr.tx.AfterCommit(func() { tr.hooks = append(tr.hooks, name) })
}

func (tr *trace) savepoint(name string, outcome error) error {
	return tr.tx.Savepoint(func() error {
		tr.put(name)
		return outcome
	})
}

func (tr *trace) stored(st *store.Store) []string {
	var names []string
	for _, name := range tr.names {
		if setting(tr.t, st, tr.t.Name()+name) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestPanicInASavepointLeavesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		text := panicText(func() {
			_ = st.InTx(t.Context(), func(tx *store.Tx) error {
				requireNoError(t, tx.PutSetting("a", "1"))
				return tx.Savepoint(func() error { panic("boom") })
			})
		})
		if !strings.Contains(text, "boom") {
			t.Errorf("the panic says %q", text)
		}
		requireEqual(t, setting(t, st, "a"), nil, "")
	})
}
