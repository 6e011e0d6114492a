// Package migrations holds the schema's history: one SQL text per step, for both engines.
package migrations

import "embed"

// Files are the migrations, in the order of their names.
//
//go:embed *.sql
var Files embed.FS
