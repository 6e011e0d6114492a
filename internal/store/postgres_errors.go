package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// lockTimeout is the code of a statement that has waited for a lock as long as it may.
const lockTimeout = "55P03"

// isRetryable reports a deadlock, a serialization failure or an outdated plan, after which the same closure may succeed.
func isRetryable(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40P01" || e.Code == "40001") || outdatedPlan(err)
}

// outdatedPlan reports that the type of a column has changed since a statement was prepared, because another node has
// brought a newer schema. A new connection prepares its statements anew.
func outdatedPlan(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "0A000" && e.Routine == "RevalidateCachedQuery"
}

// refusedCommit reports whether nothing can have been committed: the server said so, and not that it was going away, or
// nothing was sent to it.
func refusedCommit(err error) bool {
	if e, said := errors.AsType[*pgconn.PgError](err); said {
		return e.Code[:2] != "08" && e.Code[:2] != "57"
	}
	return pgconn.SafeToRetry(err)
}

// postgresError translates the errors that callers of this package distinguish.
func postgresError(err error) error {
	if err == nil || errors.Is(err, ErrDuplicate) || errors.Is(err, ErrUnavailable) {
		return err
	}
	var (
		pgErr  *pgconn.PgError
		netErr net.Error
		down   *pgconn.ConnectError
	)
	switch {
	case errors.As(err, &pgErr):
		switch pgErr.Code {
		case "23505":
			return fmt.Errorf("%w: %w", ErrDuplicate, err)
		case "25006", "25P03", lockTimeout: // read-only: a standby that is to take over; a transaction that was idle too long
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		switch pgErr.Code[:2] {
		case "08", "53", "57": // connection lost, out of resources, shutting down
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &down), errors.As(err, &netErr), pgconn.SafeToRetry(err),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
