package cli

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
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

// setting is a row of what the command prints.
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
		if len(flag.Envs) == 0 { // not a setting: --markdown
			continue
		}
		s := setting{
			flag: "--" + flag.Name, variable: flag.Envs[0], meaning: flag.Help,
			value: shown(flag), source: source(kctx, flag),
		}
		if cmd.Markdown {
			s.value = flag.Default
		}
		settings = append(settings, s)
	}
	return settings
}

// source tells where a flag's value comes from.
func source(kctx *kong.Context, flag *kong.Flag) string {
	for _, element := range kctx.Path {
		if element.Flag != nil && element.Flag.Name == flag.Name {
			return "flag"
		}
	}
	if _, ok := os.LookupEnv(flag.Envs[0]); ok {
		return flag.Envs[0]
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
		return u.Redacted()
	}
	return "(hidden)"
}

func decodePrefix(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("CIDR", &text); err != nil {
		return err
	}
	for _, part := range strings.Split(text, ",") {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return fmt.Errorf("%q is not a range of addresses; write one like 10.0.0.0/8 or fd00::/8", part)
		}
		target.Set(reflect.Append(target, reflect.ValueOf(prefix)))
	}
	return nil
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
