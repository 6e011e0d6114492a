// Package backup copies a data folder while a server works on it, and makes a folder from such a copy.
//
// A copy is a tar archive: manifest.json, parley.db, then the stored files. The database is the state of one
// instant. The files are read after it, so that the copy has every file that the database names, except for
// those deleted meanwhile. A checksum stands behind it.
package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/parleyhq/parley/internal/durable"
	"github.com/parleyhq/parley/internal/store"
)

const (
	manifestName = "manifest.json"
	databaseName = "parley.db"
	mediaName    = "media"
	keyName      = "secret.key"

	format      = 1
	privateFile = 0o600
)

// Manifest describes a copy.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // the program's version
	MadeAt  time.Time `json:"made_at"`
	Media   bool      `json:"media"`
	MediaAt string    `json:"media_at,omitempty"` // the object storage that has the files
	Key     bool      `json:"secret_key"`
}

// Options select what a copy contains beside the database.
type Options struct {
	Version string
	Media   bool
	MediaAt string // the object storage of the files; it is then named and not copied
	Key     bool
}

// Summary says what was copied.
type Summary struct {
	Manifest Manifest
	Files    int   // of stored media
	Bytes    int64 // of the archive
}

// Write copies the data folder to a file, which appears complete or not at all. A name that ends in .gz is
// compressed. A link is followed.
func Write(ctx context.Context, dir, path string, o Options) (Summary, error) {
	if path == "" {
		return Summary{}, errors.New("the copy needs a name: give that of a file")
	}
	compress := strings.HasSuffix(path, ".gz")
	if at, err := filepath.EvalSymlinks(path); err == nil {
		path = at
	}
	if err := requireReplaceable(dir, path); err != nil {
		return Summary{}, err
	}
	if _, err := os.Stat(filepath.Join(dir, keyName)); o.Key && errors.Is(err, fs.ErrNotExist) {
		return Summary{}, fmt.Errorf("%s has no %s to put into the copy: leave --with-key out, and keep a copy of PARLEY_SECRET_KEY", dir, keyName)
	}
	room, err := os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return Summary{}, fmt.Errorf("%w: the copy goes into a folder that is there, and that this user may write to", err)
	}
	defer os.RemoveAll(room) // with what SQLite leaves where there was no room for the copy
	part, err := os.OpenFile(filepath.Join(room, "archive"), os.O_CREATE|os.O_EXCL|os.O_RDWR, privateFile)
	if err != nil {
		return Summary{}, err
	}
	s, err := writeTo(ctx, dir, part, compress, o)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return s, explainRoom(err, filepath.Dir(path))
	}
	info, err := os.Stat(part.Name())
	if err != nil {
		return s, err
	}
	s.Bytes = info.Size()
	return s, durable.Rename(part.Name(), path)
}

// requireReplaceable refuses a name whose file the copy must not take the place of: a device, a pipe, or the store itself.
func requireReplaceable(dir, path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file, and the copy would take its place: give the name of a file", path)
	case isOfStore(dir, path):
		return fmt.Errorf("%s is in use by the store: give another name, best in a folder of its own", path)
	default:
		return nil
	}
}

// isOfStore reports whether a name is that of a file of the data folder which a server uses, or leads into the stored files.
func isOfStore(dir, path string) bool {
	if at, err := filepath.Abs(path); err == nil {
		path = at
	}
	parent := filepath.Dir(path)
	if name := filepath.Base(path); (store.Keeps(name) || name == keyName) && sameFolder(parent, dir) {
		return true
	}
	for {
		if sameFolder(parent, filepath.Join(dir, mediaName)) {
			return true
		}
		if parent == filepath.Dir(parent) {
			return false
		}
		parent = filepath.Dir(parent)
	}
}

func sameFolder(a, b string) bool {
	at, err := os.Stat(a)
	to, missing := os.Stat(b)
	return err == nil && missing == nil && os.SameFile(at, to)
}

func writeTo(ctx context.Context, dir string, w *os.File, compress bool, o Options) (Summary, error) {
	database := filepath.Join(filepath.Dir(w.Name()), databaseName)
	s := Summary{Manifest: Manifest{format, o.Version, time.Now().UTC().Truncate(time.Second), o.Media && o.MediaAt == "", o.MediaAt, o.Key}}
	if err := store.CopyEmbedded(ctx, dir, database); err != nil {
		return s, err
	}
	out := io.WriteCloser(w)
	if compress {
		out = gzip.NewWriter(w)
	}
	sum := sha256.New()
	a := &archive{ctx: ctx, tar: tar.NewWriter(io.MultiWriter(out, sum))}
	a.manifest(s.Manifest)
	a.file(databaseName, database)
	if o.Key {
		a.file(keyName, filepath.Join(dir, keyName))
	}
	if s.Manifest.Media {
		a.folder(mediaName, filepath.Join(dir, mediaName))
	}
	s.Files = a.files
	if a.err != nil {
		return s, a.err
	}
	err := a.tar.Close()
	if err == nil {
		_, err = io.WriteString(out, seal(sum))
	}
	if compress {
		err = errors.Join(err, out.Close())
	}
	return s, err
}

// seal is what stands behind the archive: the checksum of all before it. Programs that read archives leave it alone.
func seal(sum hash.Hash) string { return sealMark + hex.EncodeToString(sum.Sum(nil)) + "\n" }

const sealMark = "parley sha256 "

// explainRoom names the folder of a full disk that the user knows: what was written to is gone by then.
func explainRoom(err error, dir string) error {
	failed, is := errors.AsType[*fs.PathError](err)
	if is && (errors.Is(failed.Err, syscall.ENOSPC) || errors.Is(failed.Err, syscall.EDQUOT)) {
		return fmt.Errorf("there is no room left for the folder %s: make some (df -h shows how much there is), and try again: %w", dir, failed.Err)
	}
	return err
}

// archive writes entries until one fails.
type archive struct {
	ctx   context.Context
	tar   *tar.Writer
	files int // number of files from folders
	err   error
}

func (a *archive) manifest(m Manifest) {
	text, err := json.MarshalIndent(m, "", "  ")
	if a.err = err; err == nil {
		a.entry(manifestName, int64(len(text)), m.MadeAt, strings.NewReader(string(text)))
	}
}

func (a *archive) entry(name string, size int64, at time.Time, r io.Reader) {
	if a.err == nil {
		a.err = a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: privateFile, ModTime: at})
	}
	if a.err == nil {
		_, a.err = io.CopyN(a.tar, until{a.ctx, r}, size)
	}
}

// until reads until the context ends: a large file takes minutes, and nobody who interrupts the copy waits that long.
type until struct {
	ctx  context.Context
	from io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.from.Read(p)
}

func (a *archive) file(name, path string) {
	if a.err != nil {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		a.err = err
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if a.err = err; err == nil {
		a.entry(name, info.Size(), info.ModTime(), f)
	}
}

// folder writes the files of a folder. A file that has disappeared was deleted meanwhile, and a name that
// begins with a dot is not complete yet.
func (a *archive) folder(name, path string) {
	if a.err != nil {
		return
	}
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && (d.IsDir() || strings.HasPrefix(d.Name(), ".")) {
			return nil
		}
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(path, at)
		if err != nil {
			return err
		}
		a.file(name+"/"+filepath.ToSlash(inside), at)
		if errors.Is(a.err, fs.ErrNotExist) {
			a.err = nil
			return a.ctx.Err()
		}
		a.files++
		return errors.Join(a.err, a.ctx.Err())
	})
	if err != nil && a.err == nil {
		a.err = fmt.Errorf("copy the stored files: %w", err)
	}
}
