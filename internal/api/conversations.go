package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerConversations(a *API) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/conversations", ID: "listConversations", Tag: "Conversations",
		Summary: "List conversations, the latest message first", Conditional: true,
		Description: "Those without a message come last. With updated_since the order is that of updated_at, newest first. " +
			"The ETag changes with the newest updated_at of the page, and with whatever else the page shows.",
	}, listConversations)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/conversations/{id}", ID: "getConversation", Tag: "Conversations",
		Summary:     "Get a conversation",
		Description: "With its contact, its assignee and its labels. The id of a conversation that has become one with another names that one, here and in every other path.",
	}, getConversation)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/{phone_number_id}/conversations/{id}", ID: "updateConversation", Tag: "Conversations",
		Summary: "Change a conversation's status or assignee", Description: "Fields that are left out stay as they are; at least one is needed.",
	}, updateConversation)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/conversations/{id}/labels", ID: "attachConversationLabel", Tag: "Conversations",
		Summary: "Attach a label to a conversation", Description: "The label must be of the number's team. Attaching it again changes nothing.",
		InPath: func(c *rest.Call, r store.Reader) error {
			_, err := core.Conversation(r, c.Account, c.PathValue(1))
			return err
		},
	}, attachConversationLabel)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/{phone_number_id}/conversations/{id}/labels/{label_id}", ID: "detachConversationLabel", Tag: "Conversations",
		Summary: "Detach a label from a conversation", Description: "Detaching a label that is not attached changes nothing.",
	}, detachConversationLabel)
}

type conversationView struct {
	ID            rest.ConversationID       `json:"id"`
	Object        string                    `json:"object" enum:"conversation"`
	Status        chat.ConversationStatus   `json:"status"`
	Contact       contactRefView            `json:"contact"`
	ChatAccount   chatAccountView           `json:"chat_account"`
	Assignee      rest.OrNull[assigneeView] `json:"assignee"`
	Labels        []labelRefView            `json:"labels"`
	UnreadCount   int64                     `json:"unread_count" minimum:"0"`
	LastMessageAt *rest.Instant             `json:"last_message_at" nullable:"true"`
	LastInboundAt *rest.Instant             `json:"last_inbound_at" nullable:"true"`
	CreatedAt     rest.Instant              `json:"created_at"`
	UpdatedAt     rest.Instant              `json:"updated_at"`
}

type contactRefView struct {
	ID          rest.ContactID `json:"id"`
	PhoneNumber *string        `json:"phone_number"`
	Name        *string        `json:"name"`
}

type assigneeView struct {
	ID    rest.UserID `json:"id"`
	Name  *string     `json:"name"`
	Email *string     `json:"email"`
}

func viewConversation(account chat.Account, c chat.ConversationDetail, labels []chat.Label) conversationView {
	view := conversationView{
		ID: rest.ConversationID(c.ID), Object: "conversation", Status: c.Status,
		Contact:     contactRefView{ID: rest.ContactID(c.ContactID), PhoneNumber: c.ContactNumber, Name: c.ContactName},
		ChatAccount: viewChatAccount(account), Labels: viewLabelRefs(labels), UnreadCount: c.UnreadCount,
		LastMessageAt: rest.InstantPtr(c.LastMessageAt), LastInboundAt: rest.InstantPtr(c.LastInboundAt),
		CreatedAt: rest.Instant(c.CreatedAt), UpdatedAt: rest.Instant(c.UpdatedAt),
	}
	if c.AssignedTo != nil {
		view.Assignee.Value = &assigneeView{ID: rest.UserID(*c.AssignedTo), Name: c.AssigneeName, Email: c.AssigneeEmail}
	}
	return view
}

// showConversation loads a conversation with everything in its view.
func showConversation(r store.Reader, account chat.Account, id string) (conversationView, error) {
	conversation, err := core.Conversation(r, account, id)
	if err != nil {
		return conversationView{}, err
	}
	labels, err := r.LabelsOfConversations(account.OrgID, []string{conversation.ID}) // id may be of a merged one
	return viewConversation(account, conversation, labels[conversation.ID]), err
}

type listConversationsInput struct {
	rest.AccountPath
	Status       chat.ConversationStatus `query:"status"`
	ContactID    rest.ContactID          `query:"contact_id" doc:"Only the conversation with this contact."`
	UpdatedSince *time.Time              `query:"updated_since" doc:"Only conversations updated strictly after this instant, ordered by their update."`
	LabelID      rest.LabelID            `query:"label_id" doc:"Only conversations with this label."`
	AssignedTo   string                  `query:"assigned_to" pattern:"^(usr_)?[0-9A-HJKMNP-TV-Z]{26}$" doc:"Only conversations assigned to this user."`
}

func listConversations(c *rest.Call, in *listConversationsInput, p store.Page) (store.Slice[conversationView], error) {
	r := c.Read()
	conversations, err := core.Conversations(r, c.Account, store.ConversationFilter{
		Status: in.Status, ContactID: string(in.ContactID), UpdatedSince: in.UpdatedSince,
		LabelID: string(in.LabelID), AssignedTo: wholeUserID(in.AssignedTo),
	}, p)
	if err != nil {
		return store.Slice[conversationView]{}, err
	}
	labels, err := r.LabelsOfConversations(c.Account.OrgID, rest.IDsOf(conversations.Rows, func(row chat.ConversationDetail) string { return row.ID }))
	return rest.ViewEach(conversations, func(row chat.ConversationDetail) conversationView {
		return viewConversation(c.Account, row, labels[row.ID])
	}), err
}

func getConversation(c *rest.Call, in *rest.NumberByID[rest.ConversationID]) (conversationView, error) {
	r := c.Read()
	return showConversation(r, c.Account, string(in.ID))
}

type updateConversationBody struct {
	Status     *chat.ConversationStatus `json:"status,omitempty"`
	AssignedTo chat.Patch[string]       `json:"assigned_to,omitzero" pattern:"^(usr_)?[0-9A-HJKMNP-TV-Z]{26}$" doc:"A user of the number's team, with or without usr_, as events have it. Null clears it."`
}

func updateConversation(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.ConversationID, updateConversationBody]) (conversationView, error) {
	patch := chat.ConversationPatch{Status: in.Body.Status, AssignedTo: in.Body.AssignedTo}
	if patch.AssignedTo.Value != nil {
		patch.AssignedTo.Value = new(wholeUserID(*patch.AssignedTo.Value))
	}
	if _, err := core.UpdateConversation(tx, c.Account, string(in.ID), patch, nil); err != nil {
		return conversationView{}, err
	}
	return showConversation(tx.Reader, c.Account, string(in.ID))
}

// wholeUserID adds the prefix to a user id that was given without it, as events show it.
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

func attachConversationLabel(tx *store.Tx, c *rest.Call, in *rest.NumberSentTo[rest.ConversationID, attachLabelBody]) (conversationLabelView, error) {
	err := core.LabelConversation(tx, c.Account, string(in.ID), string(in.Body.LabelID), nil)
	return conversationLabelView{string(in.ID), string(in.Body.LabelID), true}, err
}

type conversationLabelInput struct {
	rest.AccountPath
	ID      rest.ConversationID `path:"id"`
	LabelID rest.LabelID        `path:"label_id"`
}

func detachConversationLabel(tx *store.Tx, c *rest.Call, in *conversationLabelInput) (conversationLabelView, error) {
	err := core.UnlabelConversation(tx, c.Account, string(in.ID), string(in.LabelID), nil)
	return conversationLabelView{string(in.ID), string(in.LabelID), false}, err
}
