package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// The purge deletes messages older than the plan keeps: 100,000, each with an event and its delivery.
const (
	agedMessages  = 100_000
	agedDays      = 400
	keptDays      = 365
	besidePurge   = 200              // sends per second
	purgeBegins   = 90 * time.Second // the server looks once a minute
	besideNothing = "send at 200/s"
	besideAPurge  = "send at 200/s, beside a purge"
	purgedRow     = "messages purged meanwhile"
)

// purgeScenario is the rows about sends during a purge. Their latencies are those of the answers.
type purgeScenario struct{ name string }

var purgeScenarios = []purgeScenario{{name: besideAPurge}}

// purge measures on its own server.
func (b *bench) purge(ctx context.Context, g *group, databaseURL string) error {
	if len(matching(purgeScenarios, b.options)) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	databaseURL, err := anotherDatabase(ctx, databaseURL, "purge")
	if err != nil {
		return err
	}
	s, err := b.startEngine(ctx, g.Name, databaseURL)
	if err != nil {
		return err
	}
	defer s.process.stop()
	st, err := openBeside(ctx, s.store)
	if err != nil {
		return err
	}
	defer st.Close()
	a := archive{st: st, org: s.target.org}
	if err := a.fill(ctx); err != nil {
		return fmt.Errorf("fill the archive: %w", err)
	}
	l := newLoad(s.target.addr, b.connections, http.StatusOK, paced(sendTemplate(s.target, numbers), besidePurge))
	defer l.close()
	b.add(g, b.measure(ctx, besideNothing, s.process.pid(), b.warmUp, l.phase))
	if err := a.release(ctx); err != nil {
		return err
	}
	before := a.purged(ctx)
	f := b.measure(ctx, besideAPurge, s.process.pid(), 0, l.phase)
	after := a.purged(ctx)
	if after == agedMessages {
		f.Failure = "the purge ended before the row did"
	}
	b.add(g, f)
	b.add(g, figures{Name: purgedRow, Requests: after - before, Elapsed: f.Elapsed, PerSecond: float64(after-before) / f.Elapsed.Seconds()})
	return ctx.Err()
}

// openBeside opens a running server's store.
func openBeside(ctx context.Context, dataFlags []string) (*store.Store, error) {
	cfg := store.Config{Dir: dataFlags[1]}
	if len(dataFlags) > 2 {
		cfg = store.Config{URL: dataFlags[3]}
	}
	return store.Open(ctx, cfg)
}

// archive is an organization's old messages.
type archive struct {
	st      *store.Store
	org     string
	account chat.Account
	ids     []string // oldest first
}

func (a *archive) fill(ctx context.Context) (err error) {
	if a.account, err = a.st.Read(ctx).AccountByNumber(a.org, phoneNumberID(0)); err != nil {
		return err
	}
	for len(a.ids) < agedMessages && err == nil {
		var ids []string
		err = a.st.InTx(ctx, func(tx *store.Tx) (err error) {
			ids = nil
			for range seedBatch {
				id, insertErr := a.message(tx, len(a.ids)+len(ids))
				ids, err = append(ids, id), errors.Join(err, insertErr)
			}
			return err
		})
		a.ids = append(a.ids, ids...)
	}
	return err
}

// message stores the i-th message, with the rows that belong to it.
func (a *archive) message(tx *store.Tx, i int) (string, error) {
	at := tx.Now().Add(-agedDays * 24 * time.Hour).Add(time.Duration(i) * 100 * time.Millisecond)
	content := `{"body":"` + strings.Repeat("a line of some length, as people write them. ", 3) + `"}`
	m := chat.Message{
		ID: tx.NewIDAt(chat.KindMessage, at), OrgID: a.org, AccountID: a.account.ID, ConversationID: fmt.Sprintf("cnv_%026d", i*7919%people),
		ContactID: fmt.Sprintf("ctc_%026d", i*7919%people), Direction: chat.Outbound, Type: chat.TypeText, Status: chat.StatusRead, Source: chat.SourceAPI,
		ProviderID: fmt.Sprintf("wamid.aged.%x", i*104729%1000003), Content: json.RawMessage(content), EventRow: tx.NewID(chat.KindEvent),
		CreatedAt: at, UpdatedAt: at,
	}
	e := chat.Event{
		ID: m.EventRow, OrgID: a.org, EventID: m.ID + ":sent", Type: chat.EventMessageSent, Source: chat.SourceService, Subject: m.ConversationID,
		Payload: []byte(`{"data":{"message":` + content + strings.Repeat(" ", 500) + `}}`), CreatedAt: tx.Now(),
	}
	d := store.DeliveryJob{
		OrgID: a.org, ID: tx.NewID(chat.KindDelivery), SubscriptionID: "wbs_00000000000000000000000000", EventRow: e.ID, EventID: e.EventID,
		EventType: e.Type, Subject: e.Subject, CreatedAt: tx.Now(),
	}
	return m.ID, errors.Join(tx.InsertMessage(m), tx.InsertEvent(e), tx.InsertDeadDelivery(d, chat.DeliverySubscriptionDisabled))
}

// release makes the organization's plan keep messages for at most a year, and waits until the first are gone.
func (a *archive) release(ctx context.Context) error {
	err := a.st.InTx(ctx, func(tx *store.Tx) error {
		org, err := tx.Organization(a.org)
		if err != nil {
			return err
		}
		plan, err := tx.Plan(org.Plan)
		plan.RetentionDays = new(int64(keptDays))
		return errors.Join(err, tx.PutPlan(plan))
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, purgeBegins)
	defer cancel()
	for a.purged(ctx) == 0 {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return errors.New("the purge did not begin")
		}
	}
	return nil
}

// purged is how many of the messages are gone. They are deleted oldest first.
func (a *archive) purged(ctx context.Context) int {
	return sort.Search(len(a.ids), func(i int) bool {
		_, err := a.st.Read(ctx).Message(a.org, a.account.ID, a.ids[i])
		return err == nil
	})
}
