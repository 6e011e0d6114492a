package store

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

type aheadKind int

const (
	aheadOther  aheadKind = iota // is not understood
	aheadRead                    // a SELECT that does nothing else
	aheadAdd                     // an INSERT of one row
	aheadInsert                  // an INSERT of one row unless its unique key is taken
	aheadChange                  // another INSERT, UPDATE or DELETE
)

// aheadForm is what is known of a statement by its text.
type aheadForm struct {
	kind    aheadKind
	table   string          // the one it changes, or reads by a key
	tables  map[string]bool // those that it reads, and perhaps others
	row     []int           // the arguments that name its row; nil: it cannot be named
	holds   bool            // it locks what it reads
	locks   bool            // it locks the row that it names
	probes  bool            // it looks for a unique key
	counted bool            // it changes the row that it names, and nothing can refuse that
	// Of an INSERT: the same without its condition, and the query for its unique key, which these arguments are.
	plain     string
	probe     *aheadProbe
	probeArgs []int
}

// aheadProbe is the query that tells what a statement would do.
type aheadProbe struct {
	sql  string
	form *aheadForm
}

var (
	aheadForms sync.Map // by text

	tableRead    = regexp.MustCompile(`\b(?:FROM|JOIN)\s+(\w+)`)
	tablesListed = regexp.MustCompile(`\bFROM\s+\w+(?:\s+(?:AS\s+)?\w+)?\s*,`) // not understood
	changedTable = regexp.MustCompile(`^(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)`)
	keyedRead    = regexp.MustCompile(`^SELECT [^()]+ FROM (\w+) WHERE org_id = \$1 AND id = \$2( |$)`)
	keyedChange  = regexp.MustCompile(`^(?:UPDATE|DELETE FROM) (\w+) [^()]*WHERE org_id = \$1 AND id = \$2$`)
	doNothing    = regexp.MustCompile(`^(INSERT INTO (\w+) (\([^()]*\))\s+VALUES \(([^()]*)\))\s+ON CONFLICT \(([^()]*)\) DO NOTHING$`)
	notOnlyReads = regexp.MustCompile(`pg_|set_config|nextval|SKIP LOCKED`)
	joined       = regexp.MustCompile(`(?i)\b(join|union)\b`)
	mayBeRefused = regexp.MustCompile(`_key = `) // names without regard to case are unique
	rowOfIDs     = []int{0, 1}
)

func aheadFormOf(sql string) *aheadForm {
	if known, ok := aheadForms.Load(sql); ok {
		return known.(*aheadForm)
	}
	f, _ := aheadForms.LoadOrStore(sql, newAheadForm(sql))
	return f.(*aheadForm)
}

func newAheadForm(sql string) *aheadForm {
	f := &aheadForm{tables: map[string]bool{}}
	if strings.HasPrefix(sql, "SELECT ") {
		f.reads(sql)
	} else if m := changedTable.FindStringSubmatch(sql); m != nil && !strings.Contains(sql, "RETURNING") {
		f.changes(sql, m[1])
	}
	return f
}

func (f *aheadForm) reads(sql string) {
	if notOnlyReads.MatchString(sql) || tablesListed.MatchString(sql) {
		return
	}
	f.kind = aheadRead
	f.holds = strings.Contains(sql, postgresDialect.forUpdate) || strings.Contains(sql, postgresDialect.keepRow)
	for _, m := range tableRead.FindAllStringSubmatch(sql, -1) {
		f.tables[m[1]] = true
	}
	if m := keyedRead.FindStringSubmatch(sql); m != nil && !joined.MatchString(sql) && strings.LastIndex(sql, "SELECT") == 0 {
		f.table, f.row, f.locks = m[1], rowOfIDs, strings.HasSuffix(sql, postgresDialect.forUpdate)
	}
}

func (f *aheadForm) changes(sql, table string) {
	f.kind, f.table = aheadChange, table
	if form := formOf(sql); form != nil && form.by == "org_id id" {
		f.row = form.id
	}
	if keyedChange.MatchString(sql) {
		f.row, f.counted = rowOfIDs, !mayBeRefused.MatchString(sql)
		f.probe = newProbe("SELECT 1 FROM "+table+" WHERE org_id = $1 AND id = $2"+postgresDialect.forUpdate, false)
	}
	if m := insertForm.FindStringSubmatch(sql); m != nil && m[4] == "" {
		f.kind = aheadAdd
	}
	m := doNothing.FindStringSubmatch(sql)
	if m == nil {
		return
	}
	unique := fields(m[5])
	if f.probeArgs = argumentsOf(m[3], m[4], unique); f.probeArgs == nil {
		return
	}
	f.kind, f.plain = aheadInsert, m[1]
	conditions := make([]string, len(unique))
	for i, name := range unique {
		conditions[i] = fmt.Sprintf("%s = $%d", name, i+1)
	}
	f.probe = newProbe("SELECT 1 FROM "+table+" WHERE "+strings.Join(conditions, " AND "), true)
}

func newProbe(sql string, unique bool) *aheadProbe {
	form := *aheadFormOf(sql)
	form.probes = unique
	return &aheadProbe{sql, &form}
}

// rowOf names the statement's row in a table; empty: it cannot be named.
func (f *aheadForm) rowOf(table string, args []any) string {
	if f.row == nil || f.table != table {
		return ""
	}
	var name strings.Builder
	for _, i := range f.row {
		text, ok := args[i].(string)
		if !ok {
			return ""
		}
		name.WriteString(text)
		name.WriteByte(0)
	}
	return name.String()
}

// uniqueKey is the arguments of an INSERT that must be unique; false if one of them is null, which is never taken.
func (f *aheadForm) uniqueKey(args []any) (key []any, ok bool) {
	for _, i := range f.probeArgs {
		if text, isPointer := args[i].(*string); isPointer && text == nil {
			return nil, false
		}
		key = append(key, args[i])
	}
	return key, true
}
