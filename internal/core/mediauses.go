package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// MediaUses lists where a library file is used.
type MediaUses struct {
	Replies      []string // replies that the user can use, by name
	OtherReplies int      // replies of other people
	Templates    []chat.TemplateSample
	Sketches     []string // templates being written
	Broadcasts   []string // broadcasts that will still send it, for who may see them
	Messages     int      // at most store.MediaMessagesCounted
}

// UsesOfMedia finds where a file of the account's team is used.
func UsesOfMedia(r store.Reader, account chat.Account, u chat.User, id string) (uses MediaUses, err error) {
	if _, err := LibraryMedia(r, account, id); err != nil {
		return uses, err
	}
	if err := uses.addReplies(r, u, id); err != nil {
		return uses, err
	}
	if uses.Templates, err = r.MediaTemplates(account.OrgID, id); err != nil {
		return uses, err
	}
	if uses.Sketches, err = r.MediaSketches(account.OrgID, id); err != nil {
		return uses, err
	}
	if u.Role.Covers(chat.RoleAdmin) && u.Sees != chat.SeesAssigned { // only they see broadcasts
		if uses.Broadcasts, err = r.MediaBroadcasts(account.OrgID, id); err != nil {
			return uses, err
		}
	}
	uses.Messages, err = r.MediaMessages(account.OrgID, id)
	return uses, err
}

// addReplies names only replies that the user can see elsewhere.
func (uses *MediaUses) addReplies(r store.Reader, u chat.User, id string) error {
	all, err := r.MediaReplies(u.OrgID, id)
	if err != nil {
		return err
	}
	usable, err := r.CannedReplies(u)
	if err != nil {
		return err
	}
	mine := map[string]bool{}
	for _, reply := range usable {
		mine[reply.ID] = true
	}
	for _, reply := range all {
		if mine[reply.ID] {
			uses.Replies = append(uses.Replies, reply.Name)
		} else {
			uses.OtherReplies++
		}
	}
	return nil
}
