package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func registerConversations(a *API) {
	list(a, operation{
		method: http.MethodGet, path: "/{phone_number_id}/conversations", id: "listConversations", tag: "Conversations",
		summary: "List conversations, the latest message first", conditional: true,
		description: "Those without a message come last. With updated_since the order is that of updated_at, newest first. " +
			"The ETag changes with the newest updated_at of the page, and with whatever else the page shows.",
	}, listConversations)

	read(a, operation{
		method: http.MethodGet, path: "/{phone_number_id}/conversations/{id}", id: "getConversation", tag: "Conversations",
		summary:     "Get a conversation",
		description: "With its contact, its assignee and its labels. The id of a conversation that has become one with another names that one, here and in every other path.",
	}, getConversation)

	write(a, operation{
		method: http.MethodPatch, path: "/{phone_number_id}/conversations/{id}", id: "updateConversation", tag: "Conversations",
		summary: "Change a conversation's status or assignee", description: "Fields that are left out stay as they are; at least one is needed.",
	}, updateConversation)

	write(a, operation{
		method: http.MethodPost, path: "/{phone_number_id}/conversations/{id}/labels", id: "attachConversationLabel", tag: "Conversations",
		summary: "Attach a label to a conversation", description: "The label must be of the number's team. Attaching it again changes nothing.",
		inPath: func(c *call, r store.Reader, account chat.Account) error {
			_, err := core.Conversation(r, account, c.path[1])
			return err
		},
	}, attachConversationLabel)

	write(a, operation{
		method: http.MethodDelete, path: "/{phone_number_id}/conversations/{id}/labels/{label_id}", id: "detachConversationLabel", tag: "Conversations",
		summary: "Detach a label from a conversation", description: "Detaching a label that is not attached changes nothing.",
	}, detachConversationLabel)
}

type conversationView struct {
	ID            string               `json:"id" pattern:"^cnv_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object        string               `json:"object" enum:"conversation"`
	Status        string               `json:"status" enum:"open,resolved,pending"`
	Contact       contactRefView       `json:"contact"`
	ChatAccount   chatAccountView      `json:"chat_account"`
	Assignee      orNull[assigneeView] `json:"assignee"`
	Labels        []labelRefView       `json:"labels"`
	UnreadCount   int64                `json:"unread_count" minimum:"0"`
	LastMessageAt *instant             `json:"last_message_at" nullable:"true"`
	LastInboundAt *instant             `json:"last_inbound_at" nullable:"true"`
	CreatedAt     instant              `json:"created_at"`
	UpdatedAt     instant              `json:"updated_at"`
}

type contactRefView struct {
	ID          string  `json:"id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$"`
	PhoneNumber *string `json:"phone_number"`
	Name        *string `json:"name"`
}

type assigneeView struct {
	ID    string  `json:"id" pattern:"^usr_[0-9A-HJKMNP-TV-Z]{26}$"`
	Name  *string `json:"name"`
	Email *string `json:"email"`
}

func viewConversation(account chat.Account, c chat.ConversationDetail, labels []chat.Label) conversationView {
	view := conversationView{
		ID: c.ID, Object: "conversation", Status: string(c.Status),
		Contact:     contactRefView{ID: c.ContactID, PhoneNumber: c.ContactNumber, Name: c.ContactName},
		ChatAccount: viewChatAccount(account), Labels: viewLabelRefs(labels), UnreadCount: c.UnreadCount,
		LastMessageAt: instantPtr(c.LastMessageAt), LastInboundAt: instantPtr(c.LastInboundAt),
		CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
	if c.AssignedTo != nil {
		view.Assignee.value = &assigneeView{ID: *c.AssignedTo, Name: c.AssigneeName, Email: c.AssigneeEmail}
	}
	return view
}

// showConversation loads a conversation with what belongs to its view.
func showConversation(r store.Reader, account chat.Account, id string) (conversationView, error) {
	conversation, err := core.Conversation(r, account, id)
	if err != nil {
		return conversationView{}, err
	}
	labels, err := r.LabelsOfConversations(account.OrgID, []string{id})
	return viewConversation(account, conversation, labels[id]), err
}

type listConversationsInput struct {
	accountPath
	Status       string     `query:"status" enum:"open,resolved,pending"`
	ContactID    string     `query:"contact_id" pattern:"^ctc_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only the conversation with this contact."`
	UpdatedSince *time.Time `query:"updated_since" doc:"Only conversations updated strictly after this instant, ordered by their update."`
	LabelID      string     `query:"label_id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only conversations with this label."`
	AssignedTo   string     `query:"assigned_to" pattern:"^(usr_)?[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only conversations assigned to this user."`
}

func listConversations(c *call, in *listConversationsInput, p store.Page) (store.Slice[conversationView], error) {
	r := c.api.store.Read(c.ctx)
	account, err := c.account(r)
	if err != nil {
		return store.Slice[conversationView]{}, err
	}
	conversations, err := core.Conversations(r, account, store.ConversationFilter{
		Status: chat.ConversationStatus(in.Status), ContactID: in.ContactID, UpdatedSince: in.UpdatedSince,
		LabelID: in.LabelID, AssignedTo: wholeUserID(in.AssignedTo),
	}, p)
	if err != nil {
		return store.Slice[conversationView]{}, err
	}
	labels, err := r.LabelsOfConversations(account.OrgID, idsOf(conversations.Rows, func(c chat.ConversationDetail) string { return c.ID }))
	return viewEach(conversations, func(c chat.ConversationDetail) conversationView {
		return viewConversation(account, c, labels[c.ID])
	}), err
}

type conversationInput struct {
	accountPath
	ID string `path:"id" pattern:"^cnv_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func getConversation(c *call, in *conversationInput) (conversationView, error) {
	r := c.api.store.Read(c.ctx)
	account, err := c.account(r)
	if err != nil {
		return conversationView{}, err
	}
	return showConversation(r, account, in.ID)
}

