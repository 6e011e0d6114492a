package store

import "time"

// clockSkew is by how much the clocks of nodes may differ without anything being made of it.
const clockSkew = 5 * time.Second

// fromFuture is the instant behind which no clock can be that is right: what was due when it was written,
// and is due only then, was written before a clock was turned back.
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
