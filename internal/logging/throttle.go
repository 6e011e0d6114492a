// Package logging keeps the log readable while something is broken. An Episode has a line at its
// beginning and one at its end, however often it fails in between. A Throttle lets a warning that comes
// again and again through once a minute, with the count.
package logging

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// window is the least time between two lines of one cause.
	window = time.Minute
	// maxCauses bounds the memory: past it, lines of one message count as one cause.
	maxCauses = 1000
	// maxCause is how much of an error's text tells causes apart.
	maxCause = 200
)

// Throttle is a slog.Handler that writes warnings and errors at most once a minute per cause: the first
// at once, then a line for all that came in the minute after it, with their count and what the last of
// them said. What is below a warning passes untouched.
type Throttle struct {
	inner slog.Handler
	cause string // of the error that the logger was made with
	lines *lines
}

// lines are those of the last minute, by cause.
type lines struct {
	mu   sync.Mutex
	open map[key]*line
}

type key struct {
	level   slog.Level
	message string
	cause   string
}

// line is what came since the last line of its cause was written.
type line struct {
	count int
	last  slog.Record
	inner slog.Handler // of last
	timer *time.Timer
}

// NewThrottle puts a throttle before a handler.
func NewThrottle(inner slog.Handler) *Throttle {
	return &Throttle{inner: inner, lines: &lines{open: map[key]*line{}}}
}

// Enabled asks the handler behind.
func (t *Throttle) Enabled(ctx context.Context, level slog.Level) bool {
	return t.inner.Enabled(ctx, level)
}

// Handle writes a record, or counts it.
func (t *Throttle) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && t.lines.repeats(t.keyOf(r), r, t.inner) {
		return nil
	}
	return t.inner.Handle(ctx, r)
}

// WithAttrs returns a handler that shares the counts.
func (t *Throttle) WithAttrs(attrs []slog.Attr) slog.Handler {
	derived := &Throttle{inner: t.inner.WithAttrs(attrs), cause: t.cause, lines: t.lines}
	for _, a := range attrs {
		derived.cause += causeIn(a)
	}
	return derived
}

// WithGroup returns a handler that shares the counts.
func (t *Throttle) WithGroup(name string) slog.Handler {
	return &Throttle{inner: t.inner.WithGroup(name), cause: t.cause, lines: t.lines}
}

// Flush writes what has been counted, before the process ends.
func (t *Throttle) Flush() {
	for _, k := range t.lines.keys() {
		t.lines.write(k)
	}
}

func (t *Throttle) keyOf(r slog.Record) key {
	cause := t.cause
	r.Attrs(func(a slog.Attr) bool {
		cause += causeIn(a)
		return true
	})
	return key{r.Level, r.Message, cause}
}

// causeIn is what an attribute says of the cause. Words with a digit in them (ids, ports, addresses,
// counts) differ from one failure to the next, and do not tell causes apart.
func causeIn(a slog.Attr) string {
	if a.Key != "error" && a.Key != "panic" {
		return ""
	}
	text := a.Value.String()
	words := strings.FieldsFunc(text[:min(len(text), maxCause)], unicode.IsSpace)
	for i, word := range words {
		if strings.ContainsAny(word, "0123456789") {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

// repeats counts a record whose cause has had its line. It begins a new minute for any other.
func (l *lines) repeats(k key, r slog.Record, inner slog.Handler) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[k] == nil && len(l.open) >= maxCauses {
		k.cause = ""
	}
	if known := l.open[k]; known != nil {
		known.count++
		known.last, known.inner = r.Clone(), inner
		return true
	}
	l.open[k] = &line{timer: time.AfterFunc(window, func() { l.write(k) })}
	return false
}

// write ends a cause's minute.
func (l *lines) write(k key) {
	if repeated, ok := l.take(k); ok {
		repeated.last.AddAttrs(slog.Int("repeated", repeated.count))
		_ = repeated.inner.Handle(context.Background(), repeated.last) // slog ignores it, too
	}
}

// take returns what was counted in a cause's minute and begins the next, or forgets the cause when
// nothing was.
func (l *lines) take(k key) (counted line, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.open[k]
	if known == nil {
		return line{}, false
	}
	if known.count == 0 {
		known.timer.Stop()
		delete(l.open, k)
		return line{}, false
	}
	counted = *known
	known.count, known.last = 0, slog.Record{}
	known.timer.Reset(window)
	return counted, true
}

func (l *lines) keys() (all []key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.open {
		all = append(all, k)
	}
	return all
}
