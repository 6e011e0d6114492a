package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// server is a running program with an organization, a key and some labels.
type server struct {
	engine  string
	process *process
	dir     string // its own folder, for its store and its output
	ops     string // the operator's listener, with the profiler
	target  target
	store   []string // the flags that name its store
}

// build compiles the program as `go build` at the root of the module does.
func build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "parley")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/parleyhq/parley")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// startEngine prepares an organization with a key, then serves. databaseURL is empty for SQLite. The provider is the
// simulator, unless the flags name another.
func (b *bench) startEngine(ctx context.Context, engine, databaseURL string, flags ...string) (server, error) {
	s, err := b.prepareEngine(ctx, engine, databaseURL)
	if err != nil {
		return server{}, err
	}
	if err := b.serve(ctx, &s, flags...); err != nil {
		return server{}, err
	}
	if s.target.labels, err = seedLabels(ctx, s.target); err != nil {
		s.process.stop()
		return server{}, fmt.Errorf("seed labels: %w", err)
	}
	return s, nil
}

// prepareEngine makes a store with an organization, its key and its numbers.
func (b *bench) prepareEngine(ctx context.Context, engine, databaseURL string) (server, error) {
	dir, err := os.MkdirTemp(b.tmp, engine+"-*")
	if err != nil {
		return server{}, err
	}
	store := []string{"--data", filepath.Join(dir, "data")}
	if databaseURL != "" {
		store = append(store, "--database-url", databaseURL)
	}
	s := server{engine: engine, dir: dir, store: store}
	if s.target.org, s.target.key, err = b.createKey(ctx, store); err != nil {
		return server{}, err
	}
	return s, b.connectNumbers(ctx, s.target.org, store)
}

// serve starts the program on a prepared store.
func (b *bench) serve(ctx context.Context, s *server, flags ...string) (err error) {
	if s.target.addr, err = freeAddr(); err != nil {
		return err
	}
	if s.ops, err = freeAddr(); err != nil {
		return err
	}
	args := append([]string{"serve", "--listen", s.target.addr, "--ops-listen", s.ops, "--log-format", "json",
		"--provider-app-secret", appSecret, "--allow-network", "127.0.0.0/8", "--messages-per-second", strconv.Itoa(perSecond)}, append(flags, s.store...)...)
	s.process, err = startProcess(ctx, s.dir, s.target.addr, b.program, args...)
	return err
}

// createKey creates the organization and its key with the program's own commands.
func (b *bench) createKey(ctx context.Context, store []string) (orgID, text string, err error) {
	var org, key struct{ ID, Key string }
	if _, err := b.run(ctx, append([]string{"migrate"}, store...)); err != nil {
		return "", "", err
	}
	if err := b.runJSON(ctx, &org, append([]string{"org", "create", "--name", "bench", "--json"}, store...)); err != nil {
		return "", "", err
	}
	err = b.runJSON(ctx, &key, append([]string{"key", "create", "--org", org.ID, "--json"}, store...))
	if err == nil && key.Key == "" {
		err = errors.New("key create printed no key")
	}
	return org.ID, key.Key, err
}

// connectNumbers connects the organization's business numbers. The simulator accepts any number.
func (b *bench) connectNumbers(ctx context.Context, org string, store []string) error {
	for i := range numbers {
		var account struct{ ID string }
		err := b.runJSON(ctx, &account, append([]string{"account", "connect", "--org", org, "--phone-number-id", phoneNumberID(i),
			"--phone-number", fmt.Sprintf("+1555%07d", i), "--waba-id", "200300400500600", "--token", "bench", "--json"}, store...))
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) runJSON(ctx context.Context, into any, args []string) error {
	out, err := b.run(ctx, args)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("parley %s %s printed %q: %w", args[0], args[1], out, err)
	}
	return nil
}

// run runs a command of the program and returns its output.
func (b *bench) run(ctx context.Context, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	cmd := command(ctx, b.program, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("parley %s %s: %w\n%s", args[0], args[1], err, stderr.String())
	}
	return out, nil
}

// seeds is enough for reads to touch different rows and for full list pages, whatever scenarios are left out.
const seeds = 200

func seedLabels(ctx context.Context, t target) ([]string, error) {
	c, err := dial(ctx, t.addr, time.Now().Add(startDeadline))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	request := createLabel(t, "seed", false)
	var ids []string
	for i := range seeds {
		id, err := createOne(c, request(nil, 0, i))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, ctx.Err()
}

func createOne(c *conn, request []byte) (string, error) {
	const keepBody = 0 // no status is expected, so the body is returned
	h, body, err := c.roundTrip(request, keepBody)
	if err != nil {
		return "", err
	}
	var created struct{ Data struct{ ID string } }
	if err := json.Unmarshal(body, &created); err != nil || h.status != 201 || created.Data.ID == "" {
		return "", fmt.Errorf("status %d: %s", h.status, body)
	}
	return created.Data.ID, nil
}
