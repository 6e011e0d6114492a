package store

import (
	"errors"
	"math"
	"time"
)

// A node is a process that works on what is in the store. It is alive as long as its row is there: nobody
// else touches what it owns. Another node that has not heard of it for long removes the row; then its work
// is free for the others, and should it still be running it goes on as a new node, which owns nothing.
// A node that finds its row has lost nothing, however long it was cut off.

// Lease is the name under which a process owns work, and until when no other node can have removed it.
type Lease struct {
	Node  string
	Until Moment
}

// LeaseForGood is the lease of a node that nobody removes.
func LeaseForGood(node string) Lease { return Lease{node, math.MaxInt64} }

// Holds tells whether the lease lasts longer than d from now.
func (l Lease) Holds(now Moment, d time.Duration) bool { return l.Until.Sub(now) > d }

// ErrNotAlive is what a node gets that wants to take work and was removed itself.
var ErrNotAlive = errors.New("store: the other nodes take this one for dead")

// PutNode adds a node. Until is for people who look.
func (tx *Tx) PutNode(id string, until time.Time) error {
	_, err := tx.exec(`INSERT INTO nodes (id, expires_at) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`, id, until.UnixMilli())
	return err
}

// NodeBeat is a node's last sign of life. The number is another each time, whatever the clocks show.
type NodeBeat struct {
	Node string
	Beat int64
}

// BeatNode says that a node is alive. It reports false when the node was removed.
func (tx *Tx) BeatNode(id string, until time.Time) (alive bool, err error) {
	n, err := tx.exec("UPDATE nodes SET expires_at = CASE WHEN expires_at < $2 THEN $2 ELSE expires_at + 1 END WHERE id = $1", id, until.UnixMilli())
	return n > 0, err
}

// NodeBeats are all nodes.
func (r Reader) NodeBeats() ([]NodeBeat, error) {
	return many(r, func(row scanner) (b NodeBeat, err error) {
		err = row.Scan(&b.Node, &b.Beat)
		return b, err
	}, "SELECT id, expires_at FROM nodes")
}

// BuryNode removes a node that has given no sign of life since that one, and reports whether it did.
func (tx *Tx) BuryNode(last NodeBeat) (bool, error) {
	n, err := tx.exec("DELETE FROM nodes WHERE id = $1 AND expires_at = $2", last.Node, last.Beat)
	return n > 0, err
}

// DeleteNode says that a node has gone: its work is free for the others.
func (tx *Tx) DeleteNode(id string) error {
	_, err := tx.exec("DELETE FROM nodes WHERE id = $1", id)
	return err
}

// DeleteNodes forgets every node.
func (tx *Tx) DeleteNodes() error {
	_, err := tx.exec("DELETE FROM nodes")
	return err
}

// LivingNodes are the nodes whose work nobody may take.
func (r Reader) LivingNodes() (map[string]bool, error) {
	living := map[string]bool{}
	ids, err := many(r, scanText, "SELECT id FROM nodes")
	for _, id := range ids {
		living[id] = true
	}
	return living, err
}

// abandoned is the condition that an owner is not alive.
const abandoned = " NOT IN (SELECT id FROM nodes)"

// abandonedBy returns the owners in a table that are not alive. It looks at one row of each, however many
// there are: the table has an index by owner.
func (r Reader) abandonedBy(table string) ([]string, error) {
	return many(r, scanText, `WITH RECURSIVE owners (owner) AS (
			SELECT MIN(owner) FROM `+table+`
			UNION ALL SELECT (SELECT MIN(j.owner) FROM `+table+` j WHERE j.owner > o.owner) FROM owners o WHERE o.owner IS NOT NULL)
		SELECT owner FROM owners WHERE owner IS NOT NULL AND owner`+abandoned)
}

// stillAlive ends the claim of a node that was removed itself, and keeps the others from removing it until
// the claim is done: they would find what it claims with an owner that they have dealt with.
func (tx *Tx) stillAlive(node string) error {
	_, err := one(tx.Reader, scanText, "SELECT id FROM nodes WHERE id = $1"+tx.dialect.keepRow, node)
	if errors.Is(err, ErrNotFound) {
		return ErrNotAlive
	}
	return err
}
