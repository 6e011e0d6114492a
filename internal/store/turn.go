package store

import "context"

// Turn says on whose behalf a transaction runs. Waiting turns get equal shares of the time, however many
// transactions one has waiting.
type Turn struct {
	OrgID string // empty: the program's own work
	// Bulk is work that nobody waits for, such as making the messages of a broadcast. It has a turn of its own,
	// so that it does not slow down the people of the same organization.
	Bulk bool
}

// waits reports whether somebody waits for an answer.
func (t Turn) waits() bool { return t.OrgID != "" && !t.Bulk }

type turnKey struct{}

// WithTurn says on whose behalf the transactions in a context run.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

func turnOf(ctx context.Context) Turn {
	t, _ := ctx.Value(turnKey{}).(Turn)
	return t
}
