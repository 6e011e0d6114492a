package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator"
)

type simulateCommands struct {
	Run     simulateCommand        `cmd:"" default:"withargs" help:"Run the provider simulator as a process of its own. \"parley simulate\" is short for it; \"parley simulate run --help\" shows its flags."`
	Inbound simulateInboundCommand `cmd:"" help:"Write to your business as one of its simulated customers."`
}

// sampleFile asks for a file of the simulator.
const sampleFile = "sample"

type simulateInboundCommand struct {
	Simulator    string `variable:"PARLEY_SIMULATOR_URL" default:"http://localhost:9464/simulator" placeholder:"URL" help:"Address of the simulator: that of a running \"parley serve\", or of \"parley simulate\"."`
	ControlToken string `placeholder:"TOKEN" help:"What \"parley simulate\" was given as --control-token."`
	From         string `default:"${ada}" placeholder:"WHO" help:"Who writes: a phone number, or a user id like DE.123abc for somebody who shows none. ${ada} is Ada, who also answers by herself."`
	Name         string `placeholder:"NAME" help:"The name that this person goes by from now on."`
	To           string `placeholder:"ID" help:"The business number, by its phone_number_id. Without: the first that there is."`

	Text     string  `placeholder:"TEXT" help:"Write a text."`
	Image    string  `placeholder:"FILE" help:"Send an image from a file; \"sample\" sends a small one that is made up."`
	Video    string  `placeholder:"FILE" help:"Send a video, given likewise."`
	Audio    string  `placeholder:"FILE" help:"Send a voice note, given likewise."`
	Document string  `placeholder:"FILE" help:"Send a document, given likewise."`
	Caption  string  `placeholder:"TEXT" help:"Text below the image, video or document."`
	Tap      *string `placeholder:"TITLE" help:"Press this button, or choose this row of a list, of the newest message that has it. Empty: the first button."`
	React    *string `placeholder:"EMOJI" help:"React to a message. Empty: take the reaction away."`
	Message  string  `placeholder:"ID" help:"The provider's id of the message that is tapped, reacted to or answered. Without: the newest that this person got."`
	JSON     bool    `name:"json" help:"Print one JSON object."`
}

// Validate is called by kong.
func (cmd *simulateInboundCommand) Validate() error {
	given := 0
	for _, content := range []string{cmd.Text, cmd.Image, cmd.Video, cmd.Audio, cmd.Document} {
		if content != "" {
			given++
		}
	}
	for _, content := range []*string{cmd.Tap, cmd.React} {
		if content != nil {
			given++
		}
	}
	u, err := url.Parse(cmd.Simulator)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return errors.New("--simulator must be like http://localhost:9464/simulator")
	case given != 1:
		return errors.New("give one of --text, --image, --video, --audio, --document, --tap and --react")
	case cmd.Caption != "" && cmd.Image+cmd.Video+cmd.Document == "":
		return errors.New("--caption goes with --image, --video or --document")
	}
	return nil
}

func (cmd *simulateInboundCommand) Run(c *console) error {
	to, err := cmd.number(c)
	if err != nil {
		return err
	}
	path, body, err := cmd.inbound(c, to)
	if err != nil {
		return err
	}
	var answer struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if err := cmd.call(c, http.MethodPost, path, body, &answer); err != nil {
		return err
	}
	if len(answer.Messages) != 1 {
		return errors.New("the simulator did not say which message it sent")
	}
	return storeFlags{JSON: cmd.JSON}.printOne(c.stdout, record{
		{"provider_message_id", answer.Messages[0].ID}, {"from", cmd.From}, {"phone_number_id", to},
	})
}

// number is the business number that receives the message.
func (cmd *simulateInboundCommand) number(c *console) (string, error) {
	if cmd.To != "" {
		return cmd.To, nil
	}
	var known struct {
		Numbers []struct {
			ID string `json:"id"`
		} `json:"numbers"`
	}
	if err := cmd.call(c, http.MethodGet, "numbers", nil, &known); err != nil {
		return "", err
	}
	if len(known.Numbers) == 0 {
		return "", errors.New("the simulator knows no number yet: give one with --to")
	}
	first := known.Numbers[0].ID
	for _, n := range known.Numbers {
		first = min(first, n.ID)
	}
	return first, nil
}

