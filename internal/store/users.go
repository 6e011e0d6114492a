package store

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
)

const userColumns = "org_id, id, email, name, password_hash, created_at"

func scanUser(row scanner) (u chat.User, err error) {
	var createdAt int64
	err = row.Scan(&u.OrgID, &u.ID, &u.Email, &u.Name, &u.PasswordHash, &createdAt)
	u.CreatedAt = toTime(createdAt)
	return u, err
}

// UserByEmail finds the person who signs in with that address, in whatever case, or ErrNotFound.
func (r Reader) UserByEmail(email string) (chat.User, error) {
	return one(r, scanUser, "SELECT "+userColumns+" FROM users WHERE email_key = $1"+r.forUpdate(), chat.FoldCase(email))
}

// InsertUser stores a new user; ErrDuplicate when the address is taken.
func (tx *Tx) InsertUser(u chat.User) error {
	return tx.insert(`INSERT INTO users (org_id, id, email, email_key, name, password_hash, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email_key) DO NOTHING`,
		u.OrgID, u.ID, u.Email, chat.FoldCase(u.Email), u.Name, u.PasswordHash, u.CreatedAt.UnixMilli())
}

// PutMember puts a user into a team with a role.
func (tx *Tx) PutMember(orgID, teamID, userID string, role chat.Role) error {
	_, err := tx.exec(`INSERT INTO team_members (org_id, team_id, user_id, role) VALUES ($1, $2, $3, $4)
		ON CONFLICT (org_id, team_id, user_id) DO UPDATE SET role = excluded.role`,
		orgID, teamID, userID, string(role))
	return err
}

// IsMember tells whether a user belongs to a team.
func (r Reader) IsMember(orgID, teamID, userID string) (bool, error) {
	_, err := one(r, scanText, "SELECT role FROM team_members WHERE org_id = $1 AND team_id = $2 AND user_id = $3", orgID, teamID, userID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
