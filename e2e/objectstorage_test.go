package e2e

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/blob/blobtest"
	"github.com/parleyhq/parley/internal/pgtest"
)

// TestFilesInObjectStorage: two nodes without a common folder share their files.
func TestFilesInObjectStorage(t *testing.T) {
	t.Parallel()
	storage := blobtest.Start(t)
	p := StartProvider(t)
	database := OnDatabase(pgtest.NewDatabase(t))
	inBucket := WithFlags("--media-url=" + storage.Address("files"))
	a := p.Serve(database, inBucket, masterKey(1), WithEnv(blobtest.Environment()...))
	b := p.Serve(database, inBucket, masterKey(1), WithEnv(blobtest.Environment()...))
	n := connect(t, a, p.Sim, a.NewOrg(), a.stored())
	content := bytes.Repeat([]byte("0123456789"), 50_000)

	n.srv = a
	file := n.upload("a.pdf", "application/pdf", content)
	path := "/media/" + filepath.Base(file.str("url"))
	checkDownload(t, b.URL()+path, "", http.StatusOK, content)
	checkDownload(t, b.URL()+path, "bytes=100000-100009", http.StatusPartialContent, content[:10])

	n.srv = b
	person := newPerson()
	n.open(person)
	n.awaitStatus(n.send(person, "document", map[string]any{"id": file["id"]}), "read")

	storage.Fail(blobtest.Down)
	checkDownload(t, b.URL()+path, "", http.StatusServiceUnavailable, nil)
	id := n.send(person, "document", map[string]any{"id": n.secondFile(storage, content)})
	storage.Fail(nil)
	n.awaitStatus(id, "read") // it waited for the storage

	for _, key := range storage.Keys() {
		if !strings.HasPrefix(key, "files/") {
			t.Errorf("the object %s is outside of the prefix", key)
		}
	}
	for _, node := range []*Server{a, b} {
		if log := node.Log(); strings.Contains(log, blobtest.Secret) || strings.Contains(log, "folder of this machine") {
			t.Errorf("the log has the secret or speaks of a folder:\n%s", log)
		}
	}
}

// secondFile uploads a file while the storage is up, and takes the storage down again.
func (n *Number) secondFile(storage *blobtest.Server, content []byte) any {
	n.t.Helper()
	storage.Fail(nil)
	defer storage.Fail(blobtest.Down)
	return n.upload("b.pdf", "application/pdf", content)["id"]
}

func checkDownload(t *testing.T, address, part string, status int, want []byte) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	must(t, err)
	if part != "" {
		request.Header.Set("Range", part)
	}
	response, err := client.Do(request)
	must(t, err)
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status || want != nil && !bytes.Equal(got, want) {
		t.Errorf("%s %s: %s with %d bytes, %v", address, part, response.Status, len(got), err)
	}
}
