package store

import "context"

// RefreshStatistics updates PostgreSQL's statistics of tables that have grown several times over. PostgreSQL
// does it only every minute or so, and until then takes a full table for an empty one, for which any index
// seems as good as the right one. SQLite plans without statistics.
func (s *Store) RefreshStatistics(ctx context.Context) error {
	if s.engine.dialect().grown == "" {
		return nil
	}
	grown, err := many(s.Read(ctx), scanText, s.engine.dialect().grown)
	if err != nil || len(grown) == 0 {
		return err
	}
	return s.InTx(ctx, func(tx *Tx) error {
		for _, table := range grown {
			if _, err := tx.exec("ANALYZE " + table); err != nil {
				return err
			}
		}
		return nil
	})
}
