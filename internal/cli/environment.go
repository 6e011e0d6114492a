package cli

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// variableTag names a flag's environment variable. It is not kong's own tag, because kong would read the
// process's environment directly and take an empty variable for a value.
const variableTag = "variable"

// shared are the variables that OpenTelemetry has named for all programs alike.
var shared = []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER_ARG"}

// environment reads settings from PARLEY_* variables and the shared ones. An empty variable counts as unset.
type environment map[string]string

func newEnvironment(environ []string) environment {
	env := environment{}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); value != "" && (strings.HasPrefix(name, "PARLEY_") || slices.Contains(shared, name)) {
			env[name] = value
		}
	}
	return env
}

// Validate is part of kong.Resolver. unknown does the checks.
func (environment) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag that the command line does not give.
func (env environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if value, ok := env[flag.Tag.Get(variableTag)]; ok {
		return value, nil
	}
	return nil, nil
}

// foreignVariable matches variables that other programs set on their own: Kubernetes describes every service
// named parley… that way, and our tests their database.
var foreignVariable = regexp.MustCompile(`^PARLEY_(TEST_\w+|(\w+_)?SERVICE_(HOST|PORT(_\w+)?))=` +
	`|^PARLEY_(\w+_)?PORT(_\d+_(TCP|UDP|SCTP))?=\w+://|^PARLEY_(\w+_)?PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)=`)

// unknown refuses PARLEY_* variables that are not settings, because a misspelt one would otherwise be ignored.
// A command without settings accepts any.
func (env environment) unknown(app *kong.Application, cmd *kong.Node) error {
	if !slices.ContainsFunc(cmd.Flags, func(f *kong.Flag) bool { return f.Tag.Has(variableTag) }) {
		return nil
	}
	known := map[string]bool{}
	collectVariables(app.Node, known)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !known[name] && !foreignVariable.MatchString(name+"="+env[name]) {
			errs = append(errs, fmt.Errorf("unknown setting %s: unset it, or correct its name%s; \"parley serve --help\" shows the names", name, perhaps(name, known)))
		}
	}
	return errors.Join(errs...)
}

// perhaps says which settings may have been meant.
func perhaps(typed string, known map[string]bool) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if near(strings.TrimPrefix(name, "PARLEY_"), strings.TrimPrefix(typed, "PARLEY_")) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", perhaps to " + strings.Join(names, " or ")
}

func collectVariables(node *kong.Node, known map[string]bool) {
	for _, flag := range node.Flags {
		known[flag.Tag.Get(variableTag)] = true
	}
	for _, child := range node.Children {
		collectVariables(child, known)
	}
}
