package store

import (
	"context"
	"strings"
)

// Topic is something that another process may be waiting for.
type Topic string

const (
	// TopicAny: something may have been told while nobody was connected.
	TopicAny Topic = ""
	// TopicSends: messages are to be sent that no node owns.
	TopicSends Topic = "sends"
	// TopicDeliveries: deliveries are due that no node owns, or subscriptions have changed.
	TopicDeliveries Topic = "deliveries"
	// TopicFiles: files are to be fetched that no node owns.
	TopicFiles Topic = "files"
	// TopicNumbers: a number has come or gone.
	TopicNumbers Topic = "numbers"
)

// Listen calls wake with what other processes on the store tell of, until ctx ends. It is a hint that
// spares waiting: who listens also looks by itself now and then, because what is told while nobody is
// connected is not told again. On the embedded store nobody tells anything: one process works there.
func (s *Store) Listen(ctx context.Context, wake func(Topic)) { s.engine.listen(ctx, wake) }

// SendQueue is a conversation whose messages a node has to send, and which has got one more: another node
// has accepted it. Its topic is for the owner.
type SendQueue struct{ Owner, OrgID, AccountID, ConversationID string }

func (q SendQueue) topic() Topic {
	return Topic(strings.Join([]string{"queue", q.Owner, q.OrgID, q.AccountID, q.ConversationID}, " "))
}

// SendQueue is the conversation that a topic is about; ok is false where it is about something else.
func (t Topic) SendQueue() (q SendQueue, ok bool) {
	words := strings.Split(string(t), " ")
	if len(words) != 5 || words[0] != "queue" {
		return q, false
	}
	return SendQueue{words[1], words[2], words[3], words[4]}, true
}
