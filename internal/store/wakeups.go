package store

import "context"

// Topic is something that another process may be waiting for.
type Topic string

const (
	// TopicSends: messages are to be sent that no node owns.
	TopicSends Topic = "sends"
	// TopicDeliveries: deliveries are due that no node owns, or subscriptions have changed.
	TopicDeliveries Topic = "deliveries"
)

// Listen calls wake with what other processes on the store tell of, until ctx ends. It is a hint that
// spares waiting: who listens also looks by itself now and then, because what is told while nobody is
// connected is not told again. On the embedded store nobody tells anything: one process works there.
func (s *Store) Listen(ctx context.Context, wake func(Topic)) { s.engine.listen(ctx, wake) }

// tell lets other processes know once the transaction is durable.
func (tx *Tx) tell(topic Topic) {
	tx.AfterCommit(func() { tx.store.engine.tell(topic) })
}
