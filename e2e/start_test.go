package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestStart(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store)
		t.Logf("ready after %v", srv.proc.Load().startup)
		if health := srv.Get("", "/v1/health"); health.Status != http.StatusOK || !strings.Contains(health.Body, `"status":"ok"`) {
			t.Errorf("health: %+v", health)
		}
		org := srv.NewOrg()
		if me := srv.Get(org.Key, "/v1/me"); me.Status != http.StatusOK || !strings.Contains(me.Body, org.ID) || !strings.Contains(me.Body, org.TeamID) {
			t.Errorf("me: %+v", me)
		}
		created := srv.Post(org.Key, "/v1/labels", `{"name":"Größe 東京"}`)
		expect(t, created, http.StatusCreated, "")
		if got := srv.Get(org.Key, "/v1/labels/"+created.ID()); got.Status != http.StatusOK || !strings.Contains(got.Body, `"name":"Größe 東京"`) {
			t.Errorf("the label: %+v", got)
		}
		expect(t, srv.Get("", "/v1/labels"), http.StatusUnauthorized, "missing_api_key")
		checkOps(t, srv)
		srv.Stop()
		srv.Restart()
		expect(t, srv.Get(org.Key, "/v1/labels/"+created.ID()), http.StatusOK, "")
	})
}

func checkOps(t *testing.T, srv *Server) {
	t.Helper()
	for path, want := range map[string]string{
		"/ready":        "ready",
		"/metrics":      `parley_api_request_seconds_count{operation="createLabel",status="201"} 1`,
		"/debug/pprof/": "goroutine",
	} {
		if page := fetch(t, srv.Ops()+path); page.Status != http.StatusOK || !strings.Contains(page.Body, want) {
			t.Errorf("%s: %d, without %q", path, page.Status, want)
		}
	}
}

// A server without a folder for temporary files, as in an image that has none, says so and serves.
func TestStartWithoutATemporaryFolder(t *testing.T) {
	t.Parallel()
	if log := Start(t, WithEnv("TMPDIR=/nowhere")).Log(); !strings.Contains(log, "no temporary files can be made") || !strings.Contains(log, "/nowhere") {
		t.Errorf("logged %s", log)
	}
}

// TestDemo: the printed request works unchanged, and every start prints the same.
func TestDemo(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store, WithFlags("--demo"))
		first := demoKey(t, srv)
		srv.Kill()
		srv.Restart()
		if second := demoKey(t, srv); second != first {
			t.Errorf("the key was %s, then %s", first, second)
		}
	})
}

var demoRequest = regexp.MustCompile(`curl (\S+) -H "Authorization: Bearer (\S+)"`)

func demoKey(t *testing.T, srv *Server) string {
	t.Helper()
	if !eventually(func() bool { return demoRequest.MatchString(srv.Printed()) }) {
		t.Fatalf("printed %q", srv.Printed())
	}
	match := demoRequest.FindStringSubmatch(srv.Printed())
	request, err := http.NewRequest(http.MethodGet, match[1], nil)
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+match[2])
	response, err := client.Do(request)
	must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("the printed request got %s", response.Status)
	}
	return match[2]
}

func TestSecondServerOnAFolderIsRefused(t *testing.T) {
	t.Parallel()
	srv := Start(t, OnFolder(t.TempDir()))
	refused := srv.Refused()
	if refused.Code != 1 || !strings.Contains(refused.Stderr, "another server runs on the data folder") || !strings.Contains(refused.Stderr, "--data") {
		t.Errorf("got %+v", refused)
	}
	expect(t, srv.Get("", "/v1/health"), http.StatusOK, "")
	srv.Kill()
	srv.Restart() // the process's lock ended with it
}
