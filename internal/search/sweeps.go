package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// A row's id carries its creation time, but the row is visible only after its transaction commits, and the
// clocks of nodes differ a little. So the indexer reads new rows again and again from a little before now, and
// once more when no more can appear. Rows with an old id, and changed and deleted rows, are listed in a table
// of their own (Tx.SearchAgain).
const (
	overlap = 3 * time.Second
	// settling is far longer than a transaction may take or clocks may differ.
	settling = 15 * time.Minute
)

// followChanges indexes changed rows again.
func (x *Indexer) followChanges(ctx context.Context) error {
	for {
		waiting, err := x.store.Read(ctx).SearchChanges(1)
		if err != nil || len(waiting) == 0 {
			return err
		}
		mine, err := x.step(ctx, x.followSome)
		if err != nil || !mine {
			return err
		}
	}
}

func (x *Indexer) followSome(u store.SearchUpdate) error {
	changes, err := u.Source().SearchChanges(batch)
	if err != nil {
		return err
	}
	byOrg := map[string][]string{}
	for _, c := range changes {
		byOrg[c.OrgID] = append(byOrg[c.OrgID], c.Subjects...)
	}
	for orgID, ids := range byOrg {
		if err := x.put(u, orgID, ids); err != nil {
			return err
		}
	}
	return u.Followed(changes)
}

// put updates the index to the current state of rows.
func (x *Indexer) put(u store.SearchUpdate, orgID string, ids []string) error {
	byKind := map[chat.Kind][]string{}
	for _, id := range ids {
		byKind[kindOf(id)] = append(byKind[kindOf(id)], id)
	}
	for _, kind := range store.SearchKinds {
		if len(byKind[kind]) == 0 {
			continue
		}
		rows, err := u.Source().SearchRows(kind, orgID, byKind[kind])
		if err != nil {
			return err
		}
		if err := x.putRows(u, orgID, byKind[kind], rows); err != nil {
			return err
		}
	}
	return nil
}

func (x *Indexer) putRows(u store.SearchUpdate, orgID string, ids []string, rows map[string]store.SearchRow) error {
	var texts []store.SearchText
	var gone []string
	for _, id := range ids {
		row, there := rows[id]
		text := ""
		if there && !row.Revoked {
			text = indexText(row)
		}
		if text == "" {
			gone = append(gone, id)
			continue
		}
		texts = append(texts, store.SearchText{ID: id, AccountID: row.AccountID, Text: text})
	}
	if len(gone) > 0 {
		if err := u.Remove(orgID, gone); err != nil {
			return err
		}
	}
	x.metrics.indexed.Add(float64(len(texts)))
	return u.Put(orgID, texts)
}

// takeNew indexes the newest rows.
func (x *Indexer) takeNew(ctx context.Context) error {
	lag := time.Duration(0)
	for _, kind := range store.SearchKinds {
		heads, err := x.store.Read(ctx).SearchHeads(kind)
		if err != nil {
			return err
		}
		for _, head := range heads {
			behind, err := x.takeNewOf(ctx, kind, head)
			if err != nil {
				return err
			}
			lag = max(lag, behind)
		}
	}
	x.setLag(lag)
	return nil
}

// setLag records how long the oldest row outside of the index has been waiting.
func (x *Indexer) setLag(lag time.Duration) {
	x.lag = lag
	x.metrics.lag.Set(lag.Seconds())
}

// takeNewOf indexes the newest rows of a kind in an organization, and returns how long the oldest of them has
// waited.
func (x *Indexer) takeNewOf(ctx context.Context, kind chat.Kind, head store.SearchHead) (lag time.Duration, err error) {
	marks, err := x.index.Marks(ctx, kind, head.OrgID)
	if err != nil {
		return 0, err
	}
	recent := store.FirstSearchID(kind, x.store.Now().Add(-overlap))
	if marks.Head == "" { // takeLate handles the rows before
		marks.Head = store.FirstSearchID(kind, x.store.Now().Add(-settling))
	}
	if head.ID <= min(marks.Head, recent) {
		return 0, nil
	}
	p := stretch{kind: kind, orgID: head.OrgID, after: min(marks.Head, recent), before: store.LastSearchID(kind)}
	for more := true; more; {
		var took taken
		mine, err := x.step(ctx, func(u store.SearchUpdate) (err error) {
			took, err = x.takeSome(u, p, func(m *store.SearchMarks, last string) { m.Head = max(m.Head, last) })
			return err
		})
		if err != nil || !mine {
			return lag, err
		}
		p.after, more = took.last, took.more
		if _, at, ok := store.SearchInstant(took.oldest); ok {
			lag = max(lag, x.store.Now().Sub(at))
			x.setLag(lag)
		}
	}
	return lag, nil
}

