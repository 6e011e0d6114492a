package broadcast_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
)

// Of two broadcasts to a person, an answer counts for the one that it quotes, however late; without a quote for the last,
// for some days.
func TestAnswersToOneOfSeveral(t *testing.T) {
	inBubble(t, func(r *rig) {
		var sent []chat.Broadcast
		for range 2 {
			b := r.create(0, 4)
			r.do(b, core.StartBroadcast)
			r.untilOver(b)
			sent = append(sent, b)
		}
		messages := map[string]string{} // of the first broadcast, by number
		for _, row := range r.all(sent[0]) {
			messages[row.Address] = "wamid." + row.MessageID
		}
		said := 0
		says := func(who int, later time.Duration, quotes string) {
			said++
			r.Receive(provider.InboundMessage{Origin: r.Origin(), Message: provider.Message{
				ProviderID: fmt.Sprint("in.", said), Type: chat.TypeText, Content: json.RawMessage(`{"body":"thanks"}`), Context: quotes,
				Timestamp: time.Now().Add(later), Raw: provider.Raw{Item: json.RawMessage(`{}`)}, Contact: provider.Person{Phone: number(who)},
			}})
		}
		const days = 24 * time.Hour
		requireReplies := func(after string, first, second int64) {
			t.Helper()
			if a, b := r.counts(sent[0]).Replied, r.counts(sent[1]).Replied; a != first || b != second {
				t.Errorf("after %s there are %d and %d replies, want %d and %d", after, a, b, first, second)
			}
		}
		says(0, 0, "")
		requireReplies("an answer without a quote", 0, 1)
		says(1, 0, messages[number(1)])
		requireReplies("a quote of the first", 1, 1)
		says(1, 0, "")
		requireReplies("another message of theirs", 1, 2)
		r.Turn(8 * days)
		says(2, 8*days, "")
		requireReplies("an answer after a week", 1, 2)
		says(3, 8*days, messages[number(3)])
		requireReplies("a quote after a week", 2, 2)
		says(3, 8*days, "wamid.of-somebody-else")
		requireReplies("a quote of something unknown after a week", 2, 2)
	})
}
