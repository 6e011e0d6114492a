package core

import (
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// InboxItem is a conversation with everything that the inbox shows.
type InboxItem struct {
	chat.InboxEntry
	Labels        []chat.Label
	ContactLabels []chat.Label
	LastMessage   *chat.Message
	Draft         bool // the user has a draft there
}

// Window is until when the person can be written to without a template; nil: it is closed.
func (i InboxItem) Window(now time.Time) *time.Time {
	if i.LastInboundAt == nil {
		return nil
	}
	end := i.LastInboundAt.Add(24 * time.Hour)
	if !end.After(now) {
		return nil
	}
	return &end
}

// Inbox returns a page of the conversations that a user sees.
func Inbox(r store.Reader, u chat.User, f chat.InboxFilter, p store.Page) (store.Slice[InboxItem], error) {
	query, ok, err := inboxQuery(r, u, f)
	if err != nil || !ok {
		return store.Slice[InboxItem]{}, err
	}
	entries, err := r.Inbox(u, query, p)
	if err != nil {
		return store.Slice[InboxItem]{}, err
	}
	items, err := inboxItems(r, u, entries.Rows)
	return store.Slice[InboxItem]{Rows: items, Next: entries.Next}, err
}

// inboxQuery finds the account of the number that a filter names. If there is none, there is nothing to list.
func inboxQuery(r store.Reader, u chat.User, f chat.InboxFilter) (query store.InboxQuery, ok bool, err error) {
	query.InboxFilter = f
	query.AccountID, ok, err = accountNamed(r, u.OrgID, f.Number)
	return query, ok, err
}

// accountNamed is the id of the number that a filter names: empty if it names none, not ok if there is no such number.
func accountNamed(r store.Reader, orgID, number string) (id string, ok bool, err error) {
	if number == "" {
		return "", true, nil
	}
	account, err := r.AccountByNumber(orgID, number)
	if errors.Is(err, store.ErrNotFound) {
		return "", false, nil
	}
	return account.ID, err == nil, err
}

// inboxItems reads the rest of the items for a whole page at once.
func inboxItems(r store.Reader, u chat.User, entries []chat.InboxEntry) ([]InboxItem, error) {
	items := make([]InboxItem, len(entries))
	if len(entries) == 0 {
		return items, nil
	}
	ids, contacts := make([]string, len(entries)), make([]string, len(entries))
	for i, e := range entries {
		ids[i], contacts[i] = e.ID, e.ContactID
	}
	labels, err := r.LabelsOfConversations(u.OrgID, ids)
	if err != nil {
		return nil, err
	}
	contactLabels, err := r.LabelsOfContacts(u.OrgID, contacts)
	if err != nil {
		return nil, err
	}
	last, err := r.LastMessages(u.OrgID, ids)
	if err != nil {
		return nil, err
	}
	drafts, err := r.DraftsIn(u.OrgID, u.ID, ids)
	for i, e := range entries {
		items[i] = InboxItem{InboxEntry: e, Labels: labels[e.ID], ContactLabels: contactLabels[e.ContactID], Draft: drafts[e.ID]}
		if m, ok := last[e.ID]; ok {
			items[i].LastMessage = &m
		}
	}
	return items, err
}

// InboxConversation returns one conversation that a user sees.
func InboxConversation(r store.Reader, u chat.User, id string) (InboxItem, error) {
	entry, err := seen(r, u, id, r.InboxEntry)
	if err != nil {
		return InboxItem{}, err
	}
	items, err := inboxItems(r, u, []chat.InboxEntry{entry})
	if err != nil {
		return InboxItem{}, err
	}
	return items[0], nil
}

// seen reads a conversation if the user sees it. The id of a merged conversation names the remaining one.
func seen[T any](r store.Reader, u chat.User, id string, read func(chat.User, string) (T, error)) (T, error) {
	found, err := follow(r, u.OrgID, id, func(id string) (T, error) { return read(u, id) })
	return found, orNotFound(err, "conversation")
}

// SeenConversationID is the current id of a conversation that a user sees.
func SeenConversationID(r store.Reader, u chat.User, id string) (string, error) {
	conversation, err := seen(r, u, id, r.SeenConversation)
	return conversation.ID, err
}

// SeenConversation returns a conversation that a user sees, with its number. A transaction locks it.
func SeenConversation(r store.Reader, u chat.User, id string) (chat.Conversation, chat.Account, error) {
	conversation, err := seen(r, u, id, r.SeenConversation)
	if err != nil {
		return conversation, chat.Account{}, err
	}
	account, err := r.PeekAccount(u.OrgID, conversation.AccountID)
	return conversation, account, orNotFound(err, "conversation")
}

// InboxCounts counts the conversations in each view of a user, of one number or team if the filter names one.
func InboxCounts(r store.Reader, u chat.User, f chat.InboxFilter) (map[chat.InboxView]chat.InboxCount, error) {
	counts := map[chat.InboxView]chat.InboxCount{}
	query, ok, err := inboxQuery(r, u, f)
	for _, view := range chat.InboxViews {
		if err != nil || !ok {
			break
		}
		q := query
		q.View = view
		if view == chat.ViewMentions {
			q.Status = chat.AnyStatus // a mention asks for an answer even after the conversation was resolved
		}
		counts[view], err = r.InboxCount(u, q)
	}
	return counts, err
}

// ChangeSeen changes a conversation that a user sees.
func ChangeSeen(tx *store.Tx, u chat.User, id string, patch chat.ConversationPatch) (chat.Conversation, error) {
	conversation, account, err := SeenConversation(tx.Reader, u, id)
	if err != nil {
		return chat.Conversation{}, err
	}
	if err := checkSnooze(tx, patch); err != nil {
		return chat.Conversation{}, err
	}
	return patchConversation(tx, account, conversation, patch, &u.ID)
}

func checkSnooze(tx *store.Tx, patch chat.ConversationPatch) error {
	if until := patch.SnoozedUntil.Value; until != nil && !until.After(tx.Now()) {
		return chat.Invalid("snoozed_until", "Must be in the future.")
	}
	return nil
}

// LabelSeen puts a label on a conversation that a user sees.
func LabelSeen(tx *store.Tx, u chat.User, id, labelID string) error {
	conversation, account, err := SeenConversation(tx.Reader, u, id)
	if err != nil {
		return err
	}
	_, err = label(tx, account, conversation, labelID, &u.ID)
	return err
}

// UnlabelSeen takes a label off a conversation that a user sees.
func UnlabelSeen(tx *store.Tx, u chat.User, id, labelID string) error {
	conversation, _, err := SeenConversation(tx.Reader, u, id)
	if err != nil {
		return err
	}
	_, err = unlabel(tx, conversation, labelID, &u.ID)
	return err
}

// Wake opens up to limit conversations whose snooze has ended, and returns how many.
func Wake(tx *store.Tx, limit int) (int64, error) {
	due, err := tx.ToWake(limit)
	for _, before := range due {
		after := before.Woken()
		after.UpdatedAt = tx.Now()
		if err := tx.UpdateConversation(after); err != nil {
			return 0, err
		}
		for _, h := range chat.Happenings(before, after) {
			if err := happened(tx, after, h, nil); err != nil {
				return 0, err
			}
		}
	}
	return int64(len(due)), err
}
