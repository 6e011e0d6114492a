package store

import (
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const (
	accountColumns = `a.org_id, a.id, a.team_id, a.customer_id, c.name, c.status, a.phone_number_id, a.phone_number, a.waba_id, a.name,
		a.status, a.status_reason, a.provider_status, a.quality, a.restricted_sends, a.restricted_until, a.require_opt_in, a.token, a.registering_until,
		a.messaging_limit, a.created_at, a.updated_at, a.restricted_then, a.restricted_then_until`
	accountFrom   = ` FROM accounts a LEFT JOIN customers c ON c.org_id = a.org_id AND c.id = a.customer_id`
	accountSelect = "SELECT " + accountColumns + accountFrom
)

func scanAccount(row scanner) (a chat.Account, err error) {
	var restrictedUntil, thenUntil, registeringUntil *int64
	var createdAt, updatedAt int64
	err = row.Scan(&a.OrgID, &a.ID, &a.TeamID, &a.CustomerID, &a.CustomerName, &a.CustomerStatus, &a.PhoneNumberID, &a.PhoneNumber,
		&a.WABAID, &a.Name, &a.Status, &a.StatusReason, &a.ProviderStatus, &a.Quality, &a.Restriction, &restrictedUntil, &a.RequireOptIn, &a.Token,
		&registeringUntil, &a.MessagingLimit, &createdAt, &updatedAt, &a.RestrictedThen, &thenUntil)
	a.RestrictedThenUntil = toTimePtr(thenUntil)
	a.RestrictedUntil, a.RegisteringUntil = toTimePtr(restrictedUntil), toTimePtr(registeringUntil)
	a.CreatedAt, a.UpdatedAt = toTime(createdAt), toTime(updatedAt)
	return a, err
}

// lockAccount locks the account's row inside a transaction, but not the joined customer's row.
func (r Reader) lockAccount() string {
	if r.locking && r.dialect.forUpdate != "" {
		return r.dialect.forUpdate + " OF a"
	}
	return ""
}

func orgOfAccount(a chat.Account) string { return a.OrgID }

// Account returns an account by its own id, or ErrNotFound.
func (r Reader) Account(orgID, id string) (chat.Account, error) {
	return recall(r, "account", []string{orgID, id}, orgOfAccount, func() (chat.Account, error) {
		return one(r, scanAccount, accountSelect+" WHERE a.org_id = $1 AND a.id = $2 AND a.deleted_at IS NULL"+r.lockAccount(), orgID, id)
	})
}

// AccountByNumber returns the organization's account with that number, or ErrNotFound. It does not lock,
// because every send reads it.
func (r Reader) AccountByNumber(orgID, phoneNumberID string) (chat.Account, error) {
	return recall(r, "account by number", []string{orgID, phoneNumberID}, orgOfAccount, func() (chat.Account, error) {
		return one(r, scanAccount, accountSelect+" WHERE a.phone_number_id = $1 AND a.org_id = $2 AND a.deleted_at IS NULL", phoneNumberID, orgID)
	})
}

// PeekAccount is Account without the lock.
func (r Reader) PeekAccount(orgID, id string) (chat.Account, error) {
	r.locking = false
	return r.Account(orgID, id)
}

// AccountForCallback returns the account with that number in any organization, or ErrNotFound.
func (r Reader) AccountForCallback(phoneNumberID string) (chat.Account, error) {
	return one(r, scanAccount, accountSelect+" WHERE a.phone_number_id = $1 AND a.deleted_at IS NULL", phoneNumberID)
}

// AccountRules is an account with its organization's settings; nil if inbound messages trigger nothing.
type AccountRules struct {
	chat.Account
	Rules *chat.Settings
}

// AccountsWithRules returns the accounts with these numbers in any organization.
func (r Reader) AccountsWithRules(phoneNumberIDs []string) ([]AccountRules, error) {
	return many(r, func(row scanner) (a AccountRules, err error) {
		var settings *string
		a.Account, err = scanAccount(columnsAround{row: row, last: []any{&settings}})
		if err == nil && settings != nil {
			a.Rules = new(readSettings(*settings))
		}
		return a, err
	}, "SELECT "+accountColumns+", CASE WHEN o.automatic THEN o.settings END"+accountFrom+
		" JOIN organizations o ON o.id = a.org_id WHERE "+r.dialect.oneOf("a.phone_number_id", "$1")+" AND a.deleted_at IS NULL", r.dialect.list(phoneNumberIDs))
}

// AccountsByID returns those of the accounts that still exist.
func (r Reader) AccountsByID(ids []string) ([]chat.Account, error) {
	return many(r, scanAccount, accountSelect+" WHERE "+r.dialect.oneOf("a.id", "$1")+" AND a.deleted_at IS NULL", r.dialect.list(ids))
}

// AccountsOfWABA returns every account of one of the provider's business accounts.
func (r Reader) AccountsOfWABA(wabaID string) ([]chat.Account, error) {
	return many(r, scanAccount, accountSelect+" WHERE a.waba_id = $1 AND a.deleted_at IS NULL ORDER BY a.id", wabaID)
}

// AccountsByPhone returns the accounts with a phone number, given with +.
func (r Reader) AccountsByPhone(phone string) ([]chat.Account, error) {
	return many(r, scanAccount, accountSelect+" WHERE a.phone_number = $1 AND a.deleted_at IS NULL ORDER BY a.id", phone)
}

// AccountFilter narrows a list of accounts.
type AccountFilter struct {
	Status     chat.AccountStatus // empty: all
	CustomerID string             // empty: all
	TeamID     string             // empty: all
	MemberID   string             // a user, whose teams they are of; empty: all
	TroubledAt *time.Time         // only those that cannot send as they should then; nil: all
	Search     string             // words that are in the name, the phone number or the phone_number_id
}

var accountsByAge = order[chat.Account]{alias: "a", column: "created_at", position: func(a chat.Account) Position { return Position{a.CreatedAt, a.ID} }}

// Accounts returns one page of an organization's accounts.
func (r Reader) Accounts(orgID string, f AccountFilter, p Page) (Slice[chat.Account], error) {
	var c conditions
	c.add("a.org_id = ?", orgID)
	c.add("a.deleted_at IS NULL")
	c.addIf("a.status = ?", string(f.Status))
	c.addIf("a.customer_id = ?", f.CustomerID)
	c.addIf("a.team_id = ?", f.TeamID)
	c.ofMember(f.MemberID)
	if f.TroubledAt != nil {
		now := f.TroubledAt.UnixMilli()
		c.add(`(a.status <> ? OR a.quality IN ('RED', 'YELLOW')
			OR a.restricted_sends IS NOT NULL AND (a.restricted_until IS NULL OR a.restricted_until > ?)
			OR a.restricted_then IS NOT NULL AND (a.restricted_then_until IS NULL OR a.restricted_then_until > ?))`, string(chat.AccountConnected), now, now)
	}
	if f.Search != "" {
		return r.searchAccounts(c, chat.SearchWords(f.Search), p)
	}
	return newestFirst(r, scanAccount, accountSelect, c, accountsByAge, p)
}

// searchedAtOnce is how many accounts a search reads at a time.
const searchedAtOnce = 1000

// searchAccounts returns one page of the accounts that match words. They are compared here, because the engines fold only
// some letters, and not the same ones. An organization has some thousand numbers at most.
func (r Reader) searchAccounts(c conditions, words []string, p Page) (Slice[chat.Account], error) {
	var found []chat.Account
	for at := p.After; len(found) <= p.Limit; {
		some, err := newestFirst(r, scanAccountKey, accountKeySelect, c, accountsByAge, Page{Limit: searchedAtOnce, After: at})
		if err != nil {
			return Slice[chat.Account]{}, err
		}
		for _, a := range some.Rows {
			if a.Matches(words) {
				found = append(found, a)
			}
		}
		if at = some.Next; at == nil {
			break
		}
	}
	page := accountsByAge.slice(found, p.Limit)
	rows, err := r.accountsListed(page.Rows)
	return Slice[chat.Account]{Rows: rows, Next: page.Next}, err
}

// accountKeySelect reads what a search looks at.
const accountKeySelect = "SELECT a.org_id, a.id, a.created_at, a.name, a.phone_number, a.phone_number_id FROM accounts a"

func scanAccountKey(row scanner) (a chat.Account, err error) {
	var createdAt int64
	err = row.Scan(&a.OrgID, &a.ID, &createdAt, &a.Name, &a.PhoneNumber, &a.PhoneNumberID)
	a.CreatedAt = toTime(createdAt)
	return a, err
}

// accountsListed reads the accounts of a list in full, in its order, without those that are gone by now.
func (r Reader) accountsListed(keys []chat.Account) ([]chat.Account, error) {
	ids := make([]string, len(keys))
	for i, a := range keys {
		ids[i] = a.ID
	}
	return many(r, scanAccount, accountSelect+" WHERE "+r.dialect.oneOf("a.id", "$1")+" AND a.deleted_at IS NULL"+accountsByAge.clause(), r.dialect.list(ids))
}

// PhoneNumberIDs returns the provider's ids of all numbers of an organization, or of those of a member's teams.
func (r Reader) PhoneNumberIDs(orgID, memberID string) ([]string, error) {
	var c conditions
	c.add("a.org_id = ?", orgID)
	c.add("a.deleted_at IS NULL")
	c.add("a.phone_number_id IS NOT NULL")
	c.ofMember(memberID)
	return many(r, scanText, "SELECT a.phone_number_id FROM accounts a"+c.where(), c.args...)
}

// ofMember limits accounts to those of a user's teams, unless the user is empty. The first argument is the organization.
func (c *conditions) ofMember(userID string) {
	c.addIf("a.team_id IN (SELECT m.team_id FROM team_members m WHERE m.org_id = $1 AND m.user_id = ?)", userID)
}

// AccountStatuses counts the numbers of all organizations by their status.
func (r Reader) AccountStatuses() (map[chat.AccountStatus]int64, error) {
	counts := map[chat.AccountStatus]int64{}
	_, err := many(r, func(row scanner) (n int64, err error) {
		var status chat.AccountStatus
		err = row.Scan(&status, &n)
		counts[status] = n
		return n, err
	}, "SELECT status, COUNT(*) FROM accounts WHERE deleted_at IS NULL GROUP BY status")
	return counts, err
}

// InsertAccount stores a new account; ErrDuplicate when the number is connected already.
func (tx *Tx) InsertAccount(a chat.Account) error {
	err := tx.insert(`INSERT INTO accounts (org_id, id, team_id, customer_id, phone_number_id, phone_number, waba_id, name, status,
			provider_status, quality, restricted_sends, restricted_until, require_opt_in, token, registering_until, messaging_limit, created_at, updated_at,
			status_reason, restricted_then, restricted_then_until)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
		ON CONFLICT DO NOTHING`,
		a.OrgID, a.ID, a.TeamID, a.CustomerID, a.PhoneNumberID, a.PhoneNumber, a.WABAID, a.Name, string(a.Status),
		a.ProviderStatus, a.Quality, (*string)(a.Restriction), msPtr(a.RestrictedUntil), a.RequireOptIn, a.Token, msPtr(a.RegisteringUntil),
		a.MessagingLimit, a.CreatedAt.UnixMilli(), a.UpdatedAt.UnixMilli(), a.Reason(), (*string)(a.RestrictedThen), msPtr(a.RestrictedThenUntil))
	if err != nil {
		return err
	}
	return tx.beginAccountHistory(a)
}

// UpdateAccount stores the changeable fields of an account, and records its state in the history.
func (tx *Tx) UpdateAccount(a chat.Account) error {
	if err := tx.noteAccountState(a); err != nil {
		return err
	}
	tx.noteChange(ChangedNumbers, a.OrgID, "")
	return tx.execOne(`UPDATE accounts SET customer_id = $3, phone_number_id = $4, phone_number = $5, waba_id = $6, name = $7, status = $8,
			provider_status = $9, quality = $10, restricted_sends = $11, restricted_until = $12, require_opt_in = $13, token = $14,
			registering_until = $15, updated_at = $16, messaging_limit = $17, status_reason = $18,
			restricted_then = $19, restricted_then_until = $20
		WHERE org_id = $1 AND id = $2 AND deleted_at IS NULL`,
		a.OrgID, a.ID, a.CustomerID, a.PhoneNumberID, a.PhoneNumber, a.WABAID, a.Name, string(a.Status),
		a.ProviderStatus, a.Quality, (*string)(a.Restriction), msPtr(a.RestrictedUntil), a.RequireOptIn, a.Token,
		msPtr(a.RegisteringUntil), tx.now.UnixMilli(), a.MessagingLimit, a.Reason(), (*string)(a.RestrictedThen), msPtr(a.RestrictedThenUntil))
}

// DeleteAccount hides an account; its data is purged later.
func (tx *Tx) DeleteAccount(orgID, id string, at time.Time) error {
	if err := tx.execOne("UPDATE accounts SET deleted_at = $3 WHERE org_id = $1 AND id = $2 AND deleted_at IS NULL", orgID, id, at.UnixMilli()); err != nil {
		return err
	}
	// The template sync finds out whether another number still needs them.
	return tx.later(`UPDATE template_syncs SET due_at = $3 WHERE org_id = $1 AND due_at > $3
		AND waba_id = (SELECT waba_id FROM accounts WHERE org_id = $1 AND id = $2)`, orgID, id, at.UnixMilli())
}

// KnownNumbers returns the numbers that belong to the organization.
func (r Reader) KnownNumbers(orgID string, phoneNumberIDs []string) ([]string, error) {
	return many(r, scanText, "SELECT phone_number_id FROM accounts WHERE org_id = $1 AND deleted_at IS NULL AND "+
		r.dialect.oneOf("phone_number_id", "$2"), orgID, r.dialect.list(phoneNumberIDs))
}
