package store

// dialect is where the two engines' SQL differs.
type dialect struct {
	name string
	// forUpdate locks the rows a query returns until the transaction ends.
	forUpdate string
	// skipLocked ends a subquery that claims rows: those that another node is claiming are left.
	skipLocked string
	// tryLock takes a lock named $1 for the transaction and returns whether it got it.
	tryLock string
}

var (
	// SQLite has one writer at a time: every row a transaction reads is locked already.
	sqliteDialect = dialect{name: "sqlite"}

	postgresDialect = dialect{
		name:       "postgres",
		forUpdate:  " FOR NO KEY UPDATE", // keys never change, so references to the row need not wait
		skipLocked: " FOR UPDATE SKIP LOCKED",
		tryLock:    "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
	}
)
