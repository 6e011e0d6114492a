// Package internal_test checks the directions in which packages import each other.
package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/parleyhq/parley"

// layers are the packages of the program from the inside out. A package imports only from layers
// before its own. A new package gets its place here first.
var layers = [][]string{
	{
		"internal/chat", "internal/vault", "internal/blob", "internal/netguard", "internal/lane", "internal/logging",
		"internal/store/migrations", "client", "web",
	},
	{"internal/store", "internal/provider"},
	{"internal/provider/cloud"},
	{"internal/core", "internal/simulator"},
	{
		"internal/api", "internal/dashboard", "internal/onboard", "internal/inbound", "internal/sender",
		"internal/webhook", "internal/media", "internal/node", "internal/housekeeping", "internal/templatesync", "internal/config",
	},
	{"internal/server"},
	{"internal/cli"},
	{"."},
}

// onlyImports are stricter: all that these packages import of the module.
var onlyImports = map[string][]string{
	".":                  {"internal/cli"},
	"internal/chat":      nil,
	"internal/store":     {"internal/chat", "internal/logging", "internal/store/migrations"},
	"internal/simulator": {"internal/provider/cloud"},
	"client":             nil,
}

// standardLibraryOnly import nothing from outside the module either.
var standardLibraryOnly = []string{".", "internal/chat", "client"}

// drivers are how one talks SQL. Of the program only the store does.
var drivers = []string{"database/sql", "github.com/jackc/pgx", "modernc.org/sqlite", "zombiezen.com/go/sqlite", "github.com/pressly/goose"}

// tools are no part of the program.
var tools = []string{"bench", "e2e", "internal/pgtest"}

// imports are what each package's files import, but for tests, by folder.
type imports map[string][]string

func TestImportsPointInward(t *testing.T) {
	t.Parallel()
	rank := map[string]int{}
	for i, layer := range layers {
		for _, folder := range layer {
			rank[folder] = i
		}
	}
	for folder, imported := range readImports(t) {
		if isTool(folder) {
			continue
		}
		own, ok := rank[folder]
		if !ok {
			t.Errorf("%s has no place among the layers", folder)
		}
		for _, path := range imported {
			other, inModule := inModule(path)
			if otherRank, ok := rank[other]; inModule && (!ok || otherRank >= own) {
				t.Errorf("%s imports %s", folder, other)
			}
		}
	}
}

func TestStrictImports(t *testing.T) {
	t.Parallel()
	found := readImports(t)
	for folder, allowed := range onlyImports {
		for _, path := range found[folder] {
			if other, ok := inModule(path); ok && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s", folder, other)
			}
		}
	}
	for _, folder := range standardLibraryOnly {
		for _, path := range found[folder] {
			if _, ok := inModule(path); !ok && !isStandard(path) {
				t.Errorf("%s imports %s", folder, path)
			}
		}
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

// The rules above would all hold if nothing were read.
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

// isTool also takes the helpers of tests, which by convention are called …test.
func isTool(folder string) bool {
	return under(folder, tools) || strings.HasSuffix(folder, "test")
}

func inModule(path string) (folder string, ok bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// isStandard: the first element of any other import path is a host name.
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

// skipped folders hold no package of ours.
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
