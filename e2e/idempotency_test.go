package e2e

import (
	"net/http"
	"sync"
	"testing"
)

// TestOneKeyOneLabel: many identical requests at once create one label, and after a crash the answer is still that of
// the first.
func TestOneKeyOneLabel(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		srv := Start(t, store)
		org := srv.NewOrg()
		call := Call{Method: http.MethodPost, Path: "/v1/labels", Key: org.Key, Body: `{"name":"once"}`, IdempotencyKey: "the-key"}
		first := checkCrowd(t, crowd(t, srv, call, 24))
		if labels := allLabels(t, srv, org.Key); len(labels) != 1 || labels["once"] != first.ID() {
			t.Errorf("the labels are %v, the answer was %s", labels, first.Body)
		}
		srv.Kill()
		srv.Restart()
		again := srv.Do(call)
		if again.Status != http.StatusCreated || again.Body != first.Body || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("after the crash: %+v, before it %s", again, first.Body)
		}
		if labels := allLabels(t, srv, org.Key); len(labels) != 1 {
			t.Errorf("the labels are %v", labels)
		}
	})
}

// crowd makes the same call n times at once.
func crowd(t *testing.T, srv *Server, c Call, n int) []Reply {
	t.Helper()
	replies, errs := make([]Reply, n), make([]error, n)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			replies[i], errs[i] = srv.Try(c)
		})
	}
	close(begin)
	wg.Wait()
	for _, err := range errs {
		must(t, err)
	}
	return replies
}

// checkCrowd checks that one call did the work and every other got its answer, or was told to wait for it. It returns
// that call's reply.
func checkCrowd(t *testing.T, replies []Reply) (first Reply) {
	t.Helper()
	workers := 0
	for _, r := range replies {
		if r.Status == http.StatusCreated && r.Header.Get("Idempotent-Replayed") == "false" {
			first = r
			workers++
		}
	}
	if workers != 1 {
		t.Fatalf("%d calls did the work", workers)
	}
	for _, r := range replies {
		if replayed := r.Status == http.StatusCreated && r.Body == first.Body; !replayed {
			expect(t, r, http.StatusConflict, "idempotency_in_progress")
		}
	}
	return first
}
