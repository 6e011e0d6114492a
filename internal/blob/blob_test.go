package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/blob/blobtest"
)

// TestMain gives the process the credentials, as an operator would.
func TestMain(m *testing.M) {
	for _, variable := range blobtest.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

func open(t *testing.T, dir, address string) blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), dir, address, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFolder(t *testing.T) {
	t.Parallel()
	testStore(t, open(t, t.TempDir(), ""))
}

// A process that is killed leaves the file that it was writing. Another removes it, but not those that still arrive.
func TestFolderForgetsWhatWasLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	place := filepath.Join(dir, ".arriving")
	left, young := filepath.Join(place, ".new-left"), filepath.Join(place, ".new-young")
	for _, err := range []error{
		os.Mkdir(place, 0o700), os.WriteFile(left, []byte("half"), 0o600), os.WriteFile(young, []byte("half"), 0o600),
		os.Chtimes(left, time.Time{}, time.Now().Add(-2*time.Hour)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open(t, dir, "").Put(t.Context(), "med_1", strings.NewReader("whole"), 10); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(place)
	if err != nil || len(entries) != 1 || entries[0].Name() != ".new-young" {
		t.Errorf("there are %v, %v", entries, err)
	}
}

// What is on its way to a bucket has no name on the disk.
func TestBucketLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := open(t, "", blobtest.Start(t).Address("p"))
	look := readerFunc(func([]byte) (int, error) {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("there are %v, %v", entries, err)
		}
		return 0, io.EOF
	})
	if _, err := s.Put(t.Context(), "med_1", io.MultiReader(strings.NewReader("half"), look), 10); err != nil {
		t.Fatal(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestBucket(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	testStore(t, open(t, "", server.Address("some/prefix")))
	for _, key := range server.Keys() {
		if !strings.HasPrefix(key, "some/prefix/") || len(strings.Split(key, "/")) != 4 {
			t.Errorf("the object is called %s", key)
		}
	}
}

func TestFolderIsCopiedToABucket(t *testing.T) {
	t.Parallel()
	dir, server := t.TempDir(), blobtest.Start(t)
	folder, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"file_one", "file_two"} {
		if _, err := folder.Put(t.Context(), key, strings.NewReader("content of "+key), 100); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ne", ".new-123"), nil, 0o600); err != nil { // an upload that was cut off
		t.Fatal(err)
	}
	bucket := open(t, "", server.Address("files"))
	for range 2 { // a copy that was cut off is made again
		if n, err := folder.CopyTo(t.Context(), bucket); n != 2 || err != nil {
			t.Fatalf("copied %d files, %v", n, err)
		}
	}
	checkContent(t, bucket, []byte("content of file_one"))
	if keys := server.Keys(); len(keys) != 2 {
		t.Errorf("the bucket has %v", keys)
	}
	server.Fail(blobtest.Down)
	if _, err := folder.CopyTo(t.Context(), bucket); !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("into storage that is down: %v", err)
	}
}

// testStore checks the behaviour of every store.
func testStore(t *testing.T, s blob.Store) {
	t.Helper()
	for _, size := range []int{0, 1, 1000, 17 << 20} { // the last takes more than one part of an upload
		content := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		hash := sha256.Sum256(content)
		info, err := s.Put(t.Context(), "file_one", bytes.NewReader(content), int64(size))
		if err != nil || info.Size != int64(size) || info.SHA256 != hex.EncodeToString(hash[:]) {
			t.Fatalf("put %d bytes: %+v, %v", size, info, err)
		}
		checkContent(t, s, content)
	}
	testRefusals(t, s)
	for range 2 { // the second time it is gone already
		if err := s.Delete(t.Context(), "file_one"); err != nil {
			t.Errorf("delete: %v", err)
		}
		if _, err := s.Get(t.Context(), "file_one"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after its deletion: %v", err)
		}
	}
}

// checkContent reads a file whole, and some places of it.
func checkContent(t *testing.T, s blob.Store, want []byte) {
	t.Helper()
	f, err := s.Get(t.Context(), "file_one")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, want) {
		t.Errorf("read %d of %d bytes, %v", len(got), len(want), err)
	}
	if end, err := f.Seek(0, io.SeekEnd); err != nil || end != int64(len(want)) {
		t.Errorf("the end is at %d, %v", end, err)
	}
	if len(want) < 10 {
		return
	}
	from := int64(len(want) / 2)
	part := make([]byte, 5)
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(f, part); err != nil || !bytes.Equal(part, want[from:from+5]) {
		t.Errorf("from %d: %q, %v", from, part, err)
	}
}

