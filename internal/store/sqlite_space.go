package store

// The embedded store's file keeps the pages that a purge has freed, and reuses them. If there are many, the end
// of the file is moved into them and the file is cut off, a little at a time. Only a file created for it can do
// that (auto_vacuum = INCREMENTAL, see migrateFile).

const (
	// spareFrom and spareShare say when free pages are worth the effort: 16 MiB, and a quarter of the file.
	spareFrom, spareShare = 4096, 4
	// spareKept is the fraction of the used pages that stays free for new rows.
	spareKept = 8
	// incrementalVacuum is SQLite's mode of a file that can shrink step by step.
	incrementalVacuum = 2
)

// SparePages is the number of free pages that the store should give back; none on PostgreSQL, which does so by
// itself.
func (r Reader) SparePages() (int64, error) {
	if r.dialect.tryLock != "" {
		return 0, nil
	}
	var mode, free, pages int64
	for pragma, value := range map[string]*int64{"auto_vacuum": &mode, "freelist_count": &free, "page_count": &pages} {
		if err := r.db.query(r.ctx, "PRAGMA "+pragma, nil, func(row scanner) error { return row.Scan(value) }); err != nil {
			return 0, err
		}
	}
	if mode != incrementalVacuum || free < spareFrom || free*spareShare < pages {
		return 0, nil
	}
	return max(0, free-(pages-free)/spareKept), nil
}

// GivePagesBack gives up to limit free pages back, and returns how many.
func (tx *Tx) GivePagesBack(limit int) (given int64, err error) {
	count := func() (free int64, err error) {
		err = tx.db.query(tx.ctx, "PRAGMA freelist_count", nil, func(row scanner) error { return row.Scan(&free) })
		return free, err
	}
	before, err := count()
	for i := 0; i < limit && err == nil; i += leastRows { // one statement text for any number
		err = tx.later("PRAGMA incremental_vacuum(10)")
	}
	if err != nil {
		return 0, err
	}
	after, err := count()
	return before - after, err
}
