package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// newSubscription is a subscription with every field set.
func newSubscription(tx *store.Tx, orgID string) chat.WebhookSubscription {
	return chat.WebhookSubscription{
		ID: tx.NewID(chat.KindSubscription), OrgID: orgID, URL: "https://hooks.example/é?a=b", Description: new("d"), Events: []string{"*", "message.sent"},
		PhoneNumberIDs: []string{"123456", "654321"}, Status: chat.WebhookDisabled, DisabledReason: new("endpoint_gone"), ConsecutiveFailures: 7,
		FailingSince: new(tx.Now()), Spared: chat.Spared{ProbeAt: new(tx.Now()), HeldUntil: new(tx.Now())}, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
}

func subscribed(t *testing.T, st *store.Store, orgID string) (s chat.WebhookSubscription) {
	t.Helper()
	storetest.InTx(t, st, func(tx *store.Tx) error {
		s = newSubscription(tx, orgID)
		return tx.InsertWebhookSubscription(s)
	})
	return s
}

func TestWebhookSubscriptionsAreKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other := storetest.Org(t, st).ID, storetest.Org(t, st).ID
		s := subscribed(t, st, org)
		got, err := st.Read(t.Context()).WebhookSubscription(org, s.ID)
		requireEqual(t, got, err, s)
		_, err = st.Read(t.Context()).WebhookSubscription(other, s.ID)
		requireError(t, err, store.ErrNotFound)

		s.URL, s.Description, s.Events, s.PhoneNumberIDs, s.Status = "https://other.example", nil, []string{"*"}, nil, chat.WebhookActive
		s.DisabledReason, s.ConsecutiveFailures, s.FailingSince, s.Spared, s.UpdatedAt = nil, 0, nil, chat.Spared{}, s.UpdatedAt.Add(time.Hour)
		storetest.InTx(t, st, func(tx *store.Tx) error { return tx.UpdateWebhookSubscription(s) })
		got, err = st.Read(t.Context()).WebhookSubscription(org, s.ID)
		requireEqual(t, got, err, s)
		foreign := s
		foreign.OrgID = other
		requireTxError(t, st, store.ErrNotFound, func(tx *store.Tx) error { return tx.UpdateWebhookSubscription(foreign) })

		storetest.InTx(t, st, func(tx *store.Tx) error {
			return errors.Join(tx.InsertWebhookSecret(chat.WebhookSecret{OrgID: org, SubscriptionID: s.ID, ID: "sec_1", Sealed: "x", CreatedAt: tx.Now()}),
				tx.DeleteWebhookSubscription(org, s.ID))
		})
		_, err = st.Read(t.Context()).WebhookSubscription(org, s.ID)
		requireError(t, err, store.ErrNotFound)
		secrets, err := st.Read(t.Context()).WebhookSecrets(org, s.ID)
		requireEqual(t, len(secrets), err, 0)
		n, err := st.Read(t.Context()).CountWebhookSubscriptions(org)
		requireEqual(t, n, err, 0)
		page, err := st.Read(t.Context()).WebhookSubscriptions(org, store.Page{Limit: 10})
		requireEqual(t, len(page.Rows), err, 0)
		requireTxError(t, st, store.ErrNotFound, func(tx *store.Tx) error { return tx.DeleteWebhookSubscription(org, s.ID) })
	})
}

func TestWebhookSecretsAreKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st).ID
		var first, second, elsewhere chat.WebhookSecret
		storetest.InTx(t, st, func(tx *store.Tx) error {
			first = chat.WebhookSecret{ID: tx.NewID(chat.KindSecret), OrgID: org, SubscriptionID: "wbs_1", Sealed: "one", CreatedAt: tx.Now()}
			second = chat.WebhookSecret{ID: tx.NewID(chat.KindSecret), OrgID: org, SubscriptionID: "wbs_1", Sealed: "two", CreatedAt: tx.Now(), ExpiresAt: new(tx.Now().Add(time.Hour))}
			elsewhere = chat.WebhookSecret{ID: tx.NewID(chat.KindSecret), OrgID: org, SubscriptionID: "wbs_2", Sealed: "three", CreatedAt: tx.Now()}
			return errors.Join(tx.InsertWebhookSecret(second), tx.InsertWebhookSecret(first), tx.InsertWebhookSecret(elsewhere))
		})
		got, err := st.Read(t.Context()).WebhookSecrets(org, "wbs_1", "wbs_2", "wbs_3")
		requireEqual(t, got, err, map[string][]chat.WebhookSecret{"wbs_1": {first, second}, "wbs_2": {elsewhere}})
		first.ExpiresAt = second.ExpiresAt
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return errors.Join(tx.SetSecretExpiry(first), tx.DeleteWebhookSecret(second))
		})
		got, err = st.Read(t.Context()).WebhookSecrets(org, "wbs_1")
		requireEqual(t, got, err, map[string][]chat.WebhookSecret{"wbs_1": {first}})
		got, err = st.Read(t.Context()).WebhookSecrets(org)
		requireEqual(t, len(got), err, 0)
	})
}

// A transaction reads the subscriptions once for any number of events, and again after they change in it.
func TestEventReceiversAreReadOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st).ID
		s := subscribed(t, st, org)
		plans, err := store.WritePlans(t.Context(), st, func(tx *store.Tx) error {
			for range 3 {
				got, err := tx.EventReceivers(org)
				requireEqual(t, got, err, []chat.WebhookSubscription{s})
			}
			return nil
		})
		requireEqual(t, len(plans), err, 1)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			_, err := tx.EventReceivers(org)
			requireNoError(t, err)
			requireNoError(t, tx.DeleteWebhookSubscription(org, s.ID))
			got, err := tx.EventReceivers(org)
			requireEqual(t, len(got), err, 0)
			return nil
		})
	})
}

// The receivers are cached from one transaction to the next, but not beyond a change, whoever makes it.
func TestEventReceiversAreThoseOfNow(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		server, command := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
		org := storetest.Org(t, server).ID
		s := subscribed(t, server, org)
		requireStatus := func(want chat.WebhookStatus) {
			t.Helper()
			for range 2 { // the second time it may be cached
				storetest.InTx(t, server, func(tx *store.Tx) error {
					got, err := tx.EventReceivers(org)
					requireNoError(t, err)
					if len(got) != 1 || got[0].Status != want {
						t.Errorf("the receivers are %v, want one that is %s", got, want)
					}
					return nil
				})
			}
		}
		set := func(tx *store.Tx, status chat.WebhookStatus) {
			s.Status = status
			requireNoError(t, tx.UpdateWebhookSubscription(s))
		}
		requireStatus(s.Status)
		storetest.InTx(t, server, func(tx *store.Tx) error { set(tx, chat.WebhookActive); return nil })
		requireStatus(chat.WebhookActive)
		requireTxError(t, server, errRefused, func(tx *store.Tx) error {
			set(tx, chat.WebhookDisabled)
			if got, err := tx.EventReceivers(org); err != nil || got[0].Status != chat.WebhookDisabled {
				t.Errorf("a transaction sees its own change as %v, %v", got, err)
			}
			return errRefused
		})
		requireStatus(chat.WebhookActive)
		storetest.InTx(t, command, func(tx *store.Tx) error { set(tx, chat.WebhookPaused); return nil })
		requireStatus(chat.WebhookPaused)
	})
}

