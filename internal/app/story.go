package app

import (
	"net/http"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
)

func registerStory(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/story", ID: "getStory", Tag: "Developers", Role: chat.RoleAdmin,
		Summary: "Tell the story of any id",
		Description: "Of a message, a request, an event, a delivery, a conversation, a contact, the provider's id of a message, or a phone number: " +
			"from the request to the last delivery, in the order of time.",
		Errors: []chat.Code{chat.CodeResourceNotFound, chat.CodeMissingRequiredField},
	}, getStory)
}

type storyInput struct {
	ID string `query:"id" minLength:"1" maxLength:"300"`
}

type storyView struct {
	Kind     string             `json:"kind" enum:"message,request,event,delivery,conversation,contact" doc:"What the id names."`
	Contacts []inboxContactView `json:"contacts"`
	Steps    []storyStepView    `json:"steps" doc:"Oldest first."`
}

type storyStepView struct {
	Kind     string            `json:"kind" enum:"request,message,status,event,delivery,attempt"`
	At       rest.Instant      `json:"at"`
	Request  *callView         `json:"request,omitempty"`
	Message  *storyMessageView `json:"message,omitempty"`
	Event    *EventHeadView    `json:"event,omitempty"`
	Status   *storyStatusView  `json:"status,omitempty"`
	Delivery *deliveryHeadView `json:"delivery,omitempty"`
	Attempt  *storyAttemptView `json:"attempt,omitempty"`
}

type storyMessageView struct {
	ID             string         `json:"id"`
	MessageID      *string        `json:"message_id" nullable:"true" doc:"The provider's id."`
	ConversationID string         `json:"conversation_id"`
	Direction      chat.Direction `json:"direction"`
	Type           string         `json:"type"`
	Status         string         `json:"status"`
	Source         *string        `json:"source" nullable:"true"`
	Preview        string         `json:"preview"`
	ErrorCode      *string        `json:"error_code" nullable:"true"`
	ErrorMessage   *string        `json:"error_message" nullable:"true"`
}

type storyStatusView struct {
	Status string  `json:"status"`
	Error  *string `json:"error" nullable:"true" doc:"In the provider's words."`
}

type storyAttemptView struct {
	DeliveryID     string  `json:"delivery_id"`
	SubscriptionID string  `json:"subscription_id"`
	Attempt        int     `json:"attempt"`
	ResponseStatus *int64  `json:"response_status" nullable:"true"`
	ErrorCode      *string `json:"error_code" nullable:"true"`
	DurationMS     *int64  `json:"duration_ms" nullable:"true"`
}

func getStory(c *rest.Call, in *storyInput) (storyView, error) {
	id := strings.TrimSpace(in.ID)
	if id == "" {
		return storyView{}, &chat.Error{Code: chat.CodeMissingRequiredField, Param: "id", Message: "Say of what."}
	}
	story, err := core.TellStory(c.Read(), c.OrgID(), id)
	view := storyView{Kind: story.Kind, Contacts: []inboxContactView{}, Steps: make([]storyStepView, len(story.Steps))}
	for _, k := range story.Contacts {
		view.Contacts = append(view.Contacts, inboxContactView{rest.ContactID(k.ID), k.Name, k.PhoneNumber, k.BSUID, k.Username})
	}
	for i, step := range story.Steps {
		view.Steps[i] = viewStoryStep(step)
	}
	return view, err
}

func viewStoryStep(s core.StoryStep) storyStepView {
	view := storyStepView{At: rest.Instant(s.At)}
	switch {
	case s.Request != nil:
		view.Kind, view.Request = "request", new(viewCall(*s.Request))
	case s.Message != nil:
		view.Kind, view.Message = "message", viewStoryMessage(*s.Message)
	case s.Event != nil:
		view.Kind, view.Event = "event", new(viewEventHead(*s.Event))
		if s.Status != nil {
			view.Kind, view.Status = "status", &storyStatusView{s.Status.Status, orNil(s.Status.Error)}
		}
	case s.Delivery != nil:
		view.Kind, view.Delivery = "delivery", new(viewDeliveryHead(*s.Delivery))
	case s.Attempt != nil:
		a := s.Attempt
		view.Kind, view.Attempt = "attempt", &storyAttemptView{a.Delivery.ID, a.Delivery.SubscriptionID, a.Number, a.ResponseStatus, a.ErrorCode, a.DurationMS}
	}
	return view
}

func viewStoryMessage(m chat.Message) *storyMessageView {
	view := &storyMessageView{
		ID: m.ID, MessageID: orNil(m.ProviderID), ConversationID: m.ConversationID, Direction: m.Direction, Type: string(m.Type),
		Status: string(m.Status), Source: orNil(string(m.Source)), Preview: core.Preview(m),
	}
	if m.Error != nil {
		view.ErrorCode, view.ErrorMessage = orNil(string(m.Error.Code)), orNil(m.Error.Message)
	}
	return view
}
