package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// A server whose folder is removed acknowledges nothing more, and ends with the reason.
func TestServerEndsWithItsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := Start(t, OnFolder(dir))
	org := srv.NewOrg()
	url, body := srv.URL()+"/v1/labels", `{"name":"into nowhere"}`
	must(t, os.Rename(dir, dir+".elsewhere"))
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+org.Key)
	request.Header.Set("Content-Type", "application/json")
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a write is answered %s", response.Status)
		}
	}
	if code := srv.Wait(); code != 1 {
		t.Errorf("exit status %d", code)
	}
	if log := srv.Log(); !strings.Contains(log, "was deleted while it was in use") || !strings.Contains(log, "start the program again") {
		t.Errorf("logged %s", log)
	}
}
