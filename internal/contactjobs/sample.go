package contactjobs

import (
	"context"
	"io"
	"strings"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
)

// sampleRows is the number of rows shown before an import.
const sampleRows = 20

// FileSample is the beginning of a file.
type FileSample struct {
	Delimiter string
	Header    bool // the first row looks like column names
	Rows      [][]string
}

// Sample reads the beginning of a stored file.
func Sample(ctx context.Context, blobs blob.Store, key string) (s FileSample, err error) {
	f, err := blobs.Get(ctx, key)
	if err != nil {
		return s, err
	}
	defer f.Close()
	begin := make([]byte, sniffed)
	n, err := io.ReadFull(f, begin)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return s, err
	}
	delimiter := Delimiter(begin[:n])
	s.Delimiter = string(delimiter)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return s, err
	}
	rows := newFile(f, delimiter)
	for len(s.Rows) <= sampleRows {
		cells, err := rows.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return s, chat.Invalid("file", "Row %d cannot be read: %s.", rows.row+1, err)
		}
		if strings.Join(cells, "") != "" {
			s.Rows = append(s.Rows, cells)
		}
	}
	if len(s.Rows) == 0 {
		return s, chat.Invalid("file", "The file has no rows.")
	}
	s.Header = !hasNumber(s.Rows[0])
	return s, nil
}

// hasNumber reports whether a row has a phone number.
func hasNumber(cells []string) bool {
	for _, cell := range cells {
		if _, err := chat.ReadNumber(chat.Unguarded(strings.TrimSpace(cell)), "US"); err == nil {
			return true
		}
	}
	return false
}

// Preview parses the first rows of a file as an import would.
func Preview(ctx context.Context, blobs blob.Store, key string, task chat.ContactImport) (rows []chat.ImportRow, err error) {
	f, err := blobs.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := newImportFile(f, task)
	for err == nil && len(rows) < sampleRows {
		var row chat.ImportRow
		if row, err = file.next(); err == nil {
			rows = append(rows, row)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return rows, err
}
