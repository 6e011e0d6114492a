package store

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// SearchIndex finds texts. It is built from rows of the store in the background, and can be rebuilt at any
// time. On SQLite it is a file of its own, so that no writer of the store waits for it; on PostgreSQL it is two
// tables.
type SearchIndex struct {
	searchEngine
}

type searchEngine interface {
	// Update runs fn in a transaction of the index. It returns false, and does not run fn, while another
	// process updates the index.
	Update(ctx context.Context, fn func(SearchUpdate) error) (mine bool, err error)
	// Find searches texts. If it stops before the end it says so, whether it found any or not.
	Find(ctx context.Context, q SearchQuery) (SearchFound, error)
	// Marks returns how far the index reaches.
	Marks(ctx context.Context, kind chat.Kind, orgID string) (SearchMarks, error)
	Close() error
}

// SearchUpdate is a transaction of the index.
type SearchUpdate interface {
	// Source reads the rows to be indexed.
	Source() Reader
	Marks(kind chat.Kind, orgID string) (SearchMarks, error)
	SetMarks(kind chat.Kind, orgID string, m SearchMarks) error
	// Missing returns the ids that are not in the index.
	Missing(orgID string, ids []string) ([]string, error)
	// Put adds or replaces texts.
	Put(orgID string, texts []SearchText) error
	Remove(orgID string, ids []string) error
	// RemoveBefore removes up to limit texts of a kind with ids before the given one, and returns how many.
	RemoveBefore(kind chat.Kind, orgID, id string, limit int) (int, error)
	// Followed deletes changes that are in the index.
	Followed(changes []SearchChange) error
}

// SearchMarks say how far the index reaches in an organization's rows of a kind. Everything up to Settled is in
// it. Rows between Settled and Head have been read, and are read again, because a transaction may commit late.
type SearchMarks struct{ Head, Settled string }

// SearchText is the searchable text of a row, folded.
type SearchText struct{ ID, AccountID, Text string }

// SearchQuery selects texts that have all words, or the alternative one if it is given.
type SearchQuery struct {
	Kind   chat.Kind
	OrgID  string
	Words  []string  // each at least three letters
	Or     string    // likewise
	Within *[]string // accounts; nil: all
	From   time.Time
	Until  time.Time // exclusive; zero: no limit
	After  string    // Next of the previous page
	Limit  int
}

// SearchFound is the result of a search, newest first.
type SearchFound struct {
	Hits []SearchHit
	// Next is where to go on; empty if there is nothing more.
	Next string
}

// SearchHit is a row whose text matches, and its position.
type SearchHit struct{ ID, At string }

const (
	// searchVersion changes when the index must be rebuilt.
	searchVersion = 1
	// mostPassedOver bounds how many texts of other accounts one search skips.
	mostPassedOver = 10_000
)

// OpenSearch opens the search index. If there is none, or one of another version, it is empty.
func (s *Store) OpenSearch(ctx context.Context) (*SearchIndex, error) {
	engine, err := s.engine.openSearch(ctx, s)
	if err != nil {
		return nil, err
	}
	return &SearchIndex{engine}, nil
}
