package store

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// addAsked adds queries to a batch. Those with the same text become one. All transactions ask, and so lock, in the same
// order, and lock before they read what nobody may have changed since.
func addAsked(batch *reads, asking []*asked) {
	slices.SortFunc(asking, func(a, b *asked) int {
		return cmp.Or(-compareBools(a.holds, b.holds), cmp.Compare(a.key.sql, b.key.sql), cmp.Compare(a.key.args, b.key.args))
	})
	for len(asking) > 0 {
		n := 1
		for n < len(asking) && asking[n].sql == asking[0].sql {
			n++
		}
		addAlike(batch, asking[:n])
		asking = asking[n:]
	}
}

// compareBools puts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// addAlike adds queries with the same text, as one if possible.
func addAlike(batch *reads, alike []*asked) {
	if len(alike) > 1 {
		if s, ok := forEachOf(alike); ok {
			batch.add(s.sql, func(row scanner) error { return keepNumbered(row.(pgx.Rows), alike) }, s.args...)
			return
		}
	}
	for _, a := range alike {
		batch.add(a.sql, func(row scanner) error { a.keep(row.(pgx.Rows), 0); return nil }, a.args...)
	}
}

// keepNumbered keeps a row for the query whose number is in its first column.
func keepNumbered(rows pgx.Rows, alike []*asked) error {
	var n int64
	if err := rows.Conn().TypeMap().Scan(pgtype.Int8OID, rows.FieldDescriptions()[0].Format, rows.RawValues()[0], &n); err != nil {
		return err
	}
	alike[n-1].keep(rows, 1)
	return nil
}

// keep copies a row without its first columns.
func (a *asked) keep(rows pgx.Rows, without int) {
	if a.fields == nil {
		a.fields = slices.Clone(rows.FieldDescriptions()[without:])
	}
	values := rows.RawValues()[without:]
	row := make([][]byte, len(values))
	for i, v := range values {
		row[i] = bytes.Clone(v)
	}
	a.rows = append(a.rows, row)
}

// each calls read for every row of the result.
func (a *asked) each(types *pgtype.Map, read func(scanner) error) error {
	for _, row := range a.rows {
		err := read(scannerFunc(func(dest ...any) error { return pgx.ScanRow(types, a.fields, row, dest...) }))
		if err != nil {
			return err
		}
	}
	return nil
}

var eachOfTexts sync.Map // the query for many sets of arguments, by the query and their types

// forEachOf is one query for queries with the same text. Its first column is the number of the query whose row it is.
func forEachOf(alike []*asked) (s statement, ok bool) {
	columns := make([]column, len(alike[0].args))
	kinds := make([]string, len(columns))
	for i, arg := range alike[0].args {
		if columns[i], ok = newColumn(arg); !ok {
			return s, false
		}
		kinds[i] = columns[i].kind()
	}
	for _, a := range alike {
		for i, arg := range a.args {
			if !columns[i].fits(arg) {
				return s, false
			}
			columns[i].add(arg)
		}
	}
	for _, c := range columns {
		s.args = append(s.args, c.values())
	}
	s.sql = eachOfText(alike[0].sql, kinds)
	return s, len(columns) > 0
}

func eachOfText(sql string, kinds []string) string {
	key := askKey{sql, strings.Join(kinds, " ")}
	if known, ok := eachOfTexts.Load(key); ok {
		return known.(string)
	}
	var arrays, names []string
	for i, kind := range kinds {
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", i+1, kind))
		names = append(names, fmt.Sprintf("c%d", i+1))
	}
	inner := argument.ReplaceAllString(sql, "asked.c$1")
	if !strings.Contains(sql, " FOR ") && !strings.Contains(sql, " LIMIT ") {
		inner += postgresDialect.fence // each look-up is separate, whatever the planner assumes
	}
	text := "SELECT asked.number, found.* FROM unnest(" + strings.Join(arrays, ", ") + ") WITH ORDINALITY AS asked (" +
		strings.Join(names, ", ") + ", number) CROSS JOIN LATERAL (" + inner + ") found"
	eachOfTexts.Store(key, text)
	return text
}

// textOf names arguments, so that equal ones have equal names.
func textOf(args []any) string {
	var b []byte
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			b = append(strconv.AppendInt(append(b, 's'), int64(len(v)), 10), ' ')
			b = append(b, v...)
		case int64:
			b = strconv.AppendInt(append(b, 'i'), v, 10)
		case *string:
			if v == nil {
				b = append(b, 'n')
			} else {
				b = append(strconv.AppendInt(append(b, 'p'), int64(len(*v)), 10), ' ')
				b = append(b, *v...)
			}
		default:
			b = fmt.Appendf(append(b, 'o'), "%T %#v ", v, v)
		}
	}
	return string(b)
}
