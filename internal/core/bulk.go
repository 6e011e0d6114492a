package core

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// mostAtOnce is how many conversations one change can affect.
	mostAtOnce = 10_000
	// UndoLife is how long a change of many conversations can be undone.
	UndoLife = time.Hour
)

// BulkChange is the change to make to each of many conversations.
type BulkChange struct {
	Patch chat.ConversationPatch
	BulkLabels
}

// BulkLabels are labels to attach and to detach.
type BulkLabels struct{ LabelID, RemoveLabelID string }

// BulkResult is how many conversations were changed, and the id to undo that.
type BulkResult struct {
	Changed int
	Undo    string // empty if there is nothing to undo
}

// BulkIDs are the conversations that match a filter, as many as can be changed at once.
func BulkIDs(r store.Reader, u chat.User, f chat.InboxFilter) ([]string, error) {
	query, ok, err := inboxQuery(r, u, f)
	if err != nil || !ok {
		return nil, err
	}
	return r.InboxIDs(u, query, mostAtOnce)
}

// ChangeMany changes conversations that a user sees, in slices that do not hold up others. A conversation that cannot
// be changed this way, for example because the label is another team's, is skipped silently, unless that is all of
// them.
func ChangeMany(ctx context.Context, st *store.Store, u chat.User, ids []string, change BulkChange) (result BulkResult, err error) {
	undo := store.BulkUndo{OrgID: u.OrgID, ID: st.NewID(chat.KindBulk), UserID: u.ID}
	if undo.Change, err = json.Marshal(change.BulkLabels); err != nil {
		return result, err
	}
	var refusal error
	steps := st.Steps()
	for len(ids) > 0 {
		var slice []changed
		var refused error
		n, _, err := steps.Do(ctx, func(tx *store.Tx, rows int) (int64, error) {
			rows = min(rows, len(ids))
			slice, refused, err = changeSlice(tx, u, ids[:rows], change)
			if err != nil || len(slice) == 0 {
				return int64(rows), err
			}
			undo.Before, err = json.Marshal(slice)
			return int64(rows), errors.Join(err, tx.InsertBulkUndo(undo))
		})
		if err != nil {
			return result, err
		}
		ids = ids[n:]
		if refused != nil {
			refusal = refused
		}
		if len(slice) > 0 {
			result.Changed, result.Undo = result.Changed+len(slice), undo.ID
			undo.Slice++
		}
	}
	if result.Changed == 0 {
		return result, refusal
	}
	return result, nil
}

// changed is a conversation before and after a bulk change.
type changed struct {
	ID            string
	Before, After bulkState
	Label         bool // its label was attached
	Unlabel       bool // its other label was detached
}

// bulkState are the fields of a conversation that a bulk change may change.
type bulkState struct {
	Status       chat.ConversationStatus
	AssignedTo   *string
	UnreadCount  int64
	SnoozedUntil *time.Time
	WaitingSince *time.Time
}

func bulkStateOf(c chat.Conversation) bulkState {
	return bulkState{c.Status, c.AssignedTo, c.UnreadCount, c.SnoozedUntil, c.WaitingSince}
}

// changeSlice changes some conversations. refused is why one of them could not be changed.
func changeSlice(tx *store.Tx, u chat.User, ids []string, change BulkChange) (done []changed, refused, err error) {
	if err := checkSnooze(tx, change.Patch); err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		one, any, err := changeOne(tx, u, id, change)
		if _, ours := errors.AsType[*chat.Error](err); ours {
			refused = err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if any {
			done = append(done, one)
		}
	}
	return done, refused, nil
}

// changeOne changes a conversation. It refuses before it writes, because the others are changed even so.
func changeOne(tx *store.Tx, u chat.User, id string, change BulkChange) (one changed, any bool, err error) {
	before, account, err := SeenConversation(tx.Reader, u, id)
	if err == nil {
		err = change.BulkLabels.check(tx.Reader, account)
	}
	if err != nil {
		return one, false, err
	}
	after, err := patchConversation(tx, account, before, change.Patch, &u.ID)
	if err != nil {
		return one, false, err
	}
	if change.LabelID != "" {
		if one.Label, err = label(tx, account, before, change.LabelID, &u.ID); err != nil {
			return one, false, err
		}
	}
	if change.RemoveLabelID != "" {
		if one.Unlabel, err = unlabel(tx, before, change.RemoveLabelID, &u.ID); err != nil {
			return one, false, err
		}
	}
	one.ID, one.Before, one.After = before.ID, bulkStateOf(before), bulkStateOf(after)
	return one, one.Label || one.Unlabel || differ(before, after), nil
}

