package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// InsertSession stores a new session.
func (tx *Tx) InsertSession(s chat.Session) error {
	_, err := tx.exec(`INSERT INTO sessions (org_id, id, user_id, hash, client, address, created_at, seen_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		s.OrgID, s.ID, s.UserID, s.Hash, s.Client, s.Address, s.CreatedAt.UnixMilli(), s.SeenAt.UnixMilli())
	return err
}

const sessionColumns = "sessions.org_id, sessions.id, sessions.user_id, sessions.hash, sessions.client, sessions.address, sessions.created_at, sessions.seen_at"

type sessionRow struct {
	session           chat.Session
	createdAt, seenAt int64
}

func (r *sessionRow) dest() []any {
	s := &r.session
	return []any{&s.OrgID, &s.ID, &s.UserID, &s.Hash, &s.Client, &s.Address, &r.createdAt, &r.seenAt}
}

func (r *sessionRow) value() chat.Session {
	r.session.CreatedAt, r.session.SeenAt = toTime(r.createdAt), toTime(r.seenAt)
	return r.session
}

// SessionContext is a session with the data of its user and organization that a request needs.
type SessionContext struct {
	Session      chat.Session
	User         chat.User
	Organization chat.Organization
	Plan         chat.Plan
}

// SessionContext finds a session by its hash, in one statement. It runs on every request, so that signing out
// and a changed role count from the next one on.
func (r Reader) SessionContext(hash string) (SessionContext, error) {
	return one(r, func(row scanner) (c SessionContext, err error) {
		var s sessionRow
		var u userRow
		var trialEnds *int64
		var settings string
		o := &c.Organization
		dest := append(append(s.dest(), u.dest()...), &o.Name, &o.Subscription, &trialEnds, &o.Suspended, &settings)
		err = row.Scan(append(dest, planDest(&c.Plan)...)...)
		c.Session, c.User = s.value(), u.value()
		o.ID, o.Plan, o.TrialEndsAt = c.User.OrgID, c.Plan.Name, toTimePtr(trialEnds)
		o.Settings = readSettings(settings)
		c.User.Masked = o.Settings.Masks(c.User)
		return c, err
	}, `SELECT `+sessionColumns+`, `+userColumns+`, o.name, o.subscription_status, o.trial_ends_at, o.suspended, o.settings,
			p.name, p.api, p.customers, p.monthly_messages, p.retention_days, p.write_per_minute, p.read_per_minute
		FROM sessions JOIN users ON users.org_id = sessions.org_id AND users.id = sessions.user_id
		JOIN organizations o ON o.id = sessions.org_id JOIN plans p ON p.name = o.plan
		WHERE sessions.hash = $1`, hash)
}

// Sessions returns a user's sessions, newest first.
func (r Reader) Sessions(orgID, userID string) ([]chat.Session, error) {
	return many(r, func(row scanner) (chat.Session, error) {
		var s sessionRow
		err := row.Scan(s.dest()...)
		return s.value(), err
	}, "SELECT "+sessionColumns+" FROM sessions WHERE org_id = $1 AND user_id = $2 ORDER BY id DESC", orgID, userID)
}

// TouchSession records the use of a session.
func (tx *Tx) TouchSession(s chat.Session) error {
	return tx.later("UPDATE sessions SET seen_at = $3 WHERE org_id = $1 AND id = $2", s.OrgID, s.ID, s.SeenAt.UnixMilli())
}

// DeleteSession ends one of a user's sessions, or returns ErrNotFound.
func (tx *Tx) DeleteSession(orgID, userID, id string) error {
	tx.noteChange(ChangedSessions, orgID, "")
	return tx.execOne("DELETE FROM sessions WHERE org_id = $1 AND user_id = $2 AND id = $3", orgID, userID, id)
}

// DeleteSessions ends all of a user's sessions except one, if it is named.
func (tx *Tx) DeleteSessions(orgID, userID, except string) error {
	tx.noteChange(ChangedSessions, orgID, "")
	return tx.later("DELETE FROM sessions WHERE org_id = $1 AND user_id = $2 AND id <> $3", orgID, userID, except)
}

// PurgeSessions deletes up to limit sessions that were not used since the instant.
func (tx *Tx) PurgeSessions(before time.Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM sessions WHERE (org_id, id) IN
		(SELECT org_id, id FROM sessions WHERE seen_at < $1 ORDER BY seen_at LIMIT $2)`, before.UnixMilli(), limit)
}

// UsersOfSessions returns the users of sessions that have not ended, by the sessions' hashes.
func (r Reader) UsersOfSessions(hashes []string) (users map[string]chat.User, err error) {
	users = map[string]chat.User{}
	err = r.db.query(r.ctx, "SELECT s.hash, "+userColumns+" FROM sessions s JOIN users ON users.org_id = s.org_id AND users.id = s.user_id WHERE "+
		r.dialect.oneOf("s.hash", "$1"), []any{r.dialect.list(hashes)}, func(row scanner) error {
		var hash string
		var u userRow
		if err := row.Scan(append([]any{&hash}, u.dest()...)...); err != nil {
			return err
		}
		users[hash] = u.value()
		return nil
	})
	return users, err
}
