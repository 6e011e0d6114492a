package store_test

import (
	"context"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Another process hears of its own work and of work without an owner, only after the commit, and also after its
// connection was lost.
func TestListen(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.Postgres)
	here, there := storetest.OpenAt(t, cfg), storetest.OpenAt(t, cfg)
	org := storetest.Org(t, here)
	account := storetest.Account(t, here, org, "123456")
	heard := make(chan store.Topic)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		there.Listen(ctx, func(topic store.Topic) {
			select {
			case heard <- topic:
			case <-ctx.Done():
			}
		})
	}()
	send := func(owner string) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			id := tx.NewID(chat.KindMessage)
			_, err := tx.InsertSendJob(store.SendJob{OrgID: org.ID, MessageID: id, AccountID: account.ID, ConversationID: id, DueAt: tx.Now(), Owner: owner})
			return err
		}
	}
	hears := func(want store.Topic) {
		t.Helper()
		if got := <-heard; got != want {
			t.Fatalf("heard of %s, want %s", got, want)
		}
	}
	hears(store.TopicAny) // it is connected
	storetest.InTx(t, here, send(""))
	hears(store.TopicSends)
	storetest.InTx(t, here, send("a node"))                        // it knows
	requireTxError(t, here, errRefused, func(tx *store.Tx) error { // nobody is told
		if err := send("")(tx); err != nil {
			return err
		}
		return errRefused
	})
	storetest.InTx(t, here, func(tx *store.Tx) error { // behind a message of another node, which is told
		job := store.SendJob{OrgID: org.ID, AccountID: account.ID, ConversationID: "con_1", DueAt: tx.Now()}
		for _, job.Owner = range []string{"node_1", "node_1", "node_2", ""} {
			job.MessageID = tx.NewID(chat.KindMessage)
			if _, err := tx.InsertSendJob(job); err != nil {
				return err
			}
		}
		return nil
	})
	if got, ok := (<-heard).SendQueue(); !ok || got != (store.SendQueue{Owner: "node_1", OrgID: org.ID, AccountID: account.ID, ConversationID: "con_1"}) {
		t.Fatalf("heard of %+v", got)
	}
	storetest.InTx(t, here, func(tx *store.Tx) error { tx.SubscriptionChanged(org.ID, "x"); return nil })
	hears(store.TopicDeliveries)

	requireNoError(t, store.EndListening(t.Context(), here))
	hears(store.TopicAny)
	storetest.InTx(t, here, send(""))
	hears(store.TopicSends)
	cancel()
	<-ended
}
