package store

import (
	"encoding/json"

	"github.com/parleyhq/parley/internal/chat"
)

// OptOutWords returns an organization's own words, by language.
func (r Reader) OptOutWords(orgID string) ([]chat.OptOutWords, error) {
	return many(r, func(row scanner) (w chat.OptOutWords, err error) {
		var words string
		if err := row.Scan(&w.Language, &words); err != nil {
			return w, err
		}
		w.OrgID = orgID
		return w, json.Unmarshal([]byte(words), &w)
	}, "SELECT language, words FROM opt_out_words WHERE org_id = $1 ORDER BY language", orgID)
}

// PutOptOutWords stores the words of a language and replaces earlier ones.
func (tx *Tx) PutOptOutWords(w chat.OptOutWords) error {
	words, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return tx.later(`INSERT INTO opt_out_words (org_id, language, words, updated_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (org_id, language) DO UPDATE SET words = excluded.words, updated_at = excluded.updated_at`,
		w.OrgID, w.Language, string(words), tx.now.UnixMilli())
}

// DeleteOptOutWords deletes the own words of a language.
func (tx *Tx) DeleteOptOutWords(orgID, language string) error {
	return tx.later("DELETE FROM opt_out_words WHERE org_id = $1 AND language = $2", orgID, language)
}
