package app

import (
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerContacts(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts", ID: "listAllContacts", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "List contacts", Description: "Of all numbers, as far as the user may see them.",
	}, listContacts)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts/count", ID: "countContacts", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Count contacts", Description: "With the filters of the list. The count stops at 100,000, which says that there may be more.",
	}, countContacts)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts/{id}", ID: "getContactDetail", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Get a contact", Description: "With its notes, its consent's history, and the contacts of other numbers that are the same person.",
	}, getContactDetail)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/contacts/{id}/merge", ID: "previewMerge", Tag: "Contacts", Role: chat.RoleAdmin,
		Summary: "Show what merging two contacts would do", Description: "Nothing is changed.",
		Errors: []chat.Code{chat.CodeMissingRequiredField},
	}, previewMerge)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/contacts/{id}/notes", ID: "addContactNote", Tag: "Contacts", Role: chat.RoleAgent, Status: http.StatusCreated,
		Summary: "Write a note about a contact", Description: "For colleagues.", InPath: contactInPath,
	}, addContactNote)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/contacts/{id}/notes/{note_id}", ID: "editContactNote", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Change a note about a contact", Description: "One's own.",
	}, editContactNote)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/contacts/{id}/notes/{note_id}", ID: "deleteContactNote", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Remove a note about a contact", Description: "One's own.",
	}, deleteContactNote)
}

// contactInPath loads the contact that the path names.
func contactInPath(c *rest.Call, r store.Reader) error {
	_, err := core.SeenContact(r, *c.Caller.User, c.PathValue(0))
	return err
}

// contactFilterInput is a chat.ContactFilter in a query.
type contactFilterInput struct {
	Search       string       `query:"search" minLength:"1" maxLength:"200" doc:"Parts of the name, e-mail address, number or username; every word must be there, and those from the twelfth on side by side."`
	Number       string       `query:"number" pattern:"^[0-9]{6,20}$" doc:"Only of this business number, by its phone_number_id."`
	LabelIDs     string       `query:"label_ids" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}(,lbl_[0-9A-HJKMNP-TV-Z]{26}){0,19}$" doc:"Only those who have one of these labels; several are separated by commas."`
	AllLabels    string       `query:"all_labels" enum:"true,false" doc:"true: all of the labels must be there."`
	Consent      chat.Consent `query:"consent"`
	SeenAfter    *time.Time   `query:"seen_after" doc:"Only those who have written since."`
	NotSeenSince *time.Time   `query:"not_seen_since" doc:"Only those who have not written since, or never."`
	NeverSeen    string       `query:"never_seen" enum:"true,false" doc:"true: only those who have never written."`
}

func (in contactFilterInput) filter() chat.ContactFilter {
	f := chat.ContactFilter{
		Search: in.Search, Number: in.Number, AllLabels: in.AllLabels == "true", Consent: in.Consent,
		SeenAfter: in.SeenAfter, NotSeenSince: in.NotSeenSince, NeverSeen: in.NeverSeen == "true",
	}
	if in.LabelIDs != "" {
		f.LabelIDs = strings.Split(in.LabelIDs, ",")
	}
	return f
}

type listContactsInput struct {
	contactFilterInput
	Sort string `query:"sort" enum:"newest,name" default:"newest"`
}

func listContacts(c *rest.Call, in *listContactsInput, p store.Page) (store.Slice[listedContactView], error) {
	sort := chat.ContactsNewest
	if in.Sort != "" {
		sort = chat.ContactSort(in.Sort)
	}
	slice, err := core.ListContacts(c.Read(), *c.Caller.User, in.filter(), sort, p)
	return rest.ViewEach(slice, viewContact), err
}

type countView struct {
	Count int `json:"count"`
}

func countContacts(c *rest.Call, in *contactFilterInput) (countView, error) {
	n, err := core.CountContacts(c.Read(), *c.Caller.User, in.filter())
	return countView{n}, err
}

type listedContactView struct {
	ID             rest.ContactID   `json:"id"`
	Object         string           `json:"object" enum:"contact"`
	Name           *string          `json:"name"`
	PhoneNumber    *string          `json:"phone_number"`
	BSUID          *string          `json:"bsuid"`
	Username       *string          `json:"username"`
	Email          *string          `json:"email"`
	Metadata       rest.FreeForm    `json:"metadata"`
	Consent        chat.Consent     `json:"marketing_consent"`
	Labels         []inboxLabelView `json:"labels"`
	Number         inboxNumberView  `json:"number" doc:"The number that it is a contact of."`
	TeamID         string           `json:"team_id" doc:"The team of that number, whose labels it can have."`
	ConversationID *string          `json:"conversation_id" nullable:"true"`
	LastSeenAt     *rest.Instant    `json:"last_seen_at" nullable:"true" doc:"When the person last wrote."`
	CreatedAt      rest.Instant     `json:"created_at"`
	UpdatedAt      rest.Instant     `json:"updated_at"`
}

