package sender

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// A count covers the last sixty seconds, whatever happened before.
func TestMinute(t *testing.T) {
	t.Parallel()
	begin := store.Moment(1000 * time.Second)
	var m minute
	for i := range 90 {
		m.note(begin.Add(time.Duration(i) * time.Second))
		m.note(begin.Add(time.Duration(i) * time.Second))
	}
	for after, want := range map[time.Duration]int{89 * time.Second: 120, 100 * time.Second: 98, 148 * time.Second: 2, 149 * time.Second: 0, time.Hour: 0} {
		if got := m.count(begin.Add(after)); got != want {
			t.Errorf("after %v it counts %d, want %d", after, got, want)
		}
	}
}
