package cli

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
)

// apiFlags are common to the commands that talk to a running service.
type apiFlags struct {
	URL  string `variable:"PARLEY_API_URL" default:"http://localhost:8080" placeholder:"URL" help:"Address of the service."`
	Key  string `required:"" variable:"PARLEY_API_KEY" placeholder:"KEY" secret:"" help:"API key (svc_live_…). Others on this machine can see a command line, but not the variable."`
	From string `required:"" placeholder:"ID" help:"The business number, by its phone_number_id; \"parley account list\" shows it."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (f apiFlags) check() error {
	u, err := url.Parse(f.URL)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil:
		return errors.New("--url must be like https://chat.example.com") // not repeated: it may hold a password
	case f.Key != "" && !chat.WellFormedKey(f.Key):
		return errors.New("--key must be an API key (svc_live_…); \"parley key create --org ORG\" makes one")
	}
	return nil
}

func (f apiFlags) connect() (*client.Client, error) {
	return client.New(f.URL, f.Key, client.WithUserAgent("parley/"+version))
}

func (f apiFlags) output() storeFlags { return storeFlags{JSON: f.JSON} }

// explain adds what to do about a failed call.
func (f apiFlags) explain(err error) error {
	refusal, ok := errors.AsType[*client.Error](err)
	switch {
	case errors.As(err, new(*url.Error)):
		return fmt.Errorf("%w\nis the service running at %s? --url gives another address", err, f.URL)
	case !ok:
		return err
	case refusal.Type == client.ErrorTypeAuthentication:
		return fmt.Errorf("%w\ncheck --key (PARLEY_API_KEY); \"parley key create --org ORG\" makes a new one", err)
	case refusal.Code == client.CodeResourceNotFound, refusal.Param == "phone_number_id":
		return fmt.Errorf("%w\ncheck --from; \"parley account list --org ORG\" shows the numbers", err)
	default:
		return err
	}
}