func TestSubscriptionChangesAreToldAfterTheCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st).ID
		s := subscribed(t, st, org)
		var told []string
		st.HandTo(func(h *store.Hands) { h.Subscription = func(orgID, id string) { told = append(told, orgID+" "+id) } })
		requireTxError(t, st, errRefused, func(tx *store.Tx) error {
			requireNoError(t, tx.UpdateWebhookSubscription(s))
			return errRefused
		})
		storetest.InTx(t, st, func(tx *store.Tx) error {
			tx.SubscriptionChanged(org, s.ID)
			if len(told) > 0 {
				t.Error("it was told before the commit")
			}
			return nil
		})
		requireEqual(t, told, nil, []string{org + " " + s.ID})
	})
}

// deliveriesIn are the states of deliveries, oldest first.
func deliveriesIn(t *testing.T, st *store.Store, orgID string) (states []string) {
	t.Helper()
	page, err := st.Read(t.Context()).WebhookDeliveries(orgID, store.DeliveryFilter{}, store.Page{Limit: 100})
	requireNoError(t, err)
	for _, d := range slices.Backward(page.Rows) {
		state := string(d.Status)
		if code, _ := d.Failure(); code != nil {
			state += " " + *code
		}
		if d.NextAttemptAt != nil {
			state += " due"
		}
		if d.Replayed {
			state += " replayed"
		}
		states = append(states, state)
	}
	return states
}

func TestDeliveriesAreHeldAndEnded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		var handed int
		storetest.OwnedBy(st, "node_1")
		st.HandTo(func(h *store.Hands) { h.Deliver = func(jobs []store.DeliveryJob) { handed += len(jobs) } })
		org := storetest.Org(t, st).ID
		storetest.InTx(t, st, func(tx *store.Tx) error {
			job := func(subscription string) store.DeliveryJob {
				return store.DeliveryJob{OrgID: org, ID: tx.NewID(chat.KindDelivery), SubscriptionID: subscription, DueAt: tx.Now(), CreatedAt: tx.Now()}
			}
			return errors.Join(tx.HoldDelivery(job("wbs_1")), tx.InsertDelivery(job("wbs_1")), tx.InsertDeadDelivery(job("wbs_1"), "subscription_disabled"), tx.HoldDelivery(job("wbs_2")))
		})
		requireEqual(t, handed, nil, 1)
		requireEqual(t, deliveriesIn(t, st, org), nil, []string{"pending due", "pending due", "dead subscription_disabled", "pending due"})
		storetest.InTx(t, st, func(tx *store.Tx) error {
			n, err := tx.EndDeliveries(org, "wbs_1", "subscription_deleted", 1)
			requireEqual(t, n, err, 1)
			n, err = tx.EndDeliveries(org, "wbs_1", "subscription_deleted", 10)
			requireEqual(t, n, err, 1)
			return nil
		})
		requireEqual(t, deliveriesIn(t, st, org), nil, []string{"dead subscription_deleted", "dead subscription_deleted", "dead subscription_disabled", "pending due"})
	})
}

func TestDeliveriesAreTakenForReplayOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st).ID
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for _, subscription := range []string{"wbs_1", "wbs_1", "wbs_1", "wbs_2"} {
				job := store.DeliveryJob{OrgID: org, ID: tx.NewID(chat.KindDelivery), SubscriptionID: subscription, CreatedAt: tx.Now()}
				if err := tx.InsertDeadDelivery(job, "x"); err != nil {
					return err
				}
			}
			return nil
		})
		dead := store.ReplayFilter{DeliveryFilter: store.DeliveryFilter{SubscriptionID: "wbs_1", Status: chat.DeliveryDead}}
		for _, want := range []struct {
			taken int
			left  bool
		}{{2, true}, {1, false}, {0, false}} {
			storetest.InTx(t, st, func(tx *store.Tx) error {
				taken, err := tx.TakeForReplay(org, dead, 2)
				requireEqual(t, len(taken), err, want.taken)
				if !slices.IsSortedFunc(taken, func(a, b chat.WebhookDelivery) int { return strings.Compare(a.ID, b.ID) }) {
					t.Errorf("they are not in order: %v", taken)
				}
				left, err := tx.LeftToReplay(org, dead)
				requireEqual(t, left, err, want.left)
				return nil
			})
		}
		requireEqual(t, deliveriesIn(t, st, org), nil, []string{"dead x replayed", "dead x replayed", "dead x replayed", "dead x"})
	})
}

