package cli

import (
	"context"
	"errors"
	"os/user"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/store"
)

// storeFlags are the flags of commands that work directly on the store.
type storeFlags struct {
	JSON         bool `name:"json" help:"Print one JSON object."`
	config.Store `embed:""`
}

// filesFlags are the flags of commands that work on stored files too.
type filesFlags struct {
	storeFlags
	config.Media `embed:""`
}

// Validate checks both: the parser would find that of Media alone.
func (f *filesFlags) Validate() error { return errors.Join(f.Store.Validate(), f.Media.Validate()) }

// change runs fn in a transaction on the store.
func (f storeFlags) change(c *console, fn func(*store.Tx) error) error {
	return f.with(c, func(st *store.Store) error { return st.InTx(asOperator(c.ctx), fn) })
}

// asOperator names the operator as the doer of changes.
func asOperator(ctx context.Context) context.Context {
	doer := chat.Doer{Kind: chat.DoerOperator}
	if who, err := user.Current(); err == nil {
		doer.Name = who.Username
	}
	return store.WithDoer(ctx, doer)
}

// look runs fn on a reader of the store.
func (f storeFlags) look(c *console, fn func(store.Reader) error) error {
	return f.with(c, func(st *store.Store) error { return fn(st.Read(c.ctx)) })
}

// lookInto is look for data of an organization, which must exist.
func (f storeFlags) lookInto(c *console, org orgID, fn func(store.Reader) error) error {
	return f.look(c, func(r store.Reader) error {
		_, err := r.Organization(string(org))
		if errors.Is(err, store.ErrNotFound) {
			return pointTo(chat.NotFound("organization"), listOrgs)
		}
		if err != nil {
			return err
		}
		return fn(r)
	})
}

func (f storeFlags) with(c *console, fn func(*store.Store) error) error {
	st, err := openStore(c.ctx, f.Store, store.Config{MustExist: true})
	if err != nil {
		return err
	}
	return errors.Join(fn(st), st.Close())
}

// openStore opens the store that the settings name.
func openStore(ctx context.Context, where config.Store, how store.Config) (*store.Store, error) {
	how.Dir, how.URL = where.Data, where.DatabaseURL
	st, err := store.Open(ctx, how)
	return st, explainStore(err, where)
}
