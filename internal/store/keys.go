package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// keyColumns carry the table's name, because KeyContext joins other tables and SQLite takes no alias in
// RETURNING.
const keyColumns = "api_keys.org_id, api_keys.id, api_keys.name, api_keys.hash, api_keys.last4, api_keys.expires_at, api_keys.revoked_at, api_keys.created_at"

type keyRow struct {
	key                  chat.APIKey
	expiresAt, revokedAt *int64
	createdAt            int64
}

func (r *keyRow) dest() []any {
	k := &r.key
	return []any{&k.OrgID, &k.ID, &k.Name, &k.Hash, &k.Last4, &r.expiresAt, &r.revokedAt, &r.createdAt}
}

func (r *keyRow) value() chat.APIKey {
	r.key.ExpiresAt, r.key.RevokedAt, r.key.CreatedAt = toTimePtr(r.expiresAt), toTimePtr(r.revokedAt), toTime(r.createdAt)
	return r.key
}

func scanKey(row scanner) (chat.APIKey, error) {
	var k keyRow
	err := row.Scan(k.dest()...)
	return k.value(), err
}

// KeyContext is a key with the data of its organization that a request needs.
type KeyContext struct {
	Key          chat.APIKey
	Organization chat.Organization
	Plan         chat.Plan
}

// KeyContext finds a key by its hash, with its organization and plan, in one statement. It runs on every
// request, so that a revocation counts from the next one on.
func (r Reader) KeyContext(hash string) (KeyContext, error) {
	return recall(r, "key", []string{hash}, func(c KeyContext) string { return c.Key.OrgID }, func() (KeyContext, error) {
		return one(r, scanKeyContext, `SELECT `+keyColumns+`,
				o.name, o.subscription_status, o.trial_ends_at, o.suspended,
				p.name, p.api, p.customers, p.monthly_messages, p.retention_days, p.write_per_minute, p.read_per_minute
			FROM api_keys JOIN organizations o ON o.id = api_keys.org_id JOIN plans p ON p.name = o.plan
			WHERE hash = $1`, hash)
	})
}

func scanKeyContext(row scanner) (KeyContext, error) {
	var (
		c         KeyContext
		k         keyRow
		trialEnds *int64
		o         = &c.Organization
	)
	dest := append(k.dest(), &o.Name, &o.Subscription, &trialEnds, &o.Suspended)
	err := row.Scan(append(dest, planDest(&c.Plan)...)...)
	c.Key = k.value()
	o.ID, o.Plan, o.TrialEndsAt = c.Key.OrgID, c.Plan.Name, toTimePtr(trialEnds)
	return c, err
}

// Keys returns an organization's keys, oldest first.
func (r Reader) Keys(orgID string) ([]chat.APIKey, error) {
	return many(r, scanKey, "SELECT "+keyColumns+" FROM api_keys WHERE org_id = $1 ORDER BY id", orgID)
}

// InsertKey stores a new key.
func (tx *Tx) InsertKey(k chat.APIKey) error {
	tx.noteChange(ChangedKeys, k.OrgID, "")
	return tx.insert(`INSERT INTO api_keys (org_id, id, name, hash, last4, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hash) DO NOTHING`,
		k.OrgID, k.ID, k.Name, k.Hash, k.Last4, msPtr(k.ExpiresAt), k.CreatedAt.UnixMilli())
}

// RevokeKey revokes a key for good. The time of the first revocation stays. The operator names a key by its id
// alone.
func (tx *Tx) RevokeKey(id string) (chat.APIKey, error) {
	k, err := one(tx.Reader, scanKey, `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1
		RETURNING `+keyColumns, id, tx.now.UnixMilli())
	tx.noteChange(ChangedKeys, k.OrgID, "")
	return k, err
}

// KeyUse is when a key was used.
type KeyUse struct {
	OrgID, KeyID string
	At           time.Time
}

// NoteKeyUses records the last use of keys. Nodes do it in the same order, so that they do not deadlock.
func (tx *Tx) NoteKeyUses(uses []KeyUse) error {
	slices.SortFunc(uses, func(a, b KeyUse) int { return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.KeyID, b.KeyID)) })
	for _, u := range uses {
		err := tx.later(`INSERT INTO key_uses (org_id, key_id, used_at) VALUES ($1, $2, $3)
			ON CONFLICT (org_id, key_id) DO UPDATE SET used_at = excluded.used_at WHERE excluded.used_at > key_uses.used_at`,
			u.OrgID, u.KeyID, u.At.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// KeyUses returns the last use of each of an organization's keys, by id.
func (r Reader) KeyUses(orgID string) (map[string]time.Time, error) {
	uses := map[string]time.Time{}
	_, err := many(r, func(row scanner) (id string, err error) {
		var at int64
		err = row.Scan(&id, &at)
		uses[id] = toTime(at)
		return id, err
	}, "SELECT key_id, used_at FROM key_uses WHERE org_id = $1", orgID)
	return uses, err
}

// KeyOf returns a key of the organization, or ErrNotFound.
func (r Reader) KeyOf(orgID, id string) (chat.APIKey, error) {
	return one(r, scanKey, "SELECT "+keyColumns+" FROM api_keys WHERE org_id = $1 AND id = $2"+r.forUpdate(), orgID, id)
}
