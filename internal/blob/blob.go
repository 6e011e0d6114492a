// Package blob keeps files by key in a folder. A key appears whole or not at all.
package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrTooLarge is returned for a file that is larger than was allowed.
var ErrTooLarge = errors.New("blob: file too large")

// Store is a folder of files.
type Store struct{ dir string }

// Open uses the folder, and makes it if it is missing.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the media folder: %w", err)
	}
	return &Store{dir: dir}, nil
}

// Info describes a stored file.
type Info struct {
	Size   int64
	SHA256 string // hex
}

// Put stores what r gives under key, at most limit bytes.
func (s *Store) Put(key string, r io.Reader, limit int64) (info Info, err error) {
	path := s.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Info{}, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return Info{}, err
	}
	defer os.Remove(tmp.Name())
	hash := sha256.New()
	info.Size, err = io.Copy(io.MultiWriter(tmp, hash), io.LimitReader(r, limit+1))
	if err == nil && info.Size > limit {
		err = ErrTooLarge
	}
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return Info{}, err
	}
	info.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return info, os.Rename(tmp.Name(), path)
}

// Get opens a file; fs.ErrNotExist when there is none.
func (s *Store) Get(key string) (*os.File, error) { return os.Open(s.path(key)) }

// Delete removes a file; one that is not there is fine.
func (s *Store) Delete(key string) error {
	err := os.Remove(s.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// path spreads the keys over folders by their last two characters, which are random.
func (s *Store) path(key string) string {
	return filepath.Join(s.dir, key[len(key)-2:], key)
}
