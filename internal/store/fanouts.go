package store

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// finishTime is how long the caller of a transaction has its fan-outs finished at most. A request is answered within a
// minute then, or its connection would be gone.
const finishTime = 20 * time.Second

// FanOut is an event of which not all deliveries are written yet. Subscriptions get theirs in the order of their ids.
type FanOut struct {
	OrgID   string
	Subject string
	Seq     int64  // among the fan-outs about the subject, in the order of their commits
	Event   string // its row
	Done    string // the last subscription that has its delivery; empty: none has
	Last    string // the last subscription that existed when the event was recorded
	Left    int    // how many deliveries were left when it was postponed; 0: not known
}

// Finisher writes the deliveries that transactions on behalf of an organization have postponed.
type Finisher func(ctx context.Context, s *Store, postponed []FanOut)

const fanOutColumns = "org_id, subject, seq, event, done, last"

func scanFanOut(row scanner) (f FanOut, err error) {
	err = row.Scan(&f.OrgID, &f.Subject, &f.Seq, &f.Event, &f.Done, &f.Last)
	return f, err
}

// InSteps reports whether the deliveries of one event are written in several transactions. On SQLite everybody waits for
// a long one. On PostgreSQL nobody does, and only one writer knows in which order transactions commit.
func (tx *Tx) InSteps() bool { return tx.dialect.inSteps }

// Delivered is how many deliveries of an organization the transaction has written.
func (tx *Tx) Delivered(orgID string) int { return tx.delivered[orgID] }

// DeliveredInAll is how many deliveries the transaction has written.
func (tx *Tx) DeliveredInAll() (n int) {
	for _, of := range tx.delivered {
		n += of
	}
	return n
}

func (tx *Tx) countDelivery(orgID string) {
	if tx.delivered == nil {
		tx.delivered = map[string]int{}
	}
	tx.delivered[orgID]++
}

// Crowded is Store.Crowded.
func (tx *Tx) Crowded() bool { return tx.store.Crowded() }

// LastFanOut is the number of the last fan-out about a subject, or 0 if there is none.
func (tx *Tx) LastFanOut(orgID, subject string) (int64, error) {
	return one(tx.Reader, scanInt64, "SELECT COALESCE(MAX(seq), 0) FROM fan_outs WHERE org_id = $1 AND subject = $2", orgID, subject)
}

// Postpone stores a fan-out. After the commit the caller of the transaction has it finished, together with the others of
// the transaction, before it goes on: so it cannot make events faster than their deliveries are written. What takes longer
// than finishTime is left.
func (tx *Tx) Postpone(f FanOut, finish Finisher) error {
	tx.work.finish = finish
	tx.work.fanOuts = append(tx.work.fanOuts, f)
	return tx.later("INSERT INTO fan_outs ("+fanOutColumns+") VALUES ($1, $2, $3, $4, $5, $6)", f.OrgID, f.Subject, f.Seq, f.Event, f.Done, f.Last)
}

// finishFanOuts has the fan-outs of a transaction finished, each in its organization's turn, and those of an organization
// with few deliveries left before those of one with many. A client that leaves does not end that. A command leaves them to
// the serving process: that one would not hear of deliveries that another writes, and send later ones before them.
func (tx *Tx) finishFanOuts() {
	if len(tx.work.fanOuts) == 0 || tx.hands.Deliver == nil {
		return
	}
	all, left := map[string][]FanOut{}, map[string]int{}
	var orgs []string
	for _, f := range tx.work.fanOuts {
		if all[f.OrgID] == nil {
			orgs = append(orgs, f.OrgID)
		}
		all[f.OrgID] = append(all[f.OrgID], f)
		left[f.OrgID] += f.Left
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tx.ctx), finishTime)
	defer cancel()
	slices.SortStableFunc(orgs, func(a, b string) int { return cmp.Compare(left[a], left[b]) })
	for _, orgID := range orgs {
		tx.work.finish(WithTurn(ctx, Turn{OrgID: orgID, Bulk: turnOf(ctx).Bulk}), tx.store, all[orgID])
	}
}

// FirstFanOutUntil returns the first fan-out about the same subject if the given one is not finished, else ErrNotFound.
func (tx *Tx) FirstFanOutUntil(f FanOut) (FanOut, error) {
	return one(tx.Reader, scanFanOut, "SELECT "+fanOutColumns+` FROM fan_outs WHERE org_id = $1 AND subject = $2
			AND EXISTS (SELECT 1 FROM fan_outs mine WHERE mine.org_id = $1 AND mine.subject = $2 AND mine.seq = $3 AND mine.event = $4)
		ORDER BY seq LIMIT 1`+tx.forUpdate(), f.OrgID, f.Subject, f.Seq, f.Event)
}

// AdvanceFanOut notes the last subscription that has its delivery.
func (tx *Tx) AdvanceFanOut(f FanOut) error {
	return tx.later("UPDATE fan_outs SET done = $4 WHERE org_id = $1 AND subject = $2 AND seq = $3", f.OrgID, f.Subject, f.Seq, f.Done)
}

// EndFanOut deletes a fan-out all of whose deliveries are written.
func (tx *Tx) EndFanOut(f FanOut) error {
	return tx.later("DELETE FROM fan_outs WHERE org_id = $1 AND subject = $2 AND seq = $3", f.OrgID, f.Subject, f.Seq)
}

// FanOutsAfter returns up to limit fan-outs after the given one, by organization and subject, the first of a subject
// first.
func (r Reader) FanOutsAfter(after FanOut, limit int) ([]FanOut, error) {
	return many(r, scanFanOut, "SELECT "+fanOutColumns+" FROM fan_outs WHERE (org_id, subject, seq) > ($1, $2, $3) ORDER BY org_id, subject, seq LIMIT $4",
		after.OrgID, after.Subject, after.Seq, limit)
}