type updateConversationInput struct {
	accountPath
	ID   string `path:"id" pattern:"^cnv_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body updateConversationBody
}

type updateConversationBody struct {
	Status     *chat.ConversationStatus `json:"status,omitempty" enum:"open,resolved,pending"`
	AssignedTo chat.Patch[string]       `json:"assigned_to,omitzero" pattern:"^(usr_)?[0-9A-HJKMNP-TV-Z]{26}$" doc:"A user of the number's team, with or without usr_, as events have it. Null clears it."`
}

func updateConversation(tx *store.Tx, c *call, in *updateConversationInput) (conversationView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return conversationView{}, err
	}
	patch := chat.ConversationPatch(in.Body)
	if patch.AssignedTo.Value != nil {
		patch.AssignedTo.Value = new(wholeUserID(*patch.AssignedTo.Value))
	}
	if _, err := core.UpdateConversation(tx, account, in.ID, patch, nil); err != nil {
		return conversationView{}, err
	}
	return showConversation(tx.Reader, account, in.ID)
}

// wholeUserID is the id of a user that may have been given without its prefix, as events have it.
func wholeUserID(id string) string {
	const prefix = string(chat.KindUser) + "_"
	if id == "" || strings.HasPrefix(id, prefix) {
		return id
	}
	return prefix + id
}

type conversationLabelView struct {
	ConversationID string `json:"conversation_id"`
	LabelID        string `json:"label_id"`
	Attached       bool   `json:"attached"`
}

type attachConversationLabelInput struct {
	accountPath
	ID   string `path:"id" pattern:"^cnv_[0-9A-HJKMNP-TV-Z]{26}$"`
	Body attachLabelBody
}

func attachConversationLabel(tx *store.Tx, c *call, in *attachConversationLabelInput) (conversationLabelView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return conversationLabelView{}, err
	}
	err = core.LabelConversation(tx, account, in.ID, in.Body.LabelID)
	return conversationLabelView{in.ID, in.Body.LabelID, true}, err
}

type conversationLabelInput struct {
	accountPath
	ID      string `path:"id" pattern:"^cnv_[0-9A-HJKMNP-TV-Z]{26}$"`
	LabelID string `path:"label_id" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func detachConversationLabel(tx *store.Tx, c *call, in *conversationLabelInput) (conversationLabelView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return conversationLabelView{}, err
	}
	err = core.UnlabelConversation(tx, account, in.ID, in.LabelID)
	return conversationLabelView{in.ID, in.LabelID, false}, err
}
