package pgtest

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

var errNotInstalled = errors.New("PostgreSQL's server programs (initdb, postgres) were not found; install them with " +
	"`apt-get install postgresql` (Debian, Ubuntu) or `brew install postgresql@17` (macOS), " +
	"put their directory on PATH, or name a running server in " + EnvURL)

// installPatterns are the directories where packages install the server programs. They are usually not on PATH.
var installPatterns = []string{
	"/usr/lib/postgresql/*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
}

// FindBinaries returns the directory of the server programs: the one on PATH, else the newest installed.
func FindBinaries() (string, error) {
	return findBinaries(filepath.SplitList(os.Getenv("PATH")), installPatterns)
}

func findBinaries(path, patterns []string) (string, error) {
	for _, dir := range slices.Concat(path, newestFirst(patterns)) {
		if hasProgram(dir, "initdb") && hasProgram(dir, "postgres") {
			return filepath.Abs(dir)
		}
	}
	return "", errNotInstalled
}

func hasProgram(dir, name string) bool {
	_, err := exec.LookPath(filepath.Join(dir, name))
	return err == nil
}

func newestFirst(patterns []string) []string {
	var dirs []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern) // fails only on a malformed pattern
		dirs = append(dirs, found...)
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
	return dirs
}

var versionInPath = regexp.MustCompile(`(\d+(?:\.\d+)?)/bin$`)

// version reads the version from a directory such as /usr/lib/postgresql/15/bin; 0 if there is none.
func version(dir string) float64 {
	match := versionInPath.FindStringSubmatch(filepath.ToSlash(dir))
	if match == nil {
		return 0
	}
	v, _ := strconv.ParseFloat(match[1], 64) // the expression matches only numbers
	return v
}
