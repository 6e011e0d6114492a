package store

import (
	"errors"
	"math"
	"time"
)

// A node is a process that works on the store. It is alive as long as its row exists: no other node touches the
// work it owns. If others have not heard of it for long, they remove the row, and its work is free. If it is
// still running, it goes on as a new node without work. A node that finds its row has lost nothing, however
// long it was cut off.

// Lease is the name under which a process owns work, and until when no other node can have removed it.
type Lease struct {
	Node  string
	Until Moment
}

// LeaseForGood is the lease of a node that no other node removes.
func LeaseForGood(node string) Lease { return Lease{node, math.MaxInt64} }

// Holds reports whether the lease lasts longer than d from now.
func (l Lease) Holds(now Moment, d time.Duration) bool { return l.Until.Sub(now) > d }

// ErrNotAlive is the error of a removed node that wants to claim work.
var ErrNotAlive = errors.New("store: the other nodes take this one for dead")

// PutNode adds a node. until is shown to people.
func (tx *Tx) PutNode(id string, until time.Time) error {
	_, err := tx.exec(`INSERT INTO nodes (id, expires_at) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`, id, until.UnixMilli())
	return err
}

// NodeBeat is a node's last beat. Its number differs each time, whatever the clocks show.
type NodeBeat struct {
	Node string
	Beat int64
}

// BeatNode renews a node's row. It returns false if the node was removed.
func (tx *Tx) BeatNode(id string, until time.Time) (alive bool, err error) {
	n, err := tx.exec("UPDATE nodes SET expires_at = CASE WHEN expires_at < $2 THEN $2 ELSE expires_at + 1 END WHERE id = $1", id, until.UnixMilli())
	return n > 0, err
}

// NodeBeats returns all nodes.
func (r Reader) NodeBeats() ([]NodeBeat, error) {
	return many(r, func(row scanner) (b NodeBeat, err error) {
		err = row.Scan(&b.Node, &b.Beat)
		return b, err
	}, "SELECT id, expires_at FROM nodes")
}

// BuryNode removes a node that has not beaten since that beat, and reports whether it did.
func (tx *Tx) BuryNode(last NodeBeat) (bool, error) {
	n, err := tx.exec("DELETE FROM nodes WHERE id = $1 AND expires_at = $2", last.Node, last.Beat)
	return n > 0, err
}

// DeleteNode removes a node that stops, which frees its work.
func (tx *Tx) DeleteNode(id string) error {
	_, err := tx.exec("DELETE FROM nodes WHERE id = $1", id)
	return err
}

// DeleteNodes removes every node.
func (tx *Tx) DeleteNodes() error {
	_, err := tx.exec("DELETE FROM nodes")
	return err
}

// LivingNodes returns the nodes whose work nobody may take.
func (r Reader) LivingNodes() (map[string]bool, error) {
	return set(r, "SELECT id FROM nodes")
}

// abandoned is the condition that an owner is not alive.
const abandoned = " NOT IN (SELECT id FROM nodes)"

// abandonedBy returns the owners in a table that are not alive. It reads one row of each, by the table's index
// on the owner.
func (r Reader) abandonedBy(table string) ([]string, error) {
	return many(r, scanText, `WITH RECURSIVE owners (owner) AS (
			SELECT MIN(owner) FROM `+table+`
			UNION ALL SELECT (SELECT MIN(j.owner) FROM `+table+` j WHERE j.owner > o.owner) FROM owners o WHERE o.owner IS NOT NULL)
		SELECT owner FROM owners WHERE owner IS NOT NULL AND owner`+abandoned)
}

// stillAlive fails if the claiming node was removed, and keeps others from removing it until the claim commits.
// Otherwise they could remove it without seeing the work that it is claiming.
func (tx *Tx) stillAlive(node string) error {
	_, err := one(tx.Reader, scanText, "SELECT id FROM nodes WHERE id = $1"+tx.dialect.keepRow, node)
	if errors.Is(err, ErrNotFound) {
		return ErrNotAlive
	}
	return err
}
