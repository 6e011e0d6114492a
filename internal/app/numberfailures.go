package app

import (
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerNumberFailures(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/number/failures", ID: "listNumberFailures", Tag: "Numbers", Role: chat.RoleAdmin, Everybody: true,
		Summary:     "List the messages of a number that failed",
		Description: "Newest first, of the same days as the figures: these count what is listed here.",
	}, listNumberFailures)
}

type numberFailuresInput struct {
	rest.AccountPath
	Days string `query:"days" enum:"1,7,30,90" default:"7" doc:"How many, today included."`
	Zone string `query:"zone" maxLength:"64" default:"UTC" doc:"The time zone whose days are meant."`
	Code string `query:"code" minLength:"1" maxLength:"100" doc:"Only those that failed for this reason."`
}

type failedMessageView struct {
	ID             string       `json:"id"`
	ConversationID string       `json:"conversation_id"`
	Contact        string       `json:"name" doc:"Whom it was for, by name or number."`
	To             *string      `json:"to"`
	Type           string       `json:"type"`
	Source         string       `json:"source"`
	Code           string       `json:"error_code"`
	Message        string       `json:"error_message"`
	ProviderCode   *int         `json:"provider_code" nullable:"true"`
	CreatedAt      rest.Instant `json:"created_at"`
}

func listNumberFailures(c *rest.Call, in *numberFailuresInput, p store.Page) (none store.Slice[failedMessageView], err error) {
	from, _, err := daysOf(c.Now(), in.Days, in.Zone)
	if err != nil {
		return none, err
	}
	after := from.Add(-time.Millisecond) // the list excludes this instant
	messages, contacts, err := core.Messages(c.Read(), c.Account, store.MessageFilter{
		Direction: string(chat.Outbound), Status: string(chat.StatusFailed), ErrorCode: in.Code, CreatedAfter: &after,
	}, p)
	return rest.ViewEach(messages, func(m chat.Message) failedMessageView {
		contact := contacts[m.ContactID]
		view := failedMessageView{
			ID: m.ID, ConversationID: m.ConversationID, To: contact.PhoneNumber, Type: string(m.Type), Source: string(m.Source), CreatedAt: rest.Instant(m.CreatedAt),
		}
		if view.Contact = deref(contact.Name); view.Contact == "" {
			view.Contact = deref(contact.PhoneNumber)
		}
		if m.Error != nil {
			view.Code, view.Message, view.ProviderCode = string(m.Error.Code), m.Error.Message, m.Error.ProviderCode
		}
		return view
	}), err
}
