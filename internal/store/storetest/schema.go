package storetest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/parleyhq/parley/internal/store/migrations"
)

// schemaHash identifies a version of the schema.
func schemaHash() []byte {
	h := sha256.New()
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		panic(err) // only for a malformed pattern
	}
	for _, name := range names {
		content, err := migrations.Files.ReadFile(name)
		if err != nil {
			panic(err) // the files are in the program
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(content), content)
	}
	return h.Sum(nil)[:8]
}

// withSmallPool bounds a store's connections, because many tests share the server's.
func withSmallPool(database string) string {
	u, err := url.Parse(database)
	if err != nil {
		panic(err) // pgtest made it
	}
	q := u.Query()
	q.Set("pool_max_conns", "8")
	u.RawQuery = q.Encode()
	return u.String()
}