// The statements of every event, and of background work, use indexes.
func TestWebhookPlans(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		org, event := storetest.Org(t, st).ID, "evt_1"
		storetest.InTx(t, st, func(tx *store.Tx) error {
			return errors.Join(tx.InsertEvent(chat.Event{ID: event, OrgID: org, EventID: event, Payload: []byte("{}")}),
				tx.HoldDelivery(store.DeliveryJob{OrgID: org, ID: "wbd_1", EventRow: event, EventID: event}))
		})
		dead := store.ReplayFilter{DeliveryFilter: store.DeliveryFilter{SubscriptionID: "x", Status: chat.DeliveryDead}, ErrorCode: "x", ResponseStatus: new(int64(500))}
		for name, test := range map[string]struct {
			index string // in SQLite's plan; on such small tables PostgreSQL picks any that serves
			run   func(tx *store.Tx) error
		}{
			"receivers":   {"webhook_subscriptions", func(tx *store.Tx) error { _, err := tx.EventReceivers(org); return err }},
			"deleted":     {"webhook_subscriptions", func(tx *store.Tx) error { _, err := tx.DeletedWebhookSubscriptions(org); return err }},
			"news":        {"webhook_subscriptions_failing", func(tx *store.Tx) error { _, err := tx.SubscriptionNews(tx.Now()); return err }},
			"secrets":     {"sqlite_autoindex_webhook_secrets", func(tx *store.Tx) error { _, err := tx.WebhookSecrets(org, "x", "y"); return err }},
			"one":         {"sqlite_autoindex_events", func(tx *store.Tx) error { _, err := tx.WebhookDeliveryDetail(org, "x"); return ignoreNotFound(err) }},
			"replay":      {"webhook_deliveries_troubled", func(tx *store.Tx) error { _, err := tx.TakeForReplay(org, dead, 10); return err }},
			"left":        {"webhook_deliveries_troubled", func(tx *store.Tx) error { _, err := tx.LeftToReplay(org, dead); return err }},
			"end":         {"webhook_deliveries_open", func(tx *store.Tx) error { _, err := tx.EndDeliveries(org, "x", "y", 10); return err }},
			"purge":       {"sqlite_autoindex_webhook_deliveries", func(tx *store.Tx) error { _, err := tx.PurgeWebhookDeliveries(org, tx.Now(), 10); return err }},
			"purge event": {"sqlite_autoindex_events", func(tx *store.Tx) error { _, err := tx.PurgeEvents(org, "", tx.Now(), 10); return err }},
			"due":         {"sqlite_autoindex_webhook_deliveries", func(tx *store.Tx) error { _, err := tx.DeliveryDue(org, "x", "y", 1); return err }},
			"payloads":    {"sqlite_autoindex_events", func(tx *store.Tx) error { _, err := tx.EventsWithPayload(org, []string{"x"}); return err }},
			"remove":      {"webhook_deliveries_by_event", func(tx *store.Tx) error { return store.RemovePayloads(tx, org, []string{event}) }},
			"numbers":     {"accounts", func(tx *store.Tx) error { _, err := tx.KnownNumbers(org, []string{"x"}); return err }},
		} {
			plans, err := store.WritePlans(t.Context(), st, test.run)
			requireNoError(t, err)
			plan := strings.Join(plans, "\n")
			scans := strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN webhook") || strings.Contains(plan, "SCAN events") || strings.Contains(plan, "SCAN accounts")
			if scans || engine == storetest.SQLite && !strings.Contains(plan, test.index) {
				t.Errorf("%s does not go along %s:\n%s", name, test.index, plan)
			}
		}
	})
}

func ignoreNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
