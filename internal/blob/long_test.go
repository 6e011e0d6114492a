//go:build long

package blob_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/blob/blobtest"
)

// gateway is an S3 server that keeps its objects in a folder. Building it takes two minutes of a processor, and
// the program does not depend on it.
const gateway = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

// TestBucketOfARealServer uses a real server process.
func TestBucketOfARealServer(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, blobtest.Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	listener.Close()
	server := exec.Command(buildGateway(t), "--port", at, "--quiet", "posix", folder)
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+blobtest.AccessKey, "ROOT_SECRET_ACCESS_KEY="+blobtest.Secret)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait() // it was killed
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if c, err := new(net.Dialer).DialContext(ctx, "tcp", at); err == nil {
			c.Close()
			break
		}
	}
	testStore(t, open(t, "", fmt.Sprintf("s3://%s/some/prefix?endpoint=http://%s&region=us-east-1", blobtest.Bucket, at)))
}

// buildGateway builds the server once for all runs.
func buildGateway(t *testing.T) (program string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "parley-test", filepath.Base(gateway))
	program = filepath.Join(folder, "versitygw")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	build := exec.Command("go", "install", gateway)
	build.Env = append(os.Environ(), "GOBIN="+folder)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go install %s: %v\n%s", gateway, err, out)
	}
	return program
}
