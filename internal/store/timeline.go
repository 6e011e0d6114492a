package store

import (
	"github.com/parleyhq/parley/internal/chat"
)

// TimelinePage selects a part of a conversation's timeline, which is in the order of the ids without their
// prefixes: up to Limit items of each kind. It ends before Before, or at the newest; with After it begins there
// instead, oldest first.
type TimelinePage struct {
	Before, After string // exclusive
	Limit         int
}

// of is the end of a query for items of a kind.
func (p TimelinePage) of(c *conditions, kind chat.Kind) string {
	direction := " DESC"
	if p.Before != "" {
		c.add("id < ?", string(kind)+"_"+p.Before)
	}
	if p.After != "" {
		c.add("id > ?", string(kind)+"_"+p.After)
		direction = ""
	}
	return c.where() + " ORDER BY id" + direction + " LIMIT " + c.arg(p.Limit)
}

func timeline[T any](r Reader, scan func(scanner) (T, error), columns, table, only string, kind chat.Kind, orgID, conversationID string, p TimelinePage) ([]T, error) {
	var c conditions
	c.add("conversation_id = ?", conversationID)
	c.add(unindexed("org_id")+" = ?", orgID)
	if only != "" {
		c.add(only)
	}
	end := p.of(&c, kind)
	return many(r, scan, "SELECT "+columns+" FROM "+table+end, c.args...)
}

// TimelineMessages returns the messages of a part of a timeline, without reactions.
func (r Reader) TimelineMessages(orgID, conversationID string, p TimelinePage) ([]chat.Message, error) {
	return timeline(r, scanMessage, messageColumns, "messages", "type <> 'reaction'", chat.KindMessage, orgID, conversationID, p)
}

// TimelineNotes returns the notes of a part of a timeline.
func (r Reader) TimelineNotes(orgID, conversationID string, p TimelinePage) ([]chat.Note, error) {
	return timeline(r, scanNote, noteColumns, "notes", "", chat.KindNote, orgID, conversationID, p)
}

// TimelineHappenings returns the happenings of a part of a timeline.
func (r Reader) TimelineHappenings(orgID, conversationID string, p TimelinePage) ([]chat.Happening, error) {
	return timeline(r, scanHappening, happeningColumns, "happenings", "", chat.KindHappening, orgID, conversationID, p)
}

// mostReactions is how many reactions of a conversation are read.
const mostReactions = 1000

// Reactions returns a conversation's reactions since a message, oldest first.
func (r Reader) Reactions(orgID, conversationID, since string) ([]chat.Message, error) {
	return many(r, scanMessage, "SELECT "+messageColumns+` FROM messages WHERE conversation_id = $1 AND type = 'reaction' AND id >= $2
		AND `+unindexed("org_id")+` = $3 ORDER BY id LIMIT $4`, conversationID, since, orgID, mostReactions)
}

// MessagesByProviderIDs returns an account's messages with one of the provider's ids, by that id.
func (r Reader) MessagesByProviderIDs(orgID, accountID string, providerIDs []string) (map[string]chat.Message, error) {
	found, err := many(r, scanMessage, "SELECT "+messageColumns+" FROM messages WHERE org_id = $1 AND account_id = $2 AND "+
		r.dialect.oneOf("provider_id", "$3"), orgID, accountID, r.dialect.list(providerIDs))
	messages := make(map[string]chat.Message, len(found))
	for _, m := range found {
		messages[m.ProviderID] = m
	}
	return messages, err
}

// MediaByIDs returns files of the organization by their ids.
func (r Reader) MediaByIDs(orgID string, ids []string) (map[string]chat.Media, error) {
	found, err := many(r, scanMedia, "SELECT "+mediaColumns+" FROM media WHERE org_id = $1 AND "+r.dialect.oneOf("id", "$2")+notOfDeleted,
		orgID, r.dialect.list(ids))
	media := make(map[string]chat.Media, len(found))
	for _, m := range found {
		media[m.ID] = m
	}
	return media, err
}

// UserNames returns the names of an organization's users by their ids.
func (r Reader) UserNames(orgID string) (map[string]string, error) {
	names := map[string]string{}
	err := r.db.query(r.ctx, "SELECT id, name FROM users WHERE org_id = $1", []any{orgID}, func(row scanner) error {
		var id, name string
		err := row.Scan(&id, &name)
		names[id] = name
		return err
	})
	return names, err
}
