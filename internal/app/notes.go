package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerNotes(a *App) {
	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/conversations/{id}/notes", ID: "addNote", Tag: "Inbox", Role: chat.RoleAgent, Status: http.StatusCreated,
		Summary: "Write a note", Description: "Colleagues see it, the contact never does.", InPath: seenInPath,
	}, addNote)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/conversations/{id}/notes/{note_id}", ID: "editNote", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Change a note", Description: "One's own.",
	}, editNote)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/conversations/{id}/notes/{note_id}", ID: "deleteNote", Tag: "Inbox", Role: chat.RoleAgent,
		Summary: "Delete a note", Description: "One's own.",
	}, deleteNote)
}

type addNoteBody struct {
	Body     string   `json:"body" minLength:"1" maxLength:"10000"`
	Mentions []string `json:"mentions,omitempty" maxItems:"50" doc:"Users whom it concerns."`
}

func addNote(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ConversationID, addNoteBody]) (timelineItemView, error) {
	note, err := core.AddNote(tx, *c.Caller.User, string(in.ID), in.Body.Body, in.Body.Mentions)
	return viewOwnNote(c, note), err
}

// viewOwnNote is the view of a note for its author.
func viewOwnNote(c *rest.Call, n chat.Note) timelineItemView {
	return viewNote(n, map[string]string{c.Caller.User.ID: c.Caller.User.Name})
}

type noteInput struct {
	rest.ByID[rest.ConversationID]
	NoteID rest.NoteID `path:"note_id"`
}

type editNoteInput struct {
	noteInput
	Body editNoteBody
}

type editNoteBody struct {
	Body     *string   `json:"body,omitempty" minLength:"1" maxLength:"10000"`
	Mentions *[]string `json:"mentions,omitempty" maxItems:"50"`
}

func editNote(tx *store.Tx, c *rest.Call, in *editNoteInput) (timelineItemView, error) {
	note, err := core.EditNote(tx, *c.Caller.User, string(in.ID), string(in.NoteID), core.NotePatch(in.Body))
	return viewOwnNote(c, note), err
}

func deleteNote(tx *store.Tx, c *rest.Call, in *noteInput) (rest.DeletedView, error) {
	err := core.DeleteNote(tx, *c.Caller.User, string(in.ID), string(in.NoteID))
	return rest.DeletedView{ID: string(in.NoteID), Object: "note", Deleted: true}, err
}
