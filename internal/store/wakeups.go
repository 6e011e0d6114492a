package store

import (
	"context"
	"strings"
)

// Topic names something for which another process may be waiting.
type Topic string

const (
	// TopicAny means that notifications may have been missed.
	TopicAny Topic = ""
	// TopicSends means that there are messages to send without an owner.
	TopicSends Topic = "sends"
	// TopicDeliveries means that there are due deliveries without an owner, or that subscriptions have changed.
	TopicDeliveries Topic = "deliveries"
	// TopicFiles means that there are files to fetch without an owner.
	TopicFiles Topic = "files"
	// TopicNumbers means that a number was connected or disconnected.
	TopicNumbers Topic = "numbers"
)

// Listen calls wake with the topics that other processes on the store send, until ctx ends. They are hints that
// save time: listeners also look for work now and then, because topics sent while a listener is not connected
// are lost. On the embedded store there are none, because a single process works there.
func (s *Store) Listen(ctx context.Context, wake func(Topic)) { s.engine.listen(ctx, wake) }

// SendQueue is a conversation whose messages a node has to send, to which another node has added one. Its topic
// is for the owner.
type SendQueue struct{ Owner, OrgID, AccountID, ConversationID string }

func (q SendQueue) topic() Topic {
	return Topic(strings.Join([]string{"queue", q.Owner, q.OrgID, q.AccountID, q.ConversationID}, " "))
}

// SendQueue is the conversation of a topic; ok is false if the topic is about something else.
func (t Topic) SendQueue() (q SendQueue, ok bool) {
	words := strings.Split(string(t), " ")
	if len(words) != 5 || words[0] != "queue" {
		return q, false
	}
	return SendQueue{words[1], words[2], words[3], words[4]}, true
}
