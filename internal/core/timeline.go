package core

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// TimelineItem is a message, a note or a happening.
type TimelineItem struct {
	Message   *TimelineMessage
	Note      *chat.Note
	Happening *chat.Happening
}

// TimelineMessage is a message with everything that its bubble shows.
type TimelineMessage struct {
	chat.Message
	Media     *chat.Media
	Quoted    *chat.Message // the message that it answers
	Reactions []Reaction
}

// Reaction is an emoji that one side has put on a message.
type Reaction struct {
	Emoji     string
	Direction chat.Direction
	SentBy    string // the user who reacted, from the dashboard
}

// Timeline is a page of everything that was written and done in a conversation, newest first.
type Timeline struct {
	Account      chat.Account
	Contact      chat.Contact
	Items        []TimelineItem
	Next         *store.Position // where older items continue
	Names        map[string]string
	Conversation chat.Conversation
}

func (i TimelineItem) id() string {
	switch {
	case i.Message != nil:
		return i.Message.ID
	case i.Note != nil:
		return i.Note.ID
	default:
		return i.Happening.ID
	}
}

// place is the item's position in time: its id without the kind.
func (i TimelineItem) place() string { return placeOf(i.id()) }

func placeOf(id string) string { return id[strings.LastIndexByte(id, '_')+1:] }

// TimelinePlace selects a page of a timeline that is neither the newest nor the next one: Around has an item in its
// middle, Newer has the items right after an item.
type TimelinePlace struct{ Around, Newer string }

// ConversationTimeline returns a page of a conversation's timeline: after the previous page, or at an item, or the
// newest.
func ConversationTimeline(r store.Reader, u chat.User, id string, at TimelinePlace, p store.Page) (Timeline, error) {
	conversation, account, err := SeenConversation(r, u, id)
	if err != nil {
		return Timeline{}, err
	}
	t := Timeline{Account: account, Conversation: conversation}
	if t.Contact, err = r.Contact(u.OrgID, account.ID, conversation.ContactID); err != nil {
		return t, orNotFound(err, "conversation")
	}
	if t.Names, err = r.UserNames(u.OrgID); err != nil {
		return t, err
	}
	if err := t.fetch(r, at, p); err != nil {
		return t, err
	}
	return t, completeMessages(r, account, conversation, t.Items)
}

// fetch reads the page's items, and where the next page begins.
func (t *Timeline) fetch(r store.Reader, at TimelinePlace, p store.Page) (err error) {
	older := store.TimelinePage{Limit: p.Limit + 1}
	switch {
	case p.After != nil:
		older.Before = p.After.ID
	case at.Newer != "":
		end := placeOf(at.Newer)
		t.Next = &store.Position{ID: end + "~"} // the item itself is on the next page
		t.Items, err = timelineItems(r, t.Conversation, store.TimelinePage{After: end, Limit: p.Limit})
		return err
	case at.Around != "":
		place := placeOf(at.Around)
		t.Items, err = timelineItems(r, t.Conversation, store.TimelinePage{After: place, Limit: p.Limit / 2})
		if err != nil {
			return err
		}
		older.Before, older.Limit = place+"~", p.Limit+1-len(t.Items) // the item itself is among them
	}
	items, err := timelineItems(r, t.Conversation, older)
	if t.Items = append(t.Items, items...); len(t.Items) > p.Limit {
		t.Items = t.Items[:p.Limit]
		t.Next = &store.Position{ID: t.Items[p.Limit-1].place()}
	}
	return err
}

// timelineItems merges the kinds of items, newest first, up to the size of the page.
func timelineItems(r store.Reader, c chat.Conversation, p store.TimelinePage) (items []TimelineItem, err error) {
	messages, err := r.TimelineMessages(c.OrgID, c.ID, p)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		items = append(items, TimelineItem{Message: &TimelineMessage{Message: m}})
	}
	notes, err := r.TimelineNotes(c.OrgID, c.ID, p)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		items = append(items, TimelineItem{Note: &n})
	}
	happenings, err := r.TimelineHappenings(c.OrgID, c.ID, p)
	for _, h := range happenings {
		items = append(items, TimelineItem{Happening: &h})
	}
	slices.SortFunc(items, func(a, b TimelineItem) int { return strings.Compare(b.place(), a.place()) })
	switch extra := len(items) - p.Limit; {
	case extra <= 0:
	case p.After != "": // keep the oldest of the newer items
		items = items[extra:]
	default:
		items = items[:p.Limit]
	}
	return items, err
}

// completeMessages reads what the bubbles show, for a whole page at once.
func completeMessages(r store.Reader, account chat.Account, c chat.Conversation, items []TimelineItem) error {
	var messages []*TimelineMessage
	for _, i := range items {
		if i.Message != nil {
			messages = append(messages, i.Message)
		}
	}
	if len(messages) == 0 {
		return nil
	}
	if err := addReactions(r, c, messages); err != nil {
		return err
	}
	if err := addQuoted(r, account, c, messages); err != nil {
		return err
	}
	return addMedia(r, c.OrgID, messages)
}

// addReactions finds each side's reactions to the messages: the last one of each side counts.
func addReactions(r store.Reader, c chat.Conversation, messages []*TimelineMessage) error {
	oldest := messages[len(messages)-1].ID
	reactions, err := r.Reactions(c.OrgID, c.ID, oldest)
	if err != nil || len(reactions) == 0 {
		return err
	}
	targets := map[string]*TimelineMessage{}
	for _, m := range messages {
		if m.ProviderID != "" {
			targets[m.ProviderID] = m
		}
	}
	for _, reaction := range reactions {
		var content struct {
			MessageID string `json:"message_id"`
			Emoji     string `json:"emoji"`
		}
		if json.Unmarshal(reaction.Content, &content) != nil {
			continue
		}
		target := targets[content.MessageID]
		if target == nil || reaction.Status == chat.StatusFailed || reaction.Revoked {
			continue
		}
		target.Reactions = slices.DeleteFunc(target.Reactions, func(old Reaction) bool { return old.Direction == reaction.Direction })
		if content.Emoji != "" {
			target.Reactions = append(target.Reactions, Reaction{content.Emoji, reaction.Direction, reaction.SentBy})
		}
	}
	return nil
}

func addQuoted(r store.Reader, account chat.Account, c chat.Conversation, messages []*TimelineMessage) error {
	var ids []string
	for _, m := range messages {
		if m.Context != "" {
			ids = append(ids, m.Context)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	quoted, err := r.MessagesByProviderIDs(c.OrgID, account.ID, ids)
	for _, m := range messages {
		if q, ok := quoted[m.Context]; ok && m.Context != "" && q.ConversationID == c.ID {
			m.Quoted = &q
		}
	}
	return err
}

func addMedia(r store.Reader, orgID string, messages []*TimelineMessage) error {
	var ids []string
	for _, m := range messages {
		if m.MediaID != "" {
			ids = append(ids, m.MediaID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	media, err := r.MediaByIDs(orgID, ids)
	for _, m := range messages {
		if file, ok := media[m.MediaID]; ok {
			m.Media = &file
		}
	}
	return err
}
