package store

// Setting returns a value of the whole installation, or ErrNotFound.
func (r Reader) Setting(name string) (string, error) {
	return one(r, func(row scanner) (v string, err error) {
		err = row.Scan(&v)
		return v, err
	}, "SELECT value FROM settings WHERE name = $1"+r.forUpdate(), name)
}

// InsertSetting stores a value unless the name has one already (ErrDuplicate).
func (tx *Tx) InsertSetting(name, value string) error {
	return tx.insert("INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, value)
}

const putSetting = `INSERT INTO settings (name, value) VALUES ($1, $2)
	ON CONFLICT (name) DO UPDATE SET value = excluded.value`

// PutSetting stores a value and replaces an earlier one.
func (tx *Tx) PutSetting(name, value string) error {
	_, err := tx.exec(putSetting, name, value)
	return err
}
