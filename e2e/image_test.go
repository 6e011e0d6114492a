package e2e

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/pgtest"
)

// engine runs buildah with images of its own, so that the test neither needs nor leaves any.
type engine struct{ root string }

func (e engine) command(args ...string) *exec.Cmd {
	return exec.Command("buildah", append([]string{"--root", e.root + "/root", "--runroot", e.root + "/run", "--storage-driver", "vfs"}, args...)...)
}

func (e engine) do(args ...string) (string, error) {
	out, err := e.command(args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("buildah %s: %w: %s", args[0], err, failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// run runs a command in a container. The program of the tests needs the machine's C library, which that of a release
// does not.
func (e engine) run(container string, args ...string) *process {
	mounts := []string{"run", "--isolation", "chroot", "--volume", "/lib:/lib:ro"}
	if _, err := os.Stat("/lib64"); err == nil {
		mounts = append(mounts, "--volume", "/lib64:/lib64:ro")
	}
	return &process{cmd: e.command(append(append(mounts, container, "--", "parley"), args...)...), exited: make(chan struct{})}
}

// standIn makes an image of the given name that has nothing but certificates, so that no registry is asked for it.
func (e engine) standIn(name, folder string) error {
	certificates := filepath.Join(folder, "certificates")
	if err := os.WriteFile(certificates, []byte("# no public authority is needed here\n"), 0o644); err != nil {
		return err
	}
	container, err := e.do("from", "scratch")
	if err == nil {
		_, err = e.do("copy", container, certificates, "/etc/ssl/certs/ca-certificates.crt")
	}
	if err == nil {
		_, err = e.do("commit", "--quiet", container, "localhost/"+name)
	}
	return err
}

var firstImage = regexp.MustCompile(`(?m)^FROM (\S+) AS`)

// container makes a container as a release builds it.
func (e engine) container(t *testing.T) (string, error) {
	folder := t.TempDir()
	recipe, err := os.ReadFile("../deploy/Dockerfile.release")
	must(t, err)
	binary, err := os.ReadFile(program)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "Dockerfile"), recipe, 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "parley"), binary, 0o600))
	if err := e.standIn(firstImage.FindStringSubmatch(string(recipe))[1], folder); err != nil {
		return "", err
	}
	if _, err := e.do("build", "--isolation", "chroot", "--pull-never", "--tag", "parley", folder); err != nil {
		return "", err
	}
	return e.do("from", "--pull-never", "localhost/parley")
}

// The image of a release serves, as a user of its own and on the folder that it names, with commands beside it. Where no
// container engine can be used, the test says so.
func TestImage(t *testing.T) {
	t.Parallel()
	e := engine{t.TempDir()}
	container, err := e.container(t)
	if err != nil {
		t.Logf("no container engine can be used here, so the image was not built: %v", err)
		return
	}
	server := e.run(container, "serve", "--demo", "--listen=127.0.0.1:0", "--ops-listen=127.0.0.1:0", "--log-format=json")
	must(t, server.start())
	must(t, server.awaitReady(time.Now()))
	for name, path := range map[string]string{"the dashboard": server.url + "/", "the documentation": server.url + "/docs", "the metrics": server.ops + "/metrics"} {
		if !answers(path) {
			t.Errorf("%s does not answer", name)
		}
	}
	beside := e.run(container, "org", "list", "--json")
	must(t, beside.start())
	if code, err := beside.await(); code != 0 || err != nil || !strings.Contains(beside.stdout.String(), "org_") {
		t.Errorf("beside it, a command ended with %d, %v: %s%s", code, err, &beside.stdout, &beside.stderr)
	}
	if log := server.stderr.String(); strings.Contains(log, `"level":"WARN"`) {
		t.Errorf("it warned: %s", log)
	}
	must(t, syscall.Kill(innermost(t, server.cmd.Process.Pid), syscall.SIGTERM)) // buildah passes no signal on
	if code, err := server.await(); code != 0 || err != nil {
		t.Errorf("it ended with %d, %v: %s", code, err, &server.stderr)
	}
}

// innermost is the process at the end of a chain of parents and children. Any thread may be the parent.
func innermost(t *testing.T, pid int) int {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	must(t, err)
	for _, thread := range threads {
		var child int
		children, err := os.ReadFile(thread)
		must(t, err)
		if n, _ := fmt.Sscan(string(children), &child); n == 1 {
			return innermost(t, child)
		}
	}
	return pid
}

var (
	composeVariable = regexp.MustCompile(`(?m)^ +(PARLEY_[A-Z_]+): (.*)$`)
	composeValue    = regexp.MustCompile(`\$\{([A-Z_]+):[?-]([^}]*)\}`)
)

// The settings of deploy/compose.yaml start a server on PostgreSQL. Its images come from a registry, which a test cannot
// ask: the database is the tests', and the program runs as it is.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/compose.yaml")
	must(t, err)
	given := map[string]string{"POSTGRES_PASSWORD": "5ecret", "PARLEY_SECRET_KEY": base64.StdEncoding.EncodeToString(make([]byte, 32))}
	var env []string
	for _, variable := range composeVariable.FindAllStringSubmatch(string(text), -1) {
		value := composeValue.ReplaceAllStringFunc(strings.Trim(variable[2], `"`), func(place string) string {
			parts := composeValue.FindStringSubmatch(place)
			if own, found := given[parts[1]]; found {
				return own
			}
			return parts[2]
		})
		if variable[1] == "PARLEY_DATABASE_URL" {
			if value != "postgres://parley:5ecret@db:5432/parley" {
				t.Errorf("the database is %s", value)
			}
			value = pgtest.NewDatabase(t)
		}
		env = append(env, variable[1]+"="+value)
	}
	settings := runProgram(t, env, "config")
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if value != "" && !strings.Contains(settings.Stdout, name) {
			t.Errorf("the program does not know %s; its settings are\n%s", name, settings.Stdout)
		}
	}
	srv := Start(t, WithEnv(env...))
	if made := runProgram(t, append(env, "PARLEY_DATA="+srv.store[1]), "org", "create", "--name", "Acme"); made.Code != 0 || !strings.Contains(made.Stdout, "org_") {
		t.Errorf("beside it, a command says %+v", made)
	}
}
