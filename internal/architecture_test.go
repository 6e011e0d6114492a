// Package internal_test checks the packages against the table in docs/architecture.md.
package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/parleyhq/parley"

// drivers are the packages for SQL. In the program only the store imports them.
var drivers = []string{"database/sql", "github.com/jackc/pgx", "modernc.org/sqlite", "zombiezen.com/go/sqlite", "github.com/pressly/goose"}

// tools are not part of the program.
var tools = []string{"bench", "e2e", "examples", "internal/pgtest", "scripts"}

// imports are the imports of each package's files without tests, by folder.
type imports map[string][]string

// tableRow is a row of the table of packages in docs/architecture.md.
type tableRow struct {
	folder  string
	imports []string // folders of the module that it imports
	all     bool     // it may import every package of the rows above
	strict  bool     // it also imports nothing from outside the module, except the standard library
}

func TestImportsAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	found := readImports(t)
	above := map[string]bool{}
	for _, row := range readTable(t) {
		if found[row.folder] == nil {
			t.Errorf("the table has %s, which imports nothing or is not there", row.folder)
		}
		row.check(t, found[row.folder], above)
		above[row.folder] = true
	}
	for folder := range found {
		if !above[folder] && !isTool(folder) {
			t.Errorf("%s is not in the table of packages in docs/architecture.md", folder)
		}
	}
}

// check compares a package's imports with its row, in both directions.
func (row tableRow) check(t *testing.T, imported []string, above map[string]bool) {
	t.Helper()
	for _, other := range row.imports {
		switch {
		case !above[other]:
			t.Errorf("the table lets %s import %s, which does not stand above it", row.folder, other)
		case !slices.Contains(imported, module+"/"+other):
			t.Errorf("the table says that %s imports %s: it does not", row.folder, other)
		}
	}
	for _, path := range imported {
		other, ours := inModule(path)
		switch {
		case ours && !slices.Contains(row.imports, other) && !(row.all && above[other]):
			t.Errorf("%s imports %s, which its row in docs/architecture.md does not name", row.folder, other)
		case !ours && row.strict && !isStandard(path):
			t.Errorf("%s imports %s, and should import nothing but the standard library", row.folder, path)
		}
	}
}

var (
	tableLine = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| .* \\| (.*) \\|$")
	tableName = regexp.MustCompile("`([a-z/]+)`")
)

func readTable(t *testing.T) (rows []tableRow) {
	t.Helper()
	text, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range tableLine.FindAllStringSubmatch(string(text), -1) {
		row := tableRow{folder: folderOf(line[1]), all: line[2] == "all of the above", strict: line[2] == "the standard library"}
		for _, name := range tableName.FindAllStringSubmatch(line[2], -1) {
			row.imports = append(row.imports, folderOf(name[1]))
		}
		rows = append(rows, row)
	}
	if len(rows) < 20 {
		t.Fatalf("the table of packages has %d rows: has its form changed?", len(rows))
	}
	return rows
}

// folderOf is the folder of a package in the table.
func folderOf(name string) string {
	switch name {
	case "main":
		return "."
	case "client", "docs", "web":
		return name
	default:
		return "internal/" + name
	}
}

func TestSQLIsInOnePlace(t *testing.T) {
	t.Parallel()
	for folder, imported := range readImports(t) {
		for _, path := range imported {
			if under(path, drivers) && folder != "internal/store" && !isTool(folder) {
				t.Errorf("%s imports %s", folder, path)
			}
		}
	}
}

// The tests above would pass if no file were read.
func TestImportsAreRead(t *testing.T) {
	t.Parallel()
	found := readImports(t)
	for folder, path := range map[string]string{
		".":              module + "/internal/cli",
		"internal/core":  module + "/internal/store",
		"internal/store": "database/sql",
	} {
		if !slices.Contains(found[folder], path) {
			t.Errorf("%s does not import %s", folder, path)
		}
	}
	if slices.Contains(found["internal/store"], "pgregory.net/rapid") {
		t.Error("a test's import counts as the program's")
	}
}

// isTool includes the helpers of tests, whose names end in test by convention.
func isTool(folder string) bool {
	return under(folder, tools) || strings.HasSuffix(folder, "test")
}

func inModule(path string) (folder string, ok bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// isStandard tells whether a package is of the standard library. The first element of any other import path is a host
// name.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// under tells whether p is one of the roots or below one.
func under(p string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return p == root || strings.HasPrefix(p, root+"/") })
}

func readImports(t *testing.T) imports {
	t.Helper()
	found := imports{}
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && skipped(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return found.add(name)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// skipped tells whether a folder contains no packages of ours.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"
}

func (found imports) add(name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	folder := path.Dir(name)
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		found[folder] = append(found[folder], imported)
	}
	return nil
}

// walkLine matches a step of a walk: a file below internal, and a function in it.
var walkLine = regexp.MustCompile("(?m)^[0-9]+\\. `([a-z/]+\\.go)` `([A-Za-z]+)`: .*$")

// Every step of the walks names an existing file and function.
func TestWalksAreTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := walkLine.FindAllStringSubmatch(string(page), -1)
	if len(steps) < 30 {
		t.Fatalf("the walks have %d steps", len(steps))
	}
	for _, step := range steps {
		source, err := os.ReadFile(step[1])
		if err != nil {
			t.Error(err)
		} else if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + step[2] + `\b`).Match(source) {
			t.Errorf("%s has no function %s", step[1], step[2])
		}
	}
}
