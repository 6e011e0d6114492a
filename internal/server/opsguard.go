package server

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"

	"github.com/parleyhq/parley/internal/config"
)

// siteGuard protects an address that only the operator and their tools may call from web pages: a browser that can
// reach the address would let every page in it do so. A page cannot lie about two things. Its requests name the host
// from which it was loaded, even if that name was made to resolve to this address; and they say that they come from
// another site.
type siteGuard struct {
	names    map[string]bool
	dotless  bool // names without a dot are accepted
	origins  *http.CrossOriginProtection
	log      *slog.Logger
	guarding http.Handler
}

// guardOps guards the operator's address. If it is bound to a network, names without a dot belong to that network:
// public name servers have none, so no page can be loaded from one.
func (s *Server) guardOps(next http.Handler) http.Handler {
	g := &siteGuard{
		names: map[string]bool{}, dotless: !onLoopback(s.ops.listener.Addr()), origins: http.NewCrossOriginProtection(), log: s.log, guarding: next,
	}
	own, _ := os.Hostname()
	listen, _, _ := net.SplitHostPort(s.cfg.OpsListen)
	for _, name := range append([]string{own, listen}, s.cfg.OpsHost...) {
		g.names[config.HostName(name)] = true
	}
	return g
}

func onLoopback(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// ServeHTTP passes on requests that no page of another site can have made. Readiness is open to everybody, because
// load balancers name any host, and it tells a page nothing.
func (g *siteGuard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch host := hostOf(r); {
	case r.URL.Path == readyPath:
		g.guarding.ServeHTTP(w, r)
	case !g.knows(host):
		g.refuse(w, host, "This address does not go by the name of that host. If it does, start the server with --ops-host and the name.")
	case g.origins.Check(r) != nil || fromAnotherSite(r):
		g.refuse(w, host, "This address is not for the pages of other sites.")
	default:
		g.guarding.ServeHTTP(w, r)
	}
}

func (g *siteGuard) refuse(w http.ResponseWriter, host, why string) {
	g.log.Warn("a request to the operator's address is refused", "host", host[:min(len(host), 100)], "error", why)
	http.Error(w, why, http.StatusForbidden)
}

// knows reports whether requests may name this host. An IP address cannot be made to resolve to another one.
func (g *siteGuard) knows(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") || g.names[host] || g.dotless && !strings.Contains(host, ".")
}

// hostOf is the host that a request names, without a port. It is empty if the request names none, as in HTTP/1.0;
// every browser names one.
func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	return config.HostName(host)
}

// fromAnotherSite reports whether a page of another site makes the request. Following a link is allowed, because the
// page with the link does not see the answer.
func fromAnotherSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		followed := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
		return !followed
	default:
		return false
	}
}
