package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path"
	"slices"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// startTimeout is how long the storage may take to answer at the start.
	startTimeout = 10 * time.Second
	// putTimeout is how long uploading a received file may take.
	putTimeout = 2 * time.Minute
	// answerTimeout is how long the storage may take to answer a request.
	answerTimeout = 20 * time.Second
	dialTimeout   = 5 * time.Second
	// attempts is how often a request is tried. The wait between attempts grows from 0.2 s.
	attempts = 3
	// idleConnections are kept open, so that as many downloads at once need no handshake.
	idleConnections = 64
)

// Bucket is a bucket, or a part of one, in S3-compatible object storage.
type Bucket struct {
	client *minio.Client
	at     Address
}

// openBucket uses a bucket, which must exist. Storage that refuses is an error, because a setting is wrong.
// Storage that does not answer is only logged, because messages without files do not need it.
func openBucket(ctx context.Context, at Address, log *slog.Logger) (*Bucket, error) {
	transport := &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, TLSHandshakeTimeout: dialTimeout,
		ResponseHeaderTimeout: answerTimeout, ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: time.Minute,
		DisableCompression: true, // the bytes as they are
	}
	client, err := minio.New(at.Endpoint, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Timeout: dialTimeout}},
		}),
		Secure: at.Secure, Region: at.Region, Transport: transport, MaxRetries: attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("--media-url: %w", err)
	}
	b := &Bucket{client, at}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	there, err := client.BucketExists(ctx, at.Bucket)
	switch {
	case err == nil && !there:
		return nil, fmt.Errorf("--media-url: there is no bucket %s: make it first", at)
	case err != nil && refused(err):
		return nil, fmt.Errorf("--media-url: %s refuses: look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the region, "+
			"and that the key may get, put, delete and list: %w", at, err)
	case err != nil:
		log.Warn("object storage does not answer: files cannot be stored or served until it does", "media", at.String(), "error", err)
	}
	return b, nil
}

// refused reports answers that will be the same next time.
func refused(err error) bool {
	status := minio.ToErrorResponse(err).StatusCode
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// Put receives the file to the disk first. An upload that breaks off or is too large never reaches the storage,
// memory stays small however many files arrive, and a failed request can be repeated.
func (b *Bucket) Put(ctx context.Context, key string, r io.Reader, limit int64) (Info, error) {
	tmp, err := os.CreateTemp("", "parley-media-*")
	if err != nil {
		return Info{}, err
	}
	os.Remove(tmp.Name()) // the open file needs no name, and without one a killed process leaves nothing
	defer tmp.Close()
	info, err := receive(tmp, r, limit)
	if err != nil {
		return Info{}, err
	}
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		return Info{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	// One request instead of several parts: after a crash no orphaned parts remain, which would cost money.
	_, err = b.client.PutObject(ctx, b.at.Bucket, b.name(key), tmp, info.Size, minio.PutObjectOptions{DisableMultipart: true})
	return info, b.translate(err)
}

// Get opens a file: one request to look it up, and one for each position that is read from.
func (b *Bucket) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	object, err := b.client.GetObject(ctx, b.at.Bucket, b.name(key), minio.GetObjectOptions{})
	if err != nil {
		return nil, b.translate(err)
	}
	if _, err := object.Stat(); err != nil {
		object.Close()
		return nil, b.translate(err)
	}
	return bucketFile{object, b}, nil
}

// Delete removes a file.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	err := b.translate(b.client.RemoveObject(ctx, b.at.Bucket, b.name(key), minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (b *Bucket) name(key string) string {
	folder, name := spread(key)
	return path.Join(b.at.Prefix, folder, name)
}

// translate maps the storage's errors to those of this package.
func (b *Bucket) translate(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	missing := []string{minio.NoSuchKey, "NotFound"}
	if answer := minio.ToErrorResponse(err); slices.Contains(missing, cmp.Or(answer.Code, "none")) {
		return fmt.Errorf("%w: %s in %s", fs.ErrNotExist, answer.Key, b.at)
	}
	return fmt.Errorf("%w: %s: %w", ErrUnavailable, b.at, err)
}

// bucketFile is an open file of a bucket.
type bucketFile struct {
	object *minio.Object
	bucket *Bucket
}

func (f bucketFile) Read(p []byte) (int, error) {
	n, err := f.object.Read(p)
	return n, f.bucket.translate(err)
}

func (f bucketFile) Seek(offset int64, whence int) (int64, error) {
	at, err := f.object.Seek(offset, whence)
	return at, f.bucket.translate(err)
}

func (f bucketFile) Close() error { return f.object.Close() }
