package cli

import (
	"errors"
	"fmt"

	"github.com/parleyhq/parley/client"
)

// apiFlags are common to the commands that do something with a number of a running service.
type apiFlags struct {
	URL  string `variable:"PARLEY_API_URL" default:"http://localhost:8080" placeholder:"URL" help:"Address of the service."`
	Key  string `required:"" variable:"PARLEY_API_KEY" placeholder:"KEY" secret:"" help:"API key (svc_live_…). Others on this machine can see a command line, but not the variable."`
	From string `required:"" placeholder:"ID" help:"The business number, by its phone_number_id; \"parley account list\" shows it."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (f apiFlags) check() error {
	if f.Key == "" {
		return nil // kong says that it is missing
	}
	return checkService(f.URL, f.Key)
}

func (f apiFlags) connect() (*client.Client, error) {
	return client.New(f.URL, f.Key, client.WithUserAgent("parley/"+version))
}

func (f apiFlags) output() storeFlags { return storeFlags{JSON: f.JSON} }

// explain adds what to do about a failed call.
func (f apiFlags) explain(err error) error {
	refusal, ok := errors.AsType[*client.Error](err)
	if ok && (refusal.Code == client.CodeResourceNotFound || refusal.Param == "phone_number_id") {
		return fmt.Errorf("%w\ncheck --from; \"parley account list --org ORG\" shows the numbers", err)
	}
	return explainService(err, f.URL)
}
