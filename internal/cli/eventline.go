package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/parleyhq/parley/client"
)

// shownEvent is an event for a terminal: when, what, at which number, with whom, the text or status, and an id
// to look it up by.
type shownEvent struct {
	at      time.Time
	kind    string
	number  string
	payload []byte
	id      string // the event's id, if there is none of its object
	beside  string // further text on the line
}

// colours of a line; empty if the output is not a terminal.
type colours struct{ dim, kind, good, bad, end string }

func coloursFor(w io.Writer, environ func(string) string) colours {
	file, ok := w.(*os.File)
	if !ok || environ("NO_COLOR") != "" {
		return colours{}
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return colours{}
	}
	return colours{dim: "\x1b[2m", kind: "\x1b[36m", good: "\x1b[32m", bad: "\x1b[31m", end: "\x1b[0m"}
}

// line formats the event as one line.
func (e shownEvent) line(c colours) string {
	who, what, id := "-", "", e.id
	if value, err := client.DecodeEvent(client.EventType(e.kind), e.payload); err == nil && value != nil {
		who, what, id = describe(value)
	} else if len(e.payload) == 0 || string(e.payload) == "null" {
		what = "(its content was removed with the message)"
	}
	if id == "" {
		id = e.id
	}
	mark := ""
	switch {
	case strings.HasPrefix(what, "failed"):
		mark = c.bad
	case e.kind == string(client.EventMessageReceived):
		mark = c.good
	}
	return fmt.Sprintf("%s%s%s  %s%-28s%s  %s  %-14s  %s%s%s  %s%s%s%s\n", c.dim, e.at.Local().Format(time.TimeOnly), c.end, c.kind, e.kind, c.end,
		text(orNil(e.number)), oneLine(who), mark, oneLine(what), c.end, c.dim, id, c.end, e.beside)
}

// oneLine makes a foreign text safe for a terminal, and cuts it to a readable length.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)
	if s == "" {
		return "-"
	}
	return short(s)
}

// describe returns the person (the number, or the contact's id of somebody without one, which every event has), the content and the object's id of an event.
func describe(value any) (who, what, id string) {
	switch v := value.(type) {
	case *client.MessageReceived:
		return cmp.Or(v.From.PhoneNumber, v.ContactID, v.From.BSUID), contentAs(v.Type, v.Body()), v.ID
	case *client.MessageStatusChanged:
		return cmp.Or(v.RecipientPhone, v.ContactID), statusText(v), v.ID
	case *client.MessageSent:
		return orText(v.Message.To, v.Contact.ID), contentAs(v.Message.Type, orText(v.Message.Body, "")), v.Message.ID
	case *client.MessageRevoked:
		return orText(v.ContactPhoneNumber, v.ContactID), "deleted the message", v.MessageID
	case *client.MessageEdited:
		return orText(v.ContactPhoneNumber, v.ContactID), "now says: " + orText(v.NewContent, ""), v.MessageID
	case *client.ConversationAssigned:
		return orText(v.Assignee.UserID, "nobody"), "is assigned", v.Conversation.ID
	case *client.ConversationClosed:
		return orText(v.Conversation.ClosedByUserID, "an API key"), "closed it", v.Conversation.ID
	default:
		return describeContact(value)
	}
}

func describeContact(value any) (who, what, id string) {
	switch v := value.(type) {
	case *client.ContactCreated:
		return orText(v.Contact.PhoneNumber, v.Contact.ID), orText(v.Contact.Name, ""), v.Contact.ID
	case *client.ContactUpdated:
		return orText(v.Contact.PhoneNumber, v.Contact.ID), "changed: " + strings.Join(v.ChangedFields, ", "), v.Contact.ID
	case *client.ContactIdentityUpdated:
		return orText(v.Contact.PhoneNumber, v.Contact.ID), "has another id or number", v.Contact.ID
	case *client.CustomerCreatedEvent:
		return v.Customer.Name, string(v.Customer.Status), v.Customer.ID
	case *client.CustomerUpdatedEvent:
		return v.Customer.Name, "changed: " + strings.Join(v.ChangedFields, ", "), v.Customer.ID
	case *client.CustomerArchivedEvent:
		return v.Customer.Name, "archived", v.Customer.ID
	case *client.CustomerOnboardedEvent:
		return v.PhoneNumber, "connected", v.CustomerID
	case *client.SetupLinkCreatedEvent:
		return v.CustomerID, "link " + string(v.SetupLink.Status), v.SetupLink.ID
	case *client.SetupLinkConsumedEvent:
		return v.CustomerID, "link " + string(v.SetupLink.Status), v.SetupLink.ID
	default:
		return "", "", ""
	}
}

// contentAs is a message's text, with its type if it is not just text.
func contentAs(kind client.MessageType, body string) string {
	switch {
	case kind == client.TypeText:
		return body
	case body == "":
		return "[" + string(kind) + "]"
	default:
		return "[" + string(kind) + "] " + body
	}
}

func statusText(v *client.MessageStatusChanged) string {
	if len(v.Errors) == 0 {
		return v.Status
	}
	return fmt.Sprintf("%s: %s (%d)", v.Status, v.Errors[0].Title, v.Errors[0].Code)
}

func orText(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

// eventJSON writes an event as one line of JSON.
func eventJSON(w io.Writer, e client.Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}
