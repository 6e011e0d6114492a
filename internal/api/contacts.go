package api

import (
	"encoding/json"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerContacts(a *API) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/contacts", ID: "listContacts", Tag: "Contacts",
		Summary:     "List contacts, newest first",
		Description: "`search` looks for a part of the name, e-mail address, number or username; the other filters match exactly. A number is found in its other spelling too (Mexico, Brazil).", Errors: []chat.Code{chat.CodeInvalidPhoneNumber},
	}, listContacts)

	rest.WriteAfter(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/contacts", ID: "createContact", Tag: "Contacts", Role: chat.RoleAdmin,
		Summary:     "Create a contact",
		Description: "A number or a business-scoped id is needed. One that the account has already, in whichever spelling, is 409 `contact_already_exists`.", Status: http.StatusCreated,
		Errors: []chat.Code{chat.CodeInvalidPhoneNumber, chat.CodeContactAlreadyExists},
	}, foreseeContact, createContact)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/contacts/{id}", ID: "getContact", Tag: "Contacts",
		Summary:     "Get a contact",
		Description: "With its labels and what it wants of marketing. The id of a contact that has become one with another names that one, here and in every other path.",
	}, getContact)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: "/{phone_number_id}/contacts/{id}", ID: "updateContact", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Change a contact", Description: "Fields that are left out stay as they are, null clears; at least one is needed. The phone number cannot be changed.",
	}, updateContact)

	rest.InSteps(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/{phone_number_id}/contacts/{id}", ID: "deleteContact", Tag: "Contacts", Role: chat.RoleAdmin,
		Summary: "Delete a contact", Description: "Its labels, its conversation and all messages of it go with it.",
	}, deleteSomeMessages, deleteContact)

	rest.InSteps(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/contacts/{id}/merge", ID: "mergeContacts", Tag: "Contacts", Role: chat.RoleAdmin,
		Summary: "Make two contacts one",
		Description: "For a person who is known twice, by number and by business-scoped id. Messages, labels and metadata of both are kept; " +
			"of what both have, such as the name, that of the contact in the path. The ids of the one whose conversation is older stay, " +
			"and the other's go on naming the same contact and conversation. Contacts with different numbers, or with different ids, cannot be merged. " +
			"It emits contact.identity_updated.",
		InPath: contactInPath,
	}, mergeSomeMessages, mergeContacts)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/contacts/{id}/labels", ID: "attachContactLabel", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Attach a label to a contact", Description: "The label must be of the number's team. Attaching it again changes nothing.",
		InPath: contactInPath,
	}, attachContactLabel)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/{phone_number_id}/contacts/{id}/labels/{label_id}", ID: "detachContactLabel", Tag: "Contacts", Role: chat.RoleAgent,
		Summary: "Detach a label from a contact", Description: "Detaching a label that is not attached changes nothing.",
	}, detachContactLabel)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/contacts/bulk_label", ID: "bulkLabelContacts", Tag: "Contacts",
		Summary: "Attach a label to many contacts, or detach it", Description: "All in one transaction. The four counts add up to the number of distinct ids.",
	}, bulkLabelContacts)
}

// contactInPath loads the contact that the path names. A user must be allowed to see it.
func contactInPath(c *rest.Call, r store.Reader) error {
	if err := seesContact(c, r, c.PathValue(1)); err != nil {
		return err
	}
	_, err := core.Contact(r, c.Account, c.PathValue(1))
	return err
}

// seesContact refuses a user who may not see the contact. A key sees all contacts of its organization.
func seesContact(c *rest.Call, r store.Reader, id string) error {
	if c.Caller.User == nil || c.Caller.User.Sees == chat.SeesAll {
		return nil
	}
	_, err := core.SeenContact(r, *c.Caller.User, id)
	return err
}

// actorOf is the user or the key who changes a contact.
func actorOf(c *rest.Call) chat.Actor {
	if c.Caller.User != nil {
		return chat.Actor{Source: chat.ConsentByUser, ID: c.Caller.User.ID}
	}
	return chat.Actor{Source: chat.ConsentByKey, ID: c.Caller.Key.ID}
}

