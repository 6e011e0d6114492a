// Package durable changes names in folders so that the change survives a power cut. Syncing a file makes its content
// durable, but not the name under which it is found.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Rename renames a file. If it returns an error, the file may have either name.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(to))
}

// MakeFolder makes a folder that only this user may use, with the folders above it that are missing.
func MakeFolder(dir string) error {
	switch _, err := os.Stat(dir); {
	case err == nil:
		return os.MkdirAll(dir, 0o700) // refuses a file of that name
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	above := filepath.Dir(dir)
	if err := MakeFolder(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncFolder(above)
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
