package store

import (
	"strconv"
	"strings"
	"time"
)

// Page asks for one page of a list that is ordered newest first.
type Page struct {
	// Limit is how many rows the page holds at most.
	Limit int
	// After is where the previous page ended; nil for the first page.
	After *Position
}

// Position is a place in a list that is ordered by an instant, then by id, both descending. In a list ordered
// by id alone, At is zero.
type Position struct {
	At time.Time
	ID string
}

// Slice is one page of a list.
type Slice[T any] struct {
	Rows []T
	// Next is where the page ended, if rows follow it.
	Next *Position
}

// conditions builds a WHERE clause from a filter struct, numbering the placeholders.
type conditions struct {
	parts []string
	args  []any
	// walks are alternative conditions, of which every row matches exactly one. If the filter leaves open a
	// column that stands before the order's columns in the index, the list is the merge of one walk for each of
	// its values.
	walks []string
}

// add appends a condition whose only placeholders are written as ?.
func (c *conditions) add(condition string, args ...any) {
	for _, arg := range args {
		condition = strings.Replace(condition, "?", c.arg(arg), 1)
	}
	c.parts = append(c.parts, condition)
}

// addIf appends a condition unless its value is empty.
func (c *conditions) addIf(condition, value string) {
	if value != "" {
		c.add(condition, value)
	}
}

// arg adds an argument and returns its placeholder.
func (c *conditions) arg(value any) string {
	c.args = append(c.args, value)
	return "$" + strconv.Itoa(len(c.args))
}

// either adds a walk for each of the few values of a column.
func either[T ~string](c *conditions, column string, values ...T) {
	before := c.eachWalk()
	c.walks = nil
	for _, walk := range before {
		for _, value := range values {
			c.walks = append(c.walks, walk+" AND "+column+" = '"+string(value)+"'")
		}
	}
}

// eachWalk returns the walks, or one empty walk if there are none.
func (c *conditions) eachWalk() []string {
	if c.walks == nil {
		return []string{""}
	}
	return c.walks
}

func (c *conditions) where() string {
	return " WHERE " + strings.Join(c.parts, " AND ")
}

// order is the order of a list: newest first unless it is ascending.
type order[T any] struct {
	// alias is the name of the list's table in the query; empty if it has no other.
	alias string
	// column holds the instants that precede the id; empty if the id suffices.
	column string
	// twin is a column with the same instant in most rows, which are found by an index of the twin; an index of column has
	// only the others. Empty: it has all. With a twin, since is the placeholder of an instant that all rows come after.
	twin, since string
	position    func(T) Position
	ascending   bool
}

// after is the condition that a row comes after a position in the list.
func (o order[T]) after(c *conditions, p *Position) {
	switch {
	case p == nil:
	case o.column == "":
		c.add(o.of("id")+" < ?", p.ID)
	case o.ascending:
		c.add("("+o.of(o.column)+", "+o.of("id")+") > (?, ?)", p.At.UnixMilli(), p.ID)
	default:
		c.add("("+o.of(o.column)+", "+o.of("id")+") < (?, ?)", p.At.UnixMilli(), p.ID)
	}
}

func (o order[T]) clause() string {
	switch {
	case o.column == "":
		return " ORDER BY " + o.of("id") + " DESC"
	case o.ascending:
		return " ORDER BY " + o.of(o.column) + ", " + o.of("id")
	default:
		return " ORDER BY " + o.of(o.column) + " DESC, " + o.of("id") + " DESC"
	}
}

// columns are the columns of the order.
func (o order[T]) columns() string {
	if o.column == "" {
		return o.of("id")
	}
	return o.of(o.column) + ", " + o.of("id")
}

func (o order[T]) of(column string) string {
	if o.alias == "" {
		return column
	}
	return o.alias + "." + column
}

// slice cuts off the extra row, which only shows that another page follows.
func (o order[T]) slice(rows []T, limit int) Slice[T] {
	if len(rows) <= limit {
		return Slice[T]{Rows: rows}
	}
	next := o.position(rows[limit-1])
	return Slice[T]{Rows: rows[:limit], Next: &next}
}

// newestFirst runs "SELECT … FROM …" for one page. It reads one row more than the page holds, which shows
// whether another page follows without counting.
func newestFirst[T any](r Reader, scan func(scanner) (T, error), selectFrom string, c conditions, o order[T], p Page) (Slice[T], error) {
	o.after(&c, p.After)
	text := selectFrom + c.where() + o.clause() + " LIMIT " + c.arg(p.Limit+1)
	rows, err := many(r, scan, text, c.args...)
	return o.slice(rows, p.Limit), err
}

// merged reads a page of a table, named c in statements, whose indexes do not contain the organization, which
// is the first argument. It finds the page's keys in an index alone, by one walk or by each of the conditions'
// walks, and then reads those rows that belong to the organization. SQLite does not reorder a CROSS JOIN.
func merged[T any](r Reader, scan func(scanner) (T, error), columns, table string, c conditions, o order[T], p Page) (Slice[T], error) {
	o.after(&c, p.After)
	limit := " LIMIT " + c.arg(p.Limit+1)
	var walks []string
	for _, walk := range c.eachWalk() {
		walks = append(walks, "SELECT * FROM (SELECT "+o.columns()+" FROM "+table+" c"+c.where()+walk+o.clause()+limit+") w")
	}
	page := "SELECT c.id FROM (" + strings.Join(walks, " UNION ALL ") + ") c" + o.clause() + limit
	rows, err := many(r, scan, "SELECT "+columns+" FROM ("+page+") f CROSS JOIN "+table+" c WHERE c.org_id = $1 AND c.id = f.id"+o.clause(), c.args...)
	return o.slice(rows, p.Limit), err
}

// prefixed puts a table's alias before each column of a list.
func prefixed(alias, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		names[i] = alias + "." + strings.TrimSpace(name)
	}
	return strings.Join(names, ", ")
}
