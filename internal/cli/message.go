package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/store"
)

// report writes a message for people, each line after the program's name.
func report(stderr io.Writer, message string) {
	for line := range strings.Lines(withoutPasswords(message)) {
		fmt.Fprintf(stderr, "parley: %s\n", strings.TrimSpace(line))
	}
}

// queryPassword is a password in the query of a database URL. The URL printer hides those in the user part.
var queryPassword = regexp.MustCompile("([?&](?:ssl)?password=)[^&\\s`\"]*")

func withoutPasswords(text string) string {
	return queryPassword.ReplaceAllString(text, "${1}xxxxx")
}

// usageMessage says what is wrong with the command line or a setting, and where to look.
func usageMessage(err error, env environment) string {
	parse, ok := errors.AsType[*kong.ParseError](err)
	if !ok || parse.Context == nil {
		return err.Error()
	}
	cmd := parse.Context.Selected()
	if cmd == nil {
		return nearOnly(err.Error()) + "\nsee \"parley --help\""
	}
	message, isSetting := strings.CutPrefix(err.Error(), cmd.Path()+": ") // kong's mark of an error from Validate
	message = nameSources(nearOnly(message), parse.Context, env)
	if isSetting {
		return message
	}
	for _, word := range []string{"true", "false"} {
		if message == "unexpected argument "+word {
			message += "; a flag that is on or off takes it behind an equals sign: --flag=" + word
		}
	}
	if strings.HasPrefix(message, "missing flags:") && strings.Contains(message, "--key=") {
		message += "\n\"parley login\" keeps the address, the key and the number for all commands; PARLEY_API_KEY and PARLEY_FROM give them too"
	} else if strings.HasPrefix(message, "missing flags:") && strings.Contains(message, "--from=") {
		message += "\n\"parley account list\" shows your numbers; PARLEY_FROM gives one too, and \"parley login\" keeps it for all commands"
	}
	return fmt.Sprintf("%s\nsee \"%s --help\"", message, cmd.FullPath())
}

// nameSources replaces a flag that begins a line by the variable its value came from.
func nameSources(message string, kctx *kong.Context, env environment) string {
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		for _, flag := range kctx.Selected().Flags {
			name := "--" + flag.Name
			variable := flag.Tag.Get(variableTag)
			rest, ok := strings.CutPrefix(line, name)
			if ok && (rest == "" || rest[0] == ' ' || rest[0] == ':') && env[variable] != "" && !given(kctx, flag) {
				lines[i] = variable + rest
			}
		}
	}
	return strings.Join(lines, "\n")
}

// given reports whether the command line gives the flag.
func given(kctx *kong.Context, flag *kong.Flag) bool {
	return slices.ContainsFunc(kctx.Path, func(p *kong.Path) bool {
		return p.Flag != nil && !p.Resolved && p.Flag.Name == flag.Name
	})
}

// failureMessage says why a command failed. If core names a field, the message names the flag or argument that
// set it.
func failureMessage(err error, cmd *kong.Node) string {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || e.Param == "" {
		return err.Error()
	}
	name := strings.ReplaceAll(e.Param, "_", "-")
	if slices.ContainsFunc(cmd.Positional, func(arg *kong.Positional) bool { return arg.Name == name }) {
		return fmt.Sprintf("<%s>: %s", name, e.Message)
	}
	if !slices.ContainsFunc(cmd.Flags, func(flag *kong.Flag) bool { return flag.Name == name }) {
		name = strings.TrimSuffix(name, "-id") // --customer gives customer_id
	}
	return fmt.Sprintf("--%s: %s", name, e.Message)
}

// pointTo adds which command to run if the named object does not exist.
func pointTo(err error, command string) error {
	if code, _ := chat.CodeOf(err); code == chat.CodeResourceNotFound {
		return fmt.Errorf("%w %q shows them", err, command)
	}
	return err
}

// explainStore adds advice if the store cannot be opened.
func explainStore(err error, where config.Store) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrUnavailable) && where.DatabaseURL != "":
		return fmt.Errorf("%w\ncheck --database-url (PARLEY_DATABASE_URL), and that PostgreSQL runs there and lets this user in", err)
	case strings.Contains(err.Error(), "SQLSTATE 42501"):
		return fmt.Errorf("%w\nthe user in --database-url must be the database's owner: ALTER DATABASE … OWNER TO …", err)
	case forbidden(err, where.Data):
		return fmt.Errorf("%w\nthis user may not use the data folder %s: run this as the user of the server, as with sudo -u parley, or choose another folder with --data", err, where.Data)
	case errors.As(err, new(*fs.PathError)):
		return fmt.Errorf("%w\nthe data folder is %s: check that it is a folder this user may write to, or choose another with --data", err, where.Data)
	default:
		return err
	}
}

// explainFolder adds advice if a command that reads or writes other files too may not use the data folder.
func explainFolder(err error, where config.Store) error {
	if forbidden(err, where.Data) {
		return explainStore(err, where)
	}
	return err
}

// forbidden reports whether this user may not use a folder, or what is in it.
func forbidden(err error, folder string) bool {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok || !errors.Is(failed, fs.ErrPermission) {
		return false
	}
	inside, err := filepath.Rel(folder, failed.Path)
	return err == nil && filepath.IsLocal(inside)
}
