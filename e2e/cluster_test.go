package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/pgtest"
)

// masterKey makes a node use a key made of one repeated byte.
func masterKey(b byte) Option {
	return WithEnv("PARLEY_SECRET_KEY=" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32)))
}

// startTwo starts two nodes on one new database.
func startTwo(t *testing.T) (a, b *Server) {
	database := OnDatabase(pgtest.NewDatabase(t))
	return Start(t, database, masterKey(1)), Start(t, database, masterKey(1))
}

func TestNodesAreOneService(t *testing.T) {
	t.Parallel()
	a, b := startTwo(t)
	org := a.NewOrg()
	for i := range 5 {
		expect(t, a.Post(org.Key, "/v1/labels", fmt.Sprintf(`{"name":"label %d"}`, i)), http.StatusCreated, "")
	}
	first := labelPage(t, a, org.Key, 2, "")
	if first.NextCursor == nil {
		t.Fatal("the list has one page")
	}
	second := labelPage(t, b, org.Key, 2, *first.NextCursor)
	if len(second.Data) != 2 || second.Data[0].Name != "label 2" || second.Data[1].Name != "label 1" {
		t.Errorf("the other node's second page is %v", second.Data)
	}
	once := Call{Method: http.MethodPost, Path: "/v1/labels", Key: org.Key, Body: `{"name":"once"}`, IdempotencyKey: "once"}
	done := a.Do(once)
	if again := b.Do(once); again.Body != done.Body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the other node answers %+v, want a replay of %s", again, done.Body)
	}
	a.CLIObject("key", "revoke", org.KeyID)
	for _, node := range []*Server{a, b} {
		expect(t, node.Get(org.Key, "/v1/labels"), http.StatusUnauthorized, "revoked_api_key")
	}
}

func TestAnotherMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	database := OnDatabase(pgtest.NewDatabase(t))
	Start(t, database, masterKey(1))
	for name, wrong := range map[string]Option{"another": masterKey(2), "one of its own": WithEnv()} {
		refused := prepare(t, database, wrong).Refused()
		if refused.Code != 1 || !strings.Contains(refused.Stderr, "set PARLEY_SECRET_KEY") || !strings.Contains(refused.Stderr, "secret.key") {
			t.Errorf("%s: got %+v", name, refused)
		}
		if strings.Contains(refused.Stderr, "AgICAgIC") {
			t.Errorf("%s: the key is shown: %s", name, refused.Stderr)
		}
	}
}

// TestNodesStartTogether: three nodes start on one empty database, and none waits for another to prepare it.
func TestNodesStartTogether(t *testing.T) {
	t.Parallel()
	database := OnDatabase(pgtest.NewDatabase(t))
	nodes := make([]*Server, 3)
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i := range nodes {
		nodes[i] = prepare(t, database, masterKey(1))
		wg.Go(func() { errs[i] = nodes[i].tryStart() })
	}
	wg.Wait()
	for i, node := range nodes {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		t.Cleanup(node.cleanUp)
	}
	org := nodes[0].NewOrg()
	for _, node := range nodes {
		expect(t, node.Get(org.Key, "/v1/labels"), http.StatusOK, "")
	}
}

// TestNodesShareTheRateLimit: under too much load, two nodes together allow as many requests as one would.
func TestNodesShareTheRateLimit(t *testing.T) {
	t.Parallel()
	const perMinute, workers, attempts = 600, 8, 1200
	a, b := startTwo(t)
	org := a.NewOrg()
	a.CLIObject("plan", "set", "pro", "--read-per-minute", strconv.Itoa(perMinute))
	a.CLIObject("org", "update", org.ID, "--plan=pro")
	var left, allowed atomic.Int64
	left.Store(attempts)
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range workers {
		node := []*Server{a, b}[i%2]
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				reply, err := node.Try(Call{Method: http.MethodGet, Path: "/v1/labels", Key: org.Key})
				switch {
				case err != nil:
					t.Error(err)
				case reply.Status == http.StatusOK:
					allowed.Add(1)
				case reply.Code() != "rate_limit_exceeded" || reply.Header.Get("Retry-After") == "":
					t.Errorf("got %+v", reply)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	bucket := perMinute * (1 + took.Minutes()) // the initial content of the bucket, and what was added since
	if got := float64(allowed.Load()); got > bucket*1.05 || got < perMinute*0.9 {
		t.Errorf("%v requests were allowed in %v, of %v", got, took, bucket)
	}
	t.Logf("%d of %d requests were allowed in %v; the bucket had %.1f", allowed.Load(), attempts, took, bucket)
}
