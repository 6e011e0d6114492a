package store

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// Outcome is a recorded duration.
type Outcome struct {
	OrgID     string
	ID        string
	AccountID string
	What      chat.OutcomeKind
	UserID    *string
	At        time.Time
	Took      time.Duration
}

// InsertOutcome stores a duration.
func (tx *Tx) InsertOutcome(o Outcome) error {
	return tx.later("INSERT INTO outcomes (org_id, what, at, id, account_id, user_id, took) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		o.OrgID, string(o.What), o.At.UnixMilli(), o.ID, o.AccountID, o.UserID, o.Took.Milliseconds())
}

// blockLength is the time of a row of packed_durations. A report on days in any time zone reads single
// durations only at its edges.
const blockLength = 6 * time.Hour

// Durations are what took how long.
type Durations struct {
	Count int
	Sum   time.Duration
	Lists [][]int32 // whole seconds, the shortest first in each
}

// add adds durations in milliseconds.
func (d *Durations) add(took []int64) {
	list := make([]int32, len(took))
	for i, ms := range took {
		d.Sum += time.Duration(ms) * time.Millisecond
		list[i] = int32(ms / 1000)
	}
	slices.Sort(list)
	d.Count += len(list)
	d.Lists = append(d.Lists, list)
}

// Durations returns the durations of a kind that ended between two instants. accountIDs are as in MessageCounts.
func (r Reader) Durations(orgID string, accountIDs []string, what chat.OutcomeKind, from, until time.Time) (d Durations, err error) {
	packed, err := r.packedUntil(orgID, what)
	if err != nil {
		return d, err
	}
	first, last := from.Add(blockLength-1).Truncate(blockLength), until.Truncate(blockLength)
	if packed.Before(last) {
		last = packed
	}
	if !first.Before(last) {
		return d, r.singleDurations(&d, orgID, accountIDs, what, from, until)
	}
	return d, errors.Join(
		r.singleDurations(&d, orgID, accountIDs, what, from, first),
		r.packedDurations(&d, orgID, accountIDs, what, first, last),
		r.singleDurations(&d, orgID, accountIDs, what, last, until))
}

func (r Reader) singleDurations(d *Durations, orgID string, accountIDs []string, what chat.OutcomeKind, from, until time.Time) error {
	which, args := r.ofAccounts(accountIDs, orgID, string(what), from.UnixMilli(), until.UnixMilli())
	took, err := many(r, scanInt64, "SELECT took FROM outcomes WHERE org_id = $1 AND what = $2 AND at >= $3 AND at < $4"+which, args...)
	d.add(took)
	return err
}

func (r Reader) packedDurations(d *Durations, orgID string, accountIDs []string, what chat.OutcomeKind, from, until time.Time) error {
	if accountIDs == nil {
		accountIDs = []string{allNumbers}
	}
	which, args := r.ofAccounts(accountIDs, orgID, string(what), from.UnixMilli(), until.UnixMilli())
	return each(r, func(row scanner) error {
		var (
			sum  int64
			text string
		)
		err := row.Scan(&sum, &text)
		list := unpackDurations(text)
		d.Sum += time.Duration(sum) * time.Millisecond
		d.Count += len(list)
		d.Lists = append(d.Lists, list)
		return err
	}, "SELECT sum, seconds FROM packed_durations WHERE org_id = $1 AND what = $2 AND begins >= $3 AND begins < $4"+which, args...)
}

// packedUntil is the instant before which all durations of a kind are packed.
func (r Reader) packedUntil(orgID string, what chat.OutcomeKind) (time.Time, error) {
	begins, err := one(r, scanInt64, `SELECT begins FROM packed_durations WHERE org_id = $1 AND what = $2 AND account_id = $3
		ORDER BY begins DESC LIMIT 1`, orgID, string(what), allNumbers)
	if errors.Is(err, ErrNotFound) {
		return time.Time{}, nil
	}
	return time.UnixMilli(begins).UTC().Add(blockLength), err
}

// BlockToPack returns the beginning of the oldest block with durations that are not packed, or ErrNotFound.
func (r Reader) BlockToPack(orgID string, what chat.OutcomeKind) (time.Time, error) {
	packed, err := r.packedUntil(orgID, what)
	if err != nil {
		return packed, err
	}
	at, err := one(r, scanInt64, "SELECT at FROM outcomes WHERE org_id = $1 AND what = $2 AND at >= $3 ORDER BY at LIMIT 1",
		orgID, string(what), packed.UnixMilli())
	return time.UnixMilli(at).UTC().Truncate(blockLength), err
}

// BlockEnd is the end of a block of durations.
func BlockEnd(begins time.Time) time.Time { return begins.Add(blockLength) }

// PackDurations packs the durations of a block. Blocks are packed in the order of time, and once they are over.
func (tx *Tx) PackDurations(orgID string, what chat.OutcomeKind, begins time.Time) error {
	took := map[string][]int64{}
	err := each(tx.Reader, func(row scanner) error {
		var (
			account string
			ms      int64
		)
		err := row.Scan(&account, &ms)
		took[account] = append(took[account], ms)
		took[allNumbers] = append(took[allNumbers], ms)
		return err
	}, "SELECT account_id, took FROM outcomes WHERE org_id = $1 AND what = $2 AND at >= $3 AND at < $4",
		orgID, string(what), begins.UnixMilli(), BlockEnd(begins).UnixMilli())
	if err != nil {
		return err
	}
	for account, ms := range took {
		var d Durations
		d.add(ms)
		err := tx.later(`INSERT INTO packed_durations (org_id, what, account_id, begins, sum, seconds) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT DO NOTHING`, orgID, string(what), account, begins.UnixMilli(), d.Sum.Milliseconds(), packDurations(d.Lists[0]))
		if err != nil {
			return err
		}
	}
	return nil
}

// packDurations writes sorted seconds as the steps from each to the next.
func packDurations(seconds []int32) string {
	var (
		out  []byte
		last int32
	)
	for _, s := range seconds {
		out = append(strconv.AppendInt(out, int64(s-last), 10), ' ')
		last = s
	}
	return string(out)
}

// unpackDurations reads what packDurations wrote.
func unpackDurations(text string) []int32 {
	seconds := make([]int32, 0, strings.Count(text, " "))
	var last, step int32
	for i := range len(text) {
		if c := text[i]; c != ' ' {
			step = 10*step + int32(c-'0')
			continue
		}
		last += step
		step = 0
		seconds = append(seconds, last)
	}
	return seconds
}