// check refuses labels that the conversations of an account cannot have.
func (l BulkLabels) check(r store.Reader, account chat.Account) (err error) {
	if l.LabelID != "" {
		_, err = attachableLabel(r, account, l.LabelID)
	}
	if err == nil && l.RemoveLabelID != "" {
		_, err = Label(r, account.OrgID, l.RemoveLabelID)
	}
	return err
}

// differ reports whether a field that a bulk change may change has changed.
func differ(a, b chat.Conversation) bool {
	return len(chat.Happenings(a, b)) > 0 || a.Status != b.Status || a.UnreadCount != b.UnreadCount
}

// UndoMany reverts conversations to their state before a bulk change, except for later changes.
func UndoMany(ctx context.Context, st *store.Store, u chat.User, id string) (result BulkResult, err error) {
	for found := false; ; found = true {
		var n int
		err := st.InTx(ctx, func(tx *store.Tx) error {
			undo, err := tx.TakeBulkUndo(u.OrgID, u.ID, id, tx.Now().Add(-UndoLife))
			if err == nil {
				n, err = undoSlice(tx, u, undo)
			}
			return err
		})
		if errors.Is(err, store.ErrNotFound) && found {
			return result, nil
		}
		if err != nil {
			return result, orNotFound(err, "change that can be undone")
		}
		result.Changed += n
	}
}

func undoSlice(tx *store.Tx, u chat.User, undo store.BulkUndo) (n int, err error) {
	var labels BulkLabels
	var slice []changed
	if err := errors.Join(json.Unmarshal(undo.Change, &labels), json.Unmarshal(undo.Before, &slice)); err != nil {
		return 0, err
	}
	for _, one := range slice {
		// A user who has assigned a conversation to a colleague may not see it any more, but can still undo that.
		all := u
		all.Sees = chat.SeesAll
		now, account, err := SeenConversation(tx.Reader, all, one.ID)
		if err == nil {
			err = undoOne(tx, u, account, now, one, labels)
		}
		if _, gone := errors.AsType[*chat.Error](err); gone {
			continue
		}
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func undoOne(tx *store.Tx, u chat.User, account chat.Account, now chat.Conversation, one changed, labels BulkLabels) error {
	if one.Label {
		if _, err := unlabel(tx, now, labels.LabelID, &u.ID); err != nil {
			return err
		}
	}
	if one.Unlabel {
		if _, err := label(tx, account, now, labels.RemoveLabelID, &u.ID); err != nil {
			return err
		}
	}
	after := one.undo(now)
	if !differ(now, after) {
		return nil
	}
	if err := checkAssignee(tx.Reader, account, after.AssignedTo); err != nil {
		return err
	}
	after.UpdatedAt = tx.Now()
	if err := tx.UpdateConversation(after); err != nil {
		return err
	}
	return tellOfConversation(tx, account, now, after, &u.ID)
}

// undo reverts the change of a conversation, where nobody has changed it since.
func (one changed) undo(c chat.Conversation) chat.Conversation {
	before, after := one.Before, one.After
	if c.Status == after.Status && same(c.SnoozedUntil, after.SnoozedUntil, time.Time.Equal) {
		c.Status, c.SnoozedUntil = before.Status, before.SnoozedUntil
		if c.WaitingSince == nil && c.Status != chat.ConversationResolved {
			c.WaitingSince = before.WaitingSince
		}
	}
	if same(c.AssignedTo, after.AssignedTo, func(a, b string) bool { return a == b }) {
		c.AssignedTo = before.AssignedTo
	}
	if c.UnreadCount == after.UnreadCount {
		c.UnreadCount = before.UnreadCount
	}
	return c
}

// same compares what two pointers point to; two nils are the same.
func same[T any](a, b *T, equal func(a, b T) bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equal(*a, *b)
}
