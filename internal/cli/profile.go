package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/client"
)

// profile is the file of "parley login". With it, commands need neither flags nor variables.
type profile struct {
	URL  string `json:"url"`
	Key  string `json:"key"`
	From string `json:"from,omitempty"`
}

// profilePath is the path of the user's profile; empty if it cannot be determined.
func profilePath(environ []string) string {
	var home, config string
	for _, entry := range environ {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case "HOME":
			home = value
		case "XDG_CONFIG_HOME":
			config = value
		}
	}
	switch {
	case config != "":
		return filepath.Join(config, "parley", "profile.json")
	case home != "":
		return filepath.Join(home, ".config", "parley", "profile.json")
	default:
		return ""
	}
}

// readProfile reads the profile, if there is one.
func readProfile(path string) (p profile, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || path == "" {
		return profile{}, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &p)
	}
	if err != nil {
		return profile{}, fmt.Errorf("the profile %s cannot be read: %w; \"parley login\" makes a new one", path, err)
	}
	return p, nil
}

// addProfile uses the profile in place of unset variables. A key is valid only for the service with which it
// was stored: if another address or key is given, nothing is taken from the profile.
func (env environment) addProfile(p profile) {
	url, key := env["PARLEY_API_URL"], env["PARLEY_API_KEY"]
	if p.Key == "" || url != "" && url != p.URL || key != "" && key != p.Key {
		return
	}
	env["PARLEY_API_URL"], env["PARLEY_API_KEY"] = p.URL, p.Key
	if env["PARLEY_FROM"] == "" && p.From != "" {
		env["PARLEY_FROM"] = p.From
	}
}

type loginCommand struct {
	URL  string `default:"http://localhost:8080" placeholder:"URL" help:"Address of the service."`
	Key  string `placeholder:"KEY" secret:"" help:"API key (svc_live_…). Without: it is read from the standard input, where nobody else sees it."`
	From string `placeholder:"ID" help:"The number that commands use unless they name another. Without: the organization's first."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (cmd *loginCommand) Run(c *console) error {
	if c.profile == "" {
		return errors.New("there is no place for the profile: set HOME or XDG_CONFIG_HOME")
	}
	if cmd.Key == "" {
		key, err := ask(c, "API key")
		if err != nil {
			return err
		}
		cmd.Key = key
	}
	if err := checkService(cmd.URL, cmd.Key); err != nil {
		return err
	}
	api, err := client.New(cmd.URL, cmd.Key, client.WithUserAgent("parley/"+version))
	if err != nil {
		return err
	}
	me, err := api.Me(c.ctx)
	if err != nil {
		return explainService(err, cmd.URL)
	}
	if cmd.From == "" {
		if cmd.From, err = firstNumber(c, api); err != nil {
			return explainService(err, cmd.URL)
		}
	}
	if err := (profile{cmd.URL, cmd.Key, cmd.From}).save(c.profile); err != nil {
		return err
	}
	return storeFlags{JSON: cmd.JSON}.printOne(c.stdout, record{
		{"organization", me.Organization.Name}, {"url", cmd.URL}, {"key", "…" + me.APIKey.Last4}, {"from", orNil(cmd.From)}, {"profile", c.profile},
	})
}

// firstLine ends a reader at the first line break, so that a person need not close the input.
type firstLine struct{ io.Reader }

// Read is part of io.Reader. It reads one byte at a time, because the bytes after the line are not ours.
func (r firstLine) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:1])
	if n == 1 && p[0] == '\n' {
		return 0, io.EOF
	}
	return n, err
}

// firstNumber is the number that the organization connected first.
func firstNumber(c *console, api *client.Client) (id string, err error) {
	numbers, err := api.ListAccounts(c.ctx, client.AccountFilter{})
	if err != nil {
		return "", err
	}
	for _, a := range numbers.Data { // newest first
		if a.PhoneNumberID != nil && a.CustomerID == nil {
			id = *a.PhoneNumberID
		}
	}
	return id, nil
}

// save writes the profile so that only its owner can read it, even if an older file was readable to others.
func (p profile) save(path string) error {
	content, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".profile-*") // made with 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(append(content, '\n'))
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

type logoutCommand struct{}

func (logoutCommand) Run(c *console) error {
	err := os.Remove(c.profile)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(c.stderr, "There is no profile.")
		return nil
	}
	return err
}

// usesProfile reports whether a command reads the profile.
func usesProfile(cmd *kong.Node) bool {
	return slices.ContainsFunc(cmd.Flags, func(f *kong.Flag) bool { return f.Tag.Get(variableTag) == "PARLEY_API_KEY" })
}
