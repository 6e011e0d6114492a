package contactjobs

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/parleyhq/parley/internal/chat"
)

const (
	// MaxFile is the largest file of contacts, in bytes.
	MaxFile = 64 << 20
	// maxRows is the greatest number of rows in a file.
	maxRows = 500_000
	// maxRecord is the longest row. A longer one is a quote that is never closed.
	maxRecord = 256 << 10
	// maxCell is the part of a cell that is kept for a rejected row.
	maxCell = 500
	// sniffed is the part of a file from which its delimiter is guessed.
	sniffed = 64 << 10
)

var errEndless = errors.New("a quote is opened and never closed")

// Decoded converts a file from UTF-16 to UTF-8, the ends of its lines to \n, and leaves out the line in which Excel names
// the delimiter. Other encodings are left to CleanCell.
func Decoded(r io.Reader) io.Reader {
	begin := bufio.NewReaderSize(r, 4)
	var decoded io.Reader = begin
	switch mark, _ := begin.Peek(3); {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		begin.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		decoded = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(begin)
	}
	lines := bufio.NewReader(&lineReader{r: decoded})
	if first, _ := lines.Peek(len("sep=;\n")); len(first) == len("sep=;\n") && first[5] == '\n' && strings.EqualFold(string(first[:4]), "sep=") {
		lines.Discard(len(first))
	}
	return lines
}

// lineReader ends each line with \n. Some programs still end them with \r alone, and a file would be one row.
type lineReader struct {
	r       io.Reader
	pending bool // the last byte was \r, for which \n was given
}

func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	kept := 0
	for _, b := range p[:n] {
		if second := l.pending && b == '\n'; !second {
			p[kept] = b
			if b == '\r' {
				p[kept] = '\n'
			}
			kept++
		}
		l.pending = b == '\r'
	}
	return kept, err
}

// Delimiter guesses the delimiter from the beginning of a file.
func Delimiter(begin []byte) rune {
	line, quoted := begin[:min(len(begin), sniffed)], false
	counts := map[rune]int{}
	for _, b := range line {
		if b == '"' {
			quoted = !quoted
		}
		if b == '\n' && !quoted {
			if len(counts) > 0 {
				break
			}
			continue // an empty line
		}
		if !quoted {
			counts[rune(b)]++
		}
	}
	best := ','
	for _, d := range []rune{';', '\t', '|'} {
		if counts[d] > counts[best] {
			best = d
		}
	}
	return best
}

// file is read row by row.
type file struct {
	csv     *csv.Reader
	bounded *boundedReader
	row     int // number of the last row read, as a spreadsheet shows it
	line    int // where the next row begins, unless empty lines come first
	offset  int64
}

func newFile(r io.Reader, delimiter rune) *file {
	bounded := &boundedReader{r: r}
	f := &file{csv: csv.NewReader(bounded), bounded: bounded, line: 1}
	f.csv.Comma, f.csv.FieldsPerRecord, f.csv.LazyQuotes = delimiter, -1, true
	return f
}

// next returns the cells of the next row, or io.EOF.
func (f *file) next() ([]string, error) {
	f.bounded.left = maxRecord
	cells, err := f.csv.Read()
	if err != nil {
		return nil, err
	}
	line, _ := f.csv.FieldPos(0)
	f.row += 1 + line - f.line // the lines that the reader has left out are rows, too
	f.line = line + 1 + strings.Count(strings.Join(cells, ""), "\n")
	if f.row > maxRows+1 {
		return nil, fmt.Errorf("the file has more than %d rows: divide it", maxRows)
	}
	f.offset = f.csv.InputOffset()
	for i, cell := range cells {
		cells[i] = CleanCell(cell)
	}
	return cells, nil
}

// CleanCell decodes a cell that is not UTF-8 as Windows-1252, and drops characters that cannot be stored.
func CleanCell(cell string) string {
	if !utf8.ValidString(cell) {
		if decoded, err := charmap.Windows1252.NewDecoder().String(cell); err == nil {
			cell = decoded
		}
	}
	return strings.ReplaceAll(cell, "\x00", "")
}

// boundedReader ends a row that is too long.
type boundedReader struct {
	r    io.Reader
	left int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errEndless
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}

// importFile reads rows by an import's mapping.
type importFile struct {
	*file
	mapping chat.ImportMapping
	numbers map[string]int // the first row of each number
}

func newImportFile(r io.Reader, task chat.ContactImport) (*importFile, error) {
	f := &importFile{file: newFile(r, []rune(task.Delimiter)[0]), mapping: *task.Mapping, numbers: map[string]int{}}
	if f.mapping.Header {
		if _, err := f.filled(); err != nil && err != io.EOF {
			return nil, err
		}
	}
	return f, nil
}

// filled returns the cells of the next row that is not empty, or io.EOF.
func (f *file) filled() ([]string, error) {
	cells, err := f.next()
	for err == nil && strings.Join(cells, "") == "" {
		cells, err = f.next()
	}
	return cells, err
}

// next returns the next row that is not empty, or io.EOF. It refuses a number that an earlier row had.
func (f *importFile) next() (chat.ImportRow, error) {
	cells, err := f.filled()
	if err != nil {
		return chat.ImportRow{}, err
	}
	row := f.mapping.Read(f.row, cells)
	if row.Problem == "" {
		if first, there := f.numbers[row.Number]; there {
			row.Problem = fmt.Sprintf("Row %d has the same number.", first)
		} else {
			f.numbers[row.Number] = row.Row
		}
	}
	if row.Problem != "" {
		for i, cell := range row.Cells {
			if r := []rune(cell); len(r) > maxCell {
				row.Cells[i] = string(r[:maxCell]) + "…"
			}
		}
	}
	return row, nil
}
