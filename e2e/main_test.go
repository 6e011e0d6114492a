// Package e2e runs the whole program: built once, started as processes on real ports, used over
// HTTP and through its own commands, on SQLite and on PostgreSQL. harness_test.go drives it.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// program is the built program.
var program string

// buildTags are the tags that the program is built with.
var buildTags string

// sideBySide is how many tests run at once. Most of them wait most of the time.
const sideBySide = 8

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(sideBySide, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err) // the testing package always defines it
	}
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "parley-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "parley")
	args := []string{"build", "-o", program}
	if buildTags != "" {
		args = append(args, "-tags", buildTags)
	}
	if os.Getenv("E2E_RACE") != "" { // this is slow, and the packages' own tests already look for races
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "github.com/parleyhq/parley")...)
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return m.Run(), nil
}
