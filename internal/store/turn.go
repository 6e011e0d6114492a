package store

import "context"

// Turn is on whose behalf a transaction is made. Where transactions wait for each other, turns get equal shares of the
// time, however many of them one has waiting.
type Turn struct {
	OrgID string // empty: the program's own work
	// Bulk is work that nobody waits for, such as making the messages of a broadcast. It has a turn of its own, so that
	// what people of the same organization do goes on beside it.
	Bulk bool
}

type turnKey struct{}

// WithTurn says on whose behalf the transactions under a context are made.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

func turnOf(ctx context.Context) Turn {
	t, _ := ctx.Value(turnKey{}).(Turn)
	return t
}