func viewContact(i core.ContactItem) listedContactView {
	return listedContactView{
		ID: rest.ContactID(i.ID), Object: "contact", Name: i.Name, PhoneNumber: i.PhoneNumber, BSUID: i.BSUID, Username: i.Username, Email: i.Email,
		Metadata: rest.FreeForm(i.Metadata), Consent: i.Consent, Labels: viewLabels(i.Labels),
		Number: inboxNumberView{deref(i.PhoneNumberID), deref(i.OwnNumber), deref(i.NumberName)}, TeamID: i.TeamID,
		ConversationID: i.ConversationID, LastSeenAt: rest.InstantPtr(i.LastSeenAt),
		CreatedAt: rest.Instant(i.CreatedAt), UpdatedAt: rest.Instant(i.UpdatedAt),
	}
}

type contactDetailView struct {
	Contact listedContactView   `json:"contact"`
	Notes   []contactNoteView   `json:"notes" doc:"The newest first."`
	History []consentChangeView `json:"consent_history" doc:"Who changed the consent, the last first."`
	Others  []listedContactView `json:"others" doc:"Contacts of other numbers that are the same person."`
}

type contactNoteView struct {
	ID        rest.ContactNoteID `json:"id"`
	Body      string             `json:"body"`
	Author    namedView          `json:"author"`
	CreatedAt rest.Instant       `json:"created_at"`
	EditedAt  *rest.Instant      `json:"edited_at" nullable:"true"`
}

type consentChangeView struct {
	Previous chat.Consent           `json:"previous"`
	Consent  chat.Consent           `json:"consent"`
	Source   string                 `json:"source" enum:"user,key,provider,message,import,merge"`
	By       rest.OrNull[namedView] `json:"by" doc:"The user, or the key, the message or the import by its id alone."`
	At       rest.Instant           `json:"at"`
}

// consentShown is the number of consent changes shown.
const consentShown = 100

func getContactDetail(c *rest.Call, in *rest.ByID[rest.ContactID]) (view contactDetailView, err error) {
	r, u := c.Read(), *c.Caller.User
	item, err := core.SeenContact(r, u, string(in.ID))
	if err != nil {
		return view, err
	}
	names, err := r.UserNames(u.OrgID)
	if err != nil {
		return view, err
	}
	notes, err := r.ContactNotes(u.OrgID, item.ID)
	if err != nil {
		return view, err
	}
	changes, err := r.ConsentChanges(u.OrgID, item.ID, consentShown)
	if err != nil {
		return view, err
	}
	others, err := core.Namesakes(r, u, item.Contact)
	view = contactDetailView{Contact: viewContact(item), Notes: []contactNoteView{}, History: []consentChangeView{}, Others: []listedContactView{}}
	for _, n := range notes {
		view.Notes = append(view.Notes, viewContactNote(n, names))
	}
	for _, change := range changes {
		view.History = append(view.History, viewConsentChange(change, names))
	}
	for _, other := range others {
		view.Others = append(view.Others, viewContact(other))
	}
	return view, err
}

func viewContactNote(n chat.ContactNote, names map[string]string) contactNoteView {
	return contactNoteView{rest.ContactNoteID(n.ID), n.Body, namedView{n.AuthorID, names[n.AuthorID]}, rest.Instant(n.CreatedAt), rest.InstantPtr(n.EditedAt)}
}

func viewConsentChange(change chat.ConsentChange, names map[string]string) consentChangeView {
	view := consentChangeView{Previous: change.Previous, Consent: change.Consent, Source: string(change.By.Source), At: rest.Instant(change.At)}
	if change.By.ID != "" {
		view.By.Value = &namedView{change.By.ID, names[change.By.ID]}
	}
	return view
}

type contactNoteBody struct {
	Body string `json:"body" minLength:"1" maxLength:"10000"`
}

func addContactNote(tx *store.Tx, c *rest.Call, in *rest.SentTo[rest.ContactID, contactNoteBody]) (contactNoteView, error) {
	note, err := core.AddContactNote(tx, *c.Caller.User, string(in.ID), in.Body.Body)
	return viewOwnContactNote(c, note), err
}

func viewOwnContactNote(c *rest.Call, n chat.ContactNote) contactNoteView {
	return viewContactNote(n, map[string]string{c.Caller.User.ID: c.Caller.User.Name})
}

type contactNoteInput struct {
	rest.ByID[rest.ContactID]
	NoteID rest.ContactNoteID `path:"note_id"`
}

type editContactNoteInput struct {
	contactNoteInput
	Body contactNoteBody
}

func editContactNote(tx *store.Tx, c *rest.Call, in *editContactNoteInput) (contactNoteView, error) {
	note, err := core.EditContactNote(tx, *c.Caller.User, string(in.ID), string(in.NoteID), in.Body.Body)
	return viewOwnContactNote(c, note), err
}

func deleteContactNote(tx *store.Tx, c *rest.Call, in *contactNoteInput) (rest.DeletedView, error) {
	err := core.DeleteContactNote(tx, *c.Caller.User, string(in.ID), string(in.NoteID))
	return rest.DeletedView{ID: string(in.NoteID), Object: "note", Deleted: true}, err
}
