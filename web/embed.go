// Package web has the dashboard's pages as they were built, and serves them.
package web

import "embed"

// The built files are committed, so that Go alone is enough to build the program. make web builds them again.
//
//go:embed all:dist
var dist embed.FS