type contactView struct {
	ID               rest.ContactID  `json:"id"`
	Object           string          `json:"object" enum:"contact"`
	PhoneNumber      *string         `json:"phone_number" doc:"In E.164; null when created through a BSUID."`
	BSUID            *string         `json:"bsuid" doc:"The business-scoped user id."`
	ParentBSUID      *string         `json:"parent_bsuid" doc:"The same across a managed portfolio of businesses."`
	Username         *string         `json:"username" doc:"Compared without regard to case."`
	Name             *string         `json:"name"`
	Email            *string         `json:"email"`
	Metadata         rest.FreeForm   `json:"metadata"`
	MarketingConsent chat.Consent    `json:"marketing_consent"`
	Labels           []labelRefView  `json:"labels"`
	ChatAccount      chatAccountView `json:"chat_account"`
	CreatedAt        rest.Instant    `json:"created_at"`
	UpdatedAt        rest.Instant    `json:"updated_at"`
}

func viewContact(account chat.Account, c chat.Contact, labels []chat.Label) contactView {
	return contactView{
		ID: rest.ContactID(c.ID), Object: "contact", PhoneNumber: c.PhoneNumber, BSUID: c.BSUID, ParentBSUID: c.ParentBSUID, Username: c.Username,
		Name: c.Name, Email: c.Email, Metadata: rest.FreeForm(c.Metadata), MarketingConsent: c.Consent,
		Labels: viewLabelRefs(labels), ChatAccount: viewChatAccount(account),
		CreatedAt: rest.Instant(c.CreatedAt), UpdatedAt: rest.Instant(c.UpdatedAt),
	}
}

// showContact reads the labels and makes the view.
func showContact(r store.Reader, account chat.Account, c chat.Contact) (contactView, error) {
	labels, err := r.LabelsOfContacts(c.OrgID, []string{c.ID})
	return viewContact(account, c, labels[c.ID]), err
}

type listContactsInput struct {
	rest.AccountPath
	Phone    string       `query:"phone" format:"phone-number" doc:"Exactly this number, with or without +, or its other spelling if no contact has it so."`
	BSUID    string       `query:"bsuid" pattern:"^[A-Z]{2}[.][A-Za-z0-9]{1,128}$" doc:"Exactly this business-scoped user id."`
	Username string       `query:"username" minLength:"1" maxLength:"100" doc:"Exactly this username, in whatever case."`
	Search   string       `query:"search" minLength:"1" maxLength:"200" doc:"Part of the name, e-mail address, number or username, in whatever case."`
	LabelID  rest.LabelID `query:"label_id" doc:"Only contacts with this label."`
}

func listContacts(c *rest.Call, in *listContactsInput, p store.Page) (store.Slice[contactView], error) {
	r := c.Read()
	filter := store.ContactFilter{BSUID: in.BSUID, Username: in.Username, Search: in.Search, LabelID: string(in.LabelID)}
	if in.Phone != "" {
		var err error
		if filter.PhoneNumber, err = chat.CleanPhoneNumber("phone", in.Phone); err != nil {
			return store.Slice[contactView]{}, err
		}
	}
	contacts, err := r.Contacts(c.Account.OrgID, c.Account.ID, filter, p)
	if err != nil {
		return store.Slice[contactView]{}, err
	}
	labels, err := r.LabelsOfContacts(c.Account.OrgID, rest.IDsOf(contacts.Rows, func(row chat.Contact) string { return row.ID }))
	return rest.ViewEach(contacts, func(row chat.Contact) contactView { return viewContact(c.Account, row, labels[row.ID]) }), err
}

