// Package migrations holds the history of the schema: one SQL file per step, for both engines.
package migrations

import "embed"

// Files are the migrations, in the order of their names.
//
//go:embed *.sql
var Files embed.FS
