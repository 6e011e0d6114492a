package store

import "time"

// clockSkew is how far the clocks of nodes may normally differ.
const clockSkew = 5 * time.Second

// fromFuture is the latest time that a correct clock can show. Work that was due when it was written, and has a
// later time, was written before the clock was turned back.
func fromFuture(now time.Time) int64 { return now.Add(clockSkew).UnixMilli() }

func truncate(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func ceilMillisecond(t time.Time) time.Time {
	return t.Add(time.Millisecond - 1).Truncate(time.Millisecond)
}

func toTime(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func toTimePtr(ms *int64) *time.Time {
	if ms == nil {
		return nil
	}
	t := toTime(*ms)
	return &t
}

func msPtr(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}
