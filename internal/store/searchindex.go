package store

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// SearchIndex finds texts. It is made from rows of the store, behind those who write them, and can be made
// anew at any time: on SQLite it is a file of its own, so that no writer of the store waits for it, on
// PostgreSQL two tables.
type SearchIndex struct {
	searchEngine
}

type searchEngine interface {
	// Update runs fn in a transaction of the index. It reports false, and does not run it, while another
	// process updates the index.
	Update(ctx context.Context, fn func(SearchUpdate) error) (mine bool, err error)
	// Find looks for texts. Where it stops before the end it says so, whether it found any or not.
	Find(ctx context.Context, q SearchQuery) (SearchFound, error)
	// Marks returns how far the index goes.
	Marks(ctx context.Context, kind chat.Kind, orgID string) (SearchMarks, error)
	Close() error
}

// SearchUpdate is a transaction of the index.
type SearchUpdate interface {
	// Source reads the rows that the index is made from.
	Source() Reader
	Marks(kind chat.Kind, orgID string) (SearchMarks, error)
	SetMarks(kind chat.Kind, orgID string, m SearchMarks) error
	// Missing are those of the ids that the index does not have.
	Missing(orgID string, ids []string) ([]string, error)
	// Put adds texts, or replaces them.
	Put(orgID string, texts []SearchText) error
	Remove(orgID string, ids []string) error
	// RemoveBefore removes up to limit texts of a kind whose ids are before one, and returns how many.
	RemoveBefore(kind chat.Kind, orgID, id string, limit int) (int, error)
	// Followed forgets changes once the index has them.
	Followed(changes []SearchChange) error
}

// SearchMarks say how far the index goes in an organization's rows of a kind. All up to Settled is in it. What
// is behind that, up to Head, has been looked at, and is looked at again: a transaction may have been late.
type SearchMarks struct{ Head, Settled string }

// SearchText is what is to be found of a row. Its letters are folded.
type SearchText struct{ ID, AccountID, Text string }

// SearchQuery says what is looked for: texts that have all words, or the other one if it is given.
type SearchQuery struct {
	Kind   chat.Kind
	OrgID  string
	Words  []string  // each of three letters at least
	Or     string    // likewise
	Within *[]string // accounts; nil: all
	From   time.Time
	Until  time.Time // the first instant that is too late; zero: none is
	After  string    // Next of the page before
	Limit  int
}

// SearchFound is what was found, newest first.
type SearchFound struct {
	Hits []SearchHit
	// Next is where to go on. It is empty where there is nothing more.
	Next string
}

// SearchHit is a row whose text was found, and where that is.
type SearchHit struct{ ID, At string }

const (
	// searchVersion is another one when the index has to be made anew.
	searchVersion = 1
	// mostPassedOver bounds how many texts of other accounts one search passes over.
	mostPassedOver = 10_000
)

// OpenSearch opens the search index. Where there is none, or one of another version, it is empty.
func (s *Store) OpenSearch(ctx context.Context) (*SearchIndex, error) {
	engine, err := s.engine.openSearch(ctx, s)
	if err != nil {
		return nil, err
	}
	return &SearchIndex{engine}, nil
}
