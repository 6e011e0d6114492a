package search

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// mostLooked bounds the rows that one search reads. If more could match, the result says where to go on.
	mostLooked = 4_000
	// mostAtOnce bounds the rows of one step. A search starts with twice a page, and doubles each time that is
	// not enough: a user who sees everything gets an answer at once, and one who sees little needs few steps.
	mostAtOnce = 1_000
	// stillIndexing is the lag of the index from which users are told of it.
	stillIndexing = settling + 15*time.Minute
)

// Searcher runs users' searches.
type Searcher struct {
	store *store.Store
	index *store.SearchIndex
}

// NewSearcher makes a searcher.
func NewSearcher(st *store.Store, index *store.SearchIndex) *Searcher { return &Searcher{st, index} }

// Request is a user's search.
type Request struct {
	User  chat.User
	Query Query
	Kind  chat.Kind
	// AccountID is the number to search; empty: all that the user sees.
	AccountID string
	From      time.Time
	Until     time.Time // exclusive; zero: no limit
	Limit     int
	After     string // Next of the previous page
}

// Hit is one result of a search.
type Hit struct {
	store.SearchRow
	// Conversation has no id if the contact has no conversation.
	Conversation chat.InboxEntry
	Snippet      Snippet
}

// Result is a page of hits, newest first. Next is where to go on; empty: nothing more.
type Result struct {
	Hits []Hit
	Next string
}

// Indexing reports whether the index still lacks some of an organization's older rows.
func (s *Searcher) Indexing(ctx context.Context, orgID string) (bool, error) {
	for _, kind := range store.SearchKinds {
		marks, err := s.index.Marks(ctx, kind, orgID)
		if err != nil {
			return false, err
		}
		before := store.FirstSearchID(kind, s.store.Now().Add(-stillIndexing))
		missing, err := s.store.Read(ctx).SearchIDs(kind, orgID, marks.Settled, before, 1)
		if err != nil || len(missing) > 0 {
			return true, err
		}
	}
	return false, nil
}

// Search returns a page of hits.
func (s *Searcher) Search(ctx context.Context, req Request) (result Result, err error) {
	if req.Query.empty() {
		return result, nil
	}
	within, err := s.within(ctx, req)
	if err != nil {
		return result, err
	}
	look := s.walk
	if _, _, ok := req.Query.forIndex(req.Kind); ok {
		look = s.ask
	}
	for looked, n := 0, 2*req.Limit; looked < mostLooked; n = min(2*n, mostAtOnce) {
		found, err := look(ctx, req, within, n)
		if err != nil {
			return result, err
		}
		looked += max(len(found.ids), 1)
		result.Next = found.next
		full, err := s.take(ctx, req, found, &result)
		if err != nil || full || result.Next == "" {
			return result, err
		}
		req.After = result.Next
	}
	return result, nil
}

// candidates are rows that may match, each with its position in the search.
type candidates struct {
	ids, at []string
	next    string
	rows    map[string]store.SearchRow // nil: not read yet
}

// ask gets candidates from the index.
func (s *Searcher) ask(ctx context.Context, req Request, within *[]string, n int) (c candidates, err error) {
	words, or, _ := req.Query.forIndex(req.Kind)
	found, err := s.index.Find(ctx, store.SearchQuery{
		Kind: req.Kind, OrgID: req.User.OrgID, Words: words, Or: or, Within: within,
		From: req.From, Until: req.Until, After: req.After, Limit: n,
	})
	for _, hit := range found.Hits {
		c.ids, c.at = append(c.ids, hit.ID), append(c.at, hit.At)
	}
	c.next = found.Next
	return c, err
}

// walk gets candidates from the newest rows, for words too short for the index.
func (s *Searcher) walk(ctx context.Context, req Request, _ *[]string, n int) (c candidates, err error) {
	before := store.LastSearchID(req.Kind)
	if !req.Until.IsZero() {
		before = store.FirstSearchID(req.Kind, req.Until)
	}
	if req.After != "" {
		before = min(before, req.After)
	}
	rows, err := s.store.Read(ctx).NewestSearchRows(req.Kind, req.User.OrgID, store.FirstSearchID(req.Kind, req.From), before, n)
	c.rows = map[string]store.SearchRow{}
	for _, row := range rows {
		c.ids, c.at = append(c.ids, row.ID), append(c.at, row.ID)
		c.rows[row.ID] = row
	}
	if len(rows) == n {
		c.next = rows[len(rows)-1].ID
	}
	return c, err
}

// take adds the candidates to the result that still match and that the user may see. It returns true when the
// page is full.
func (s *Searcher) take(ctx context.Context, req Request, c candidates, result *Result) (full bool, err error) {
	r := s.store.Read(ctx)
	if c.rows == nil {
		if c.rows, err = r.SearchRows(req.Kind, req.User.OrgID, c.ids); err != nil {
			return false, err
		}
	}
	var matching []int
	for i, id := range c.ids {
		row, there := c.rows[id]
		if there && !row.Revoked && (req.AccountID == "" || row.AccountID == req.AccountID) && req.Query.matches(row) {
			matching = append(matching, i)
		}
	}
	return s.takeSeen(ctx, req, c, matching, result)
}

// takeSeen adds the rows that the user may see.
func (s *Searcher) takeSeen(ctx context.Context, req Request, c candidates, matching []int, result *Result) (full bool, err error) {
	seen, err := s.seen(ctx, req, c, matching)
	if err != nil {
		return false, err
	}
	for _, i := range matching {
		row := c.rows[c.ids[i]]
		conversation, visible := seen[row.ID]
		if !visible {
			continue
		}
		result.Hits = append(result.Hits, Hit{row, conversation, req.Query.snippet(textOf(row))})
		if len(result.Hits) == req.Limit {
			if i < len(c.ids)-1 || result.Next != "" {
				result.Next = c.at[i]
			}
			return true, nil
		}
	}
	return false, nil
}

// seen returns the conversations of the matching rows that the user may see, by the row's id.
func (s *Searcher) seen(ctx context.Context, req Request, c candidates, matching []int) (map[string]chat.InboxEntry, error) {
	conversations := map[string]chat.InboxEntry{}
	if len(matching) == 0 {
		return conversations, nil
	}
	r, key := s.store.Read(ctx), func(row store.SearchRow) string { return row.ConversationID }
	find, keyOf := r.InboxEntries, func(e chat.InboxEntry) string { return e.ID }
	if req.Kind == chat.KindContact {
		key = func(row store.SearchRow) string { return row.ID }
		find, keyOf = r.SeenContacts, func(e chat.InboxEntry) string { return e.ContactID }
	}
	wanted := map[string]bool{}
	for _, i := range matching {
		wanted[key(c.rows[c.ids[i]])] = true
	}
	entries, err := find(req.User, slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return nil, err
	}
	byKey := map[string]chat.InboxEntry{}
	for _, e := range entries {
		byKey[keyOf(e)] = e
	}
	for _, i := range matching {
		row := c.rows[c.ids[i]]
		if e, visible := byKey[key(row)]; visible {
			conversations[row.ID] = e
		}
	}
	return conversations, nil
}

// within are the accounts to search; nil: all.
func (s *Searcher) within(ctx context.Context, req Request) (*[]string, error) {
	if req.AccountID != "" {
		return &[]string{req.AccountID}, nil
	}
	return s.store.Read(ctx).AccountsOfTeams(req.User)
}
