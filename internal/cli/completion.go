package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown by kong.
func (completionCommand) Help() string {
	return "bash: source <(parley completion bash)\n\nzsh: source <(parley completion zsh)\n\nfish: parley completion fish | source"
}

func (cmd completionCommand) Run(c *console, parsed *kong.Context) error {
	words := map[string][]string{}
	collectWords(parsed.Model.Node, nil, words)
	script := bashScript
	switch cmd.Shell {
	case "zsh":
		script = "autoload -U +X bashcompinit && bashcompinit\n" + bashScript
	case "fish":
		script = fishScript
	}
	_, err := fmt.Fprintf(c.stdout, script, caseLines(words, cmd.Shell == "fish"))
	return err
}

// collectWords collects the words that may follow each command: its subcommands and flags.
func collectWords(node *kong.Node, path []string, into map[string][]string) {
	var words []string
	for _, child := range node.Children {
		if child.Hidden || child.Type != kong.CommandNode {
			continue
		}
		words = append(words, child.Name)
		collectWords(child, append(slices.Clone(path), child.Name), into)
	}
	flags := node.Flags
	if child := node.DefaultCmd; child != nil {
		flags = append(slices.Clone(flags), child.Flags...)
	}
	for _, flag := range flags {
		if !flag.Hidden {
			words = append(words, "--"+flag.Name)
		}
	}
	into[strings.Join(path, " ")] = words
}

func caseLines(words map[string][]string, fish bool) string {
	paths := make([]string, 0, len(words))
	for path := range words {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var b strings.Builder
	for _, path := range paths {
		if fish {
			fmt.Fprintf(&b, "        case '%s'\n            string split ' ' -- '%s'\n", path, strings.Join(words[path], " "))
		} else {
			fmt.Fprintf(&b, "    '%s') words='%s' ;;\n", path, strings.Join(words[path], " "))
		}
	}
	return b.String()
}

const bashScript = `_parley() {
  local path='' word words=''
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="${path:+$path }$word"
  done
  case "$path" in
%[1]s  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
  [[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default 2>/dev/null
}
complete -F _parley parley
`

const fishScript = `function __parley_words
    set -l path
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and break
        set -a path $word
    end
    switch "$path"
%[1]s    end
end
complete -c parley -a '(__parley_words)'
`
