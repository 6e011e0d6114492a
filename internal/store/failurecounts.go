package store

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// FailureCount is the number of a number's messages that failed for a reason.
type FailureCount struct {
	Code          string
	PhoneNumberID string // empty: the number is gone
	PhoneNumber   *string
	Name          *string
	Count         int64
}

// failure is messages of a number that failed for the same reason.
type failure struct{ account, code string }

// readFailures calls each for the entries of a text such as "33 acc_1 2 undeliverable,34 acc_1 1 auth_expired":
// the slot's place in the day, the number, how many, and why.
func readFailures(text string, each func(place int, f failure, count int64)) {
	for entry := range strings.SplitSeq(text, ",") {
		place, rest, _ := strings.Cut(entry, " ")
		account, rest, _ := strings.Cut(rest, " ")
		count, code, _ := strings.Cut(rest, " ")
		at, err := strconv.Atoi(place)
		n, err2 := strconv.ParseInt(count, 10, 64)
		if err == nil && err2 == nil {
			each(at, failure{account, code}, n)
		}
	}
}

// replaceFailures replaces the entries of a slot.
func replaceFailures(text string, place int, counts []MessageCount) string {
	var entries []string
	keep := func(at int, f failure, n int64) {
		entries = append(entries, strconv.Itoa(at)+" "+f.account+" "+strconv.FormatInt(n, 10)+" "+f.code)
	}
	readFailures(text, func(at int, f failure, n int64) {
		if at != place {
			keep(at, f, n)
		}
	})
	for _, c := range counts {
		if c.Direction == chat.Outbound && c.Status == chat.StatusFailed {
			keep(place, failure{c.AccountID, c.ErrorCode}, c.Count)
		}
	}
	slices.Sort(entries)
	return strings.Join(entries, ",")
}

// FailureCounts returns an organization's failed messages by reason and number, most first. accountIDs are as
// in MessageCounts.
func (r Reader) FailureCounts(orgID string, accountIDs []string, from, until time.Time) ([]FailureCount, error) {
	counts, err := r.sumFailures(orgID, from, until)
	if err != nil {
		return nil, err
	}
	if accountIDs != nil {
		maps.DeleteFunc(counts, func(f failure, _ int64) bool { return !slices.Contains(accountIDs, f.account) })
	}
	numbers, err := r.numbersOf(orgID)
	if err != nil {
		return nil, err
	}
	order := slices.SortedFunc(maps.Keys(counts), func(a, b failure) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.account, b.account), cmp.Compare(a.code, b.code))
	})
	var all []FailureCount
	for _, f := range order {
		n := numbers[f.account]
		all = append(all, FailureCount{f.code, n.id, n.phone, n.name, counts[f]})
	}
	return all, nil
}

// sumFailures adds up the failures between two instants.
func (r Reader) sumFailures(orgID string, from, until time.Time) (map[failure]int64, error) {
	sums := map[failure]int64{}
	err := each(r, func(row scanner) error {
		var (
			day  int64
			text string
		)
		if err := row.Scan(&day, &text); err != nil {
			return err
		}
		readFailures(text, func(place int, f failure, n int64) {
			if at := day + int64(place)*SlotLength.Milliseconds(); at >= from.UnixMilli() && at < until.UnixMilli() {
				sums[f] += n
			}
		})
		return nil
	}, "SELECT day, failures FROM message_days WHERE org_id = $1 AND account_id = $2 AND day >= $3 AND day < $4",
		orgID, allNumbers, dayOf(from.UnixMilli()), until.UnixMilli())
	return sums, err
}

// numberOf is what a report says of an account.
type numberOf struct {
	id          string // the provider's
	phone, name *string
}

// numbersOf returns an organization's numbers, by account.
func (r Reader) numbersOf(orgID string) (map[string]numberOf, error) {
	numbers := map[string]numberOf{}
	err := each(r, func(row scanner) error {
		var account string
		var n numberOf
		err := row.Scan(&account, &n.id, &n.phone, &n.name)
		numbers[account] = n
		return err
	}, "SELECT id, COALESCE(phone_number_id, ''), phone_number, name FROM accounts WHERE org_id = $1 AND deleted_at IS NULL", orgID)
	return numbers, err
}
