package server

import (
	"context"
	"encoding/hex"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/contactjobs"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/mail"
	"github.com/parleyhq/parley/internal/numbers"
	"github.com/parleyhq/parley/internal/search"
	"github.com/parleyhq/parley/internal/sso"
	"github.com/parleyhq/parley/internal/store"
)

// newDashboard makes the dashboard's API and the hub that notifies open dashboards of changes. Every node has the hub,
// because changes made here may be shown elsewhere.
func (s *Server) newDashboard(version string, postman *mail.Postman) {
	s.live = live.New(live.Config{
		Store: s.store, Node: func() string { return s.messaging.node.Lease().Node }, Visible: s.visible, Log: s.log,
	})
	if s.cfg.Has("worker") {
		s.contacts = contactjobs.New(s.store, s.messaging.blobs, s.log)
	}
	s.dashboard = app.New(app.Config{
		Store: s.store, CursorKey: s.vault.Derive("dashboard cursor"), Vault: s.vault, SetupToken: s.setupToken(),
		PublicURL: s.cfg.PublicURL, Live: s.live, Search: search.NewSearcher(s.store, s.index), Phones: s.phones(),
		Blobs: s.messaging.blobs, ContactWork: s.wakeContactJobs,
		Numbers: &numbers.Service{Store: s.store, Provider: s.messaging.client, Token: s.token}, Pace: s.pace(),
		Operators: s.cfg.Operator, Node: func() string { return s.messaging.node.Lease().Node }, Storage: s.storage(),
		Mail:    mailer(postman),
		SSO:     s.sso(),
		Demo:    s.cfg.Demo,
		Version: version, Log: s.log, Metrics: app.NewMetrics(s.registry),
	})
}

// pace returns how fast messages are sent from this node; nil if it sends none.
func (s *Server) pace() func(accountID string) app.Pace {
	if s.messaging.sender == nil {
		return nil
	}
	return func(accountID string) app.Pace {
		p := s.messaging.sender.Pace(accountID)
		return app.Pace{PerSecond: p.PerSecond, Now: p.Now, PausedFor: p.PausedFor, LastMinute: p.LastMinute}
	}
}

// sso is the configured identity provider, if any.
func (s *Server) sso() *app.SSO {
	if s.cfg.OIDCIssuer == "" {
		return nil
	}
	return &app.SSO{
		Name:      s.cfg.OIDCName,
		Newcomers: core.Newcomers{Domains: s.cfg.OIDCDomain, OrgID: s.cfg.OIDCOrg},
		Provider: sso.New(sso.Config{
			Issuer: s.cfg.OIDCIssuer, ClientID: s.cfg.OIDCClientID, ClientSecret: s.cfg.OIDCClientSecret, RedirectURL: s.cfg.PublicURL + app.SSOPath,
		}),
	}
}

// storage is the disk space beside the database of the embedded store.
func (s *Server) storage() *app.Storage {
	if s.cfg.DatabaseURL != "" {
		return nil
	}
	return &app.Storage{
		Journal: func() int64 { return store.JournalBytes(s.cfg.Data) }, Search: func() int64 { return store.SearchBytes(s.cfg.Data) },
	}
}

// newPostman makes the sender of mail; nil if no mail server is configured.
func (s *Server) newPostman() *mail.Postman {
	if s.cfg.SMTPURL == "" {
		return nil
	}
	postman, err := mail.New(s.cfg.SMTPURL, s.cfg.SMTPFrom, s.log)
	if err != nil { // cannot happen: the settings were checked
		s.log.Error("no mail can be sent", "error", err)
		return nil
	}
	return postman
}

func mailer(postman *mail.Postman) func(app.Mail) {
	if postman == nil {
		return nil
	}
	return func(m app.Mail) { postman.Send(mail.Message(m)) }
}

func (s *Server) visible(ctx context.Context, u chat.User, ids []string) ([]string, error) {
	return core.VisibleConversations(s.store.Read(ctx), u, ids)
}

// setupToken is the same on every node and after a restart. It works only while there is no user.
func (s *Server) setupToken() string { return hex.EncodeToString(s.vault.Derive("set-up"))[:32] }

// inviteSetup tells the operator how to make the first user.
func (s *Server) inviteSetup(ctx context.Context) {
	if any, err := s.store.Read(ctx).AnyUsers(); err != nil || any {
		return
	}
	s.log.Info("nobody can sign in yet: open this address to make the first user", "url", s.cfg.PublicURL+"/setup#"+s.setupToken())
}

// wakeContactJobs wakes this node's contact jobs, if it runs them.
func (s *Server) wakeContactJobs() {
	if s.contacts != nil {
		s.contacts.Wake()
	}
}
