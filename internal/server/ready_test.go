package server

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestReadyTellsWhyNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	disk := storetest.DiskOf(t, cfg.Data)
	s, _ := open(t, cfg)
	start(t, s)
	ask := func(wantStatus int, wantReady string) {
		t.Helper()
		if status, body := get(t, s.ops.listener, "/ready"); status != wantStatus || !strings.Contains(body, wantReady) {
			t.Errorf("/ready answers %d %q, want %d %q", status, body, wantStatus, wantReady)
		}
		if status, body := get(t, s.public.listener, "/v1/health"); status != wantStatus || strings.Contains(body, cfg.Data) {
			t.Errorf("/v1/health answers %d %s, want %d", status, body, wantStatus)
		}
	}
	ask(http.StatusOK, "ready\n")
	disk.Fail(storetest.Write, "parley.db-wal", syscall.ENOSPC)
	if err := s.store.InTx(t.Context(), func(tx *store.Tx) error { return tx.PutSetting("a", "1") }); err == nil {
		t.Error("a write succeeded on a full disk")
	}
	ask(http.StatusServiceUnavailable, "not ready: store: unavailable: the disk is full")
	disk.Mend()
	ask(http.StatusOK, "ready\n")
}

// A load balancer that sees the public address alone learns from it that the node stops, as from the operator's.
func TestReadyAndHealthSayThatTheNodeStops(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	start(t, s)
	s.draining.Store(true)
	if status, body := get(t, s.public.listener, "/v1/health"); status != http.StatusServiceUnavailable || !strings.Contains(body, `"service_unavailable"`) {
		t.Errorf("/v1/health answers %d %s", status, body)
	}
	if status, body := get(t, s.ops.listener, "/ready"); status != http.StatusServiceUnavailable || body != "stopping\n" {
		t.Errorf("/ready answers %d %q", status, body)
	}
}

// If only a restart helps, the process ends, and says why.
func TestRunEndsWhenTheStoreIsLost(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	s, lines := open(t, cfg)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context(), nil) }()
	must(t, os.Rename(cfg.Data, cfg.Data+".elsewhere"))
	err := <-ended
	if err == nil || !strings.Contains(err.Error(), "was deleted while it was in use") {
		t.Errorf("Run returned %v", err)
	}
	if text := lines.String(); !strings.Contains(text, `level=ERROR msg="the store is lost to this process, which ends"`) {
		t.Errorf("logged %s", text)
	}
	requireClosed(t, s.public.listener)
}
