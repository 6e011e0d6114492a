package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/client"
)

// templateFlags are the flags that fill a template.
type templateFlags struct {
	Header string   `placeholder:"FILE" help:"An image, video or document at the top of a template, or above buttons: a file, which is uploaded, an http(s) address, or library media (med_…)."`
	Param  []string `sep:"none" placeholder:"TEXT" help:"Fills the next placeholder of the template's body; NAME=TEXT where placeholders have names (--named). Repeatable."`
	Named  bool     `help:"The template's placeholders have names: --param name=Ada."`
	Suffix []string `sep:"none" placeholder:"N=TEXT" help:"Completes the address of the template's button number N, from 0. Repeatable."`
}

// partFlags says which flag fills which part.
const partFlags = "--header gives the file of its header, --param a text of its body, --suffix the end of a button's address"

// lacksPart reports whether the service misses a part of a template. No flag can be checked before: only the service
// knows which parts a template has.
func lacksPart(err error) bool {
	refusal, ok := errors.AsType[*client.Error](err)
	return ok && refusal.Code == client.CodeMissingRequiredField && strings.HasPrefix(refusal.Param, "template.components")
}

// components are the parts of the template that the flags fill. file gets the header's file.
func (f templateFlags) components(file func(from string) (client.MediaContent, error)) (parts []client.TemplateComponent, err error) {
	if f.Header != "" {
		content, err := file(f.Header)
		if err != nil {
			return nil, err
		}
		parts = append(parts, client.TemplateComponent{Type: "header", Parameters: []client.TemplateParameter{client.FileParameter(kindOfFile(f.Header), content)}})
	}
	if len(f.Param) > 0 {
		parameters, err := f.parameters()
		if err != nil {
			return nil, err
		}
		parts = append(parts, client.TemplateComponent{Type: "body", Parameters: parameters})
	}
	for _, suffix := range f.Suffix {
		button, err := suffixedButton(suffix)
		if err != nil {
			return nil, err
		}
		parts = append(parts, button)
	}
	return parts, nil
}

// suffixedButton is the button whose address a --suffix completes.
func suffixedButton(suffix string) (client.TemplateComponent, error) {
	index, text, found := strings.Cut(suffix, "=")
	if _, err := strconv.Atoi(index); err != nil || !found {
		return client.TemplateComponent{}, fmt.Errorf("--suffix %q must be like 0=A-17: the button's place, from 0, and what completes its address", suffix)
	}
	return client.TemplateComponent{
		Type: "button", SubType: "url", Index: json.Number(index), Parameters: []client.TemplateParameter{client.TextParameter(text)},
	}, nil
}

func (f templateFlags) parameters() (parameters []client.TemplateParameter, err error) {
	for _, param := range f.Param {
		if !f.Named {
			parameters = append(parameters, client.TextParameter(param))
			continue
		}
		name, text, found := strings.Cut(param, "=")
		if !found {
			return nil, fmt.Errorf("--param %q must be like name=Ada, since --named is given", param)
		}
		parameters = append(parameters, client.NamedParameter(name, text))
	}
	return parameters, nil
}
