package store

import (
	"slices"
	"strconv"
	"strings"
)

// labelledList is a table, named c in statements, that is listed newest first, either all of it or the rows
// with a label.
type labelledList[T any] struct {
	columns string
	table   string
	joins   string
	scan    func(scanner) (T, error)
	links   string // the table of labels on rows
	owner   string // its column with the row's id
	labelSearch
}

func (l labelledList[T]) selectFrom() string {
	return "SELECT " + l.columns + " FROM " + l.table + " c" + l.joins
}

// single returns the page of a list whose conditions leave at most one row. It has no order, so that the
// engines choose the right index.
func (l labelledList[T]) single(r Reader, c conditions, o order[T], labelID string, p Page) (Slice[T], error) {
	o.after(&c, p.After)
	if labelID != "" {
		c.parts = append(c.parts, l.carries(r, &c, labelID))
	}
	rows, err := many(r, l.scan, l.selectFrom()+c.where(), c.args...)
	return Slice[T]{Rows: rows}, err
}

// labelSearch decides how rows with a label are found.
type labelSearch struct {
	fewLinks  int // up to here, by their links
	manyLinks int // from here on, by walking the list
	shortWalk int // how far to walk in between, before the links are used after all
}

// measuredSearch was measured on lists of 100,000: a step along the list reads only indexes and takes 1 µs; a
// row found by its link takes 5 µs.
var measuredSearch = labelSearch{fewLinks: 1_000, manyLinks: 10_000, shortWalk: 5_000}

// page returns one page; with a label, of the rows that carry it.
//
// A walk in the list's order meets a common label soon, but a rare one, or one only on old rows, after the
// whole list. The links find a rare label at once, but a common label has too many of them to fetch and sort.
// So the number of links decides, counted only as far as it matters. In between, a short walk is tried first.
func (l labelledList[T]) page(r Reader, c conditions, o order[T], labelID string, p Page) (Slice[T], error) {
	if labelID == "" {
		return l.whole(r, c, o, p)
	}
	links, err := l.countLinks(r, c.args[0], labelID)
	if err != nil {
		return Slice[T]{}, err
	}
	o.after(&c, p.After)
	c.args = slices.Clip(c.args) // two statements may append to it
	var rows []T
	switch {
	case links > l.manyLinks:
		rows, err = l.alongList(r, c, o, labelID, p.Limit+1, 0)
	case links > l.fewLinks:
		rows, err = l.alongList(r, c, o, labelID, p.Limit+1, l.shortWalk)
	}
	if err == nil && len(rows) <= p.Limit && links <= l.manyLinks {
		rows, err = l.fromLinks(r, c, o, labelID, p.Limit+1)
	}
	return o.slice(rows, p.Limit), err
}

// whole returns one page of all rows that match the conditions.
func (l labelledList[T]) whole(r Reader, c conditions, o order[T], p Page) (Slice[T], error) {
	if c.walks == nil && o.twin == "" {
		return newestFirst(r, l.scan, l.selectFrom(), c, o, p)
	}
	o.after(&c, p.After)
	found := l.found(&c, o, "", p.Limit+1)
	rows, err := many(r, l.scan, l.rowsOf(found, o), c.args...)
	return o.slice(rows, p.Limit), err
}

// found is the query for the keys of the first rows in the list's order that match the conditions and a further
// one: along one index, or along several ranges of it side by side.
func (l labelledList[T]) found(c *conditions, o order[T], further string, limit int) string {
	most := c.arg(limit)
	if o.twin != "" {
		return l.foundByTwin(c, o, further, most)
	}
	var walks []string
	for _, walk := range c.eachWalk() {
		walks = append(walks, l.keys(o, l.table+" c"+c.where()+walk+further, most))
	}
	if len(walks) == 1 {
		return walks[0]
	}
	return l.keys(o, "(SELECT * FROM ("+strings.Join(walks, ") w UNION ALL SELECT * FROM (")+") w) c", most)
}

// keys is the query for the keys of the first rows in the order.
func (l labelledList[T]) keys(o order[T], from, most string) string {
	return "SELECT c.org_id, c.id, " + o.of(o.column) + " FROM " + from + o.clause() + " LIMIT " + most
}

// foundByTwin merges the rows in which the twin has another instant with those in which it has the same. If the first
// fill a page, the second are looked for only up to its end: where few are the same, that walk would be a long one.
func (l labelledList[T]) foundByTwin(c *conditions, o order[T], further, most string) string {
	byTwin := o
	byTwin.column = o.twin
	column, twin := o.of(o.column), o.of(o.twin)
	others := l.table + " c" + c.where() + " AND " + column + " <> " + twin + further + " AND " + column + " > " + o.since
	end := "(SELECT CASE WHEN COUNT(*) < " + most + " THEN " + o.since + " ELSE MIN(" + o.column + ") END FROM others)"
	same := l.table + " c" + strings.ReplaceAll(c.where(), column, twin) + " AND " + column + " = " + twin + further + " AND " + twin + " >= " + end
	both := "(SELECT * FROM others UNION ALL SELECT * FROM (" + l.keys(byTwin, same, most) + ") w) c"
	return "WITH others AS MATERIALIZED (" + l.keys(o, others, most) + ") " + l.keys(o, both, most)
}

// countLinks counts up to one more than many.
func (l labelledList[T]) countLinks(r Reader, orgID any, labelID string) (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1 FROM "+l.links+" WHERE org_id = $1 AND label_id = $2 LIMIT "+
		strconv.Itoa(l.manyLinks+1)+") k", orgID, labelID)
}

// alongList walks the list, or only a number of steps from its beginning.
func (l labelledList[T]) alongList(r Reader, c conditions, o order[T], labelID string, limit, steps int) ([]T, error) {
	carries := " AND " + l.carries(r, &c, labelID)
	if steps == 0 {
		return many(r, l.scan, l.rowsOf(l.found(&c, o, carries, limit), o), c.args...)
	}
	found := "SELECT c.org_id, c.id FROM (" + l.found(&c, o, "", steps) + ") c WHERE TRUE" + carries + o.clause() + " LIMIT " + c.arg(limit)
	return many(r, l.scan, l.rowsOf(found, o), c.args...)
}

// carries is the condition that a row has a label. The first argument of every list is the organization.
func (l labelledList[T]) carries(r Reader, c *conditions, labelID string) string {
	return "EXISTS (SELECT 1 FROM " + l.links + " k WHERE k.org_id = $1 AND k." + l.owner + " = c.id AND k.label_id = " + c.arg(labelID) + r.dialect.fence + ")"
}

// fromLinks names the links first in a CROSS JOIN, which SQLite does not reorder.
func (l labelledList[T]) fromLinks(r Reader, c conditions, o order[T], labelID string, limit int) ([]T, error) {
	linked := "SELECT c.org_id, c.id, " + o.of(o.column) + " FROM " + l.links + " k CROSS JOIN " + l.table + " c" + c.where() +
		" AND k.org_id = $1 AND k." + l.owner + " = c.id AND k.label_id = " + c.arg(labelID) + r.dialect.fence
	found := "SELECT c.org_id, c.id FROM (" + linked + ") c" + o.clause() + " LIMIT " + c.arg(limit)
	return many(r, l.scan, l.rowsOf(found, o), c.args...)
}

// rowsOf reads the rows of a page whose keys a query finds.
func (l labelledList[T]) rowsOf(found string, o order[T]) string {
	return "SELECT " + l.columns + " FROM (" + found + ") f JOIN " + l.table + " c ON c.org_id = f.org_id AND c.id = f.id" + l.joins + o.clause()
}
