package cli

import (
	"bufio"
	"encoding/csv"
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

// table is a table of recipients.
type table struct {
	rows   *csv.Reader
	header []string
	at     int      // the column with the numbers
	first  []string // the first row, if it has no names
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
		}
	}
	return t, nil
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

// readRecipients reads a table in batches.
func readRecipients(r io.Reader, most int, each func([]client.NewRecipient) error) error {
	t, err := newTable(r)
	if err != nil {
		return err
	}
	page := make([]client.NewRecipient, 0, most)
	for {
		row, err := t.next()
		if errors.Is(err, io.EOF) {
			if len(page) == 0 {
				return nil
			}
			return each(page)
		}
		if err != nil {
			return err
		}
		page = append(page, t.recipient(row))
		if len(page) == most {
			if err := each(page); err != nil {
				return err
			}
			page = page[:0]
		}
	}
}

func (t *table) recipient(row []string) client.NewRecipient {
	r := client.NewRecipient{Variables: map[string]string{}}
	for i, cell := range row {
		switch {
		case i == t.at:
			r.To = strings.TrimSpace(cell)
		case i < len(t.header) && cell != "":
			r.Variables[strings.TrimSpace(t.header[i])] = cell
		}
	}
	if r.To == "" {
		r.To = "-" // the service records an empty number as wrong, like others
	}
	return r
}
