package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
)

// record is an object to print, its fields in order.
type record []field

type field struct {
	name  string
	value any
}

// MarshalJSON keeps the order of the fields.
func (r record) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range r {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", f.name, value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// printOne prints a record as lines of name and value, or as one JSON object.
func (f storeFlags) printOne(w io.Writer, r record) error {
	if f.JSON {
		return printJSON(w, r)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r {
		fmt.Fprintf(tw, "%s\t%s\n", f.name, text(f.value))
	}
	return tw.Flush()
}

// printAll prints records as a table, or as {"data": […]}.
func (f storeFlags) printAll(w io.Writer, rs []record, header ...string) error {
	if f.JSON {
		return printJSON(w, record{{"data", rs}})
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.ToUpper(strings.Join(header, "\t")))
	for _, r := range rs {
		cells := make([]string, len(r))
		for i, f := range r {
			cells[i] = text(f.value)
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	return tw.Flush()
}

// printTable is printAll with only some of the fields in the table, so that a row fits on a terminal. JSON has all.
func (f storeFlags) printTable(w io.Writer, rs []record, columns ...string) error {
	if f.JSON {
		return f.printAll(w, rs)
	}
	narrow := make([]record, len(rs))
	for i, r := range rs {
		for _, name := range columns {
			narrow[i] = append(narrow[i], r[slices.IndexFunc(r, func(f field) bool { return f.name == name })])
		}
	}
	return f.printAll(w, narrow, columns...)
}

func printJSON(w io.Writer, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if strings.ContainsFunc(v, unicode.IsControl) { // it would break the table, or the terminal
			return strconv.Quote(v)
		}
		return v
	default:
		return fmt.Sprint(v)
	}
}

func instant(t time.Time) any { return chat.FormatTime(t) }

func instantOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return instant(*t)
}

func textOrNil(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func numberOrNil(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}

func names(rs record) []string {
	out := make([]string, len(rs))
	for i, f := range rs {
		out[i] = f.name
	}
	return out
}
