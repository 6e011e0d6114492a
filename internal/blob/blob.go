// Package blob stores files by key, in a folder or in object storage. A file appears complete or not at all.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"
)

var (
	// ErrTooLarge is returned for a file above the limit.
	ErrTooLarge = errors.New("blob: file too large")
	// ErrUnavailable is returned while object storage cannot be used. The same call may succeed later.
	ErrUnavailable = errors.New("blob: object storage cannot be used now")
)

// Store stores files.
type Store interface {
	// Put stores the bytes of r under key, at most limit. It returns an error of r unchanged.
	Put(ctx context.Context, key string, r io.Reader, limit int64) (Info, error)
	// Get opens a file; fs.ErrNotExist if there is none. It can be read until ctx ends.
	Get(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Delete removes a file. A missing file is no error.
	Delete(ctx context.Context, key string) error
}

// Info describes a stored file.
type Info struct {
	Size   int64
	SHA256 string // hex
}

// Open uses the object storage at an address, or the folder if the address is empty.
func Open(ctx context.Context, dir, address string, log *slog.Logger) (Store, error) {
	if address == "" {
		return OpenFolder(dir)
	}
	place, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return openBucket(ctx, place, log)
}

// receive writes r to a file and describes it.
func receive(to *os.File, r io.Reader, limit int64) (info Info, err error) {
	hash := sha256.New()
	info.Size, err = io.Copy(io.MultiWriter(to, hash), io.LimitReader(r, limit+1))
	if err == nil && info.Size > limit {
		err = ErrTooLarge
	}
	info.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return info, err
}

// spread puts keys into folders by their last two characters, which are random. Both kinds of store do so, so
// that a folder can be copied to a bucket as it is.
func spread(key string) (folder, name string) { return key[len(key)-2:], key }
