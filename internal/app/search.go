package app

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/search"
	"github.com/parleyhq/parley/internal/store"
)

func registerSearch(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/search", ID: "search", Tag: "Search", Role: chat.RoleAgent,
		Summary: "Search", Description: "For messages, notes and contacts that the user may see. All words must be there, each as any part " +
			"of another; case and accents do not matter. Contacts are also found by three digits of their number or more. Newest first. " +
			"One request looks at a bounded number of rows: next_cursor may be given with few items or none.",
		Errors: []chat.Code{chat.CodeInvalidLimit, chat.CodeInvalidCursor, chat.CodeMissingRequiredField},
	}, a.search)
}

type searchInput struct {
	Q      string     `query:"q" minLength:"1" maxLength:"200" doc:"What to look for."`
	In     string     `query:"in" enum:"messages,notes,contacts" doc:"Only among these. Without it the first page of each is answered."`
	Number string     `query:"number" pattern:"^[0-9]{6,20}$" doc:"Only of this business number, by its phone_number_id."`
	From   *time.Time `query:"from" doc:"Only messages and notes from this instant on."`
	Until  *time.Time `query:"until" doc:"Only messages and notes from before this instant."`
}

type searchView struct {
	Messages foundView[foundMessageView] `json:"messages"`
	Notes    foundView[foundNoteView]    `json:"notes"`
	Contacts foundView[foundContactView] `json:"contacts"`
	Indexing bool                        `json:"indexing" doc:"Older rows are still being read, and are not found yet."`
}

type foundView[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Pass it as cursor, with the same filters and in, to go on. Null at the end."`
}

type snippetView struct {
	Text  string   `json:"text" doc:"Plain text around what was found."`
	Marks [][2]int `json:"marks" doc:"Where the words are: from and until, in UTF-16 units."`
}

type foundMessageView struct {
	MessageID      rest.MessageID      `json:"message_id"`
	ConversationID rest.ConversationID `json:"conversation_id"`
	Contact        inboxContactView    `json:"contact"`
	Number         inboxNumberView     `json:"number"`
	Direction      chat.Direction      `json:"direction"`
	Type           string              `json:"type"`
	Snippet        snippetView         `json:"snippet"`
	CreatedAt      rest.Instant        `json:"created_at"`
}

type foundNoteView struct {
	NoteID         rest.NoteID         `json:"note_id"`
	ConversationID rest.ConversationID `json:"conversation_id"`
	Contact        inboxContactView    `json:"contact"`
	Number         inboxNumberView     `json:"number"`
	Author         namedView           `json:"author"`
	Snippet        snippetView         `json:"snippet"`
	CreatedAt      rest.Instant        `json:"created_at"`
}

type foundContactView struct {
	Contact        inboxContactView `json:"contact"`
	Number         inboxNumberView  `json:"number"`
	ConversationID *string          `json:"conversation_id" nullable:"true"`
	Snippet        snippetView      `json:"snippet"`
}

func (a *App) search(c *rest.Call, in *searchInput) (view searchView, err error) {
	p, err := c.Page()
	if err != nil {
		return view, err
	}
	if !c.Given("q") {
		return view, &chat.Error{Code: chat.CodeMissingRequiredField, Param: "q", Message: "Say what to look for."}
	}
	if p.After != nil && (in.In == "" || !strings.HasPrefix(p.After.ID, in.In+" ")) {
		return view, &chat.Error{Code: chat.CodeInvalidCursor, Param: "cursor", Message: "A cursor goes on with what it is of: pass in as well."}
	}
	req := search.Request{User: *c.Caller.User, Query: search.Parse(in.Q), Limit: p.Limit}
	if req.User.Masked {
		req.Query = req.Query.WithoutNumbers()
	}
	if in.Number != "" {
		account, err := c.Read().AccountByNumber(c.OrgID(), in.Number)
		if errors.Is(err, store.ErrNotFound) {
			return emptySearch(), nil
		}
		if err != nil {
			return view, err
		}
		req.AccountID = account.ID
	}
	if view, err = a.searchEach(c, in, req, p); err == nil {
		view.Indexing, err = a.cfg.Search.Indexing(c.Ctx, c.OrgID())
	}
	return view, err
}

func emptySearch() searchView {
	return searchView{
		Messages: foundView[foundMessageView]{Items: []foundMessageView{}},
		Notes:    foundView[foundNoteView]{Items: []foundNoteView{}},
		Contacts: foundView[foundContactView]{Items: []foundContactView{}},
	}
}

// searchEach searches each requested kind.
func (a *App) searchEach(c *rest.Call, in *searchInput, req search.Request, p store.Page) (view searchView, err error) {
	view = emptySearch()
	contacts := req
	if in.From != nil {
		req.From = *in.From
	}
	if in.Until != nil {
		req.Until = *in.Until
	}
	messages, notes := req, req
	messages.Kind, notes.Kind, contacts.Kind = chat.KindMessage, chat.KindNote, chat.KindContact
	names, err := c.Read().UserNames(c.OrgID())
	if err == nil {
		view.Messages, err = searchKind(a, c, in, "messages", messages, p, viewFoundMessage)
	}
	if err == nil {
		view.Notes, err = searchKind(a, c, in, "notes", notes, p, func(h search.Hit) foundNoteView { return viewFoundNote(h, names) })
	}
	if err == nil {
		view.Contacts, err = searchKind(a, c, in, "contacts", contacts, p, viewFoundContact)
	}
	return view, err
}

// searchKind searches one kind, if it was requested.
func searchKind[T any](a *App, c *rest.Call, in *searchInput, name string, req search.Request, p store.Page, view func(search.Hit) T) (found foundView[T], err error) {
	found.Items = []T{}
	if in.In != "" && in.In != name {
		return found, nil
	}
	if p.After != nil {
		req.After = strings.TrimPrefix(p.After.ID, name+" ")
	}
	result, err := a.cfg.Search.Search(c.Ctx, req)
	if err != nil {
		return found, err
	}
	for _, hit := range result.Hits {
		found.Items = append(found.Items, view(hit))
	}
	if result.Next != "" {
		found.NextCursor = new(c.Cursor(store.Position{ID: name + " " + result.Next}))
	}
	return found, nil
}

func viewFoundMessage(h search.Hit) foundMessageView {
	return foundMessageView{
		MessageID: rest.MessageID(h.ID), ConversationID: rest.ConversationID(h.Conversation.ID), Contact: contactOf(h.Conversation), Number: numberOf(h.Conversation),
		Direction: h.Direction, Type: string(h.Type), Snippet: snippetView(h.Snippet), CreatedAt: rest.Instant(h.CreatedAt),
	}
}

func viewFoundNote(h search.Hit, names map[string]string) foundNoteView {
	return foundNoteView{
		NoteID: rest.NoteID(h.ID), ConversationID: rest.ConversationID(h.Conversation.ID), Contact: contactOf(h.Conversation), Number: numberOf(h.Conversation),
		Author: namedView{h.AuthorID, names[h.AuthorID]}, Snippet: snippetView(h.Snippet), CreatedAt: rest.Instant(h.CreatedAt),
	}
}

func viewFoundContact(h search.Hit) foundContactView {
	view := foundContactView{Contact: contactOf(h.Conversation), Number: numberOf(h.Conversation), Snippet: snippetView(h.Snippet)}
	if h.Conversation.ID != "" {
		view.ConversationID = &h.Conversation.ID
	}
	return view
}
