package server

import (
	"context"
	"time"

	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/demo"
)

// demoPatience bounds how long making the demo's conversations may delay the first start. It takes about a second.
const demoPatience = time.Minute

// Demo creates the demo organization, once, and reads the templates of its number.
func (s *Server) Demo(ctx context.Context) (demo.Organization, error) {
	d, err := demo.Seed(ctx, s.store, s.vault)
	if err != nil {
		return d, err
	}
	if err := s.syncTemplates(d.OrganizationID)(ctx, d.PhoneNumberID); err != nil { // it will be retried automatically
		s.log.Warn("the demo's templates could not be read", "error", err)
	}
	if s.messaging.simulator != nil {
		s.messaging.simulator.Learn(d.PhoneNumberID)
	}
	return d, s.fillDemo(ctx, d)
}

// fillDemo makes the demo organization's week of conversations, if there are a simulator and a worker for it. If that
// fails, the rest stays missing: the node can serve without it.
func (s *Server) fillDemo(ctx context.Context, d demo.Organization) error {
	if s.cfg.DemoEmpty || s.messaging.simulator == nil || s.messaging.sender == nil {
		return nil
	}
	if mine, err := demo.TakeWeek(ctx, s.store); err != nil || !mine {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	begun := time.Now()
	err := demo.Week(ctx, demo.Config{
		Store: s.store, Vault: s.vault, Simulator: s.messaging.simulator.Simulator, Dashboard: s.dashboard, Sign: s.dashboard.Sign,
		Templates: s.syncTemplates(d.OrganizationID), Demo: d,
	})
	if err != nil {
		s.log.Warn("the demo's conversations could not all be made", "error", err)
		return nil
	}
	s.log.Info("the demo has its conversations", "took", time.Since(begun).Round(time.Millisecond).String())
	return nil
}

// syncTemplates reads the templates of a number.
func (s *Server) syncTemplates(orgID string) func(ctx context.Context, phoneNumberID string) error {
	return func(ctx context.Context, phoneNumberID string) error {
		account, err := core.AccountByNumber(s.store.Read(ctx), orgID, phoneNumberID)
		if err == nil {
			_, err = s.messaging.templates.Sync(ctx, account)
		}
		return err
	}
}
