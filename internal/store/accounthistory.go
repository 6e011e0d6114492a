package store

import (
	"fmt"

	"github.com/parleyhq/parley/internal/chat"
)

// MostAccountStates is how many states of a number are kept; the oldest are deleted.
const MostAccountStates = 500

const accountStateColumns = "org_id, account_id, at, status, provider_status, quality, messaging_limit, restricted_sends"

func scanAccountState(row scanner) (s chat.AccountState, err error) {
	var at int64
	err = row.Scan(&at, &s.Status, &s.ProviderStatus, &s.Quality, &s.MessagingLimit, &s.Restriction)
	s.At = toTime(at)
	return s, err
}

// AccountHistory returns the past states of a number, newest first.
func (r Reader) AccountHistory(orgID, accountID string) ([]chat.AccountState, error) {
	return many(r, scanAccountState, `SELECT at, status, provider_status, quality, messaging_limit, restricted_sends FROM account_history
		WHERE org_id = $1 AND account_id = $2 ORDER BY at DESC LIMIT $3`, orgID, accountID, MostAccountStates)
}

// noteAccountState records the new state of an account, unless it is unchanged. Of two changes at the same
// instant the later one stays.
func (tx *Tx) noteAccountState(a chat.Account) error {
	args := []any{
		a.OrgID, a.ID, tx.now.UnixMilli(), string(a.Status), a.ProviderStatus, a.Quality, a.MessagingLimit, (*string)(a.Restriction),
	}
	n, err := tx.exec(`INSERT INTO account_history (`+accountStateColumns+`)
		SELECT org_id, id, CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS TEXT) FROM accounts
		WHERE org_id = $1 AND id = $2 AND (status <> $4 OR provider_status IS DISTINCT FROM $5 OR quality IS DISTINCT FROM $6
			OR messaging_limit IS DISTINCT FROM $7 OR restricted_sends IS DISTINCT FROM $8)
		ON CONFLICT (org_id, account_id, at) DO UPDATE SET status = excluded.status, provider_status = excluded.provider_status,
			quality = excluded.quality, messaging_limit = excluded.messaging_limit, restricted_sends = excluded.restricted_sends`, args...)
	if err != nil || n == 0 {
		return err
	}
	return tx.later(`DELETE FROM account_history WHERE org_id = $1 AND account_id = $2 AND at <= (
			SELECT at FROM account_history WHERE org_id = $1 AND account_id = $2 ORDER BY at DESC LIMIT 1 OFFSET $3)`,
		a.OrgID, a.ID, MostAccountStates)
}

// beginAccountHistory records the first state of a new account.
func (tx *Tx) beginAccountHistory(a chat.Account) error {
	return tx.later(`INSERT INTO account_history (`+accountStateColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		a.OrgID, a.ID, a.CreatedAt.UnixMilli(), string(a.Status), a.ProviderStatus, a.Quality, a.MessagingLimit, (*string)(a.Restriction))
}

// AccountHoldings counts the data that is deleted when a number is disconnected. Each count stops at
// MaxCounted.
type AccountHoldings struct {
	Queued              int
	Conversations       int
	Contacts            int
	Files               int
	RunningBroadcasts   int
	ScheduledBroadcasts int
	Templates           int // none if another number of the same business account remains
}

const queuedOfAccount = "messages WHERE account_id = $1 AND direction = 'outbound' AND status = 'queued' AND org_id = $2"

// AccountHoldings counts the data of an account.
func (r Reader) AccountHoldings(a chat.Account) (h AccountHoldings, err error) {
	for _, c := range []struct {
		into  *int
		where string
	}{
		{&h.Queued, queuedOfAccount},
		{&h.Conversations, "conversations WHERE account_id = $1 AND org_id = $2"},
		{&h.Contacts, "contacts WHERE account_id = $1 AND org_id = $2"},
		{&h.Files, "media WHERE account_id = $1 AND org_id = $2"},
		{&h.RunningBroadcasts, "broadcasts WHERE account_id = $1 AND org_id = $2 AND status IN ('sending', 'paused')"},
		{&h.ScheduledBroadcasts, "broadcasts WHERE account_id = $1 AND org_id = $2 AND status = 'scheduled'"},
	} {
		if *c.into, err = r.countUpTo(c.where, a.ID, a.OrgID); err != nil {
			return h, err
		}
	}
	others, err := r.countUpTo("accounts WHERE id <> $1 AND org_id = $2 AND waba_id = $3 AND deleted_at IS NULL", a.ID, a.OrgID, a.WABAID)
	if err == nil && others == 0 {
		h.Templates, err = r.countUpTo("templates WHERE org_id = $1 AND waba_id = $2", a.OrgID, a.WABAID)
	}
	return h, err
}

// QueuedMessages is the number of messages that wait to be sent; it stops at MaxCounted.
func (r Reader) QueuedMessages(a chat.Account) (int, error) {
	return r.countUpTo(queuedOfAccount, a.ID, a.OrgID)
}

// countUpTo counts the rows of a table that match a condition, up to MaxCounted.
func (r Reader) countUpTo(where string, args ...any) (int, error) {
	return one(r, scanInt, fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 FROM %s LIMIT %d) w", where, MaxCounted), args...)
}
