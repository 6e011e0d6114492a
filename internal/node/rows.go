package node

import (
	"context"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// registry holds the registered nodes.
type registry interface {
	newName() string
	add(ctx context.Context, name string) error
	// addAlone adds the node and removes all others.
	addAlone(ctx context.Context, name string) error
	// beat returns false if the node was removed.
	beat(ctx context.Context, name string) (alive bool, err error)
	beats(ctx context.Context) ([]store.NodeBeat, error)
	// bury removes a node unless it has beaten since.
	bury(ctx context.Context, last store.NodeBeat) (bool, error)
	remove(ctx context.Context, name string) error
}

// rows is the registry in the store.
type rows struct{ store *store.Store }

func (r rows) newName() string { return r.store.NewID(chat.Kind("node")) }

func (r rows) add(ctx context.Context, name string) error {
	return r.store.InTx(ctx, func(tx *store.Tx) error { return tx.PutNode(name, tx.Now().Add(life)) })
}

func (r rows) addAlone(ctx context.Context, name string) error {
	return r.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteNodes(); err != nil {
			return err
		}
		return tx.PutNode(name, tx.Now().Add(life))
	})
}

func (r rows) beat(ctx context.Context, name string) (alive bool, err error) {
	err = r.store.InTx(ctx, func(tx *store.Tx) (err error) {
		alive, err = tx.BeatNode(name, tx.Now().Add(life))
		return err
	})
	return alive, err
}

func (r rows) beats(ctx context.Context) ([]store.NodeBeat, error) {
	return r.store.Read(ctx).NodeBeats()
}

func (r rows) bury(ctx context.Context, last store.NodeBeat) (buried bool, err error) {
	err = r.store.InTx(ctx, func(tx *store.Tx) (err error) {
		buried, err = tx.BuryNode(last)
		return err
	})
	return buried, err
}

func (r rows) remove(ctx context.Context, name string) error {
	return r.store.InTx(ctx, func(tx *store.Tx) error { return tx.DeleteNode(name) })
}
