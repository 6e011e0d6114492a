// Package migrations holds the history of the schema: one SQL file per step, for both engines.
package migrations

import (
	"embed"
	"io/fs"
	"regexp"
)

// Files are the migrations, in the order of their names. One that changes rows of a table and then its columns is two files:
// PostgreSQL refuses to alter a table whose triggers are still to run.
//
//go:embed *.sql
var Files embed.FS

var tableMade = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// Tables returns the names of all tables that the migrations make, also of those that later ones remove.
func Tables() (names []string, err error) {
	err = fs.WalkDir(Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := Files.ReadFile(path)
		for _, found := range tableMade.FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
		return err
	})
	return names, err
}
