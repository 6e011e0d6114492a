package store

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// merge combines statements that differ only in their arguments into one, so that a hundred rows cost one plan
// and one run. It keeps the order where it matters: a statement joins an earlier one only past statements about
// other tables or other rows.
func merge(pending []statement) []statement {
	if len(pending) < 2 {
		return pending
	}
	var groups []*group
	tables := map[string][]*group{} // the groups of each table since the last statement whose rows are unknown
	for _, s := range pending {
		form := formOf(s.sql)
		if form == nil {
			clear(tables)
			groups = append(groups, &group{statement: s})
			continue
		}
		if joins(tables[form.table], s, form) {
			continue
		}
		g := newGroup(s, form)
		groups, tables[form.table] = append(groups, g), append(tables[form.table], g)
	}
	merged := make([]statement, len(groups))
	for i, g := range groups {
		merged[i] = g.whole()
	}
	return merged
}

// joins adds a statement to the last group with its text, if the groups after it are about other rows.
func joins(behind []*group, s statement, form *form) bool {
	for _, g := range slices.Backward(behind) {
		if g.form == form {
			return g.take(s.args)
		}
		if !g.isAboutOthers(form, s.args) {
			return false
		}
	}
	return false
}

// group is the statements that become one.
type group struct {
	statement
	form    *form
	columns []column        // nil: it stays as it is
	rows    map[string]bool // the rows by their names; nil if unknown
	count   int
}

// newGroup makes a group from its first statement.
func newGroup(s statement, f *form) *group {
	g := &group{statement: s, form: f, columns: make([]column, len(s.args))}
	for i, arg := range s.args {
		c, ok := newColumn(arg)
		if !ok {
			return &group{statement: s, form: f}
		}
		g.columns[i] = c
	}
	if _, named := f.row(s.args); named {
		g.rows = map[string]bool{}
	}
	g.take(s.args)
	return g
}

// isAboutOthers reports whether the group does not touch the statement's row.
func (g *group) isAboutOthers(f *form, args []any) bool {
	row, named := f.row(args)
	return named && g.rows != nil && g.form.by == f.by && !g.rows[row]
}

// form is a statement that can be written for many rows: an INSERT of values, or an UPDATE or DELETE of the row
// that its first two arguments name.
type form struct {
	table  string
	before string // the text before the table of rows
	after  string // the text after it
	by     string // the columns that name the row; empty if unknown
	id     []int  // the arguments of these columns
	once   bool   // a row may occur only once
	texts  sync.Map
}

var (
	forms sync.Map // by text; nil for a statement that stays as it is

	insertForm = regexp.MustCompile(`^INSERT INTO (\w+) (\([^()]*\))\s+VALUES \(([^()]*)\)(\s+ON CONFLICT [^$]+)?$`)
	conflict   = regexp.MustCompile(`ON CONFLICT \(([^()]*)\) DO UPDATE`)
	updateForm = regexp.MustCompile(`(?s)^UPDATE (\w+) SET (.*?)\s+WHERE (org_id = \$1 AND id = \$2(?: AND .*)?)$`)
	deleteForm = regexp.MustCompile(`^DELETE FROM (\w+) WHERE org_id = \$1 AND (\w+) = \$2$`)
	argument   = regexp.MustCompile(`\$(\d+)`)
)

func formOf(text string) *form {
	if known, ok := forms.Load(text); ok {
		return known.(*form)
	}
	f, _ := forms.LoadOrStore(text, newForm(text))
	return f.(*form)
}

func newForm(text string) *form {
	if m := insertForm.FindStringSubmatch(text); m != nil {
		return insertOf(m[1], m[2], m[3], m[4])
	}
	if m := updateForm.FindStringSubmatch(text); m != nil && !strings.Contains(text, "SELECT") {
		return &form{table: m[1], by: "org_id id", id: []int{0, 1}, once: true, before: "UPDATE " + m[1] + " SET " + named(m[2]) + " FROM ", after: " WHERE " + named(m[3])}
	}
	if m := deleteForm.FindStringSubmatch(text); m != nil {
		return &form{table: m[1], by: "org_id " + m[2], id: []int{0, 1}, before: "DELETE FROM " + m[1] + " USING ", after: " WHERE org_id = n.c1 AND " + m[2] + " = n.c2"}
	}
	return nil
}

