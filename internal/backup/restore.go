package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/durable"
	"github.com/parleyhq/parley/internal/store"
)

// Restored is the result of a restore.
type Restored struct {
	Manifest Manifest
	Files    int
	Held     core.Held
	HasKey   bool // whether the folder has a master key
}

// Restore makes a data folder from a copy. A master key in the folder stays. Messages that were queued in the
// copy are held, because they may have been sent since. It refuses a folder with a store. The database appears
// last, so that no server starts on half a folder.
func Restore(ctx context.Context, path, dir string) (r Restored, err error) {
	if err := requireEmpty(dir); err != nil {
		return r, err
	}
	undo, err := makeFolder(dir)
	if err != nil {
		return r, err
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	r, err = restoreInto(ctx, path, dir)
	return r, explainRoom(err, dir)
}

// makeFolder makes a folder with those above it. undo removes those that it has made, if they are still empty.
func makeFolder(dir string) (undo func(), err error) {
	var made []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, d)
	}
	undo = func() {
		for _, d := range made {
			_ = os.Remove(d) // refused unless it is empty
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

func restoreInto(ctx context.Context, path, dir string) (r Restored, err error) {
	room, err := os.MkdirTemp(dir, ".restore-*")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(room)
	if r.Manifest, r.Files, err = unpack(ctx, path, room); err != nil {
		return r, err
	}
	if err := requireWhole(ctx, path, filepath.Join(room, databaseName)); err != nil {
		return r, err
	}
	if r.Held, err = hold(ctx, room); err != nil {
		return r, err
	}
	if err := keepKey(room, dir); err != nil {
		return r, err
	}
	for _, name := range []string{keyName, mediaName, databaseName} {
		err := durable.Rename(filepath.Join(room, name), filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	_, err = os.Stat(filepath.Join(dir, keyName))
	r.HasKey = err == nil
	return r, nil
}

// requireWhole refuses an archive whose database nobody could go on with. Earlier versions copied broken indexes too: they
// are made anew.
func requireWhole(ctx context.Context, archive, database string) error {
	err := store.CheckFile(ctx, database)
	if errors.Is(err, store.ErrDamaged) {
		err = store.MendIndexes(ctx, database)
	}
	if damage, is := errors.AsType[*store.Damage](err); is {
		return fmt.Errorf("%s is damaged: take another back-up (%s: %w)", archive, databaseName, damage.Why)
	}
	if errors.Is(err, store.ErrNoStore) {
		return fmt.Errorf("%s is not a back-up: its %s has none of Parley's tables", archive, databaseName)
	}
	return err
}

// requireEmpty refuses a folder with a store, with files, with the rest of an earlier attempt, or with another store's search
// index, which would answer for this one.
func requireEmpty(dir string) error {
	for _, name := range []string{databaseName, databaseName + "-wal", mediaName, "search.db"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s is there already: restore into a new folder, or move what is there out of the way", filepath.Join(dir, name))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// keepKey refuses to replace another master key: nobody could read any more what it has sealed.
func keepKey(room, dir string) error {
	copied, err := os.ReadFile(filepath.Join(room, keyName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	there, missing := os.ReadFile(filepath.Join(dir, keyName))
	if errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	if err := errors.Join(err, missing); err != nil {
		return err
	}
	if !bytes.Equal(bytes.TrimSpace(copied), bytes.TrimSpace(there)) {
		return fmt.Errorf("%s is another master key than the copy's: restore into a new folder, or move the key out of the way", filepath.Join(dir, keyName))
	}
	return nil
}

// hold brings the schema up to date and takes the waiting work off its queues.
func hold(ctx context.Context, dir string) (held core.Held, err error) {
	st, err := store.Open(ctx, store.Config{Dir: dir, Exclusive: true})
	if err != nil {
		return held, err
	}
	err = st.InTx(ctx, func(tx *store.Tx) (err error) {
		held, err = core.HoldSends(tx)
		return err
	})
	if err = errors.Join(err, st.Close()); err != nil {
		return held, err
	}
	if left, err := os.Stat(filepath.Join(dir, databaseName+"-wal")); err == nil && left.Size() > 0 {
		return held, errors.New("the restored store still has a journal, which must not get lost: try again")
	}
	return held, nil
}

// unpack writes an archive's entries into a folder.
func unpack(ctx context.Context, path, dir string) (m Manifest, files int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return m, 0, err
	}
	defer f.Close()
	source, err := plain(f)
	if err != nil {
		return m, 0, err
	}
	sum := sha256.New()
	whole := &ending{from: io.TeeReader(source, sum)}
	archive := tar.NewReader(whole)
	for database := false; ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && whole.over:
			return m, files, unreadable(path, io.ErrUnexpectedEOF)
		case errors.Is(err, io.EOF) && !database:
			return m, files, fmt.Errorf("%s is not a back-up: it has no %s", path, databaseName)
		case errors.Is(err, io.EOF) && m.Format == 0:
			return m, files, fmt.Errorf("%s is not a back-up: it has no %s", path, manifestName)
		case errors.Is(err, io.EOF):
			return m, files, readRest(ctx, path, source, seal(sum))
		case err != nil:
			return m, files, unreadable(path, err)
		case ctx.Err() != nil:
			return m, files, ctx.Err()
		}
		switch name := header.Name; {
		case name == manifestName:
			err = readManifest(archive, &m)
		case name == databaseName && header.Size == 0: // SQLite takes it for a database that is new
			err = fmt.Errorf("%s is not a back-up: its %s is empty", path, name)
		case name == databaseName, name == keyName:
			database = database || name == databaseName
			err = extract(until{ctx, archive}, filepath.Join(dir, name))
		case strings.HasPrefix(name, mediaName+"/") && filepath.IsLocal(name):
			files++
			err = extract(until{ctx, archive}, filepath.Join(dir, filepath.FromSlash(name)))
		default:
			err = fmt.Errorf("%s is not a back-up: it has %q", path, name)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) || isCorrupt(err) {
			err = unreadable(path, err)
		}
		if err != nil {
			return m, files, err
		}
	}
}

// plain undoes the archive's compression.
func plain(f *os.File) (io.Reader, error) {
	r := bufio.NewReader(f)
	magic, err := r.Peek(2)
	switch {
	case errors.Is(err, io.EOF) && len(magic) == 0:
		return nil, fmt.Errorf("%s is not a back-up: the file is empty", f.Name())
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s is not a back-up: the file has %d byte", f.Name(), len(magic))
	case err != nil:
		return nil, err // names the file
	}
	if magic[0] != 0x1f || magic[1] != 0x8b {
		return r, nil
	}
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, unreadable(f.Name(), err)
	}
	return unpacked, nil
}

// ending notes that there was nothing more where somebody wanted to read on. An archive that was cut off between two entries
// shows itself by that alone: the blocks that end it are missing.
type ending struct {
	from io.Reader
	over bool
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	e.over = e.over || n == 0 && errors.Is(err, io.EOF)
	return n, err
}

// readRest reads what stands behind the archive: the seal that it should have, or none in one of an earlier version. The
// checksum of a compressed one is compared at its end.
func readRest(ctx context.Context, path string, source io.Reader, want string) error {
	rest := bufio.NewReader(until{ctx, source})
	there, err := rest.Peek(len(want))
	if err == nil || errors.Is(err, io.EOF) {
		_, err = io.Copy(io.Discard, rest)
	}
	switch {
	case err != nil:
		return unreadable(path, err)
	case len(there) == 0, there[0] == 0, string(there) == want:
		return nil
	case len(there) < len(want):
		return unreadable(path, io.ErrUnexpectedEOF)
	default:
		return unreadable(path, errChecksum)
	}
}

// errChecksum is the error of an archive whose seal is another's.
var errChecksum = errors.New("its checksum is wrong")

// isCorrupt reports whether an archive is not what was written.
func isCorrupt(err error) bool {
	_, is := errors.AsType[flate.CorruptInputError](err)
	return is || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, errChecksum)
}

// unreadable says what is wrong with an archive.
func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case isCorrupt(err):
		return fmt.Errorf("%s is damaged: copy it again, or take another back-up (%w)", path, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s is not complete: copy it again, or take another back-up (%w)", path, err)
	case errors.Is(err, tar.ErrHeader), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%s is not a back-up: %w", path, err)
	default:
		return fmt.Errorf("read %s: %w", path, err)
	}
}

// mostManifest is the largest manifest.
const mostManifest = 64 << 10

func readManifest(r io.Reader, m *Manifest) error {
	if err := json.NewDecoder(io.LimitReader(r, mostManifest)).Decode(m); err != nil {
		return fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != format {
		return fmt.Errorf("the back-up has format %d, and this program reads %d: use the program that made it, %s", m.Format, format, m.Version)
	}
	return nil
}

// extract writes an entry to a new file, durably.
func extract(r io.Reader, path string) error {
	if err := durable.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, privateFile)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}
