package store

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// DeliveryJob is a delivery with the data that an attempt needs.
type DeliveryJob struct {
	OrgID          string
	ID             string // wbd_
	SubscriptionID string
	EventRow       string // the event whose bytes are delivered
	EventID        string
	EventType      chat.EventType
	Source         chat.EventSource
	Subject        string
	Payload        []byte
	Attempts       int
	Log            []chat.DeliveryAttempt // the attempts so far, oldest first
	DueAt          time.Time
	ReplayedFrom   string
	Owner          string
	Epoch          int64
	CreatedAt      time.Time
}

// InsertDelivery writes a delivery that is due at once. This node owns it if it delivers.
func (tx *Tx) InsertDelivery(j DeliveryJob) error {
	j.Owner, j.Epoch = "", 1
	if tx.hands.Deliver != nil {
		j.Owner = tx.hands.Node()
	}
	err := tx.later(`INSERT INTO webhook_deliveries (org_id, id, subscription_id, event_row, event_id, event_type, subject,
			status, attempt_count, next_attempt_at, replayed_from, replayed, owner, epoch, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 0, $8, $9, FALSE, $10, $11, $12)`,
		j.OrgID, j.ID, j.SubscriptionID, j.EventRow, j.EventID, string(j.EventType), j.Subject,
		j.DueAt.UnixMilli(), orNull(j.ReplayedFrom), j.Owner, j.Epoch, j.CreatedAt.UnixMilli())
	if err != nil {
		return err
	}
	tx.noteDelivery(j.OrgID, j.ID)
	if tx.hands.Deliver == nil {
		tx.tell(TopicDeliveries)
		return nil
	}
	tx.work.deliveries = append(tx.work.deliveries, j)
	return nil
}

// DeliveryDone is the stored result of an attempt.
type DeliveryDone struct {
	OrgID         string
	ID            string
	Epoch         int64
	Status        chat.DeliveryStatus
	Attempts      int
	Earlier       []chat.DeliveryAttempt // the earlier attempts
	Last          chat.DeliveryAttempt
	NextAttemptAt *time.Time // nil: no more attempts
}

// CompleteDeliveries stores the results of the owner's attempts. It skips a delivery that another node has
// taken over.
func (tx *Tx) CompleteDeliveries(owner string, done []DeliveryDone) error {
	// Nodes that write the same rows write them in the same order, so that they do not deadlock.
	slices.SortFunc(done, func(a, b DeliveryDone) int {
		return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.ID, b.ID))
	})
	if err := tx.useIndexes(); err != nil {
		return err
	}
	var atOnce, others []DeliveryDone
	for _, d := range done {
		tx.noteDelivery(d.OrgID, d.ID)
		if d.Status == chat.DeliverySucceeded && d.Attempts == 1 {
			atOnce = append(atOnce, d)
		} else {
			others = append(others, d)
		}
	}
	if err := deliveredAtOnce.run(tx, owner, atOnce); err != nil {
		return err
	}
	return attempted.run(tx, owner, others)
}

// completion is a statement that stores the results of several attempts at once.
type completion struct {
	texts map[int]string // by number of rows
	args  func([]any, DeliveryDone) []any
}

// completionSizes are the numbers of rows for which there are statements. They are few, because each is
// prepared on every connection.
var completionSizes = []int{64, 16, 4, 1}

// takes reports whether the engine gets that many rows in a statement. SQLite joins a list of values in the
// wrong order, and has no round trips to save.
func (d dialect) takes(rows int) bool { return rows == 1 || d.name == postgresDialect.name }

