package store

import "strings"

// steadyTables are read by every request and hardly ever change.
var steadyTables = []string{"api_keys", "organizations", "plans", "accounts", "customers", "templates", "webhook_subscriptions"}

// memorySize bounds the cache.
const memorySize = 10_000

// recall returns the cached value for a name and arguments, or the result of read; owner is the organization of what was
// read. In a transaction it always reads, because its callers change what they have read. Callers must not change the result.
func recall[T any](r Reader, name string, args []string, owner func(T) string, read func() (T, error)) (T, error) {
	key := name + "\x00" + strings.Join(args, "\x00")
	switch engine := r.db.(type) {
	case *sqliteEngine:
		return remember(engine.memory, key, read)
	case *postgresEngine:
		return recallShared(r, engine, key, owner, read)
	default:
		return read()
	}
}

// makeRoom takes any row out of a full cache: where more rows are in use than it holds, some of them stay.
func makeRoom[T any](rows map[string]T) {
	for key := range rows {
		if len(rows) < memorySize {
			return
		}
		delete(rows, key)
	}
}
