package cli

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/contactjobs"
)

var (
	// numberColumns are the accepted names of the column with the numbers.
	numberColumns = []string{"to", "number", "phone", "phone_number"}
	// looksLikeNumber recognises a first row that is not a row of names.
	looksLikeNumber = regexp.MustCompile(`^\s*\+?[\d\s().-]{6,}$`)
)

// openTable opens a file, or the standard input.
func openTable(file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(file)
}

// What goes to the service at once: a thousand recipients, and less than the megabyte that it takes.
const (
	maxRecipients = 1000
	maxTexts      = 512 << 10
	// maxText is longer than any text that a template takes. The rest of a longer one need not be sent to be refused.
	maxText = 4096
)

// table is a table of recipients.
type table struct {
	rows   *csv.Reader
	header []string
	at     int            // the column with the numbers
	first  []string       // the next row, if it has been read already
	wanted map[int]string // the variables that columns are for
}

// newTable reads the names of the columns. Encoding and delimiter are guessed, because spreadsheets differ in them.
func newTable(r io.Reader) (*table, error) {
	begin := bufio.NewReaderSize(contactjobs.Decoded(r), 64<<10)
	sample, _ := begin.Peek(64 << 10)
	t := &table{rows: csv.NewReader(begin)}
	t.rows.Comma, t.rows.FieldsPerRecord = contactjobs.Delimiter(sample), -1
	first, err := t.next()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the table is empty")
	}
	if err != nil {
		return nil, err
	}
	t.header = first
	t.at = slices.IndexFunc(first, func(name string) bool {
		return slices.Contains(numberColumns, strings.ToLower(strings.TrimSpace(name)))
	})
	if t.at < 0 {
		t.at = 0
		if looksLikeNumber.MatchString(first[0]) {
			t.header, t.first = nil, first
			return t, nil
		}
	}
	if t.first, err = t.next(); errors.Is(err, io.EOF) {
		return nil, errors.New("the table has no rows below the names of its columns")
	}
	return t, err
}

// columnPattern finds the columns in the components of a template.
var columnPattern = regexp.MustCompile(`\{\{\s*recipient\.([^{}|]+?)\s*(?:\|[^{}]*)?\}\}`)

// want chooses the columns that a message has variables for, and returns the names of those that are not there. Case does
// not matter, because people write the names twice.
func (t *table) want(components json.RawMessage) (missing []string) {
	t.wanted = map[int]string{}
	for _, found := range columnPattern.FindAllSubmatch(components, -1) {
		var name string
		if json.Unmarshal([]byte(`"`+string(found[1])+`"`), &name) != nil {
			name = string(found[1])
		}
		at := slices.IndexFunc(t.header, func(column string) bool { return strings.EqualFold(strings.TrimSpace(column), name) })
		switch {
		case at >= 0:
			t.wanted[at] = name
		case !slices.Contains(missing, name):
			missing = append(missing, name)
		}
	}
	return missing
}

// next returns the cells of the next row, or io.EOF.
func (t *table) next() ([]string, error) {
	if row := t.first; row != nil {
		t.first = nil
		return row, nil
	}
	row, err := t.rows.Read()
	if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		return nil, fmt.Errorf("%w: put the whole cell in quotation marks, and write those inside it twice", err)
	}
	for i, cell := range row {
		row[i] = contactjobs.CleanCell(cell)
	}
	return row, err
}

// each reads the recipients in batches.
func (t *table) each(most int, do func([]client.NewRecipient) error) error {
	page, texts := make([]client.NewRecipient, 0, most), 0
	for {
		row, err := t.next()
		if errors.Is(err, io.EOF) {
			if len(page) == 0 {
				return nil
			}
			return do(page)
		}
		if err != nil {
			return err
		}
		r, size := t.recipient(row)
		if len(page) == most || len(page) > 0 && texts+size > maxTexts {
			if err := do(page); err != nil {
				return err
			}
			page, texts = page[:0], 0
		}
		page, texts = append(page, r), texts+size
	}
}

// recipient makes a recipient of a row. size is about how long it is.
func (t *table) recipient(row []string) (r client.NewRecipient, size int) {
	r.Variables = map[string]string{}
	for i, cell := range row {
		name, wanted := t.wanted[i]
		switch {
		case i == t.at:
			r.To = cut(strings.TrimSpace(cell), 100)
		case wanted && cell != "":
			r.Variables[name] = cut(cell, maxText)
			size += len(name) + len(r.Variables[name])
		}
	}
	if t.wanted[t.at] != "" && r.To != "" {
		r.Variables[t.wanted[t.at]] = r.To
	}
	if r.To == "" {
		r.To = "-" // the service records an empty number as wrong, like others
	}
	return r, size + 100
}

// cut is the beginning of a text.
func cut(s string, runes int) string {
	if len(s) <= runes {
		return s
	}
	if r := []rune(s); len(r) > runes {
		return string(r[:runes])
	}
	return s
}
