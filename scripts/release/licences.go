package main

import (
	"fmt"
	"os"
	"strings"
)

// licencePage is the content of docs/licences.md.
func licencePage(used []dependency) string {
	var page strings.Builder
	page.WriteString(`# What others made, and under which licence

This page helps you check what you run: everything that is inside of the program and is not ours, with its version, the
day on which that version was made, and its licence. Parley itself is under the licence in
[LICENSE](../LICENSE). ` + "`make licences`" + ` writes this page, and a test fails while it is behind.

Each release has the same list for machines (CycloneDX, ` + "`.cdx.json`" + `), and the full texts of the licences in
` + "`THIRD_PARTY.txt`" + `. To look for known vulnerabilities, where you can reach the database of Go's vulnerabilities:

` + "```console\ngo run golang.org/x/vuln/cmd/govulncheck@latest ./...\n```" + `

The dates are there for when you cannot: an old version of a library that reads what strangers send deserves a look.

`)
	for _, section := range []struct{ kind, title string }{{"golang", "Go modules in the program"}, {"npm", "npm packages in the dashboard's pages"}} {
		fmt.Fprintf(&page, "## %s\n\n", section.title)
		dated := section.kind == "golang"
		page.WriteString(map[bool]string{true: "| module | version | made | licence |\n|---|---|---|---|\n", false: "| package | version | licence |\n|---|---|---|\n"}[dated])
		for _, d := range used {
			switch {
			case d.kind == section.kind && dated:
				fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", d.name, d.version, d.date, d.licence)
			case d.kind == section.kind:
				fmt.Fprintf(&page, "| `%s` | %s | %s |\n", d.name, d.version, d.licence)
			}
		}
		page.WriteString("\n")
	}
	return strings.TrimRight(page.String(), "\n") + "\n"
}

// noticeText has the full text of every licence. The npm packages must be installed: "npm ci" in web/ does that. A
// package that was published without a licence file is listed with the name of its licence.
func noticeText(used []dependency) ([]byte, error) {
	var text strings.Builder
	text.WriteString("Parley contains the following works of others, each under its own licence.\n")
	for _, d := range used {
		fmt.Fprintf(&text, "\n%s\n%s %s (%s)\n%s\n\n", strings.Repeat("=", 78), d.name, d.version, d.licence, strings.Repeat("=", 78))
		licence, err := licenceFile(d.dir)
		switch {
		case err == nil:
			text.WriteString(strings.TrimSpace(licence) + "\n")
		case d.kind == "npm" && os.IsNotExist(err):
			return nil, fmt.Errorf("%s is not installed: run npm ci in web/ first", d.name)
		case d.kind == "npm": // it was published without a licence file
			fmt.Fprintf(&text, "Published under %s, without a licence file.\n", d.licence)
		default:
			return nil, err
		}
	}
	return []byte(text.String()), nil
}
