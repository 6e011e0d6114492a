package store

import (
	"encoding/json"

	"github.com/parleyhq/parley/internal/chat"
)

const savedViewColumns = "org_id, id, owner_id, name, filter, shared, created_at, updated_at"

func scanSavedView(row scanner) (v chat.SavedView, err error) {
	var filter string
	var createdAt, updatedAt int64
	if err := row.Scan(&v.OrgID, &v.ID, &v.OwnerID, &v.Name, &filter, &v.Shared, &createdAt, &updatedAt); err != nil {
		return v, err
	}
	v.CreatedAt, v.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	return v, json.Unmarshal([]byte(filter), &v.Filter)
}

// SavedViews returns a user's own views and those that others share, by name.
func (r Reader) SavedViews(u chat.User) ([]chat.SavedView, error) {
	return many(r, scanSavedView, "SELECT "+savedViewColumns+" FROM saved_views WHERE org_id = $1 AND (owner_id = $2 OR shared) ORDER BY name, id", u.OrgID, u.ID)
}

// SavedView returns a view that is the user's or shared, or ErrNotFound.
func (r Reader) SavedView(u chat.User, id string) (chat.SavedView, error) {
	return one(r, scanSavedView, "SELECT "+savedViewColumns+" FROM saved_views WHERE org_id = $1 AND (owner_id = $2 OR shared) AND id = $3"+r.forUpdate(),
		u.OrgID, u.ID, id)
}

// PutSavedView stores a view, new or changed.
func (tx *Tx) PutSavedView(v chat.SavedView) error {
	tx.noteChange(ChangedViews, v.OrgID, "")
	filter, err := json.Marshal(v.Filter)
	if err != nil {
		return err
	}
	return tx.later("INSERT INTO saved_views ("+savedViewColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (org_id, id) DO UPDATE SET name = excluded.name, filter = excluded.filter, shared = excluded.shared, updated_at = excluded.updated_at`,
		v.OrgID, v.ID, v.OwnerID, v.Name, string(filter), v.Shared, v.CreatedAt.UnixMilli(), v.UpdatedAt.UnixMilli())
}

// DeleteSavedView removes a view.
func (tx *Tx) DeleteSavedView(orgID, id string) error {
	tx.noteChange(ChangedViews, orgID, "")
	return tx.execOne("DELETE FROM saved_views WHERE org_id = $1 AND id = $2", orgID, id)
}
