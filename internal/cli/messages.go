package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/parleyhq/parley/client"
)

type messageCommands struct {
	List messageListCommand `cmd:"" help:"List a number's messages, newest first."`
	Get  messageGetCommand  `cmd:"" help:"Show a message: how far it has come, and why it failed."`
}

type messageListCommand struct {
	Direction    string     `placeholder:"DIRECTION" help:"Only inbound, or only outbound."`
	Status       string     `placeholder:"STATUS" help:"Only queued, pending, sent, delivered, read or failed."`
	Type         string     `placeholder:"TYPE" help:"Only text, image, template and so on."`
	Conversation string     `placeholder:"ID" help:"Only of this conversation (cnv_…)."`
	After        *time.Time `placeholder:"TIME" help:"Only later than this, like 2026-01-31T12:00:00Z."`
	Before       *time.Time `placeholder:"TIME" help:"Only earlier than this."`
	listFlags    `embed:""`
	apiFlags     `embed:""`
}

func (cmd *messageListCommand) Run(c *console, api *client.Client) error {
	list, err := upTo(api.Messages(c.ctx, cmd.From, client.MessageFilter{
		Direction: client.Direction(cmd.Direction), Status: client.MessageStatus(cmd.Status), Type: client.MessageType(cmd.Type),
		ConversationID: cmd.Conversation, CreatedAfter: timeOf(cmd.After), CreatedBefore: timeOf(cmd.Before), PageOptions: cmd.pageOf(),
	}), cmd.Limit)
	return showList(c, cmd, list, err, func(m client.Message) record {
		return record{
			{"id", m.ID}, {"created_at", instant(m.CreatedAt)}, {"direction", string(m.Direction)}, {"with", whoOf(m)},
			{"type", string(m.Type)}, {"status", string(m.Status)}, {"content", short(contentOf(m))},
		}
	})
}

type messageGetCommand struct {
	ID       string `arg:"" help:"The message's id (msg_…), or the provider's id of it (wamid.…)."`
	apiFlags `embed:""`
}

func (cmd *messageGetCommand) Run(c *console, api *client.Client) error {
	m, err := cmd.find(c, api)
	return showOne(c, cmd, m, err, messageRecord)
}

// find gets the message by our id or the provider's.
func (cmd *messageGetCommand) find(c *console, api *client.Client) (*client.Message, error) {
	if strings.HasPrefix(cmd.ID, "msg_") {
		return api.GetMessage(c.ctx, cmd.From, cmd.ID)
	}
	found, err := api.ListMessages(c.ctx, cmd.From, client.MessageFilter{MessageID: cmd.ID})
	if err == nil && len(found.Data) == 0 {
		err = fmt.Errorf("no message of %s has the provider's id %s; our own begin with msg_", cmd.From, cmd.ID)
	}
	if err != nil {
		return nil, err
	}
	return &found.Data[0], nil
}

func messageRecord(m client.Message) record {
	r := record{
		{"id", m.ID}, {"provider_message_id", orNil(m.MessageID)}, {"direction", string(m.Direction)}, {"from", textOrNil(m.From)}, {"to", textOrNil(m.To)},
		{"bsuid", textOrNil(m.BSUID)}, {"username", textOrNil(m.Username)}, {"type", string(m.Type)}, {"content", contentOf(m)},
		{"status", string(m.Status)}, {"conversation_id", m.ConversationID}, {"created_at", instant(m.CreatedAt)}, {"updated_at", instant(m.UpdatedAt)},
	}
	if m.Error != nil {
		r = append(r, field{"error", m.Error.Code}, field{"why", m.Error.Message})
		if m.Error.ProviderCode != nil {
			r = append(r, field{"provider_code", *m.Error.ProviderCode})
		}
	}
	return r
}

// whoOf is the person that a message is from or to.
func whoOf(m client.Message) any {
	number := m.To
	if m.Direction == client.Inbound {
		number = m.From
	}
	switch {
	case number != nil:
		return *number
	case m.BSUID != nil:
		return *m.BSUID
	default:
		return nil
	}
}

// contentOf is the visible content of a message, on one line.
func contentOf(m client.Message) string {
	switch {
	case m.Text != nil:
		return m.Text.Body
	case m.Template != nil:
		return m.Template.Name
	case m.Reaction != nil:
		return m.Reaction.Emoji
	case m.Button != nil:
		return m.Button.Text
	case m.Interactive != nil:
		return interactiveText(*m.Interactive)
	}
	for _, file := range []*client.MediaContent{m.Image, m.Video, m.Document, m.Audio} {
		if file != nil {
			return mediaText(*file)
		}
	}
	return ""
}

func interactiveText(i client.InteractiveContent) string {
	switch {
	case i.ButtonReply != nil:
		return i.ButtonReply.Title
	case i.ListReply != nil:
		return i.ListReply.Title
	case i.Body != nil:
		return i.Body.Text
	default:
		return ""
	}
}

func mediaText(file client.MediaContent) string {
	if file.Caption != "" {
		return file.Caption
	}
	return file.Filename
}

const shortText = 60

// short is a text for a cell of a table.
func short(text string) string {
	runes := []rune(text)
	if len(runes) <= shortText {
		return text
	}
	return string(runes[:shortText-1]) + "…"
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
