// Parley is a self-hosted business-messaging platform in one program.
package main

import (
	"os"

	"github.com/parleyhq/parley/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
