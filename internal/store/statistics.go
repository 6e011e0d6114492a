package store

import (
	"context"
	"errors"
)

// RefreshStatistics updates PostgreSQL's statistics of tables that have grown several times over. PostgreSQL
// does it only every minute or so, and until then takes a full table for an empty one, for which any index
// seems as good as the right one. SQLite plans without statistics.
func (s *Store) RefreshStatistics(ctx context.Context) error {
	if s.engine.dialect().grown == "" {
		return nil
	}
	grown, err := many(s.Read(ctx), scanText, s.engine.dialect().grown)
	if err != nil {
		return err
	}
	return s.analyze(ctx, grown)
}

// MeetOrganizations updates PostgreSQL's statistics of large tables in which an organization has many rows without
// being in the statistics. PostgreSQL takes it for one without rows, and reads all of them where it should look one
// up by its key. By itself it looks at a large table again when a tenth of it has changed, which may take days.
func (s *Store) MeetOrganizations(ctx context.Context) error {
	if s.engine.dialect().listed == "" {
		return nil
	}
	unaware, err := s.unawareTables(ctx)
	return errors.Join(err, s.analyze(ctx, unaware))
}

// unawareTables are the large tables whose statistics list all organizations but one that has many rows there.
func (s *Store) unawareTables(ctx context.Context) (tables []string, err error) {
	type list struct {
		table string
		known []string
	}
	lists, err := many(s.Read(ctx), func(row scanner) (l list, err error) {
		err = row.Scan(&l.table, &l.known)
		return l, err
	}, s.engine.dialect().listed)
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		missing, err := many(s.Read(ctx), scanText, `SELECT o.id FROM organizations o WHERE NOT o.id = ANY($1::text[]) AND
			(SELECT COUNT(*) FROM (SELECT 1 FROM `+l.table+` t WHERE t.org_id = o.id LIMIT 300) n) = 300 LIMIT 1`, l.known)
		if err != nil {
			return nil, err
		}
		if len(missing) > 0 {
			tables = append(tables, l.table)
		}
	}
	return tables, nil
}

func (s *Store) analyze(ctx context.Context, tables []string) error {
	for _, table := range tables {
		err := s.InTx(ctx, func(tx *Tx) error {
			_, err := tx.exec("ANALYZE " + table)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
