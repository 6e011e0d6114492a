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
	To       string `required:"" placeholder:"TO" help:"The recipient: a number like +4915112345678, or a BSUID."`

	Text     string   `placeholder:"TEXT" help:"Send a text."`
	Template string   `placeholder:"NAME" help:"Send a template."`
	Language string   `default:"en_US" placeholder:"CODE" help:"The template's language."`
	Param    []string `sep:"none" placeholder:"TEXT" help:"Fills the next placeholder of the template's body. Repeatable."`
	Image    string   `placeholder:"FILE" help:"Send an image: an http(s) address, library media (med_…), or a file, which is uploaded."`
	Video    string   `placeholder:"FILE" help:"Send a video, given likewise."`
	Document string   `placeholder:"FILE" help:"Send a document, given likewise."`
	Audio    string   `placeholder:"FILE" help:"Send a sound file, given likewise."`
	Voice    bool     `help:"Send the sound file as a voice note: Ogg with the Opus codec."`
	Caption  string   `placeholder:"TEXT" help:"Text below the image, video or document."`
	ReplyTo  string   `placeholder:"ID" help:"The provider's id of the inbound message that this one answers."`

	IdempotencyKey string `placeholder:"KEY" help:"Run again with the same key, the command sends nothing a second time."`
}

// Validate is called by kong.
func (cmd *sendCommand) Validate() error {
	if cmd.Key == "" || cmd.From == "" || cmd.To == "" {
		return nil // kong says which is missing
	}
	given := 0
	for _, content := range []string{cmd.Text, cmd.Template, cmd.Image, cmd.Video, cmd.Document, cmd.Audio} {
		if content != "" {
			given++
		}
	}
	if err := cmd.check(); err != nil {
		return err
	}
	switch {
	case given != 1:
		return errors.New("give one of --text, --template, --image, --video, --document and --audio")
	case len(cmd.Param) > 0 && cmd.Template == "":
		return errors.New("--param goes with --template")
	case cmd.Voice && cmd.Audio == "":
		return errors.New("--voice goes with --audio")
	case cmd.Caption != "" && cmd.Image+cmd.Video+cmd.Document == "":
		return errors.New("--caption goes with --image, --video or --document")
	}
	return nil
}

func (cmd *sendCommand) Run(c *console) error {
	api, err := cmd.connect()
	if err != nil {
		return err
	}
	m, err := cmd.message(c, api)
	if err != nil {
		return cmd.explain(err)
	}
	if cmd.ReplyTo != "" {
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

// message is what to send; a file is uploaded for it.
func (cmd *sendCommand) message(c *console, api *client.Client) (client.NewMessage, error) {
	switch {
	case cmd.Text != "":
		return client.Text(cmd.To, cmd.Text), nil
	case cmd.Template != "":
		return client.Template(cmd.To, cmd.Template, cmd.Language, cmd.Param...), nil
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
	switch {
	case strings.HasPrefix(from, "http://"), strings.HasPrefix(from, "https://"):
		content.Link = from
		return content, nil
	case chat.KindMedia.Valid(from):
		content.ID = from
		return content, nil
	}
	file, err := os.Open(from)
	if err != nil {
		return content, fmt.Errorf("%w; give an address, the id of library media (med_…), or a file", err)
	}
	defer file.Close()
	media, err := api.UploadMedia(c.ctx, cmd.From, client.File{Name: filepath.Base(from), Content: file})
	if err != nil {
		return content, err
	}
	content.ID = media.ID
	if cmd.Document != "" {
		content.Filename = filepath.Base(from)
	}
	return content, nil
}
