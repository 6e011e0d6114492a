package api

import (
	"encoding/json"
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func registerContacts(a *API) {
	list(a, operation{
		method: http.MethodGet, path: "/{phone_number_id}/contacts", id: "listContacts", tag: "Contacts",
		summary:     "List contacts, newest first",
		description: "`search` looks for a part of the name, e-mail address, number or username; the other filters match exactly.", errors: []chat.Code{chat.CodeInvalidPhoneNumber},
	}, listContacts)

	write(a, operation{
		method: http.MethodPost, path: "/{phone_number_id}/contacts", id: "createContact", tag: "Contacts",
		summary:     "Create a contact",
		description: "A number or a business-scoped id is needed. One that the account has already is 409 `contact_already_exists`.", status: http.StatusCreated,
		errors: []chat.Code{chat.CodeInvalidPhoneNumber, chat.CodeContactAlreadyExists},
	}, createContact)

	read(a, operation{
		method: http.MethodGet, path: "/{phone_number_id}/contacts/{id}", id: "getContact", tag: "Contacts",
		summary:     "Get a contact",
		description: "With its labels and what it wants of marketing. The id of a contact that has become one with another names that one, here and in every other path.",
	}, getContact)

	write(a, operation{
		method: http.MethodPatch, path: "/{phone_number_id}/contacts/{id}", id: "updateContact", tag: "Contacts",
		summary: "Change a contact", description: "Fields that are left out stay as they are, null clears; at least one is needed. The phone number cannot be changed.",
	}, updateContact)

	inSteps(a, operation{
		method: http.MethodDelete, path: "/{phone_number_id}/contacts/{id}", id: "deleteContact", tag: "Contacts",
		summary: "Delete a contact", description: "Its labels, its conversation and all messages of it go with it.",
	}, deleteSomeMessages, deleteContact)

	inSteps(a, operation{
		method: http.MethodPost, path: "/{phone_number_id}/contacts/{id}/merge", id: "mergeContacts", tag: "Contacts",
		summary: "Make two contacts one",
		description: "For a person who is known twice, by number and by business-scoped id. Messages, labels and metadata of both are kept; " +
			"of what both have, such as the name, that of the contact in the path. The ids of the one whose conversation is older stay, " +
			"and the other's go on naming the same contact and conversation. Contacts with different numbers, or with different ids, cannot be merged. " +
			"It emits contact.identity_updated.",
		inPath: func(c *call, r store.Reader, account chat.Account) error {
			_, err := core.Contact(r, account, c.path[1])
			return err
		},
	}, mergeSomeMessages, mergeContacts)

	write(a, operation{
		method: http.MethodPost, path: "/{phone_number_id}/contacts/{id}/labels", id: "attachContactLabel", tag: "Contacts",
		summary: "Attach a label to a contact", description: "The label must be of the number's team. Attaching it again changes nothing.",
		inPath: func(c *call, r store.Reader, account chat.Account) error {
			_, err := core.Contact(r, account, c.path[1])
			return err
		},
	}, attachContactLabel)

	write(a, operation{
		method: http.MethodDelete, path: "/{phone_number_id}/contacts/{id}/labels/{label_id}", id: "detachContactLabel", tag: "Contacts",
		summary: "Detach a label from a contact", description: "Detaching a label that is not attached changes nothing.",
	}, detachContactLabel)

	write(a, operation{
		method: http.MethodPost, path: "/{phone_number_id}/contacts/bulk_label", id: "bulkLabelContacts", tag: "Contacts",
		summary: "Attach a label to many contacts, or detach it", description: "All in one transaction. The four counts add up to the number of distinct ids.",
	}, bulkLabelContacts)
}

type contactView struct {
	ID               string          `json:"id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object           string          `json:"object" enum:"contact"`
	PhoneNumber      *string         `json:"phone_number" doc:"In E.164; null when created through a BSUID."`
	BSUID            *string         `json:"bsuid" doc:"The business-scoped user id."`
	ParentBSUID      *string         `json:"parent_bsuid" doc:"The same across a managed portfolio of businesses."`
	Username         *string         `json:"username" doc:"Compared without regard to case."`
	Name             *string         `json:"name"`
	Email            *string         `json:"email"`
	Metadata         freeForm        `json:"metadata"`
	MarketingConsent string          `json:"marketing_consent" enum:"unknown,opted_in,opted_out"`
	Labels           []labelRefView  `json:"labels"`
	ChatAccount      chatAccountView `json:"chat_account"`
	CreatedAt        instant         `json:"created_at"`
	UpdatedAt        instant         `json:"updated_at"`
}

func viewContact(account chat.Account, c chat.Contact, labels []chat.Label) contactView {
	return contactView{
		ID: c.ID, Object: "contact", PhoneNumber: c.PhoneNumber, BSUID: c.BSUID, ParentBSUID: c.ParentBSUID, Username: c.Username,
		Name: c.Name, Email: c.Email, Metadata: freeForm(c.Metadata), MarketingConsent: string(c.Consent),
		Labels: viewLabelRefs(labels), ChatAccount: viewChatAccount(account),
		CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

// showContact is viewContact for one whose labels are still to be read.
func showContact(r store.Reader, account chat.Account, c chat.Contact) (contactView, error) {
	labels, err := r.LabelsOfContacts(c.OrgID, []string{c.ID})
	return viewContact(account, c, labels[c.ID]), err
}

type listContactsInput struct {
	accountPath
	Phone    string `query:"phone" format:"phone-number" doc:"Exactly this number, with or without +."`
	BSUID    string `query:"bsuid" pattern:"^[A-Z]{2}[.][A-Za-z0-9]{1,128}$" doc:"Exactly this business-scoped user id."`
	Username string `query:"username" minLength:"1" maxLength:"100" doc:"Exactly this username, in whatever case."`
	Search   string `query:"search" minLength:"1" maxLength:"200" doc:"Part of the name, e-mail address, number or username, in whatever case."`
	LabelID  string `query:"label_id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only contacts with this label."`
}

func listContacts(c *call, in *listContactsInput, p store.Page) (store.Slice[contactView], error) {
	r := c.api.store.Read(c.ctx)
	account, err := c.account(r)
	if err != nil {
		return store.Slice[contactView]{}, err
	}
	filter := store.ContactFilter{BSUID: in.BSUID, Username: in.Username, Search: in.Search, LabelID: in.LabelID}
	if in.Phone != "" {
		if filter.PhoneNumber, err = chat.CleanPhoneNumber("phone", in.Phone); err != nil {
			return store.Slice[contactView]{}, err
		}
	}
	contacts, err := r.Contacts(account.OrgID, account.ID, filter, p)
	if err != nil {
		return store.Slice[contactView]{}, err
	}
	labels, err := r.LabelsOfContacts(account.OrgID, idsOf(contacts.Rows, func(c chat.Contact) string { return c.ID }))
	return viewEach(contacts, func(c chat.Contact) contactView { return viewContact(account, c, labels[c.ID]) }), err
}

type createContactInput struct {
	accountPath
	Body createContactBody
}

type createContactBody struct {
	PhoneNumber *string  `json:"phone_number,omitempty" nullable:"true" unless:"bsuid" format:"phone-number" doc:"In international form, with or without +. It or bsuid is needed."`
	BSUID       *string  `json:"bsuid,omitempty" nullable:"true" pattern:"^[A-Z]{2}[.][A-Za-z0-9]{1,128}$" doc:"The business-scoped user id."`
	Username    *string  `json:"username,omitempty" nullable:"true" minLength:"1" maxLength:"100" doc:"Unique among the number's contacts without regard to case."`
	Name        *string  `json:"name,omitempty" nullable:"true" minLength:"1" maxLength:"200"`
	Email       *string  `json:"email,omitempty" nullable:"true" format:"email" clearing:"true" maxLength:"255" doc:"Empty is the same as null."`
	Metadata    freeForm `json:"metadata,omitempty" maxProperties:"64" doc:"Anything of your own: at most 64 keys and 16 KiB."`
}

func createContact(tx *store.Tx, c *call, in *createContactInput) (contactView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return contactView{}, err
	}
	b := in.Body
	contact, err := core.CreateContact(tx, account, chat.NewContact{
		PhoneNumber: b.PhoneNumber, BSUID: b.BSUID, Username: b.Username, Name: b.Name, Email: b.Email, Metadata: json.RawMessage(b.Metadata),
	})
	return viewContact(account, contact, nil), err
}

type contactInput struct {
	accountPath
	ID string `path:"id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func getContact(c *call, in *contactInput) (contactView, error) {
	r := c.api.store.Read(c.ctx)
	account, err := c.account(r)
	if err != nil {
		return contactView{}, err
	}
	contact, err := core.Contact(r, account, in.ID)
	if err != nil {
		return contactView{}, err
	}
	return showContact(r, account, contact)
}

type updateContactInput struct {
	accountPath
	ID   string `path:"id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body updateContactBody
}

type updateContactBody struct {
	Name     chat.Patch[string]          `json:"name,omitzero" minLength:"1" maxLength:"200" doc:"Null clears it."`
	Username chat.Patch[string]          `json:"username,omitzero" minLength:"1" maxLength:"100" doc:"Unique among the number's contacts without regard to case. Null clears it."`
	Email    chat.Patch[string]          `json:"email,omitzero" format:"email" clearing:"true" maxLength:"255" doc:"Empty or null clears it."`
	Metadata chat.Patch[json.RawMessage] `json:"metadata,omitzero" maxProperties:"64" doc:"Replaces what was there: at most 64 keys and 16 KiB. Null clears it."`
	Consent  *chat.Consent               `json:"marketing_consent,omitempty" enum:"unknown,opted_in,opted_out"`
}

func updateContact(tx *store.Tx, c *call, in *updateContactInput) (contactView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return contactView{}, err
	}
	contact, err := core.UpdateContact(tx, account, in.ID, chat.ContactPatch(in.Body))
	if err != nil {
		return contactView{}, err
	}
	return showContact(tx.Reader, account, contact)
}

func deleteSomeMessages(tx *store.Tx, c *call, in *contactInput, limit int) (int64, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return 0, err
	}
	return core.DeleteSomeMessages(tx, account, in.ID, limit)
}

func deleteContact(tx *store.Tx, c *call, in *contactInput) (deletedView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return deletedView{}, err
	}
	err = core.DeleteContact(tx, account, in.ID)
	return deletedView{ID: in.ID, Object: "contact", Deleted: true}, err
}

type mergeContactsInput struct {
	accountPath
	ID   string `path:"id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body mergeContactsBody
}

type mergeContactsBody struct {
	ContactID string `json:"contact_id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$" doc:"The other contact, of the same number."`
}

func mergeSomeMessages(tx *store.Tx, c *call, in *mergeContactsInput, limit int) (int64, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return 0, err
	}
	return core.MergeSomeMessages(tx, account, in.ID, in.Body.ContactID, limit)
}

