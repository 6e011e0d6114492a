package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// keeper saves the state that must survive the process into a folder: the state in one file, and each file of a chat
// beside it. Without a folder it does nothing.
type keeper struct {
	sim   *Simulator
	dir   string
	marks chan struct{}

	mu    sync.Mutex // guards saving
	files map[string]bool
}

const (
	keptName = "state.json"
	fileEnd  = ".file"
	// keepAfter gathers changes: a busy chat is saved once a second, not with every message.
	keepAfter = time.Second
)

func newKeeper(s *Simulator, dir string) *keeper {
	return &keeper{sim: s, dir: dir, marks: make(chan struct{}, 1), files: map[string]bool{}}
}

// mark records that there is something to save. It never blocks.
func (k *keeper) mark() {
	if k.dir == "" {
		return
	}
	select {
	case k.marks <- struct{}{}:
	default:
	}
}

// loop saves a while after each change. Stop saves the final state, when nothing changes any more.
func (k *keeper) loop(ctx context.Context) {
	for {
		select {
		case <-k.marks:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(keepAfter):
			k.saveOrWarn()
		case <-ctx.Done():
			return
		}
	}
}

func (k *keeper) saveOrWarn() {
	if k.dir == "" {
		return
	}
	if err := k.save(); err != nil {
		k.sim.log.Warn("the simulated phones cannot be saved: after a restart they show what was saved before", "folder", k.dir, "error", err)
	}
}

// save writes the files first, so that the state never names a file that is missing.
func (k *keeper) save() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	state := k.sim.kept()
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	named := map[string]bool{}
	for _, f := range state.Files {
		named[f.ID] = true
		if !k.files[f.ID] {
			if err := replaceFile(k.path(f.ID+fileEnd), f.data); err != nil {
				return err
			}
			k.files[f.ID] = true
		}
	}
	text, err := json.Marshal(state)
	if err == nil {
		err = replaceFile(k.path(keptName), text)
	}
	if err != nil {
		return err
	}
	return k.forget(named)
}

func (k *keeper) path(name string) string { return filepath.Join(k.dir, name) }

// forget removes files that no chat shows any more.
func (k *keeper) forget(named map[string]bool) error {
	for id := range k.files {
		if named[id] {
			continue
		}
		if err := os.Remove(k.path(id + fileEnd)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		delete(k.files, id)
	}
	return nil
}

// replaceFile writes a file completely or not at all.
func replaceFile(path string, data []byte) error {
	next := path + ".new"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// load restores the saved state. A state that cannot be read is treated as none: the people are only simulated, and a
// server must start without them.
func (k *keeper) load() {
	if k.dir == "" {
		return
	}
	state, err := k.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		k.sim.log.Warn("the simulated phones begin empty: what was saved cannot be read", "folder", k.dir, "error", err)
	default:
		k.sim.recall(state)
	}
}

func (k *keeper) read() (state keptState, err error) {
	text, err := os.ReadFile(k.path(keptName))
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return state, err
	}
	if state.Version != keptVersion {
		return state, fmt.Errorf("it has version %d; this program reads %d", state.Version, keptVersion)
	}
	entries, err := os.ReadDir(k.dir)
	for _, entry := range entries {
		if id, found := strings.CutSuffix(entry.Name(), fileEnd); found {
			k.files[id] = true
		}
	}
	for i := range state.Files {
		f := &state.Files[i]
		if !k.files[f.ID] {
			continue
		}
		if f.data, err = os.ReadFile(k.path(f.ID + fileEnd)); err != nil {
			return state, err
		}
	}
	return state, err
}
