package contactjobs

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// rowsOf reads a file as an import does.
func rowsOf(content []byte) (rows [][]string, err error) {
	begin := bufio.NewReaderSize(Decoded(bytes.NewReader(content)), sniffed)
	sample, _ := begin.Peek(sniffed)
	f := newFile(begin, Delimiter(sample))
	for {
		cells, err := f.next()
		if err != nil {
			return rows, err
		}
		rows = append(rows, cells)
	}
}

// Whatever a file holds, its cells can be stored, and reading it comes to an end.
func FuzzFile(f *testing.F) {
	for _, content := range []string{
		"phone,name\r\n+15550100999,Ada\r\n", "\xef\xbb\xbfphone;name\n+1;\"a \"\"b\"\"\"\n", "\xff\xfep\x00;\x00\n\x00", "\xfe\xff\x00p\x00;\x00\n",
		"a\tb\n\"never closed", "caf\xe9|x\n", "\x00\n", "\"\n", "a,\"b\"c\n\n\n",
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		rows, err := rowsOf(content)
		var wrong *csv.ParseError
		if !errors.Is(err, io.EOF) && !errors.Is(err, errEndless) && !errors.As(err, &wrong) {
			t.Fatalf("it ended with %v", err)
		}
		for _, cell := range slices.Concat(rows...) {
			if !utf8.ValidString(cell) || strings.ContainsRune(cell, 0) {
				t.Errorf("the cell %q cannot be stored", cell)
			}
		}
	})
}

// What a spreadsheet writes is read as it was, with any delimiter.
func FuzzWrittenFile(f *testing.F) {
	f.Add("Ada; \"the\" first", "two\nlines", uint8(1))
	f.Add("", "=1+1", uint8(0))
	f.Fuzz(func(t *testing.T, first, second string, delimiter uint8) {
		clean := func(cell string) string {
			// Lines end with \n when read, and a carriage return is no part of a name.
			return strings.ReplaceAll(CleanCell(strings.ToValidUTF8(cell, "")), "\r", "")
		}
		want := [][]string{{"phone", "name", "note"}, {"+15550100999", clean(first), clean(second)}}
		var written bytes.Buffer
		w := csv.NewWriter(&written)
		w.Comma = []rune{',', ';', '\t', '|'}[delimiter%4]
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		got, err := rowsOf(written.Bytes())
		if !errors.Is(err, io.EOF) || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q is read as %q (%v), want %q", written.String(), got, err, want)
		}
	})
}