type createContactBody struct {
	PhoneNumber *string       `json:"phone_number,omitempty" nullable:"true" unless:"bsuid" format:"phone-number" doc:"In international form, with or without +. It or bsuid is needed."`
	BSUID       *string       `json:"bsuid,omitempty" nullable:"true" pattern:"^[A-Z]{2}[.][A-Za-z0-9]{1,128}$" doc:"The business-scoped user id."`
	Username    *string       `json:"username,omitempty" nullable:"true" minLength:"1" maxLength:"100" doc:"Unique among the number's contacts without regard to case."`
	Name        *string       `json:"name,omitempty" nullable:"true" minLength:"1" maxLength:"200" doc:"Kept as it is given; not only white space."`
	Email       *string       `json:"email,omitempty" nullable:"true" format:"email-or-empty" maxLength:"255" doc:"An e-mail address. Empty is the same as null."`
	Metadata    rest.FreeForm `json:"metadata,omitempty" maxProperties:"64" doc:"Anything of your own: at most 64 keys and 16 KiB."`
	Consent     *chat.Consent `json:"marketing_consent,omitempty" doc:"What the person wants of marketing; unknown without it."`
}

// foreseeContact has PostgreSQL make contacts together that come at the same time.
func foreseeContact(c *rest.Call, in *rest.NumberSent[createContactBody]) error {
	if in.Body.PhoneNumber == nil {
		return nil
	}
	if err := c.FindAccount(c.Read()); err != nil {
		return err
	}
	c.Foresee(store.ThreadKey{OrgID: c.OrgID(), AccountID: c.Account.ID, Number: *in.Body.PhoneNumber})
	return nil
}

func createContact(tx *store.Tx, c *rest.Call, in *rest.NumberSent[createContactBody]) (contactView, error) {
	b := in.Body
	contact, err := core.CreateContactBy(tx, c.Account, chat.NewContact{
		PhoneNumber: b.PhoneNumber, BSUID: b.BSUID, Username: b.Username, Name: b.Name, Email: b.Email, Metadata: json.RawMessage(b.Metadata), Consent: deref(b.Consent),
	}, actorOf(c))
	return viewContact(c.Account, contact, nil), err
}

func getContact(c *rest.Call, in *rest.NumberByID[rest.ContactID]) (contactView, error) {
	r := c.Read()
	contact, err := core.Contact(r, c.Account, string(in.ID))
	if err != nil {
		return contactView{}, err
	}
	return showContact(r, c.Account, contact)
}

type updateContactBody struct {
	Name     chat.Patch[string]          `json:"name,omitzero" minLength:"1" maxLength:"200" doc:"Kept as it is given; not only white space. Null clears it."`
	Username chat.Patch[string]          `json:"username,omitzero" minLength:"1" maxLength:"100" doc:"Unique among the number's contacts without regard to case. Null clears it."`
	Email    chat.Patch[string]          `json:"email,omitzero" format:"email-or-empty" maxLength:"255" doc:"An e-mail address. Empty or null clears it."`
	Metadata chat.Patch[json.RawMessage] `json:"metadata,omitzero" maxProperties:"64" doc:"Replaces what was there: at most 64 keys and 16 KiB. Null clears it."`
	Consent  *chat.Consent               `json:"marketing_consent,omitempty"`
}

func updateContact(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.ContactID, updateContactBody]) (contactView, error) {
	if err := mayUpdate(tx.Reader, c, in); err != nil {
		return contactView{}, err
	}
	contact, err := core.UpdateContact(tx, c.Account, string(in.ID), chat.ContactPatch(in.Body), actorOf(c))
	if err != nil {
		return contactView{}, err
	}
	return showContact(tx.Reader, c.Account, contact)
}

// mayUpdate refuses a user who may not see the contact, and agents who change more than the name.
func mayUpdate(r store.Reader, c *rest.Call, in *rest.NumberSentTo[rest.ContactID, updateContactBody]) error {
	if err := seesContact(c, r, string(in.ID)); err != nil {
		return err
	}
	b := in.Body
	more := b.Username.Given || b.Email.Given || b.Metadata.Given || b.Consent != nil
	if more && c.Caller.User != nil && !c.Caller.User.Role.Covers(chat.RoleAdmin) {
		return chat.Fail(chat.CodeForbidden, "Agents can change a contact's name, labels and notes. Ask an admin to change the rest.")
	}
	return nil
}

