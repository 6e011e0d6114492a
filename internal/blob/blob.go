// Package blob keeps files by key, in a folder or in object storage. A key appears whole or not at all.
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
	// ErrTooLarge is returned for a file that is larger than was allowed.
	ErrTooLarge = errors.New("blob: file too large")
	// ErrUnavailable is returned while object storage cannot be used: the same call may succeed later.
	ErrUnavailable = errors.New("blob: object storage cannot be used now")
)

// Store keeps files.
type Store interface {
	// Put stores what r gives under key, at most limit bytes. An error of r comes back as it is.
	Put(ctx context.Context, key string, r io.Reader, limit int64) (Info, error)
	// Get opens a file; fs.ErrNotExist when there is none. It is read while ctx lasts.
	Get(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Delete removes a file; one that is not there is fine.
	Delete(ctx context.Context, key string) error
}

// Info describes a stored file.
type Info struct {
	Size   int64
	SHA256 string // hex
}

// Open uses the object storage at an address, or the folder where the address is empty.
func Open(ctx context.Context, dir, address string, log *slog.Logger) (Store, error) {
	if address == "" {
		return OpenFolder(dir)
	}
	place, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return OpenBucket(ctx, place, log)
}

// receive writes what r gives to a file, and says what it was.
func receive(to *os.File, r io.Reader, limit int64) (info Info, err error) {
	hash := sha256.New()
	info.Size, err = io.Copy(io.MultiWriter(to, hash), io.LimitReader(r, limit+1))
	if err == nil && info.Size > limit {
		err = ErrTooLarge
	}
	info.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return info, err
}

// spread puts the keys into folders by their last two characters, which are random. Both kinds of store do, so
// that a folder copied to a bucket is what the program looks for there.
func spread(key string) (folder, name string) { return key[len(key)-2:], key }
