// Package logging keeps the log readable while something is broken. An Episode writes one line at its beginning
// and one at its end, however often it fails in between. A Throttle lets a repeated warning through once a
// minute, with the count.
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
	// maxCauses bounds the memory. Beyond it, all lines with the same message count as one cause.
	maxCauses = 1000
	// maxCause is the part of an error's text by which causes are told apart.
	maxCause = 200
)

// Throttle is a slog.Handler that writes warnings and errors at most once a minute per cause: the first at
// once, then one line for all that came in the following minute, with their count and the text of the last.
// Lower levels pass unchanged, but for the ends of episodes: of something that fails and works in turns they would be as
// many as its beginnings.
type Throttle struct {
	inner slog.Handler
	cause string // from the error attribute of the logger
	lines *lines
}

// lines are the lines of the last minute, by cause.
type lines struct {
	mu   sync.Mutex
	open map[key]*line
}

type key struct {
	level   slog.Level
	message string
	cause   string
}

// line counts the records since the last written line of its cause.
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

// Enabled asks the inner handler.
func (t *Throttle) Enabled(ctx context.Context, level slog.Level) bool {
	return t.inner.Enabled(ctx, level)
}

// Handle writes a record, or counts it.
func (t *Throttle) Handle(ctx context.Context, r slog.Record) error {
	if (r.Level >= slog.LevelWarn || ctx.Value(episodeEnds{}) != nil) && t.lines.repeats(t.keyOf(r), r, t.inner) {
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

// Flush writes the counted lines, before the process ends.
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

// causeIn is the part of an attribute that identifies the cause. It drops words with a digit (ids, ports,
// addresses, counts), because they differ from one failure to the next.
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

// repeats counts a record if its cause has had its line. Otherwise it starts a new minute and returns false.
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
		_ = repeated.inner.Handle(context.Background(), repeated.last) // slog ignores the error as well
	}
}

// take returns the records counted in a cause's minute and starts the next one. If there were none, it forgets
// the cause.
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
