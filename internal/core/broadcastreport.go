package core

import (
	"maps"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// BroadcastReport sums up what happened to a broadcast.
type BroadcastReport struct {
	Counts  chat.BroadcastCounts
	Reasons []store.ReasonCount // why recipients were skipped or failed
	Clicks  []store.ReasonCount // by button
}

// ReportBroadcast sums up a broadcast.
func ReportBroadcast(r store.Reader, account chat.Account, id string) (report BroadcastReport, err error) {
	b, err := Broadcast(r, account, id)
	if err != nil {
		return report, err
	}
	if report.Counts, err = Counts(r, b.ID); err != nil {
		return report, err
	}
	if report.Reasons, err = r.ReasonCounts(b.ID); err != nil {
		return report, err
	}
	report.Clicks, err = r.ClickCounts(b.ID)
	return report, err
}

// Reasons are the reasons for which recipients would be left out, sorted.
func (p BroadcastPreview) Reasons() []string { return slices.Sorted(maps.Keys(p.Skipped)) }
