// Command release builds the published files: an archive for each system, a list of its contents (SBOM), the licences
// of the dependencies, and checksums. The same sources give the same bytes, wherever it runs.
//
//	go run ./scripts/release -version v1.2.3 -out bin/release
//	go run ./scripts/release -licences docs/licences.md
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a system that the program is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "_" + t.arch }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

func main() {
	version := flag.String("version", "dev", "what the program says it is")
	out := flag.String("out", "bin/release", "folder of the archives")
	only := flag.String("only", "", "build for one system, as linux_amd64")
	licences := flag.String("licences", "", "write only the list of licences, to this file")
	flag.Parse()
	err := writeLicences(*licences)
	if *licences == "" {
		err = release(*version, *out, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func writeLicences(path string) error {
	if path == "" {
		return nil
	}
	used, err := dependencies(".")
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(licencePage(used)), 0o644)
}

func release(version, out, only string) error {
	used, err := dependencies(".")
	if err != nil {
		return err
	}
	notices, err := noticeText(used)
	if err != nil {
		return err
	}
	when, err := commitTime()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	sums := map[string]string{}
	publish := func(name string, content []byte) error {
		sums[name] = fmt.Sprintf("%x", sha256.Sum256(content))
		return os.WriteFile(filepath.Join(out, name), content, 0o644)
	}
	for _, t := range targets {
		if only != "" && only != t.String() {
			continue
		}
		if err := releaseFor(t, version, when, used, notices, publish); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(checksums(sums)), 0o644)
}

// releaseFor publishes an archive and its SBOM.
func releaseFor(t target, version string, when time.Time, used []dependency, notices []byte, publish func(string, []byte) error) error {
	program, err := build(t, version)
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(program))
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bill, err := sbom(info, version, when, used)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("parley_%s_%s", version, t)
	files, err := contents(t, program, notices, bill)
	if err != nil {
		return err
	}
	archive, err := pack(name, when, files)
	if err != nil {
		return err
	}
	fmt.Printf("%s.tar.gz  %.1f MB\n", name, float64(len(archive))/1e6)
	if err := publish(name+".tar.gz", archive); err != nil {
		return err
	}
	return publish(name+".cdx.json", bill)
}

// build builds the program without any trace of this machine: no paths, no build id, no cgo.
func build(t target, version string) (string, error) {
	dir, err := os.MkdirTemp("", "parley-release-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "parley")
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program,
		"-ldflags", "-s -w -buildid= -X github.com/parleyhq/parley/internal/cli.version="+version, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return program, nil
}

// commitTime is the time given to files: SOURCE_DATE_EPOCH, or the time of the last commit.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("git log: %w; set SOURCE_DATE_EPOCH where there is no repository", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// checksums is a file for sha256sum -c.
func checksums(sums map[string]string) string {
	var lines []string
	for name, sum := range sums {
		lines = append(lines, sum+"  "+name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a[66:], b[66:]) })
	return strings.Join(lines, "")
}