func deleteSomeMessages(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.ContactID], limit int) (int64, error) {
	if err := seesContact(c, tx.Reader, string(in.ID)); err != nil {
		return 0, err
	}
	return core.DeleteSomeMessages(tx, c.Account, string(in.ID), limit)
}

func deleteContact(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.ContactID]) (rest.DeletedView, error) {
	err := core.DeleteContact(tx, c.Account, string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "contact", Deleted: true}, err
}

type mergeContactsBody struct {
	ContactID rest.ContactID `json:"contact_id" doc:"The other contact, of the same number."`
}

func mergeSomeMessages(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.ContactID, mergeContactsBody], limit int) (int64, error) {
	for _, id := range []string{string(in.ID), string(in.Body.ContactID)} {
		if err := seesContact(c, tx.Reader, id); err != nil {
			return 0, err
		}
	}
	return core.MergeSomeMessages(tx, c.Account, string(in.ID), string(in.Body.ContactID), limit)
}

func mergeContacts(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.ContactID, mergeContactsBody]) (contactView, error) {
	contact, err := core.MergeContacts(tx, c.Account, string(in.ID), string(in.Body.ContactID), actorOf(c).ID)
	if err != nil {
		return contactView{}, err
	}
	return showContact(tx.Reader, c.Account, contact)
}

type contactLabelView struct {
	ContactID string `json:"contact_id"`
	LabelID   string `json:"label_id"`
	Attached  bool   `json:"attached"`
}

func attachContactLabel(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.ContactID, attachLabelBody]) (contactLabelView, error) {
	if err := seesContact(c, tx.Reader, string(in.ID)); err != nil {
		return contactLabelView{}, err
	}
	err := core.LabelContact(tx, c.Account, string(in.ID), string(in.Body.LabelID))
	return contactLabelView{string(in.ID), string(in.Body.LabelID), true}, err
}

type contactLabelInput struct {
	rest.AccountPath
	ID      rest.ContactID `path:"id"`
	LabelID rest.LabelID   `path:"label_id"`
}

func detachContactLabel(tx *store.Tx, c *rest.Call, in *contactLabelInput) (contactLabelView, error) {
	if err := seesContact(c, tx.Reader, string(in.ID)); err != nil {
		return contactLabelView{}, err
	}
	err := core.UnlabelContact(tx, c.Account, string(in.ID), string(in.LabelID))
	return contactLabelView{string(in.ID), string(in.LabelID), false}, err
}

type bulkLabelBody struct {
	ContactIDs []rest.ContactID `json:"contact_ids" minItems:"1" maxItems:"1000" doc:"Up to 1000. An id given twice counts once; a second id of a contact, from before a merge, counts as already."`
	LabelID    rest.LabelID     `json:"label_id"`
	Operation  string           `json:"operation" enum:"attach,detach"`
}

type bulkLabelView struct {
	Object              string `json:"object" enum:"bulk_label_result"`
	Operation           string `json:"operation" enum:"attach,detach"`
	LabelID             string `json:"label_id"`
	Applied             int    `json:"applied" doc:"Contacts that this changed."`
	Already             int    `json:"already" doc:"Contacts that were as asked before."`
	SkippedCrossOrg     int    `json:"skipped_cross_org" doc:"Ids that are not contacts of the number in the path."`
	SkippedTeamMismatch int    `json:"skipped_team_mismatch" doc:"Contacts whose number belongs to another team than the label."`
}

func bulkLabelContacts(tx *store.Tx, c *rest.Call, in *rest.NumberSent[bulkLabelBody]) (bulkLabelView, error) {
	b := in.Body
	result, err := core.BulkLabelContacts(tx, c.Account, core.BulkLabel{ContactIDs: rest.Texts(b.ContactIDs), LabelID: string(b.LabelID), Detach: b.Operation == "detach"})
	return bulkLabelView{
		Object: "bulk_label_result", Operation: b.Operation, LabelID: string(b.LabelID), Applied: result.Applied, Already: result.Already,
		SkippedCrossOrg: result.SkippedCrossOrg, SkippedTeamMismatch: result.SkippedTeamMismatch,
	}, err
}
