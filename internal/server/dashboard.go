package server

import (
	"context"
	"encoding/hex"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/search"
)

// startDashboard makes the dashboard's surface and the hub that tells open dashboards of changes. The hub is
// on every node: what changes here may be shown elsewhere.
func (s *Server) startDashboard(version string) {
	s.live = live.Start(live.Config{
		Store: s.store, Node: func() string { return s.messaging.node.Lease().Node }, Visible: s.visible, Log: s.log,
	})
	if s.phones() != nil {
		s.phoneNews = s.startPhoneNews()
	}
	s.dashboard = app.New(app.Config{
		Store: s.store, CursorKey: s.vault.Derive("dashboard cursor"), Vault: s.vault, SetupToken: s.setupToken(),
		PublicURL: s.cfg.PublicURL, Live: s.live, Search: search.NewSearcher(s.store, s.index), Phones: s.phones(),
		Version: version, Log: s.log, Metrics: app.NewMetrics(s.registry),
	})
}

func (s *Server) visible(ctx context.Context, u chat.User, ids []string) ([]string, error) {
	return core.VisibleConversations(s.store.Read(ctx), u, ids)
}

// setupToken is the same on every node and after a restart. It is of use only while there is no user.
func (s *Server) setupToken() string { return hex.EncodeToString(s.vault.Derive("set-up"))[:32] }

// inviteSetup tells the operator how to make the first user.
func (s *Server) inviteSetup(ctx context.Context) {
	if any, err := s.store.Read(ctx).AnyUsers(); err != nil || any {
		return
	}
	s.log.Info("nobody can sign in yet: open this address to make the first user", "url", s.cfg.PublicURL+"/setup#"+s.setupToken())
}
