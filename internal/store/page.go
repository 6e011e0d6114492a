package store

import (
	"fmt"
	"strings"
	"time"
)

// Page asks for one page of a list that is ordered newest first.
type Page struct {
	// Limit is how many rows the page holds at most.
	Limit int
	// After is the position of the last row of the page before; nil for the first page.
	After *Position
}

// Position is a place in a list ordered by creation, then id, both descending.
type Position struct {
	CreatedAt time.Time
	ID        string
}

// Slice is one page of a list and whether rows follow it.
type Slice[T any] struct {
	Rows    []T
	HasMore bool
}

// conditions builds a WHERE clause from a filter struct, numbering the placeholders.
type conditions struct {
	parts []string
	args  []any
}

// add appends a condition whose only placeholders are written as ?.
func (c *conditions) add(condition string, args ...any) {
	for _, arg := range args {
		c.args = append(c.args, arg)
		condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(c.args)), 1)
	}
	c.parts = append(c.parts, condition)
}

// addIf appends a condition unless its value is empty.
func (c *conditions) addIf(condition, value string) {
	if value != "" {
		c.add(condition, value)
	}
}

func (c *conditions) where() string {
	return " WHERE " + strings.Join(c.parts, " AND ")
}

// newestByID is newestFirst for tables whose ids carry the instant of created_at: one column
// orders them.
func newestByID[T any](r Reader, scan func(scanner) (T, error), selectFrom string, c conditions, p Page) (Slice[T], error) {
	if p.After != nil {
		c.add("id < ?", p.After.ID)
	}
	return fetchPage(r, scan, selectFrom, c, "id DESC", p.Limit)
}

// prefixed puts a table's alias before each column of a list.
func prefixed(alias, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		names[i] = alias + "." + strings.TrimSpace(name)
	}
	return strings.Join(names, ", ")
}

// newestFirst runs "SELECT … FROM …" for one page. It asks for one row more than the page
// holds, which tells whether another page follows without counting.
func newestFirst[T any](r Reader, scan func(scanner) (T, error), selectFrom string, c conditions, p Page) (Slice[T], error) {
	if p.After != nil {
		c.add("(created_at, id) < (?, ?)", p.After.CreatedAt.UnixMilli(), p.After.ID)
	}
	return fetchPage(r, scan, selectFrom, c, "created_at DESC, id DESC", p.Limit)
}

func fetchPage[T any](r Reader, scan func(scanner) (T, error), selectFrom string, c conditions, order string, limit int) (Slice[T], error) {
	c.args = append(c.args, limit+1)
	text := fmt.Sprintf("%s%s ORDER BY %s LIMIT $%d", selectFrom, c.where(), order, len(c.args))
	rows, err := many(r, scan, text, c.args...)
	if err != nil {
		return Slice[T]{}, err
	}
	if len(rows) > limit {
		return Slice[T]{Rows: rows[:limit], HasMore: true}, nil
	}
	return Slice[T]{Rows: rows}, nil
}
