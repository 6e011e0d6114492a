// Package demo gives the demo organization a week of conversations, so that a newcomer sees the product at
// work. Everything arrives as in real use: the phone app hands over what was said before the number was
// connected, people write by callbacks, and the team answers through the dashboard's operations.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/vault"
)

// Config configures the week.
type Config struct {
	Store     *store.Store
	Vault     *vault.Vault
	Simulator *simulator.Simulator
	// Dashboard serves /app/api, and Sign adds a session to a request.
	Dashboard http.Handler
	Sign      func(r *http.Request, token string)
	// Templates reads the templates of a number.
	Templates func(ctx context.Context, phoneNumberID string) error
	Demo      Organization
}

// lookEvery is how often the demo checks whether its messages have arrived.
const lookEvery = 5 * time.Millisecond

// week makes the conversations.
type week struct {
	Config
	crew crew
	now  time.Time
	// last is the provider's id of the last message of a person, by their number.
	last map[string]string
	// sent are the sent messages, with their recipients.
	sent map[string]string
}

// Week makes the conversations, and returns when they are complete.
func Week(ctx context.Context, cfg Config) error {
	w := &week{Config: cfg, now: cfg.Store.Now(), last: map[string]string{}, sent: map[string]string{}}
	delays := cfg.Simulator.Delays()
	cfg.Simulator.SetDelays(simulator.Delays{Retry: delays.Retry})
	defer cfg.Simulator.SetDelays(delays)
	all := talks()
	err := w.hire(ctx)
	if err == nil {
		err = w.receive(ctx, all)
	}
	if err == nil {
		err = w.work(ctx, all)
	}
	if err == nil {
		err = w.settle(ctx)
	}
	return errors.Join(err, w.goHome(ctx))
}

// receive has the people write, and waits until all messages have arrived.
func (w *week) receive(ctx context.Context, all []talk) error {
	for _, number := range []string{w.Demo.PhoneNumberID, salesNumber} {
		of := of(all, number == salesNumber)
		past, err := w.Simulator.HandOver(number, w.chats(of))
		if err != nil {
			return err
		}
		var ids []string
		for i, t := range of {
			own, err := w.arrive(number, t, past[i])
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			ids = append(ids, own...)
		}
		if err := w.await(ctx, number, ids); err != nil {
			return err
		}
	}
	return nil
}

func of(all []talk, sales bool) (some []talk) {
	for _, t := range all {
		if t.sales == sales {
			some = append(some, t)
		}
	}
	return some
}

// chats are the talks' past lines in the phone app's form.
func (w *week) chats(of []talk) []simulator.Past {
	chats := make([]simulator.Past, len(of))
	for i, t := range of {
		chats[i] = simulator.Past{Phone: t.phone, Name: t.name}
		for _, l := range t.past {
			chats[i].Lines = append(chats[i].Lines, simulator.PastLine{
				At: w.now.Add(-l.ago), Outbound: l.out, Status: l.status, Type: l.kind, Content: l.content, File: l.file,
				Quotes: l.quotes, Reacts: l.reacts,
			})
		}
	}
	return chats
}

// await waits until messages are in the store.
func (w *week) await(ctx context.Context, number string, ids []string) error {
	account, err := core.AccountByNumber(w.Store.Read(ctx), w.Demo.OrganizationID, number)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := until(ctx, func() (bool, error) {
			_, err := w.Store.Read(ctx).MessageByProviderID(account.OrgID, account.ID, id)
			if errors.Is(err, store.ErrNotFound) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settle waits until the sent messages have reached their last status, since a handset reads what is open on
// it.
func (w *week) settle(ctx context.Context) error {
	account, err := core.AccountByNumber(w.Store.Read(ctx), w.Demo.OrganizationID, w.Demo.PhoneNumberID)
	if err != nil {
		return err
	}
	handsets := map[string]bool{}
	for _, h := range w.Simulator.Phones().List(nil) {
		handsets[h.ID] = true
	}
	for id, phone := range w.sent {
		err := until(ctx, func() (bool, error) {
			m, err := w.Store.Read(ctx).Message(account.OrgID, account.ID, id)
			return m.Status == chat.StatusFailed || m.Status == chat.StatusRead || m.Status == chat.StatusDelivered && handsets[phone], err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// until repeats a check until it succeeds.
func until(ctx context.Context, so func() (bool, error)) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		if is, err := so(); is || err != nil {
			return err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
