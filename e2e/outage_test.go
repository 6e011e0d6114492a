package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/pgtest"
)

// awayFor is longer than a node counts as alive after its last sign of life.
const awayFor = 40 * time.Second

// TestDatabaseAway takes the database away from three nodes under load, for so long that each might declare the others
// dead, and then compares the books. Nothing is lost, and since no node was killed, nothing is sent twice or out of
// order.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	gate := pgtest.NewGate(t, pgtest.NewDatabase(t))
	files := t.TempDir()
	node := func(s *Server) {
		OnFolder(files)(s)
		OnDatabase(gate.URL)(s)
	}
	l := openLedger(t, node, node, node)
	l.p.do(http.MethodPut, "faults", map[string]any{"latency": "300ms"}) // so that messages are always under way
	if l.awaitAccepted(2 * ledgerPerRound) {
		gate.Shut()
		within(awayFor, l.t.Failed)
		gate.Open()
		l.awaitAccepted(4 * ledgerPerRound)
	}
	l.close()
	l.check()
}
