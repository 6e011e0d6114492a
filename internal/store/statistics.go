package store

import "context"

// RefreshStatistics tells PostgreSQL's planner of tables that have grown several times over since
// it last looked. It looks by itself only every minute or so, and until then takes a full table for
// an empty one, where any index seems as good as the right one. SQLite plans without statistics.
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
