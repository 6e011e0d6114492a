package store

import "github.com/parleyhq/parley/internal/chat"

const organizationColumns = "id, name, plan, subscription_status, trial_ends_at, suspended, created_at, updated_at"

func scanOrganization(row scanner) (chat.Organization, error) {
	var (
		o                    chat.Organization
		trialEnds            *int64
		createdAt, updatedAt int64
	)
	err := row.Scan(&o.ID, &o.Name, &o.Plan, &o.Subscription, &trialEnds, &o.Suspended, &createdAt, &updatedAt)
	o.TrialEndsAt, o.CreatedAt, o.UpdatedAt = toTimePtr(trialEnds), toTime(createdAt), toTime(updatedAt)
	return o, err
}

// Organization returns an organization, or ErrNotFound.
func (r Reader) Organization(id string) (chat.Organization, error) {
	return one(r, scanOrganization, "SELECT "+organizationColumns+" FROM organizations WHERE id = $1"+r.forUpdate(), id)
}

// Organizations returns every organization, oldest first.
func (r Reader) Organizations() ([]chat.Organization, error) {
	return many(r, scanOrganization, "SELECT "+organizationColumns+" FROM organizations ORDER BY id")
}

// InsertOrganization stores a new organization.
func (tx *Tx) InsertOrganization(o chat.Organization) error {
	_, err := tx.exec("INSERT INTO organizations ("+organizationColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		o.ID, o.Name, o.Plan, string(o.Subscription), msPtr(o.TrialEndsAt), o.Suspended, o.CreatedAt.UnixMilli(), o.UpdatedAt.UnixMilli())
	return err
}

// UpdateOrganization stores what may change of an organization.
func (tx *Tx) UpdateOrganization(o chat.Organization) error {
	return tx.execOne(`UPDATE organizations SET name = $2, plan = $3, subscription_status = $4, trial_ends_at = $5,
			suspended = $6, updated_at = $7 WHERE id = $1`,
		o.ID, o.Name, o.Plan, string(o.Subscription), msPtr(o.TrialEndsAt), o.Suspended, o.UpdatedAt.UnixMilli())
}
