package store

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// maxSilence is how long a server may answer nothing at all, not even that it got what was sent.
	maxSilence = 20 * time.Second
	// maxIdle is how long a transaction may stand still. Then its node is frozen, or gone without a word, and
	// the server takes back what it has locked: others need it.
	maxIdle = 15 * time.Second
)

var idleLimit = "idle_in_transaction_session_timeout = " + strconv.FormatInt(maxIdle.Milliseconds(), 10)

// limitIdle is for a connection that is the pool's alone. Behind a pooler each transaction limits itself,
// because the next may have another connection.
func limitIdle(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SET "+idleLimit)
	return err
}
