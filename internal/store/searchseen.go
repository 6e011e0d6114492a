package store

import (
	"github.com/parleyhq/parley/internal/chat"
)

// AccountsOfTeams returns the accounts whose conversations a user may see, if visibility depends on accounts;
// otherwise nil.
func (r Reader) AccountsOfTeams(u chat.User) (*[]string, error) {
	if u.Sees == chat.SeesAll || u.Sees == chat.SeesAssigned {
		return nil, nil
	}
	ids, err := many(r, scanText, `SELECT a.id FROM accounts a WHERE a.org_id = $1 AND a.deleted_at IS NULL
		AND a.team_id IN (SELECT m.team_id FROM team_members m WHERE m.org_id = $1 AND m.user_id = $2)`, u.OrgID, u.ID)
	return &ids, err
}

// SeenContacts returns the contacts that a user may see, each with its conversation, whose id is empty if there
// is none.
func (r Reader) SeenContacts(u chat.User, ids []string) ([]chat.InboxEntry, error) {
	var c conditions
	c.add("c.org_id = ?", u.OrgID)
	c.visibleTo(r.dialect, u, "v.assigned_to", "")
	c.parts = append(c.parts, r.dialect.oneOf("c.id", c.arg(r.dialect.list(ids))))
	return many(r, func(row scanner) (e chat.InboxEntry, err error) {
		err = row.Scan(&e.ContactID, &e.AccountID, &e.ID, &e.ContactName, &e.ContactNumber, &e.ContactBSUID, &e.ContactUsername,
			&e.PhoneNumberID, &e.PhoneNumber, &e.NumberName)
		return e, err
	}, `SELECT c.id, c.account_id, COALESCE(v.id, ''), c.name, c.phone_number, c.bsuid, c.username, a.phone_number_id, a.phone_number, a.name
		FROM contacts c LEFT JOIN conversations v ON v.org_id = c.org_id AND v.contact_id = c.id
		LEFT JOIN accounts a ON a.org_id = c.org_id AND a.id = c.account_id`+c.where(), c.args...)
}
