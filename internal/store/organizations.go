package store

import (
	"encoding/json"

	"github.com/parleyhq/parley/internal/chat"
)

const organizationColumns = "id, name, plan, subscription_status, trial_ends_at, suspended, settings, created_at, updated_at, deleted_at"

func scanOrganization(row scanner) (chat.Organization, error) {
	var (
		o                    chat.Organization
		trialEnds, deletedAt *int64
		settings             string
		createdAt, updatedAt int64
	)
	err := row.Scan(&o.ID, &o.Name, &o.Plan, &o.Subscription, &trialEnds, &o.Suspended, &settings, &createdAt, &updatedAt, &deletedAt)
	o.TrialEndsAt, o.CreatedAt, o.UpdatedAt, o.DeletedAt = toTimePtr(trialEnds), toTime(createdAt), toTime(updatedAt), toTimePtr(deletedAt)
	o.Settings = readSettings(settings)
	return o, err
}

// readSettings decodes stored settings. It skips what it cannot read, so that no message fails because of it.
func readSettings(text string) (s chat.Settings) {
	if text != "{}" {
		json.Unmarshal([]byte(text), &s)
	}
	return s
}

// PeekOrganization is Organization without the lock.
func (r Reader) PeekOrganization(id string) (chat.Organization, error) {
	r.locking = false
	return r.Organization(id)
}

// Organization returns an organization, or ErrNotFound.
func (r Reader) Organization(id string) (chat.Organization, error) {
	return recall(r, "organization", []string{id}, func(o chat.Organization) string { return o.ID }, func() (chat.Organization, error) {
		return one(r, scanOrganization, "SELECT "+organizationColumns+" FROM organizations WHERE id = $1"+r.forUpdate(), id)
	})
}

// Organizations returns every organization, oldest first.
func (r Reader) Organizations() ([]chat.Organization, error) {
	return many(r, scanOrganization, "SELECT "+organizationColumns+" FROM organizations ORDER BY id")
}

// InsertOrganization stores a new organization.
func (tx *Tx) InsertOrganization(o chat.Organization) error {
	settings, err := json.Marshal(o.Settings)
	if err != nil {
		return err
	}
	_, err = tx.exec("INSERT INTO organizations ("+organizationColumns+", automatic) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		o.ID, o.Name, o.Plan, string(o.Subscription), msPtr(o.TrialEndsAt), o.Suspended, string(settings), o.CreatedAt.UnixMilli(), o.UpdatedAt.UnixMilli(),
		msPtr(o.DeletedAt), o.Settings.Automatic())
	return err
}

// UpdateOrganization stores the changeable fields of an organization.
func (tx *Tx) UpdateOrganization(o chat.Organization) error {
	tx.noteChange(ChangedOrganization, o.ID, "")
	settings, err := json.Marshal(o.Settings)
	if err != nil {
		return err
	}
	return tx.execOne(`UPDATE organizations SET name = $2, plan = $3, subscription_status = $4, trial_ends_at = $5,
			suspended = $6, settings = $7, automatic = $8, updated_at = $9 WHERE id = $1`,
		o.ID, o.Name, o.Plan, string(o.Subscription), msPtr(o.TrialEndsAt), o.Suspended, string(settings), o.Settings.Automatic(),
		o.UpdatedAt.UnixMilli())
}
