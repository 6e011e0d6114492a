package store

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
)

const userColumns = "users.org_id, users.id, users.email, users.name, users.password_hash, users.role, users.sees, users.away, users.second_step, users.disabled_at, users.created_at, users.updated_at"

type userRow struct {
	user                 chat.User
	disabledAt           *int64
	createdAt, updatedAt int64
}

func (r *userRow) dest() []any {
	u := &r.user
	return []any{&u.OrgID, &u.ID, &u.Email, &u.Name, &u.PasswordHash, &u.Role, &u.Sees, &u.Away, &u.SecondStep, &r.disabledAt, &r.createdAt, &r.updatedAt}
}

func (r *userRow) value() chat.User {
	r.user.DisabledAt, r.user.CreatedAt, r.user.UpdatedAt = toTimePtr(r.disabledAt), toTime(r.createdAt), toTime(r.updatedAt)
	return r.user
}

func scanUser(row scanner) (chat.User, error) {
	var u userRow
	err := row.Scan(u.dest()...)
	return u.value(), err
}

// UserByEmail finds the user with that address, in any case, or ErrNotFound. The key that makes addresses unique is the
// same for some that only look alike, so it is not enough to find somebody by.
func (r Reader) UserByEmail(email string) (chat.User, error) {
	u, err := one(r, scanUser, "SELECT "+userColumns+" FROM users WHERE email_key = $1"+r.forUpdate(), chat.FoldCase(email))
	if err == nil && chat.FoldEmail(u.Email) != chat.FoldEmail(email) {
		return chat.User{}, ErrNotFound
	}
	return u, err
}

