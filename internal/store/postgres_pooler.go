package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// poolerProbes is how often two connections are compared. With other traffic a pooler may by chance give both
// the connections they had before.
const poolerProbes = 20

// lentByTransaction reports whether a pooler, like PgBouncer in transaction mode, stands in front of the server
// and gives every transaction another of its connections. Everything that belongs to a connection, like a
// prepared statement, a session's lock or LISTEN, is lost there. another opens a second connection.
//
// Without a pooler the server's process is the one that was named at the connection's start, which one query
// finds out.
func lentByTransaction(ctx context.Context, conn *pgx.Conn, another func(context.Context) (*pgx.Conn, func(), error)) (bool, error) {
	own, err := serverProcess(ctx, conn)
	if err != nil || own == conn.PgConn().PID() {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	second, release, err := another(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	for range poolerProbes {
		others, err := serverProcess(ctx, second)
		if err != nil {
			return false, err
		}
		again, err := serverProcess(ctx, conn)
		if err != nil {
			return false, err
		}
		if others == own || again != own {
			return true, nil
		}
	}
	return false, nil // it lends by the session, which is like having none
}

// serverProcess is the server's process of a connection. It uses the simple protocol, which prepares nothing.
func serverProcess(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, postgresError(err)
}

// meetPooler finds out whether there is a pooler, and then reopens the pool with settings that work with it.
func (e *postgresEngine) meetPooler(ctx context.Context) error {
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { conn.Release() }()
	if err := requireUTF8(conn.Conn()); err != nil {
		return err
	}
	e.pooled, err = lentByTransaction(ctx, conn.Conn(), func(ctx context.Context) (*pgx.Conn, func(), error) {
		second, err := e.acquire(ctx)
		if err != nil {
			return nil, nil, err
		}
		return second.Conn(), second.Release, nil
	})
	if err != nil || !e.pooled {
		return err
	}
	return requireTransactions(ctx, conn.Conn())
}

// requireUTF8 refuses a database that cannot store every character, or that does not know where one ends.
func requireUTF8(conn *pgx.Conn) error {
	if encoding := conn.PgConn().ParameterStatus("server_encoding"); encoding != "" && encoding != "UTF8" {
		return fmt.Errorf("the database's encoding is %s, which cannot store every message: make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	return nil
}

// requireTransactions refuses a pooler that lends by the statement.
func requireTransactions(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "BEGIN", pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("the pooler before the database takes no transactions: set its pool_mode to transaction (%w)", err)
	}
	_, err := conn.Exec(ctx, "ROLLBACK", pgx.QueryExecModeSimpleProtocol)
	return err
}

// withoutStatements configures connections behind a pooler: each statement is sent with its text, and only the
// server's description of its parameters and columns is cached.
func withoutStatements(cfg *pgx.ConnConfig) {
	if cfg.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement || cfg.DefaultQueryExecMode == pgx.QueryExecModeDescribeExec {
		cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
}

// requireDirect refuses a connection on which no notification would arrive: behind a pooler, or to another
// server than the pool's.
func (e *postgresEngine) requireDirect(ctx context.Context, conn *pgx.Conn) error {
	pooled, err := lentByTransaction(ctx, conn, func(ctx context.Context) (*pgx.Conn, func(), error) {
		second, err := pgx.ConnectConfig(ctx, e.direct)
		return second, func() { second.Close(context.WithoutCancel(ctx)) }, err
	})
	if err != nil {
		return err
	}
	if pooled {
		return errors.New("a pooler stands there, too: --database-direct-url must be the address of PostgreSQL itself")
	}
	const identity = "SELECT current_database() || ' ' || extract(epoch FROM pg_postmaster_start_time())::text"
	var here, there string
	if err := conn.QueryRow(ctx, identity).Scan(&there); err != nil {
		return err
	}
	if err := e.query(ctx, identity, nil, func(row scanner) error { return row.Scan(&here) }); err != nil {
		return err
	}
	if here != there {
		return errors.New("another database is there: --database-direct-url must lead to the same as --database-url")
	}
	return nil
}
