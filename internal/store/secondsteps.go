package store

import (
	"github.com/parleyhq/parley/internal/chat"
)

// SecondStep returns a user's second step, or ErrNotFound.
func (r Reader) SecondStep(orgID, userID string) (chat.SecondStep, error) {
	return one(r, func(row scanner) (s chat.SecondStep, err error) {
		var createdAt int64
		var confirmedAt *int64
		err = row.Scan(&s.OrgID, &s.UserID, &s.Sealed, &createdAt, &confirmedAt, &s.LastCounter)
		s.CreatedAt, s.ConfirmedAt = toTime(createdAt), toTimePtr(confirmedAt)
		return s, err
	}, "SELECT org_id, user_id, secret, created_at, confirmed_at, last_counter FROM second_steps WHERE org_id = $1 AND user_id = $2"+r.forUpdate(), orgID, userID)
}

// PutSecondStep stores a user's second step and replaces an earlier one. Sign-in asks for codes once it is
// confirmed.
func (tx *Tx) PutSecondStep(s chat.SecondStep) error {
	_, err := tx.exec(`INSERT INTO second_steps (org_id, user_id, secret, created_at, confirmed_at, last_counter) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (org_id, user_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at,
			confirmed_at = excluded.confirmed_at, last_counter = excluded.last_counter`,
		s.OrgID, s.UserID, s.Sealed, s.CreatedAt.UnixMilli(), msPtr(s.ConfirmedAt), s.LastCounter)
	if err != nil {
		return err
	}
	return tx.setSecondStep(s.OrgID, s.UserID, s.ConfirmedAt != nil)
}

// UseCode records that a user's codes up to a counter were used.
func (tx *Tx) UseCode(orgID, userID string, counter int64) error {
	return tx.execOne("UPDATE second_steps SET last_counter = $3 WHERE org_id = $1 AND user_id = $2", orgID, userID, counter)
}

// DeleteSecondStep deletes a user's second step and recovery codes.
func (tx *Tx) DeleteSecondStep(orgID, userID string) error {
	if _, err := tx.exec("DELETE FROM second_steps WHERE org_id = $1 AND user_id = $2", orgID, userID); err != nil {
		return err
	}
	if _, err := tx.exec("DELETE FROM recovery_codes WHERE org_id = $1 AND user_id = $2", orgID, userID); err != nil {
		return err
	}
	return tx.setSecondStep(orgID, userID, false)
}

func (tx *Tx) setSecondStep(orgID, userID string, on bool) error {
	tx.noteChange(ChangedPeople, orgID, "")
	return tx.execOne("UPDATE users SET second_step = $3 WHERE org_id = $1 AND id = $2", orgID, userID, on)
}

// PutRecoveryCodes stores the hashes of a user's recovery codes and replaces earlier ones.
func (tx *Tx) PutRecoveryCodes(orgID, userID string, hashes []string) error {
	if _, err := tx.exec("DELETE FROM recovery_codes WHERE org_id = $1 AND user_id = $2", orgID, userID); err != nil {
		return err
	}
	for _, hash := range hashes {
		if _, err := tx.exec("INSERT INTO recovery_codes (org_id, user_id, hash) VALUES ($1, $2, $3)", orgID, userID, hash); err != nil {
			return err
		}
	}
	return nil
}

// UseRecoveryCode deletes one of a user's recovery codes, or returns ErrNotFound.
func (tx *Tx) UseRecoveryCode(orgID, userID, hash string) error {
	return tx.execOne("DELETE FROM recovery_codes WHERE org_id = $1 AND user_id = $2 AND hash = $3", orgID, userID, hash)
}

// RecoveryCodesLeft counts a user's recovery codes.
func (r Reader) RecoveryCodesLeft(orgID, userID string) (int, error) {
	return one(r, func(row scanner) (n int, err error) {
		err = row.Scan(&n)
		return n, err
	}, "SELECT COUNT(*) FROM recovery_codes WHERE org_id = $1 AND user_id = $2", orgID, userID)
}
