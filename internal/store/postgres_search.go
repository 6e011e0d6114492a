package store

import (
	"context"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

const (
	// searchLock is held while the index is updated or created.
	searchLock = "search index"
	// newestTexts are scanned before the trigrams are asked: common words are found there at once, and for rare
	// ones the index has little to sort.
	newestTexts = 20_000
	// mostTexts is how many texts are scanned where trigrams do not help.
	mostTexts = 50_000
)

// postgresSearch is the index in two tables of the store. They are not part of the migrations: the index can be
// rebuilt at any time, and trigrams need an extension that the operator may not have allowed.
type postgresSearch struct {
	store    *Store
	trigrams bool
	newest   int // newestTexts, except in tests
	most     int // mostTexts, except in tests
}

var postgresSearchSchema = []string{
	`CREATE TABLE IF NOT EXISTS search_texts (org_id TEXT NOT NULL, id TEXT COLLATE "C" NOT NULL, account_id TEXT NOT NULL, body TEXT NOT NULL,
		PRIMARY KEY (org_id, id))`,
	`CREATE TABLE IF NOT EXISTS search_marks (org_id TEXT NOT NULL, kind TEXT NOT NULL, head TEXT NOT NULL, settled TEXT NOT NULL, version BIGINT NOT NULL,
		PRIMARY KEY (org_id, kind))`,
}

func (e *postgresEngine) openSearch(ctx context.Context, s *Store) (searchEngine, error) {
	x := &postgresSearch{store: s, newest: newestTexts, most: mostTexts}
	if err := x.prepare(ctx); err != nil {
		return x, err
	}
	// Without the extension a search scans the newest texts.
	if err := s.InTx(ctx, x.makeTrigrams); err != nil && ctx.Err() == nil {
		e.log.Warn("there is no index for searching: searches look through the newest messages first and take longer. "+
			"Allow this database's user to create the extension pg_trgm, or create it yourself, and start again", "error", err)
		return x, nil
	}
	x.trigrams = true
	return x, nil
}

// prepare creates the tables if they are missing.
func (x *postgresSearch) prepare(ctx context.Context) error {
	return x.store.InTx(ctx, func(tx *Tx) error {
		if err := tx.waitForSearchLock(); err != nil {
			return err
		}
		for _, statement := range postgresSearchSchema {
			if _, err := tx.exec(statement); err != nil {
				return err
			}
		}
		n, err := tx.exec("DELETE FROM search_marks WHERE version <> $1", searchVersion)
		if err == nil && n > 0 {
			_, err = tx.exec("TRUNCATE search_texts, search_marks")
		}
		return err
	})
}

func (tx *Tx) waitForSearchLock() error {
	_, err := tx.exec("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", searchLock)
	return err
}

func (x *postgresSearch) makeTrigrams(tx *Tx) error {
	if err := tx.waitForSearchLock(); err != nil {
		return err
	}
	for _, statement := range []string{
		"CREATE EXTENSION IF NOT EXISTS pg_trgm",
		"CREATE INDEX IF NOT EXISTS search_texts_by_trigram ON search_texts USING gin (body gin_trgm_ops)",
	} {
		if _, err := tx.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

func (x *postgresSearch) Close() error { return nil }

func (x *postgresSearch) Update(ctx context.Context, fn func(SearchUpdate) error) (mine bool, err error) {
	err = x.store.InTx(ctx, func(tx *Tx) (err error) {
		if mine, err = tx.TryLock(searchLock); err != nil || !mine {
			return err
		}
		return fn(postgresSearchUpdate{tx})
	})
	return mine, err
}

func (x *postgresSearch) Marks(ctx context.Context, kind chat.Kind, orgID string) (SearchMarks, error) {
	return postgresSearchMarks(x.store.Read(ctx), kind, orgID)
}

func postgresSearchMarks(r Reader, kind chat.Kind, orgID string) (SearchMarks, error) {
	m, err := one(r, scanSearchMarks, "SELECT head, settled FROM search_marks WHERE org_id = $1 AND kind = $2", orgID, string(kind))
	return m, orNone(err)
}

// postgresSearchUpdate is a transaction of the index and of the store.
type postgresSearchUpdate struct{ tx *Tx }

func (u postgresSearchUpdate) Source() Reader { return u.tx.Reader }

func (u postgresSearchUpdate) Marks(kind chat.Kind, orgID string) (SearchMarks, error) {
	return postgresSearchMarks(u.tx.Reader, kind, orgID)
}

func (u postgresSearchUpdate) SetMarks(kind chat.Kind, orgID string, m SearchMarks) error {
	return u.tx.later(`INSERT INTO search_marks (org_id, kind, head, settled, version) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (org_id, kind) DO UPDATE SET head = excluded.head, settled = excluded.settled`, orgID, string(kind), m.Head, m.Settled, searchVersion)
}

func (u postgresSearchUpdate) Missing(orgID string, ids []string) ([]string, error) {
	return many(u.tx.Reader, scanText, "SELECT p.id FROM unnest($2::text[]) AS p (id) WHERE NOT EXISTS (SELECT 1 FROM search_texts t WHERE t.org_id = $1 AND t.id = p.id)",
		orgID, ids)
}

func (u postgresSearchUpdate) Put(orgID string, texts []SearchText) error {
	for _, text := range texts {
		err := u.tx.later(`INSERT INTO search_texts (org_id, id, account_id, body) VALUES ($1, $2, $3, $4)
			ON CONFLICT (org_id, id) DO UPDATE SET body = excluded.body`, orgID, text.ID, text.AccountID, text.Text)
		if err != nil {
			return err
		}
	}
	return nil
}

func (u postgresSearchUpdate) Remove(orgID string, ids []string) error {
	return u.tx.later("DELETE FROM search_texts WHERE org_id = $1 AND id = ANY($2::text[])", orgID, ids)
}

func (u postgresSearchUpdate) RemoveBefore(kind chat.Kind, orgID, id string, limit int) (int, error) {
	n, err := u.tx.exec("DELETE FROM search_texts WHERE "+u.tx.dialect.oneOfThose("org_id, id",
		"search_texts WHERE org_id = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4"), orgID, string(kind)+"_", id, limit)
	return int(n), err
}

func (u postgresSearchUpdate) Followed(changes []SearchChange) error {
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.ID
	}
	return u.tx.dropSearchChanges(ids)
}

// Find scans the newest texts, then asks the trigrams.
func (x *postgresSearch) Find(ctx context.Context, q SearchQuery) (SearchFound, error) {
	r := x.store.Read(ctx)
	asked := x.trigrams && q.hasTrigrams()
	most := x.most
	if asked {
		most = x.newest
	}
	end, err := many(r, scanText, "SELECT id FROM search_texts WHERE org_id = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT 1 OFFSET $4",
		q.OrgID, q.from(), q.before(), most)
	if err != nil {
		return SearchFound{}, err
	}
	from := q.from()
	if len(end) > 0 {
		from = end[0]
	}
	found, err := x.walk(r, q, from)
	if err != nil || found.Next != "" || len(end) == 0 {
		return found, err
	}
	if !asked {
		found.Next = end[0]
		return found, nil
	}
	return x.ask(ctx, q)
}

// ask uses the trigrams, whatever the planner assumes of how common a word is: the inner query can use no other
// index.
func (x *postgresSearch) ask(ctx context.Context, q SearchQuery) (found SearchFound, err error) {
	err = x.store.InTx(ctx, func(tx *Tx) (err error) {
		if err := tx.later(tx.dialect.useIndexes); err != nil {
			return err
		}
		var c conditions
		matching := "(SELECT * FROM search_texts WHERE " + q.likes(&c) + tx.dialect.fence + ") t"
		found, err = q.newest(tx.Reader, matching, &c, q.from())
		return err
	})
	return found, err
}

// walk scans the texts from an id on.
func (x *postgresSearch) walk(r Reader, q SearchQuery, from string) (SearchFound, error) {
	var c conditions
	c.parts = append(c.parts, q.likes(&c))
	return q.newest(r, "search_texts", &c, from)
}

// newest returns the texts that match the conditions and the query, newest first.
func (q SearchQuery) newest(r Reader, texts string, c *conditions, from string) (found SearchFound, err error) {
	c.add("org_id = ?", q.OrgID)
	c.add("id >= ?", from)
	c.add("id < ?", q.before())
	if q.Within != nil {
		c.parts = append(c.parts, r.dialect.oneOf("account_id", c.arg(r.dialect.list(*q.Within))))
	}
	ids, err := many(r, scanText, "SELECT id FROM "+texts+c.where()+" ORDER BY id DESC LIMIT "+c.arg(q.Limit), c.args...)
	for _, id := range ids {
		found.Hits = append(found.Hits, SearchHit{ID: id, At: id})
	}
	if len(ids) == q.Limit {
		found.Next = ids[len(ids)-1]
	}
	return found, err
}

func (q SearchQuery) from() string { return firstID(q.Kind, q.From) }

func (q SearchQuery) before() string {
	before := LastSearchID(q.Kind)
	if !q.Until.IsZero() {
		before = firstID(q.Kind, q.Until)
	}
	if q.After != "" {
		before = min(before, q.After)
	}
	return before
}

// likes is the condition that a text has all words, or the alternative one.
func (q SearchQuery) likes(c *conditions) string {
	var all []string
	for _, word := range q.Words {
		all = append(all, "body LIKE "+c.arg("%"+likeEscaper.Replace(word)+"%"))
	}
	either := strings.Join(all, " AND ")
	switch {
	case q.Or == "":
		return either
	case either == "":
		return "body LIKE " + c.arg("%"+q.Or+"%")
	default:
		return "(" + either + " OR body LIKE " + c.arg("%"+q.Or+"%") + ")"
	}
}

// hasTrigrams reports whether each part of the query has letters that form trigrams on every server. Beyond
// ASCII that depends on the database's locale.
func (q SearchQuery) hasTrigrams() bool {
	some := false
	for _, word := range q.Words {
		some = some || hasTrigram(word)
	}
	return (some || len(q.Words) == 0) && (q.Or == "" || hasTrigram(q.Or))
}

func hasTrigram(word string) bool {
	run := 0
	for i := range len(word) {
		c := word[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			run++
		} else {
			run = 0
		}
		if run == 3 {
			return true
		}
	}
	return false
}