// insertOf is the form of an INSERT. Its conflict columns name its row, or else its id.
func insertOf(table, columns, values, clause string) *form {
	f := &form{table: table, before: "INSERT INTO " + table + " " + columns + " SELECT " + named(values) + " FROM ", after: clause}
	if m := conflict.FindStringSubmatch(clause); m != nil {
		f.once = true
		if !f.nameBy(columns, values, fields(m[1])) {
			return nil
		}
		return f
	}
	if strings.Contains(clause, "DO UPDATE") {
		return nil
	}
	f.nameBy(columns, values, []string{"org_id", "id"})
	return f
}

// nameBy sets the columns that name rows. It returns false if one of them is not an argument.
func (f *form) nameBy(columns, values string, names []string) bool {
	if f.id = argumentsOf(columns, values, names); f.id != nil {
		f.by = strings.Join(names, " ")
	}
	return f.id != nil
}

// argumentsOf finds the arguments of columns; nil if one of them is not an argument.
func argumentsOf(columns, values string, wanted []string) (arguments []int) {
	names, items := fields(columns), fields(values)
	for _, name := range wanted {
		at := slices.Index(names, name)
		if at < 0 || at >= len(items) || items[at][0] != '$' {
			return nil
		}
		n, err := strconv.Atoi(items[at][1:])
		if err != nil {
			return nil
		}
		arguments = append(arguments, n-1)
	}
	return arguments
}

// named replaces the arguments in a part of a statement by columns.
func named(part string) string { return argument.ReplaceAllString(part, "n.c$1") }

// fields splits a list of names.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune("(), \n\t", r) })
}

// row names the statement's row. It returns false if that is unknown.
func (f *form) row(args []any) (string, bool) {
	var name strings.Builder
	for _, i := range f.id {
		text, ok := args[i].(string)
		if !ok {
			return "", false
		}
		name.WriteString(text)
		name.WriteByte(0)
	}
	return name.String(), f.id != nil
}

// take adds a row. It returns false if the row cannot be in the same statement.
func (g *group) take(args []any) bool {
	if len(args) != len(g.columns) {
		return false
	}
	for i, arg := range args {
		if !g.columns[i].fits(arg) {
			return false
		}
	}
	row, named := g.form.row(args)
	if g.form.once && (!named || g.rows[row]) {
		return false
	}
	if g.rows != nil && named {
		g.rows[row] = true
	}
	for i, arg := range args {
		g.columns[i].add(arg)
	}
	g.count++
	return true
}

// whole is the combined statement.
func (g *group) whole() statement {
	if g.count < 2 {
		return g.statement
	}
	args := make([]any, len(g.columns))
	for i, c := range g.columns {
		args[i] = c.values()
	}
	return statement{g.form.text(g.columns), args}
}

// text is the statement for rows of such columns.
func (f *form) text(columns []column) string {
	kinds := make([]string, len(columns))
	for i, c := range columns {
		kinds[i] = c.kind()
	}
	key := strings.Join(kinds, " ")
	if known, ok := f.texts.Load(key); ok {
		return known.(string)
	}
	var arrays, names []string
	for i, kind := range kinds {
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", i+1, kind))
		names = append(names, fmt.Sprintf("c%d", i+1))
	}
	text := f.before + "unnest(" + strings.Join(arrays, ", ") + ") AS n (" + strings.Join(names, ", ") + ")" + f.after
	f.texts.Store(key, text)
	return text
}

// column is the values of one argument, row by row.
type column interface {
	kind() string
	fits(arg any) bool
	add(arg any)
	values() any
}

func newColumn(arg any) (column, bool) {
	switch arg.(type) {
	case string:
		return &columnOf[string]{name: "text"}, true
	case *string:
		return &columnOf[*string]{name: "text"}, true
	case int64:
		return &columnOf[int64]{name: "bigint"}, true
	case *int64:
		return &columnOf[*int64]{name: "bigint"}, true
	case int:
		return &columnOf[int]{name: "bigint"}, true
	case int32:
		return &columnOf[int32]{name: "bigint"}, true
	case bool:
		return &columnOf[bool]{name: "boolean"}, true
	}
	return nil, false
}

type columnOf[T any] struct {
	name string
	all  []T
}

func (c *columnOf[T]) kind() string { return c.name }

func (c *columnOf[T]) fits(arg any) bool {
	_, ok := arg.(T)
	return ok
}

func (c *columnOf[T]) add(arg any) { c.all = append(c.all, arg.(T)) }

func (c *columnOf[T]) values() any { return c.all }
