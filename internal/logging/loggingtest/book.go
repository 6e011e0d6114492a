// Package loggingtest keeps what is logged or printed, for tests to read. Only tests import it.
package loggingtest

import (
	"bytes"
	"log/slog"
	"sync"
)

// Book keeps what is written to it, by any number of goroutines.
type Book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Logger writes into the book.
func (b *Book) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

func (b *Book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String is all that was written since the last Take.
func (b *Book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Take returns what was written since the last Take.
func (b *Book) Take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}
