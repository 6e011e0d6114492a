package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/client"
)

// serviceFlags are the flags of commands that call a running service.
type serviceFlags struct {
	URL  string `variable:"PARLEY_API_URL" default:"http://localhost:8080" placeholder:"URL" help:"Address of the service."`
	Key  string `required:"" variable:"PARLEY_API_KEY" placeholder:"KEY" secret:"" help:"API key (svc_live_…). Others on this machine can see a command line, but not the variable; \"parley login\" keeps it."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// apiFlags are the flags of commands about a number of a running service.
type apiFlags struct {
	serviceFlags `embed:""`
	From         string `required:"" variable:"PARLEY_FROM" placeholder:"ID" help:"The business number, by its phone_number_id; \"parley account list\" shows it."`
}

// Validate is called by kong for every command that has these flags and no Validate of its own.
func (f serviceFlags) Validate() error {
	if f.Key == "" {
		return nil // kong reports that it is missing
	}
	return checkService(f.URL, f.Key)
}

// caller is a command that calls a running service. Its Run gets the client.
type caller interface {
	connect() (*client.Client, error)
	explain(err error) error
	output() storeFlags
}

// bindClient lets a caller's Run have a client.
func bindClient(kctx *kong.Context) {
	if cmd, ok := kctx.Selected().Target.Addr().Interface().(caller); ok {
		kctx.BindToProvider(cmd.connect)
	}
}

func (f *serviceFlags) connect() (*client.Client, error) {
	return client.New(f.URL, f.Key, client.WithUserAgent("parley/"+version))
}

func (f serviceFlags) output() storeFlags { return storeFlags{JSON: f.JSON} }

// explain adds what to do about a failed call.
func (f serviceFlags) explain(err error) error { return explainService(err, f.URL) }

// explain adds what to do about a failed call that named a number.
func (f apiFlags) explain(err error) error {
	refusal, ok := errors.AsType[*client.Error](err)
	switch {
	case ok && (refusal.Code == client.CodeResourceNotFound || refusal.Param == "phone_number_id"):
		return fmt.Errorf("%w\ncheck --from; \"parley account list\" shows your numbers", err)
	case ok && refusal.Code == client.CodeInvalidTemplateName:
		return fmt.Errorf("%w\n\"parley template list\" shows the number's templates with their languages, and \"parley template sync\" reads them anew", err)
	}
	return f.serviceFlags.explain(err)
}

// listFlags limit how much of a list is shown.
type listFlags struct {
	Limit int64 `default:"20" placeholder:"N" help:"How many at most; -1 for all."`
}

// upTo takes the first items of an iterator.
func upTo[T any](all iter.Seq2[T, error], limit int64) ([]T, error) {
	list := []T{}
	if limit == 0 {
		return list, nil
	}
	for item, err := range all {
		if err != nil {
			return nil, err
		}
		if list = append(list, item); int64(len(list)) == limit {
			break
		}
	}
	return list, nil
}

// pageOf is the page size to ask for.
func (f listFlags) pageOf() client.PageOptions {
	if f.Limit > 0 && f.Limit < 100 {
		return client.PageOptions{Limit: int(f.Limit)}
	}
	return client.PageOptions{Limit: 100}
}

// showList prints the list that a call returned as a table, or as the API's JSON.
func showList[T any](c *console, cmd caller, list []T, err error, row func(T) record) error {
	if err != nil {
		return cmd.explain(err)
	}
	if cmd.output().JSON {
		return printAny(c, struct {
			Data []T `json:"data"`
		}{list})
	}
	var none T
	rows := make([]record, len(list))
	for i, item := range list {
		rows[i] = row(item)
	}
	return cmd.output().printAll(c.stdout, rows, names(row(none))...)
}

// showOne prints the object that a call returned as lines, or as the API's JSON.
func showOne[T any](c *console, cmd caller, thing *T, err error, lines func(T) record) error {
	if err != nil {
		return cmd.explain(err)
	}
	if cmd.output().JSON {
		return printAny(c, thing)
	}
	return cmd.output().printOne(c.stdout, lines(*thing))
}

func printAny(c *console, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "%s\n", line)
	return err
}