// inbound is the path and body of the control call.
func (cmd *simulateInboundCommand) inbound(c *console, to string) (path string, body map[string]any, err error) {
	body = map[string]any{"phone_number_id": to, "from": cmd.From}
	if cmd.Tap != nil {
		body["button"], body["message_id"] = *cmd.Tap, cmd.Message
		return "taps", body, nil
	}
	if cmd.Name != "" {
		body["from"] = map[string]string{cmd.fromField(): cmd.From, "name": cmd.Name}
	}
	if cmd.React != nil {
		about := cmd.Message
		if about == "" {
			about, err = cmd.newest(c, to)
		}
		body["reaction"] = map[string]string{"message_id": about, "emoji": *cmd.React}
		return "inbound", body, err
	}
	if cmd.Message != "" {
		body["context"] = map[string]string{"id": cmd.Message}
	}
	if cmd.Text != "" {
		body["text"] = cmd.Text
		return "inbound", body, nil
	}
	return "inbound", body, cmd.addFile(body)
}

// fromField is the simulator's name for what identifies the person.
func (cmd *simulateInboundCommand) fromField() string {
	if simulator.IsUserID(cmd.From) {
		return "user_id"
	}
	return "phone"
}

// newest is the newest message to this person.
func (cmd *simulateInboundCommand) newest(c *console, to string) (string, error) {
	var got struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	query := url.Values{"direction": {"outbound"}, "phone_number_id": {to}, cmd.fromField(): {cmd.From}, "limit": {"1"}}
	if err := cmd.call(c, http.MethodGet, "messages?"+query.Encode(), nil, &got); err != nil {
		return "", err
	}
	if len(got.Messages) == 0 {
		return "", fmt.Errorf("%s has no message from that number to react to; name one with --message", cmd.From)
	}
	return got.Messages[0].ID, nil
}

func (cmd *simulateInboundCommand) addFile(body map[string]any) error {
	kinds := map[string]string{"image": cmd.Image, "video": cmd.Video, "audio": cmd.Audio, "document": cmd.Document}
	for kind, path := range kinds {
		if path == "" {
			continue
		}
		object := map[string]string{}
		if cmd.Caption != "" {
			object["caption"] = cmd.Caption
		}
		body["type"], body[kind] = kind, object
		if path == sampleFile {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%w; give a file, or the word %q", err, sampleFile)
		}
		kindOf, _, _ := strings.Cut(cmp.Or(mime.TypeByExtension(filepath.Ext(path)), http.DetectContentType(data)), ";")
		body["file"] = simulator.InboundFile{MimeType: kindOf, Filename: filepath.Base(path), Data: data}
	}
	return nil
}

// call calls the simulator's control API.
func (cmd *simulateInboundCommand) call(c *console, method, path string, body, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(c.ctx, method, strings.TrimSuffix(cmd.Simulator, "/")+"/_sim/"+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if cmd.ControlToken != "" {
		request.Header.Set("Authorization", "Bearer "+cmd.ControlToken)
	}
	response, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	if err != nil {
		return fmt.Errorf("%w\nno simulator answers at %s: is \"parley serve --demo\" running? --simulator gives another address", withoutURL(err), cmd.Simulator)
	}
	defer response.Body.Close()
	var refusal struct {
		Error string `json:"error"`
	}
	switch {
	case response.StatusCode == http.StatusNotFound && json.NewDecoder(response.Body).Decode(&refusal) != nil:
		return fmt.Errorf("there is no simulator at %s: a server with --provider-url has none", cmd.Simulator)
	case response.StatusCode != http.StatusOK:
		if refusal.Error == "" {
			_ = json.NewDecoder(response.Body).Decode(&refusal) // the status says enough
		}
		return fmt.Errorf("the simulator refuses: %s", cmp.Or(refusal.Error, response.Status))
	}
	return json.NewDecoder(response.Body).Decode(answer)
}
