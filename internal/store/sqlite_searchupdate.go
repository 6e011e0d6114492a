package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/parleyhq/parley/internal/chat"
)

// A row number consists of organization (15 bits), kind (2), milliseconds since 2020 (40) and a count (6).
// Earlier times count as 2020; if a millisecond is full, the next one is used.
const (
	searchCountBits   = 6
	searchInstantBits = 40
	searchKindBits    = 2
	searchMostOrgs    = 1<<(63-searchKindBits-searchInstantBits-searchCountBits) - 1
	searchPerInstant  = 1 << searchCountBits
)

var (
	firstSearchInstant = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	lastSearchInstant  = firstSearchInstant.Add((1<<searchInstantBits - 1) * time.Millisecond)
)

// searchRow is the first row number of an instant.
func searchRow(org int64, kind chat.Kind, at time.Time) int64 {
	instant := min(max(at.UnixMilli()-firstSearchInstant.UnixMilli(), 0), 1<<searchInstantBits-1)
	row := org<<searchKindBits | int64(slices.Index(SearchKinds, kind))
	return (row<<searchInstantBits | instant) << searchCountBits
}

// SearchInstant returns the kind and the time of an id; ok is false if it is none.
func SearchInstant(id string) (kind chat.Kind, at time.Time, ok bool) {
	for _, kind := range SearchKinds {
		if kind.Valid(id) {
			parsed, err := ulid.ParseStrict(id[len(kind)+1:])
			return kind, parsed.Timestamp(), err == nil
		}
	}
	return "", time.Time{}, false
}

// sqliteSearchUpdate is a transaction of the index.
type sqliteSearchUpdate struct {
	Reader
	index    *sqliteSearch
	followed []string
}

func (u *sqliteSearchUpdate) Source() Reader { return u.index.store.Read(u.ctx) }

func (u *sqliteSearchUpdate) exec(sql string, args ...any) error {
	_, err := u.db.exec(u.ctx, sql, args)
	return err
}

func (u *sqliteSearchUpdate) Marks(kind chat.Kind, orgID string) (SearchMarks, error) {
	return sqliteSearchMarks(u.Reader, kind, orgID)
}

func (u *sqliteSearchUpdate) SetMarks(kind chat.Kind, orgID string, m SearchMarks) error {
	org, err := u.number("orgs", orgID)
	if err != nil {
		return err
	}
	return u.exec(`INSERT INTO marks (org, kind, head, settled) VALUES ($1, $2, $3, $4)
		ON CONFLICT (org, kind) DO UPDATE SET head = excluded.head, settled = excluded.settled`, org, string(kind), m.Head, m.Settled)
}

// number is the index's number of an organization or an account.
func (u *sqliteSearchUpdate) number(table, id string) (int64, error) {
	if err := u.exec("INSERT INTO "+table+" (id) VALUES ($1) ON CONFLICT DO NOTHING", id); err != nil {
		return 0, err
	}
	n, err := one(u.Reader, scanInt64, "SELECT n FROM "+table+" WHERE id = $1", id)
	if err == nil && table == "orgs" && n > searchMostOrgs {
		err = fmt.Errorf("the search index has no room for more than %d organizations", searchMostOrgs)
	}
	return n, err
}

func (u *sqliteSearchUpdate) Missing(_ string, ids []string) ([]string, error) {
	return many(u.Reader, scanText, "SELECT value FROM json_each($1) WHERE value NOT IN (SELECT id FROM docs WHERE "+u.dialect.oneOf("id", "$1")+")",
		u.dialect.list(ids))
}

func (u *sqliteSearchUpdate) Put(orgID string, texts []SearchText) error {
	org, err := u.number("orgs", orgID)
	if err != nil {
		return err
	}
	for _, text := range texts {
		if err := u.remove(text.ID); err != nil {
			return err
		}
		if err := u.put(org, text); err != nil {
			return err
		}
	}
	return nil
}

func (u *sqliteSearchUpdate) put(org int64, text SearchText) error {
	kind, at, ok := SearchInstant(text.ID)
	if !ok {
		return nil
	}
	account, err := u.number("accounts", text.AccountID)
	if err != nil {
		return err
	}
	n, err := u.freeRow(searchRow(org, kind, at))
	if err != nil {
		return err
	}
	if err := u.exec("INSERT INTO docs (n, id, account) VALUES ($1, $2, $3)", n, text.ID, account); err != nil {
		return err
	}
	return u.exec("INSERT INTO texts (rowid, text) VALUES ($1, $2)", n, text.Text)
}

// freeRow is a free row number of the instant that begins with n, or of a later one.
func (u *sqliteSearchUpdate) freeRow(n int64) (int64, error) {
	for ; ; n += searchPerInstant {
		last, err := one(u.Reader, scanInt64, "SELECT COALESCE(MAX(n), $1 - 1) FROM docs WHERE n >= $1 AND n < $2", n, n+searchPerInstant)
		if err != nil || last+1 < n+searchPerInstant {
			return last + 1, err
		}
	}
}

func (u *sqliteSearchUpdate) Remove(_ string, ids []string) error {
	for _, id := range ids {
		if err := u.remove(id); err != nil {
			return err
		}
	}
	return nil
}

func (u *sqliteSearchUpdate) remove(id string) error {
	rows, err := many(u.Reader, scanInt64, "DELETE FROM docs WHERE id = $1 RETURNING n", id)
	for _, n := range rows {
		if err := u.exec("DELETE FROM texts WHERE rowid = $1", n); err != nil {
			return err
		}
	}
	return err
}

func (u *sqliteSearchUpdate) RemoveBefore(kind chat.Kind, orgID, id string, limit int) (int, error) {
	org, err := u.number("orgs", orgID)
	if err != nil {
		return 0, err
	}
	_, at, _ := SearchInstant(id)
	ids, err := many(u.Reader, scanText, "SELECT id FROM docs WHERE n >= $1 AND n < $2 ORDER BY n LIMIT $3",
		searchRow(org, kind, time.Time{}), searchRow(org, kind, at), limit)
	if err != nil {
		return 0, err
	}
	return len(ids), u.Remove(orgID, ids)
}

func (u *sqliteSearchUpdate) Followed(changes []SearchChange) error {
	for _, c := range changes {
		u.followed = append(u.followed, c.ID)
	}
	return nil
}
