package e2e

import (
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
)

// TestMoveToPostgres moves the store of a server that was killed under load to PostgreSQL, and goes on there. The books
// balance as if nothing had happened.
func TestMoveToPostgres(t *testing.T) {
	t.Parallel()
	folder, database := OnFolder(t.TempDir()), OnDatabase(pgtest.NewDatabase(t))
	log := prepare(t, folder, database).stored() // the test reads it to its very end
	l := openLedger(t, folder)
	l.more(ledgerPerRound)
	l.kill()
	database(l.srv)
	for _, command := range []string{"move", "check"} {
		if r := l.srv.CLI(command); r.Code != 0 {
			t.Fatalf("parley %s: %+v", command, r)
		}
	}
	l.srv.Restart()
	for _, n := range l.numbers {
		n.log = log
	}
	l.more(ledgerPerRound)
	l.close()
	l.check()
}
