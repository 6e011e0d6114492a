//go:build browser

package e2e

import (
	"net/http"
	"testing"
)

// TestDashboardBroadcastStoppedByRating: a number that the provider rates RED sends no more of a broadcast, and the
// page says why.
func TestDashboardBroadcastStoppedByRating(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	sim, key := srv.Sim(), demoKey(t, srv)
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	id := slowBroadcast(t, srv, key)
	s.Open(srv.URL() + "/broadcasts/" + id)
	s.Has("button", "Pause")
	sim.do(http.MethodPatch, "numbers/"+demoNumber, map[string]any{"quality": "RED"})
	if a := s.ask("POST", "/"+demoNumber+"/number/refresh", map[string]any{}); a.Status != http.StatusOK {
		t.Fatalf("looking at the number answers %d", a.Status)
	}
	s.Says("The provider rates this number RED")
	s.Has("button", "Resume")
	s.Accessible()
	b := becomes(s, "/broadcasts/"+id, func(b storedBroadcast) bool { return b.Status == "paused" })
	if b.StatusReason == nil || *b.StatusReason != "quality_red" || b.Counts.Waiting == 0 {
		t.Errorf("it is %+v", b)
	}
	s.Content()
}

// TestDashboardOperator: a user named as operator at the start sees the service in counts. An owner who was not named
// sees nothing.
func TestDashboardOperator(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/operator")
	s.Says("This page is for the operator of the service")
	me := stored[struct{ User struct{ ID string } }](s, "/me").User.ID
	srv.Stop()
	srv.flags = append(srv.flags, "--operator", me)
	srv.Restart()
	s.Open(srv.URL() + "/operator")
	s.Has("heading", "Operator")
	s.Says("Embedded store (SQLite)")
	s.Says("messages to be sent")
	s.Accessible()
	s.Content()
}
