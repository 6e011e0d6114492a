package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// NewReply is the input for a canned reply: a team's, or the user's own.
type NewReply struct {
	Name, Body string
	MediaID    *string
	TeamID     *string
}

// CreateReply makes a canned reply.
func CreateReply(tx *store.Tx, u chat.User, in NewReply) (chat.CannedReply, error) {
	reply := chat.CannedReply{
		ID: tx.NewID(chat.KindReply), OrgID: u.OrgID, Name: in.Name, Body: in.Body, MediaID: in.MediaID, TeamID: in.TeamID, CreatedAt: tx.Now(),
	}
	if in.TeamID == nil {
		reply.OwnerID = &u.ID
	}
	return saveReply(tx, u, reply, nil, chat.AuditReplyCreated)
}

// ReplyPatch changes the fields that are given. Without a team the reply becomes the user's own.
type ReplyPatch struct {
	Name, Body *string
	MediaID    chat.Patch[string]
	TeamID     chat.Patch[string]
}

// UpdateReply changes a canned reply that the user can use.
func UpdateReply(tx *store.Tx, u chat.User, id string, patch ReplyPatch) (chat.CannedReply, error) {
	reply, err := tx.CannedReply(u, id)
	if err != nil {
		return reply, orNotFound(err, "reply")
	}
	had := reply.MediaID
	if patch.Name != nil {
		reply.Name = *patch.Name
	}
	if patch.Body != nil {
		reply.Body = *patch.Body
	}
	if patch.MediaID.Given {
		reply.MediaID = patch.MediaID.Value
	}
	if patch.TeamID.Given {
		reply.TeamID, reply.OwnerID = patch.TeamID.Value, nil
		if reply.TeamID == nil {
			reply.OwnerID = &u.ID
		}
	}
	return saveReply(tx, u, reply, had, chat.AuditReplyUpdated)
}

// saveReply stores a reply. The file that it had may stay, even if the user could not give it now.
func saveReply(tx *store.Tx, u chat.User, reply chat.CannedReply, had *string, action chat.AuditAction) (chat.CannedReply, error) {
	if err := reply.Clean(); err != nil {
		return reply, err
	}
	if reply.TeamID != nil {
		member, err := tx.IsMember(u.OrgID, *reply.TeamID, u.ID)
		if err != nil {
			return reply, err
		}
		if !member {
			return reply, chat.Invalid("team_id", "This is no team of yours.")
		}
	}
	if file := reply.MediaID; file != nil && (had == nil || *file != *had) {
		if err := mayUseFile(tx.Reader, u, *file); err != nil {
			return reply, err
		}
	}
	reply.UpdatedAt = tx.Now()
	return reply, errors.Join(tx.PutCannedReply(reply), auditReply(tx, reply, action))
}

// mayUseFile refuses a file that is in the library of no number that the user may see.
func mayUseFile(r store.Reader, u chat.User, id string) error {
	media, err := r.Media(u.OrgID, id)
	if err == nil && media.Origin != chat.MediaLibrary {
		err = store.ErrNotFound
	}
	if err == nil && u.Sees != chat.SeesAll {
		var member bool
		if member, err = r.IsMember(u.OrgID, media.TeamID, u.ID); err == nil && !member {
			err = store.ErrNotFound
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return chat.Invalid("media_id", "There is no such file in the library.")
	}
	return err
}

// DeleteReply removes a canned reply that the user can use.
func DeleteReply(tx *store.Tx, u chat.User, id string) error {
	reply, err := tx.CannedReply(u, id)
	if err != nil {
		return orNotFound(err, "reply")
	}
	return errors.Join(tx.DeleteCannedReply(u.OrgID, id), auditReply(tx, reply, chat.AuditReplyDeleted))
}

// auditReply notes a change of a team's reply. A user's own replies concern nobody else.
func auditReply(tx *store.Tx, reply chat.CannedReply, action chat.AuditAction) error {
	if reply.TeamID == nil {
		return nil
	}
	return audit(tx, reply.OrgID, action, chat.AuditObject{ID: reply.ID, Name: reply.Name})
}
