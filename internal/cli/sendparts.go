package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"github.com/parleyhq/parley/client"
)

// textMessage is a text, with its buttons or list if there are any.
func (cmd *sendCommand) textMessage(c *console, api *client.Client) (client.NewMessage, error) {
	m := client.Text(cmd.To, cmd.Text)
	switch {
	case len(cmd.Button) > 0:
		var replies []client.Reply
		for _, button := range cmd.Button {
			id, title := idAndTitle(button)
			replies = append(replies, client.Reply{ID: id, Title: title})
		}
		m = client.Buttons(cmd.To, cmd.Text, replies...)
	case len(cmd.Row) > 0:
		m = client.List(cmd.To, cmd.Text, cmd.Menu, client.ListSection{Rows: cmd.rows()})
	case cmd.Link != "":
		title, address, found := strings.Cut(cmd.Link, "=")
		if !found {
			return m, fmt.Errorf("--link %q must be like \"Track it=https://acme.example/track\"", cmd.Link)
		}
		m = client.LinkButton(cmd.To, cmd.Text, title, address)
	default:
		return m, nil
	}
	return m, cmd.addAround(c, api, m.Interactive)
}

// addAround adds the header and the footer of an interactive message.
func (cmd *sendCommand) addAround(c *console, api *client.Client, into *client.InteractiveContent) error {
	if cmd.Footer != "" {
		into.Footer = &client.InteractiveText{Text: cmd.Footer}
	}
	if cmd.Title != "" {
		into.Header = &client.InteractiveHeader{Type: client.TypeText, Text: cmd.Title}
	}
	if cmd.Header == "" {
		return nil
	}
	file, err := cmd.media(c, api, cmd.Header)
	into.Header = &client.InteractiveHeader{Type: kindOfFile(cmd.Header)}
	switch into.Header.Type {
	case client.TypeVideo:
		into.Header.Video = &file
	case client.TypeDocument:
		into.Header.Document = &file
	default:
		into.Header.Image = &file
	}
	return err
}

func (cmd *sendCommand) rows() (rows []client.ListRow) {
	for _, row := range cmd.Row {
		id, title := idAndTitle(row)
		title, description, _ := strings.Cut(title, "|")
		rows = append(rows, client.ListRow{ID: id, Title: title, Description: description})
	}
	return rows
}

// idAndTitle parses "yes=Yes, please"; a title alone is its own id.
func idAndTitle(word string) (id, title string) {
	id, title, found := strings.Cut(word, "=")
	if !found {
		id, _, _ = strings.Cut(word, "|")
		return id, word
	}
	return id, title
}

// templateMessage is a template with its parameters.
func (cmd *sendCommand) templateMessage(c *console, api *client.Client) (m client.NewMessage, err error) {
	m = client.Template(cmd.To, cmd.Template, cmd.Language)
	m.Template.Components, err = cmd.components(func(from string) (client.MediaContent, error) { return cmd.media(c, api, from) })
	return m, err
}

// kindOfFile is the type of header for a file of this name.
func kindOfFile(name string) client.MessageType {
	path, _, _ := strings.Cut(name, "?")
	kind, _, _ := strings.Cut(mime.TypeByExtension(strings.ToLower(filepath.Ext(path))), "/")
	switch kind {
	case "image", "":
		return client.TypeImage // library media as well, which has no name here
	case "video":
		return client.TypeVideo
	default:
		return client.TypeDocument
	}
}

// fromFile reads a message in the API's JSON. An unknown field is an error, because it is probably a slip.
func (cmd *sendCommand) fromFile(c *console) (m client.NewMessage, err error) {
	content, err := readFile(c, cmd.Body)
	if err != nil {
		return m, err
	}
	body := struct {
		Product string `json:"messaging_product"`
		client.NewMessage
	}{}
	strict := json.NewDecoder(bytes.NewReader(content))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&body); err != nil {
		return m, fmt.Errorf("%s is not a message: %w", cmd.Body, err)
	}
	m = body.NewMessage
	if cmd.To != "" {
		addressed := client.Text(cmd.To, "")
		m.To, m.Recipient = addressed.To, addressed.Recipient
	}
	return m, nil
}

func readFile(c *console, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.stdin)
	}
	return os.ReadFile(name)
}
