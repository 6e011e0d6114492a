package store

import "time"

// PutNode says that a node is alive until the given instant.
func (tx *Tx) PutNode(id string, until time.Time) error {
	_, err := tx.exec(`INSERT INTO nodes (id, expires_at) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`, id, until.UnixMilli())
	return err
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

// PurgeNodes forgets nodes that are long dead.
func (tx *Tx) PurgeNodes(before time.Time) error {
	_, err := tx.exec("DELETE FROM nodes WHERE expires_at < $1", before.UnixMilli())
	return err
}
