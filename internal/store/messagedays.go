package store

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// The counts of a day are packed into one row of each number, and one of all numbers together (allNumbers),
// so that a report on months reads hundreds of rows and not millions.
const (
	dayLength  = 24 * time.Hour
	slotsOfDay = int(dayLength / SlotLength)
	allNumbers = ""
)

// SlotCount is the number of messages of a slot by what has become of them.
type SlotCount struct {
	Slot                                           int64
	Inbound, Unsent, Sent, Delivered, Read, Failed int64
}

// Outbound is the number of messages that were to be sent.
func (c SlotCount) Outbound() int64 { return c.Unsent + c.Sent + c.Delivered + c.Read + c.Failed }

// kindLetters stand for the kinds of messages in a packed day, in the order of SlotCount.
const kindLetters = "iqsdrf"

// kindCounts are the counts of a slot, in the order of kindLetters.
type kindCounts [len(kindLetters)]int64

func kindOf(c MessageCount) int {
	if c.Direction == chat.Inbound {
		return 0
	}
	switch c.Status {
	case chat.StatusSent:
		return 2
	case chat.StatusDelivered:
		return 3
	case chat.StatusRead:
		return 4
	case chat.StatusFailed:
		return 5
	}
	return 1
}

// packedDay is the counts of a day, by slot.
type packedDay [slotsOfDay]kindCounts

// add adds the counts of a text such as "33i12 33r5": 12 messages came in during the 34th quarter of an hour,
// and 5 of those sent then were read.
func (d *packedDay) add(text string) {
	slot, n := 0, 0
	kind := -1
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			n = 10*n + int(c-'0')
			continue
		case c == ' ':
			d.plus(slot, kind, n)
			kind = -1
		default:
			slot, kind = n, strings.IndexByte(kindLetters, c)
		}
		n = 0
	}
	d.plus(slot, kind, n)
}

func (d *packedDay) plus(slot, kind, n int) {
	if slot < len(d) && kind >= 0 {
		d[slot][kind] += int64(n)
	}
}

// text is what add reads.
func (d *packedDay) text() string {
	var out []byte
	for slot, counts := range d {
		for kind, n := range counts {
			if n == 0 {
				continue
			}
			if len(out) > 0 {
				out = append(out, ' ')
			}
			out = append(strconv.AppendInt(out, int64(slot), 10), kindLetters[kind])
			out = strconv.AppendInt(out, n, 10)
		}
	}
	return string(out)
}

// dayRow is a row of message_days.
type dayRow struct{ account, counts, failures string }

func scanDayRow(row scanner) (d dayRow, err error) {
	err = row.Scan(&d.account, &d.counts, &d.failures)
	return d, err
}

// dayOf is the beginning of an instant's day in UTC, in milliseconds.
func dayOf(ms int64) int64 { return ms - ms%dayLength.Milliseconds() }

// place is a slot's place in its day.
func (s Slot) place() int { return int((s.At - dayOf(s.At)) / SlotLength.Milliseconds()) }

// putInDay replaces the counts of a slot in the rows of its day.
func (tx *Tx) putInDay(s Slot, counts []MessageCount) error {
	rows, err := tx.lockDay(s)
	if err != nil {
		return err
	}
	before, now := map[string]dayRow{}, map[string]kindCounts{}
	for _, row := range rows {
		before[row.account], now[row.account] = row, kindCounts{}
	}
	for _, c := range counts {
		for _, account := range []string{c.AccountID, allNumbers} {
			of := now[account]
			of[kindOf(c)] += c.Count
			now[account] = of
		}
	}
	for account, of := range now {
		if err := tx.replaceInDay(s, account, before[account], of, counts); err != nil {
			return err
		}
	}
	return nil
}

// lockDay returns the rows of a slot's day. The row of all numbers, which is made first, locks the others.
func (tx *Tx) lockDay(s Slot) ([]dayRow, error) {
	const row = " WHERE org_id = $1 AND day = $2"
	_, err := tx.exec("INSERT INTO message_days (org_id, account_id, day, counts, failures) VALUES ($1, $2, $3, '', '') ON CONFLICT DO NOTHING",
		s.OrgID, allNumbers, dayOf(s.At))
	if err != nil {
		return nil, err
	}
	if _, err := one(tx.Reader, scanInt64, "SELECT day FROM message_days"+row+" AND account_id = $3"+tx.forUpdate(), s.OrgID, dayOf(s.At), allNumbers); err != nil {
		return nil, err
	}
	return many(tx.Reader, scanDayRow, "SELECT account_id, counts, failures FROM message_days"+row, s.OrgID, dayOf(s.At))
}

// replaceInDay replaces the counts of a slot in one row, unless they are the same.
func (tx *Tx) replaceInDay(s Slot, account string, before dayRow, slot kindCounts, counts []MessageCount) error {
	var day packedDay
	day.add(before.counts)
	day[s.place()] = slot
	now := dayRow{account: account, counts: day.text()}
	if account == allNumbers {
		now.failures = replaceFailures(before.failures, s.place(), counts)
	}
	if before.account = account; now == before {
		return nil
	}
	return tx.later(`INSERT INTO message_days (org_id, account_id, day, counts, failures) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (org_id, account_id, day) DO UPDATE SET counts = excluded.counts, failures = excluded.failures`,
		s.OrgID, account, dayOf(s.At), now.counts, now.failures)
}

// MessageCounts returns an organization's counts from an instant (inclusive) until another (exclusive), by slot.
// accountIDs limits the numbers; nil: all.
func (r Reader) MessageCounts(orgID string, accountIDs []string, from, until time.Time) ([]SlotCount, error) {
	if accountIDs == nil {
		accountIDs = []string{allNumbers}
	}
	days := map[int64]*packedDay{}
	which, args := r.ofAccounts(accountIDs, orgID, dayOf(from.UnixMilli()), until.UnixMilli())
	err := each(r, func(row scanner) error {
		var (
			day    int64
			counts string
		)
		if err := row.Scan(&day, &counts); err != nil {
			return err
		}
		if days[day] == nil {
			days[day] = &packedDay{}
		}
		days[day].add(counts)
		return nil
	}, "SELECT day, counts FROM message_days WHERE org_id = $1 AND day >= $2 AND day < $3"+which, args...)
	return slotsOf(days, from.UnixMilli(), until.UnixMilli()), err
}

// slotsOf lists the slots with messages between two instants, the oldest first.
func slotsOf(days map[int64]*packedDay, from, until int64) (slots []SlotCount) {
	for day, counts := range days {
		for place, n := range counts {
			at := day + int64(place)*SlotLength.Milliseconds()
			if at >= from && at < until && n != (kindCounts{}) {
				slots = append(slots, SlotCount{at, n[0], n[1], n[2], n[3], n[4], n[5]})
			}
		}
	}
	slices.SortFunc(slots, func(a, b SlotCount) int { return cmp.Compare(a.Slot, b.Slot) })
	return slots
}
