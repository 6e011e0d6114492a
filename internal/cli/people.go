package cli

import (
	"errors"

	"github.com/parleyhq/parley/client"
)

type contactCommands struct {
	List   contactListCommand   `cmd:"" help:"List a number's contacts, newest first."`
	Get    contactGetCommand    `cmd:"" help:"Show a contact."`
	Create contactCreateCommand `cmd:"" help:"Create a contact."`
}

func contactRecord(p client.Contact) record {
	return record{
		{"id", p.ID}, {"name", textOrNil(p.Name)}, {"phone_number", textOrNil(p.PhoneNumber)}, {"bsuid", textOrNil(p.BSUID)},
		{"username", textOrNil(p.Username)}, {"email", textOrNil(p.Email)}, {"marketing_consent", string(p.MarketingConsent)}, {"created_at", instant(p.CreatedAt)},
	}
}

// contactRow is a contact in a list: as much as fits on a terminal.
func contactRow(p client.Contact) record {
	with := p.PhoneNumber
	if with == nil {
		with = p.BSUID
	}
	return record{
		{"id", p.ID}, {"name", textOrNil(p.Name)}, {"with", textOrNil(with)}, {"username", textOrNil(p.Username)}, {"marketing_consent", string(p.MarketingConsent)},
	}
}

type contactListCommand struct {
	Search    string `placeholder:"TEXT" help:"Part of the name, e-mail address, number or username."`
	Phone     string `placeholder:"NUMBER" help:"Exactly this number."`
	Label     string `placeholder:"ID" help:"Only those with this label (lbl_…)."`
	listFlags `embed:""`
	apiFlags  `embed:""`
}

func (cmd *contactListCommand) Run(c *console, api *client.Client) error {
	list, err := upTo(api.Contacts(c.ctx, cmd.From, client.ContactFilter{
		Search: cmd.Search, Phone: cmd.Phone, LabelID: cmd.Label, PageOptions: cmd.pageOf(),
	}), cmd.Limit)
	return showList(c, cmd, list, err, contactRow)
}

type contactGetCommand struct {
	ID       string `arg:"" help:"The contact's id (ctc_…)."`
	apiFlags `embed:""`
}

func (cmd *contactGetCommand) Run(c *console, api *client.Client) error {
	contact, err := api.GetContact(c.ctx, cmd.From, cmd.ID)
	return showOne(c, cmd, contact, err, contactRecord)
}

type contactCreateCommand struct {
	Phone    string `placeholder:"NUMBER" help:"The number, like +4915112345678."`
	BSUID    string `name:"bsuid" placeholder:"ID" help:"The business-scoped user id of somebody without a known number."`
	Name     string `placeholder:"NAME" help:"The name."`
	Email    string `placeholder:"ADDRESS" help:"The e-mail address."`
	apiFlags `embed:""`
}

// Validate is called by kong.
func (cmd *contactCreateCommand) Validate() error {
	if cmd.Phone+cmd.BSUID == "" {
		return errors.New("give --phone, or --bsuid for somebody without a known number")
	}
	return cmd.serviceFlags.Validate()
}

func (cmd *contactCreateCommand) Run(c *console, api *client.Client) error {
	contact, err := api.CreateContact(c.ctx, cmd.From, client.NewContact{PhoneNumber: cmd.Phone, BSUID: cmd.BSUID, Name: cmd.Name, Email: cmd.Email})
	return showOne(c, cmd, contact, err, contactRecord)
}

type conversationCommands struct {
	List   conversationListCommand   `cmd:"" help:"List a number's conversations, that of the latest message first."`
	Get    conversationGetCommand    `cmd:"" help:"Show a conversation."`
	Update conversationUpdateCommand `cmd:"" help:"Close a conversation, or open it again."`
}

func conversationRecord(v client.Conversation) record {
	assignee := any(nil)
	if v.Assignee != nil {
		assignee = v.Assignee.ID
	}
	return record{
		{"id", v.ID}, {"status", string(v.Status)}, {"contact", textOrNil(v.Contact.Name)}, {"phone_number", textOrNil(v.Contact.PhoneNumber)},
		{"contact_id", v.Contact.ID}, {"assignee", assignee}, {"unread", v.UnreadCount}, {"last_message_at", instantOrNil(v.LastMessageAt)},
	}
}

// conversationRow is a conversation in a list: as much as fits on a terminal. Somebody without a number has an id.
func conversationRow(v client.Conversation) record {
	return record{
		{"id", v.ID}, {"status", string(v.Status)}, {"contact", textOrNil(v.Contact.Name)}, {"with", orText(v.Contact.PhoneNumber, v.Contact.ID)},
		{"unread", v.UnreadCount}, {"last_message_at", instantOrNil(v.LastMessageAt)},
	}
}

type conversationListCommand struct {
	Status    string `placeholder:"STATUS" help:"Only open, pending or resolved."`
	Contact   string `placeholder:"ID" help:"Only of this contact (ctc_…)."`
	listFlags `embed:""`
	apiFlags  `embed:""`
}

func (cmd *conversationListCommand) Run(c *console, api *client.Client) error {
	list, err := upTo(api.Conversations(c.ctx, cmd.From, client.ConversationFilter{
		Status: client.ConversationStatus(cmd.Status), ContactID: cmd.Contact, PageOptions: cmd.pageOf(),
	}), cmd.Limit)
	return showList(c, cmd, list, err, conversationRow)
}

type conversationGetCommand struct {
	ID       string `arg:"" help:"The conversation's id (cnv_…)."`
	apiFlags `embed:""`
}

func (cmd *conversationGetCommand) Run(c *console, api *client.Client) error {
	v, err := api.GetConversation(c.ctx, cmd.From, cmd.ID)
	return showOne(c, cmd, v, err, conversationRecord)
}

type conversationUpdateCommand struct {
	ID       string `arg:"" help:"The conversation's id (cnv_…)."`
	Status   string `required:"" placeholder:"STATUS" enum:"open,pending,resolved" help:"open, pending or resolved."`
	apiFlags `embed:""`
}

func (cmd *conversationUpdateCommand) Run(c *console, api *client.Client) error {
	v, err := api.UpdateConversation(c.ctx, cmd.From, cmd.ID, client.ConversationPatch{Status: client.Set(client.ConversationStatus(cmd.Status))})
	return showOne(c, cmd, v, err, conversationRecord)
}
