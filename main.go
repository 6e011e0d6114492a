// Parley is a self-hosted business-messaging platform in one program.
package main

import (
	"embed"
	"os"

	"github.com/parleyhq/parley/docs"
	"github.com/parleyhq/parley/internal/cli"
)

// repository has the files that the documentation leads to. They are embedded here because only this folder is
// above all of them.
//
//go:embed README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE Dockerfile bench/README.md deploy examples
var repository embed.FS

func main() {
	docs.Repository = repository
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
