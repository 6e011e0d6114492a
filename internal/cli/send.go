package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
)

type sendCommand struct {
	apiFlags `embed:""`
	To       string `placeholder:"TO" help:"The recipient: a number like +4915112345678, or the BSUID of somebody without one. Needed unless --body names them."`

	Text     string   `placeholder:"TEXT" help:"Send a text, or the text above buttons or a list."`
	Button   []string `sep:"none" placeholder:"ID=TITLE" help:"Add a quick reply below the text: ID=Title, or just the title. Up to three."`
	Link     string   `placeholder:"TITLE=URL" help:"Add a button below the text that opens a page."`
	Row      []string `sep:"none" placeholder:"ID=TITLE" help:"Add a choice to a list below the text: ID=Title, or ID=Title|Description. Up to ten."`
	Menu     string   `default:"Choose" placeholder:"TITLE" help:"What opens the list."`
	Title    string   `placeholder:"TEXT" help:"A line above the text of buttons or a list."`
	Footer   string   `placeholder:"TEXT" help:"A line below it."`
	Template string   `placeholder:"NAME" help:"Send a template."`
	Language string   `default:"en_US" placeholder:"CODE" help:"The template's language."`

	templateFlags `embed:""`

	Image    string  `placeholder:"FILE" help:"Send an image: an http(s) address, library media (med_…), or a file, which is uploaded."`
	Video    string  `placeholder:"FILE" help:"Send a video, given likewise."`
	Document string  `placeholder:"FILE" help:"Send a document, given likewise."`
	Audio    string  `placeholder:"FILE" help:"Send a sound file, given likewise."`
	Voice    bool    `help:"Send the sound file as a voice note: Ogg with the Opus codec."`
	Caption  string  `placeholder:"TEXT" help:"Text below the image, video or document."`
	React    *string `placeholder:"EMOJI" help:"React to the message that --reply-to names. Empty: take the reaction away."`
	ReplyTo  string  `placeholder:"ID" help:"The provider's id of the inbound message that this one answers."`
	Body     string  `placeholder:"FILE" help:"Send what a file has: the body of POST /v1/{phone_number_id}/messages; - reads it from the standard input."`

	IdempotencyKey string `placeholder:"KEY" help:"Run again with the same key, the command sends nothing a second time."`
}

// Validate is called by kong.
func (cmd *sendCommand) Validate() error {
	if cmd.Key == "" || cmd.From == "" {
		return nil // kong reports what is missing
	}
	if err := cmd.serviceFlags.Validate(); err != nil {
		return err
	}
	given := 0
	for _, content := range []string{cmd.Text, cmd.Template, cmd.Image, cmd.Video, cmd.Document, cmd.Audio, cmd.Body} {
		if content != "" {
			given++
		}
	}
	if cmd.React != nil {
		given++
	}
	for _, rule := range cmd.rules() {
		if rule.broken {
			return errors.New(rule.text)
		}
	}
	if given != 1 {
		return errors.New("give one of --text, --template, --image, --video, --document, --audio, --react and --body")
	}
	return nil
}

type flagRule struct {
	broken bool
	text   string
}

func (cmd *sendCommand) rules() []flagRule {
	kinds := 0
	for _, kind := range []bool{len(cmd.Button) > 0, len(cmd.Row) > 0, cmd.Link != ""} {
		if kind {
			kinds++
		}
	}
	return []flagRule{
		{cmd.To == "" && cmd.Body == "", "missing flags: --to=TO"},
		{kinds > 1, "give --button, --row or --link, not several of them"},
		{kinds > 0 && cmd.Text == "", "--button, --row and --link go with --text"},
		{cmd.Title+cmd.Footer != "" && kinds == 0, "--title and --footer go with --button, --row or --link"},
		{cmd.Title != "" && cmd.Header != "", "give --title or --header, not both"},
		{cmd.Header != "" && cmd.Template == "" && kinds == 0, "--header goes with --template, --button, --row or --link"},
		{len(cmd.Param)+len(cmd.Suffix) > 0 && cmd.Template == "", "--param and --suffix go with --template"},
		{cmd.Voice && cmd.Audio == "", "--voice goes with --audio"},
		{cmd.Caption != "" && cmd.Image+cmd.Video+cmd.Document == "", "--caption goes with --image, --video or --document"},
		{cmd.React != nil && cmd.ReplyTo == "", "--react needs --reply-to, the message to react to"},
	}
}