// User returns one of an organization's users, or ErrNotFound.
func (r Reader) User(orgID, id string) (chat.User, error) {
	return one(r, scanUser, "SELECT "+userColumns+" FROM users WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}

// Users returns an organization's users, oldest first.
func (r Reader) Users(orgID string) ([]chat.User, error) {
	return many(r, scanUser, "SELECT "+userColumns+" FROM users WHERE org_id = $1 ORDER BY id", orgID)
}

// AnyUsers reports whether there is any user.
func (r Reader) AnyUsers() (bool, error) {
	_, err := one(r, scanText, "SELECT id FROM users LIMIT 1")
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// InsertUser stores a new user; ErrDuplicate when the address is taken.
func (tx *Tx) InsertUser(u chat.User) error {
	tx.noteChange(ChangedPeople, u.OrgID, "")
	return tx.insert(`INSERT INTO users (org_id, id, email, email_key, name, password_hash, role, sees, away, disabled_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (email_key) DO NOTHING`,
		u.OrgID, u.ID, u.Email, chat.FoldCase(u.Email), u.Name, u.PasswordHash, string(u.Role), string(u.Sees), u.Away,
		msPtr(u.DisabledAt), u.CreatedAt.UnixMilli(), u.UpdatedAt.UnixMilli())
}

// UpdateUser stores the changeable fields of a user. The address stays.
func (tx *Tx) UpdateUser(u chat.User) error {
	tx.noteChange(ChangedPeople, u.OrgID, "")
	return tx.execOne(`UPDATE users SET name = $3, password_hash = $4, role = $5, sees = $6, away = $7, disabled_at = $8, updated_at = $9
		WHERE org_id = $1 AND id = $2`,
		u.OrgID, u.ID, u.Name, u.PasswordHash, string(u.Role), string(u.Sees), u.Away, msPtr(u.DisabledAt), u.UpdatedAt.UnixMilli())
}

// PutMember adds a user to a team.
func (tx *Tx) PutMember(orgID, teamID, userID string) error {
	tx.noteChange(ChangedPeople, orgID, "")
	_, err := tx.exec(`INSERT INTO team_members (org_id, team_id, user_id) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, team_id, user_id) DO NOTHING`, orgID, teamID, userID)
	return err
}

// DeleteMember removes a user from a team.
func (tx *Tx) DeleteMember(orgID, teamID, userID string) error {
	tx.noteChange(ChangedPeople, orgID, "")
	return tx.later("DELETE FROM team_members WHERE org_id = $1 AND team_id = $2 AND user_id = $3", orgID, teamID, userID)
}

// IsMember reports whether a user belongs to a team.
func (r Reader) IsMember(orgID, teamID, userID string) (bool, error) {
	_, err := one(r, scanText, "SELECT team_id FROM team_members WHERE org_id = $1 AND team_id = $2 AND user_id = $3", orgID, teamID, userID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// TeamsOf returns the ids of a user's teams.
func (r Reader) TeamsOf(orgID, userID string) ([]string, error) {
	return many(r, scanText, "SELECT team_id FROM team_members WHERE org_id = $1 AND user_id = $2 ORDER BY team_id", orgID, userID)
}

// Members returns the teams of each of an organization's users.
func (r Reader) Members(orgID string) (teams map[string][]string, err error) {
	teams = map[string][]string{}
	err = r.db.query(r.ctx, "SELECT user_id, team_id FROM team_members WHERE org_id = $1 ORDER BY user_id, team_id", []any{orgID}, func(row scanner) error {
		var userID, teamID string
		if err := row.Scan(&userID, &teamID); err != nil {
			return err
		}
		teams[userID] = append(teams[userID], teamID)
		return nil
	})
	return teams, err
}

// PutUserLink stores a user's link and replaces an earlier one.
func (tx *Tx) PutUserLink(l chat.UserLink) error {
	_, err := tx.exec(`INSERT INTO user_links (org_id, user_id, kind, hash, made_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (org_id, user_id) DO UPDATE SET kind = excluded.kind, hash = excluded.hash, made_by = excluded.made_by,
			created_at = excluded.created_at, expires_at = excluded.expires_at`,
		l.OrgID, l.UserID, string(l.Kind), l.Hash, l.MadeBy, l.CreatedAt.UnixMilli(), l.ExpiresAt.UnixMilli())
	return err
}

const selectUserLink = "SELECT org_id, user_id, kind, hash, made_by, created_at, expires_at FROM user_links"

func scanUserLink(row scanner) (l chat.UserLink, err error) {
	var createdAt, expiresAt int64
	err = row.Scan(&l.OrgID, &l.UserID, &l.Kind, &l.Hash, &l.MadeBy, &createdAt, &expiresAt)
	l.CreatedAt, l.ExpiresAt = toTime(createdAt), toTime(expiresAt)
	return l, err
}

// UserLink finds a link by its hash, or ErrNotFound.
func (r Reader) UserLink(hash string) (chat.UserLink, error) {
	return one(r, scanUserLink, selectUserLink+" WHERE hash = $1"+r.forUpdate(), hash)
}

// LinkOf is a user's link, or ErrNotFound.
func (r Reader) LinkOf(orgID, userID string) (chat.UserLink, error) {
	return one(r, scanUserLink, selectUserLink+" WHERE org_id = $1 AND user_id = $2"+r.forUpdate(), orgID, userID)
}

// DeleteUserLink deletes a user's link.
func (tx *Tx) DeleteUserLink(orgID, userID string) error {
	return tx.later("DELETE FROM user_links WHERE org_id = $1 AND user_id = $2", orgID, userID)
}

// DeleteUserLinksBy deletes the links that a user has made for others.
func (tx *Tx) DeleteUserLinksBy(orgID, makerID string) error {
	return tx.later("DELETE FROM user_links WHERE org_id = $1 AND made_by = $2", orgID, makerID)
}

// PurgeUserLinks removes links that can no longer be used.
func (tx *Tx) PurgeUserLinks(limit int) (int64, error) {
	return tx.exec(`DELETE FROM user_links WHERE (org_id, user_id) IN
		(SELECT org_id, user_id FROM user_links WHERE expires_at <= $1 LIMIT $2)`, tx.now.UnixMilli(), limit)
}
