package cli

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/internal/config"
)

type configCommand struct {
	config.Serve `embed:""`
	Markdown     bool `help:"Print the table that stands in the README: names, defaults and meanings."`
}

// setting is a row of the command's output.
type setting struct {
	flag, variable, value, source, meaning string
}

func (cmd *configCommand) Run(c *console, kctx *kong.Context) error {
	settings := cmd.settings(kctx)
	if cmd.Markdown {
		fmt.Fprintln(c.stdout, "| flag | variable | default | meaning |\n|---|---|---|---|")
		for _, s := range settings {
			fmt.Fprintf(c.stdout, "| `%s` | `%s` | %s | %s |\n", s.flag, s.variable, codeOrEmpty(s.value), s.meaning)
		}
		return nil
	}
	tw := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "SETTING\tVALUE\tSOURCE\tMEANING")
	for _, s := range settings {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", s.flag, orDash(s.value), s.source, s.meaning)
	}
	return tw.Flush()
}

func (cmd *configCommand) settings(kctx *kong.Context) []setting {
	var settings []setting
	for _, flag := range kctx.Selected().Flags {
		if !flag.Tag.Has(variableTag) { // --markdown
			continue
		}
		s := setting{
			flag: "--" + flag.Name, variable: flag.Tag.Get(variableTag), meaning: flag.Help,
			value: shown(flag), source: source(kctx, flag),
		}
		if cmd.Markdown {
			s.value = flag.Default
		}
		settings = append(settings, s)
	}
	return settings
}

// source says where a flag's value comes from.
func source(kctx *kong.Context, flag *kong.Flag) string {
	for _, element := range kctx.Path {
		switch {
		case element.Flag == nil || element.Flag.Name != flag.Name:
		case element.Resolved:
			return flag.Tag.Get(variableTag)
		default:
			return "flag"
		}
	}
	return "default"
}

// shown is a flag's value without its secrets.
func shown(flag *kong.Flag) string {
	value := flag.Target.Interface()
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice {
		items := make([]string, list.Len())
		for i := range items {
			items[i] = fmt.Sprint(list.Index(i).Interface())
		}
		return strings.Join(items, ",")
	}
	text := fmt.Sprint(value)
	if !flag.Tag.Has("secret") || text == "" {
		return text
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return withoutPasswords(u.Redacted())
	}
	return "(hidden)"
}

func codeOrEmpty(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