func mergeContacts(tx *store.Tx, c *call, in *mergeContactsInput) (contactView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return contactView{}, err
	}
	contact, err := core.MergeContacts(tx, account, in.ID, in.Body.ContactID)
	if err != nil {
		return contactView{}, err
	}
	return showContact(tx.Reader, account, contact)
}

type contactLabelView struct {
	ContactID string `json:"contact_id"`
	LabelID   string `json:"label_id"`
	Attached  bool   `json:"attached"`
}

type attachContactLabelInput struct {
	accountPath
	ID   string `path:"id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body attachLabelBody
}

func attachContactLabel(tx *store.Tx, c *call, in *attachContactLabelInput) (contactLabelView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return contactLabelView{}, err
	}
	err = core.LabelContact(tx, account, in.ID, in.Body.LabelID)
	return contactLabelView{in.ID, in.Body.LabelID, true}, err
}

type contactLabelInput struct {
	accountPath
	ID      string `path:"id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$"`
	LabelID string `path:"label_id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func detachContactLabel(tx *store.Tx, c *call, in *contactLabelInput) (contactLabelView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return contactLabelView{}, err
	}
	err = core.UnlabelContact(tx, account, in.ID, in.LabelID)
	return contactLabelView{in.ID, in.LabelID, false}, err
}

type bulkLabelInput struct {
	accountPath
	Body bulkLabelBody
}

type bulkLabelBody struct {
	ContactIDs []string `json:"contact_ids" minItems:"1" maxItems:"1000" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Up to 1000. An id given twice counts once."`
	LabelID    string   `json:"label_id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
	Operation  string   `json:"operation" enum:"attach,detach"`
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

func bulkLabelContacts(tx *store.Tx, c *call, in *bulkLabelInput) (bulkLabelView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return bulkLabelView{}, err
	}
	b := in.Body
	result, err := core.BulkLabelContacts(tx, account, core.BulkLabel{ContactIDs: b.ContactIDs, LabelID: b.LabelID, Detach: b.Operation == "detach"})
	return bulkLabelView{
		Object: "bulk_label_result", Operation: b.Operation, LabelID: b.LabelID, Applied: result.Applied, Already: result.Already,
		SkippedCrossOrg: result.SkippedCrossOrg, SkippedTeamMismatch: result.SkippedTeamMismatch,
	}, err
}