var (
	// deliveredAtOnce serves nearly all deliveries: the first attempt succeeded.
	deliveredAtOnce = newCompletion(`status = 'succeeded', attempt_count = 1, next_attempt_at = NULL, ended_by = NULL, owner = '', last_attempt_at = v.column4,
			response_status = v.column5, response_body_snippet = v.column6, duration_ms = v.column7`,
		[]string{"TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "BIGINT"},
		func(args []any, d DeliveryDone) []any {
			return append(args, d.OrgID, d.ID, d.Epoch, d.Last.At, d.Last.ResponseStatus, d.Last.ResponseBodySnippet, d.Last.DurationMS)
		})
	// attempted keeps the end of a delivery that was ended during the attempt, unless the attempt ends it
	// itself.
	attempted = newCompletion(`last_attempt_at = v.column4, response_status = v.column5, response_body_snippet = v.column6, duration_ms = v.column7,
			status = CASE WHEN ended_by IS NOT NULL AND v.column8 = 'failed' THEN status ELSE v.column8 END,
			next_attempt_at = CASE WHEN ended_by IS NOT NULL THEN NULL ELSE v.column11 END, ended_by = CASE WHEN v.column8 = 'failed' THEN ended_by END,
			attempt_count = v.column9, attempts = v.column10, error_code = v.column12, error_message = v.column13,
			owner = CASE WHEN v.column11 IS NULL OR ended_by IS NOT NULL THEN '' ELSE owner END`,
		[]string{"TEXT", "TEXT", "BIGINT", "BIGINT", "BIGINT", "TEXT", "BIGINT", "TEXT", "BIGINT", "TEXT", "BIGINT", "TEXT", "TEXT"},
		func(args []any, d DeliveryDone) []any {
			return append(args, d.OrgID, d.ID, d.Epoch, d.Last.At, d.Last.ResponseStatus, d.Last.ResponseBodySnippet, d.Last.DurationMS,
				string(d.Status), d.Attempts, attemptsText(d.Earlier), msPtr(d.NextAttemptAt), d.Last.ErrorCode, d.Last.ErrorMessage)
		})
)

// newCompletion writes the statements. Both engines name the columns of a list of values column1, column2 and
// so on, and take the types of the first row for all. A finished delivery loses its owner, so that it cannot be
// completed twice.
func newCompletion(set string, types []string, args func([]any, DeliveryDone) []any) completion {
	c := completion{texts: map[int]string{}, args: args}
	const where = " WHERE org_id = v.column1 AND id = v.column2 AND epoch = v.column3 AND owner = $1"
	for _, size := range completionSizes {
		rows := make([]string, size)
		for i := range rows {
			rows[i] = placeholders(types, 2+i*len(types), i == 0)
		}
		c.texts[size] = "UPDATE webhook_deliveries SET " + set + " FROM (VALUES " + strings.Join(rows, ", ") + ") AS v" + where
	}
	c.texts[1] = columnOfRow.ReplaceAllStringFunc("UPDATE webhook_deliveries SET "+set+where, func(column string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(column, "v.column")) // the expression matches digits only
		return "CAST($" + strconv.Itoa(n+1) + " AS " + types[n-1] + ")"
	})
	return c
}

// columnOfRow matches a column reference, which the statement for one row replaces by a parameter.
var columnOfRow = regexp.MustCompile(`v\.column[0-9]+`)

func placeholders(types []string, first int, typed bool) string {
	marks := make([]string, len(types))
	for i, t := range types {
		marks[i] = "$" + strconv.Itoa(first+i)
		if typed {
			marks[i] = "CAST(" + marks[i] + " AS " + t + ")"
		}
	}
	return "(" + strings.Join(marks, ", ") + ")"
}

func (c completion) run(tx *Tx, owner string, rows []DeliveryDone) error {
	for _, size := range completionSizes {
		for len(rows) >= size && tx.dialect.takes(size) {
			args := []any{owner}
			for _, d := range rows[:size] {
				args = c.args(args, d)
			}
			if err := tx.later(c.texts[size], args...); err != nil {
				return err
			}
			rows = rows[size:]
		}
	}
	return nil
}

func attemptsText(attempts []chat.DeliveryAttempt) *string {
	if len(attempts) == 0 {
		return nil
	}
	list, _ := json.Marshal(attempts) // never fails
	return new(string(list))
}

// useIndexes keeps PostgreSQL from using a plan that was made while the tables were small.
func (tx *Tx) useIndexes() error {
	if tx.dialect.useIndexes == "" {
		return nil
	}
	return tx.later(tx.dialect.useIndexes)
}