// stretch is a range of rows of a kind: after one id and before another.
type stretch struct {
	kind          chat.Kind
	orgID         string
	after, before string
}

// taken is the result of a step.
type taken struct {
	oldest string // the oldest missing row; empty: none
	last   string // the last row read
	more   bool   // rows follow
}

// takeSome indexes the missing rows at the beginning of a part, and records its progress. It may be retried,
// like everything in a transaction.
func (x *Indexer) takeSome(u store.SearchUpdate, p stretch, mark func(m *store.SearchMarks, last string)) (t taken, err error) {
	ids, err := u.Source().SearchIDs(p.kind, p.orgID, p.after, p.before, batch)
	if err != nil || len(ids) == 0 {
		return t, err
	}
	missing, err := u.Missing(p.orgID, ids)
	if err != nil {
		return t, err
	}
	if err := x.put(u, p.orgID, missing); err != nil {
		return t, err
	}
	marks, err := u.Marks(p.kind, p.orgID)
	if err != nil {
		return t, err
	}
	t.last, t.more = ids[len(ids)-1], len(ids) == batch
	if len(missing) > 0 {
		t.oldest = slices.Min(missing)
	}
	mark(&marks, t.last)
	return t, u.SetMarks(p.kind, p.orgID, marks)
}

// takeLate reads each part once more when no rows can appear in it any more. For a new index that is
// everything.
func (x *Indexer) takeLate(ctx context.Context) error {
	defer x.metrics.rebuilding.Set(0)
	for _, kind := range store.SearchKinds {
		heads, err := x.store.Read(ctx).SearchHeads(kind)
		if err != nil {
			return err
		}
		for _, head := range heads {
			if err := x.takeLateOf(ctx, kind, head.OrgID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *Indexer) takeLateOf(ctx context.Context, kind chat.Kind, orgID string) error {
	marks, err := x.index.Marks(ctx, kind, orgID)
	if err != nil {
		return err
	}
	p := stretch{kind: kind, orgID: orgID, after: marks.Settled, before: store.FirstSearchID(kind, x.store.Now().Add(-settling))}
	for p.after < p.before {
		var took taken
		mine, err := x.step(ctx, func(u store.SearchUpdate) (err error) {
			took, err = x.takeSome(u, p, func(m *store.SearchMarks, last string) { m.Settled = max(m.Settled, last) })
			if err != nil || took.more {
				return err
			}
			return x.markSettled(u, p)
		})
		if err != nil || !mine || !took.more {
			return err
		}
		p.after = took.last
		x.metrics.rebuilding.Set(1)
		if err := errors.Join(x.followChanges(ctx), x.takeNew(ctx)); err != nil { // new rows do not wait for the old ones
			return err
		}
	}
	return nil
}

// markSettled records that the index has all rows of a part.
func (x *Indexer) markSettled(u store.SearchUpdate, p stretch) error {
	marks, err := u.Marks(p.kind, p.orgID)
	if err != nil {
		return err
	}
	marks.Settled = max(marks.Settled, p.before)
	return u.SetMarks(p.kind, p.orgID, marks)
}

// dropOld removes messages from the index that are older than their organization's plan keeps.
func (x *Indexer) dropOld(ctx context.Context) error {
	retentions, err := x.store.Read(ctx).Retentions()
	if err != nil {
		return err
	}
	for orgID, days := range retentions {
		before := store.FirstSearchID(chat.KindMessage, x.store.Now().Add(-time.Duration(days)*24*time.Hour))
		for removed := batch; removed == batch; {
			mine, err := x.step(ctx, func(u store.SearchUpdate) (err error) {
				removed, err = u.RemoveBefore(chat.KindMessage, orgID, before, batch)
				return err
			})
			if err != nil || !mine {
				return err
			}
		}
	}
	return nil
}
