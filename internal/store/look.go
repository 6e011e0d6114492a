package store

import (
	"slices"
	"strings"
)

// maxLooked is the number of rows that a look reads.
const maxLooked = 20_000

// look reads a page in the order of ids, newest first, of rows that match conditions without an index. It reads
// a bounded number of rows and then says where to go on, even if it has found few or none. Its cost does not
// depend on how rare the matches are.
type look[T any] struct {
	columns, table string
	scan           func(scanner) (T, error)
	order          order[T]
	within         conditions // conditions with an index
	wanted         []wanted   // the other conditions
	most           int        // how many rows may be skipped
}

type wanted struct {
	condition string
	args      []any
}

// want adds a condition without an index.
func (l *look[T]) want(condition string, args ...any) {
	l.wanted = append(l.wanted, wanted{condition, args})
}

func (l *look[T]) wantIf(condition, value string) {
	if value != "" {
		l.want(condition, value)
	}
}

// from selects from the part of the table that one look reads, and returns the arguments so far.
func (l *look[T]) from(columns string) (text string, c conditions) {
	c = conditions{parts: slices.Clone(l.within.parts), args: slices.Clone(l.within.args)}
	text = "SELECT " + columns + " FROM (SELECT " + l.columns + " FROM " + l.table + c.where() + " ORDER BY id DESC LIMIT " + c.arg(l.most) + ") w"
	c.parts = nil
	for _, w := range l.wanted {
		c.add(w.condition, w.args...)
	}
	if len(c.parts) > 0 {
		text += " WHERE " + strings.Join(c.parts, " AND ")
	}
	return text, c
}

func (l *look[T]) run(r Reader, p Page) (Slice[T], error) {
	if len(l.wanted) == 0 {
		return newestFirst(r, l.scan, "SELECT "+l.columns+" FROM "+l.table, l.within, l.order, p)
	}
	l.order.after(&l.within, p.After)
	text, c := l.from(l.columns)
	rows, err := many(r, l.scan, text+" ORDER BY id DESC LIMIT "+c.arg(p.Limit+1), c.args...)
	if err != nil {
		return Slice[T]{}, err
	}
	page := l.order.slice(rows, p.Limit)
	if page.Next == nil {
		page.Next, err = l.end(r)
	}
	return page, err
}

// end is the last row that a look has read, if more rows follow it.
func (l *look[T]) end(r Reader) (*Position, error) {
	c := conditions{parts: l.within.parts, args: slices.Clone(l.within.args)}
	last, err := many(r, scanText, "SELECT id FROM "+l.table+c.where()+" ORDER BY id DESC LIMIT 2 OFFSET "+c.arg(l.most-1), c.args...)
	if err != nil || len(last) < 2 {
		return nil, err
	}
	return &Position{ID: last[0]}, nil
}
