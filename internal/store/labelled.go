package store

import "strconv"

// labelledList is a table, called c, that is listed newest first, all of it or what carries a label.
type labelledList[T any] struct {
	columns string
	table   string
	joins   string
	scan    func(scanner) (T, error)
	links   string // the table that says which labels a row carries
	owner   string // the column there that names the row
}

func (l labelledList[T]) selectFrom() string {
	return "SELECT " + l.columns + " FROM " + l.table + " c" + l.joins
}

// page returns one page; with a label, of what carries it.
//
// Neither way of finding what carries a label is fast for every label. Along the list's order a
// common label is met soon, but a rare one, or one of old rows only, after walking the whole
// table. From its links a rare label is found at once, but a common one takes all of them and
// sorts. So the list is walked for a bounded while, and when that did not fill the page, the
// links are taken: the cost is bounded by the walk and the number of links.
func (l labelledList[T]) page(r Reader, c conditions, o order[T], labelID string, p Page) (Slice[T], error) {
	if labelID == "" {
		return newestFirst(r, l.scan, l.selectFrom(), c, o, p)
	}
	o.after(&c, p.After)
	c.args = c.args[:len(c.args):len(c.args)] // the two statements go on from here
	text, args := l.alongList(c, o, labelID, p.Limit+1)
	rows, err := many(r, l.scan, text, args...)
	if err != nil || len(rows) > p.Limit {
		return o.slice(rows, p.Limit), err
	}
	text, args = l.fromLinks(c, o, labelID, p.Limit+1)
	rows, err = many(r, l.scan, text, args...)
	return o.slice(rows, p.Limit), err
}

// walkedRows is how far a list is walked in search of a label.
const walkedRows = 1000

func (l labelledList[T]) alongList(c conditions, o order[T], labelID string, limit int) (string, []any) {
	walk := "SELECT c.* FROM " + l.table + " c" + c.where() + o.clause() + " LIMIT " + strconv.Itoa(walkedRows)
	carries := "EXISTS (SELECT 1 FROM " + l.links + " k WHERE k.org_id = c.org_id AND k." + l.owner + " = c.id AND k.label_id = " + c.arg(labelID) + ")"
	return "SELECT " + l.columns + " FROM (" + walk + ") c" + l.joins + " WHERE " + carries + o.clause() + " LIMIT " + c.arg(limit), c.args
}

// fromLinks names the links first in a CROSS JOIN, which SQLite does not reorder. Every list's
// first argument is the organization.
func (l labelledList[T]) fromLinks(c conditions, o order[T], labelID string, limit int) (string, []any) {
	found := "SELECT c.org_id, c.id FROM " + l.links + " k CROSS JOIN " + l.table + " c" + c.where() +
		" AND k.org_id = $1 AND k." + l.owner + " = c.id AND k.label_id = " + c.arg(labelID) + o.clause() + " LIMIT " + c.arg(limit)
	return "SELECT " + l.columns + " FROM (" + found + ") f JOIN " + l.table + " c ON c.org_id = f.org_id AND c.id = f.id" + l.joins + o.clause(), c.args
}
