package cli

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// simulate starts the simulator as a process inside the test's.
func simulate(t *testing.T, args ...string) node {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n := node{stdout: newPrinted(), stderr: newPrinted()}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"simulate", "--listen=127.0.0.1:0"}, args...), nil, n.stdout, n.stderr)
	}()
	n.stop = sync.OnceValue(func() int {
		cancel()
		return <-code
	})
	t.Cleanup(func() { n.stop() })
	return n
}

func TestSimulate(t *testing.T) {
	t.Parallel()
	callbacks := make(chan *http.Request, 16)
	bodies := make(chan []byte, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		callbacks <- r
		bodies <- body
	}))
	defer receiver.Close()
	n := simulate(t, "--callback-url", receiver.URL, "--app-secret", "hush-hush", "--control-token", "mine")
	base := n.stdout.wait(t, `(?s)Base URL +(http://127\.0\.0\.1:\d+/v24\.0)\n.*parley serve --provider-url (\S+) `)[1]
	if shown := n.stdout.String(); !strings.Contains(shown, "Callbacks  "+receiver.URL) || strings.Contains(shown, "hush-hush") {
		t.Errorf("printed %s", shown)
	}
	answer := postJSON(t, base+"/100200300/messages", "any", `{"messaging_product":"whatsapp","to":"4915510000001","type":"template",`+
		`"template":{"name":"hello_world","language":{"code":"en_US"}}}`)
	if !strings.Contains(answer, "wamid.") {
		t.Fatalf("the send was answered %s", answer)
	}
	callback, body := <-callbacks, <-bodies
	mac := hmac.New(sha256.New, []byte("hush-hush"))
	mac.Write(body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); callback.Header.Get("X-Hub-Signature-256") != want || !strings.Contains(string(body), `"sent"`) {
		t.Errorf("the callback is %s, signed %s", body, callback.Header.Get("X-Hub-Signature-256"))
	}
	control := strings.TrimSuffix(base, "v24.0") + "_sim/windows"
	if answer := postJSON(t, control, "not mine", `{}`); !strings.Contains(answer, "control token") {
		t.Errorf("the control API answered %s", answer)
	}
	if code := n.stop(); code != exitOK {
		t.Errorf("exit %d: %s", code, n.stderr)
	}
	if _, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(base, "http://"), "/v24.0")); err == nil {
		t.Error("it still listens")
	}
}

func postJSON(t *testing.T, url, token, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSimulateMakesUpSecrets checks that the printed command is complete if no secrets were given.
func TestSimulateMakesUpSecrets(t *testing.T) {
	t.Parallel()
	n := simulate(t)
	n.stdout.wait(t, `(?s)Callbacks  none; --callback-url.*--provider-app-secret [A-Z2-7]{26} --provider-verify-token [A-Z2-7]{26}\n`)
}

func TestSimulateRefusesTakenAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	parley(t, "simulate", "--listen", l.Addr().String()).
		refused(t, exitFailed, "cannot listen on "+l.Addr().String(), "choose another address with --listen")
}

func TestReachable(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{"[::]:80": "localhost:80", "0.0.0.0:80": "localhost:80", "127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80"} {
		if got := reachable(addr); got != want {
			t.Errorf("%s: got %s", addr, got)
		}
	}
}