// testRefusals checks that incomplete files do not appear.
func testRefusals(t *testing.T, s blob.Store) {
	t.Helper()
	broken := errors.New("the line broke")
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"too large":  {strings.NewReader("12345678901"), blob.ErrTooLarge},
		"broken off": {io.MultiReader(strings.NewReader("12345"), iotest.ErrReader(broken)), broken},
	} {
		if _, err := s.Put(t.Context(), "file_two", c.r, 10); !errors.Is(err, c.want) || errors.Is(err, blob.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Get(t.Context(), "file_two"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: then %v", name, err)
		}
	}
}

func TestBucketThatFails(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	s := open(t, "", server.Address(""))
	if _, err := s.Put(t.Context(), "file_one", strings.NewReader("content"), 10); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(ctx context.Context) error{
		"put": func(ctx context.Context) error {
			_, err := s.Put(ctx, "file_two", strings.NewReader("content"), 10)
			return err
		},
		"get": func(ctx context.Context) error {
			f, err := s.Get(ctx, "file_one")
			if err == nil {
				err = f.Close()
			}
			return err
		},
		"delete": func(ctx context.Context) error { return s.Delete(ctx, "file_one") },
	}
	for name, call := range calls {
		server.Fail(blobtest.Down)
		if err := call(t.Context()); !errors.Is(err, blob.ErrUnavailable) || strings.Contains(err.Error(), blobtest.Secret) {
			t.Errorf("%s while the storage is down: %v", name, err)
		}
		server.Fail(blobtest.Hang)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := call(ctx); !errors.Is(err, blob.ErrUnavailable) {
			t.Errorf("%s while the storage hangs: %v", name, err)
		}
		cancel()
		failures := 1
		server.Fail(func(w http.ResponseWriter, r *http.Request) bool {
			failures--
			return failures >= 0 && blobtest.Down(w, r)
		})
		if err := call(t.Context()); err != nil {
			t.Errorf("%s after a failure in passing: %v", name, err)
		}
		server.Fail(nil)
		if _, err := s.Put(t.Context(), "file_one", strings.NewReader("content"), 10); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStartOnBuckets checks the errors for a bucket that cannot be used.
func TestStartOnBuckets(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	_, err := blob.Open(t.Context(), "", strings.Replace(server.Address(""), blobtest.Bucket, "another", 1), quiet)
	if err == nil || !strings.Contains(err.Error(), "no bucket") {
		t.Errorf("without a bucket: %v", err)
	}
	server.Fail(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	_, err = blob.Open(t.Context(), "", server.Address(""), quiet)
	if err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") || strings.Contains(err.Error(), blobtest.Secret) {
		t.Errorf("with wrong credentials: %v", err)
	}
	server.Fail(blobtest.Down)
	var log bytes.Buffer
	s, err := blob.Open(t.Context(), "", server.Address(""), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil || !strings.Contains(log.String(), "does not answer") {
		t.Fatalf("while it is down: %v, %s", err, &log)
	}
	server.Fail(nil)
	if _, err := s.Put(t.Context(), "file_one", strings.NewReader("content"), 10); err != nil {
		t.Errorf("once it is up: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	good := map[string]blob.Address{
		"s3://bucket": {Bucket: "bucket", Endpoint: "s3.amazonaws.com", Secure: true},
		"s3://bucket/a/b/?endpoint=http://127.0.0.1:9000&region=x": {Bucket: "bucket", Prefix: "a/b", Endpoint: "127.0.0.1:9000", Region: "x"},
		"s3://bucket?endpoint=https://storage.example.com/":        {Bucket: "bucket", Endpoint: "storage.example.com", Secure: true},
	}
	for text, want := range good {
		if got, err := blob.ParseAddress(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "bucket", "http://bucket", "s3://", "s3:bucket", "s3://user:hidden@bucket", "s3://bucket?endpoint=storage.example.com", "s3://bucket?endpoint=",
		"s3://bucket?endpoint=https://user:hidden@storage.example.com", "s3://bucket?secret=hidden", "s3://bucket:80", "s3://bucket?region=a&region=b", "s3://%zz",
	} {
		if got, err := blob.ParseAddress(text); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}