func (cmd *sendCommand) Run(c *console, api *client.Client) error {
	m, err := cmd.message(c, api)
	if err != nil {
		return cmd.explain(err)
	}
	if cmd.ReplyTo != "" && cmd.React == nil {
		m = m.ReplyTo(cmd.ReplyTo)
	}
	var options []client.CallOption
	if cmd.IdempotencyKey != "" {
		options = append(options, client.IdempotencyKey(cmd.IdempotencyKey))
	}
	sent, err := api.SendMessage(c.ctx, cmd.From, m, options...)
	if err != nil {
		return cmd.explain(err)
	}
	return cmd.output().printOne(c.stdout, record{
		{"id", sent.ID}, {"status", string(sent.Status)}, {"type", string(sent.Type)}, {"to", textOrNil(sent.To)},
		{"bsuid", textOrNil(sent.BSUID)}, {"conversation_id", sent.ConversationID}, {"created_at", instant(sent.CreatedAt)},
	})
}

// explain adds what to do about a failed call.
func (cmd *sendCommand) explain(err error) error {
	if cmd.Template != "" && lacksPart(err) {
		return fmt.Errorf("%w\n%s; --body takes any other", err, partFlags)
	}
	return cmd.apiFlags.explain(err)
}

// message builds the message, and uploads its file.
func (cmd *sendCommand) message(c *console, api *client.Client) (client.NewMessage, error) {
	switch {
	case cmd.Body != "":
		return cmd.fromFile(c)
	case cmd.React != nil:
		return client.Reaction(cmd.To, cmd.ReplyTo, *cmd.React), nil
	case cmd.Text != "":
		return cmd.textMessage(c, api)
	case cmd.Template != "":
		return cmd.templateMessage(c, api)
	}
	file, err := cmd.media(c, api, cmd.Image+cmd.Video+cmd.Document+cmd.Audio)
	switch {
	case err != nil:
		return client.NewMessage{}, err
	case cmd.Image != "":
		return client.Image(cmd.To, file), nil
	case cmd.Video != "":
		return client.Video(cmd.To, file), nil
	case cmd.Document != "":
		return client.Document(cmd.To, file), nil
	default:
		return client.Audio(cmd.To, file), nil
	}
}

func (cmd *sendCommand) media(c *console, api *client.Client, from string) (client.MediaContent, error) {
	content := client.MediaContent{Caption: cmd.Caption}
	if cmd.Voice {
		content.Voice = new(true)
	}
	where, err := uploaded(c, api, cmd.From, from)
	content.Link, content.ID = where.Link, where.ID
	if cmd.Document != "" || cmd.Header != "" {
		content.Filename = where.Filename
	}
	return content, err
}

// uploaded is a file at an address or in the library. One on this machine is uploaded; a document keeps its name.
func uploaded(c *console, api *client.Client, number, from string) (content client.MediaContent, err error) {
	switch {
	case strings.HasPrefix(from, "http://"), strings.HasPrefix(from, "https://"):
		return client.MediaContent{Link: from}, nil
	case chat.KindMedia.Valid(from):
		return client.MediaContent{ID: from}, nil
	}
	file, err := os.Open(from)
	if err != nil {
		return content, fmt.Errorf("%w; give an address, the id of library media (med_…), or a file", err)
	}
	defer file.Close()
	media, err := api.UploadMedia(c.ctx, number, client.File{Name: filepath.Base(from), Content: file})
	if err != nil {
		return content, err
	}
	content.ID = media.ID
	if kindOfFile(from) == client.TypeDocument {
		content.Filename = filepath.Base(from)
	}
	return content, nil
}
