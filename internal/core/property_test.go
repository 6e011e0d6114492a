package core_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// cases is how many histories a property is tried with on each engine. The rules are the same on both, but
// transactions take different times.
var cases = map[storetest.Engine]int64{storetest.SQLite: 60, storetest.Postgres: 12}

// checkProperty tries a property in worlds of one store per engine.
func checkProperty(t *testing.T, property func(rt *rapid.T, w *world)) {
	t.Helper()
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		var tried atomic.Int64
		var failing atomic.Bool
		rapid.Check(t, func(rt *rapid.T) {
			if tried.Add(1) > cases[storetest.Engine(st.Engine())] && !failing.Load() {
				return
			}
			failing.Store(true) // true until the property ends: a failing case is tried again, made smaller
			w := newWorld(t, st, clock)
			w.T = rt
			property(rt, w)
			failing.Store(false)
		})
	})
}

// inBatches applies all things in batches of different sizes, as callbacks carry them.
func inBatches[T any](rt *rapid.T, all []T, apply func([]T)) {
	for len(all) > 0 {
		n := rapid.IntRange(1, min(4, len(all))).Draw(rt, "batch")
		apply(all[:n])
		all = all[n:]
	}
}

// told is what has come about a message, as far as its state depends on it.
type told struct {
	callbacks map[string]bool
	taken     bool // the provider has the message: an answer or a callback says so
	guessed   bool // the call failed before any callback came
}

// proofs are the callbacks that count, with the status that each proves, the furthest first.
var proofs = []struct {
	callback string
	status   chat.MessageStatus
}{
	{"failed", chat.StatusFailed}, {"read", chat.StatusRead}, {"delivered", chat.StatusDelivered}, {"sent", chat.StatusSent}, {"played", chat.StatusSent},
}

func (t told) status() chat.MessageStatus {
	for _, p := range proofs {
		if t.callbacks[p.callback] {
			return p.status
		}
	}
	switch {
	case t.guessed:
		return chat.StatusFailed
	case t.taken:
		return chat.StatusSent
	default:
		return chat.StatusQueued
	}
}

// events is how many events of each type are expected.
func (t told) events() map[chat.EventType]int {
	counts := map[chat.EventType]int{}
	if t.taken {
		counts[chat.EventMessageSent] = 1
	}
	if t.guessed {
		counts[chat.EventMessageStatus]++
	}
	for _, p := range proofs {
		if t.callbacks[p.callback] {
			counts[chat.EventMessageStatus]++
		}
	}
	return counts
}

var callbackWords = rapid.SliceOfN(rapid.SampledFrom([]string{"sent", "delivered", "read", "failed", "played", "deleted", "warning", ""}), 0, 9)

// Whatever the order and the number of callbacks, and whenever the call ends, the state of a message depends only on
// the set of what came, and each callback emits its event once.
func TestStatusesInAnyOrder(t *testing.T) {
	checkProperty(t, func(rt *rapid.T, w *world) {
		const answer, failure = "the answer", "the failure"
		words := callbackWords.Draw(rt, "words")
		if ending := rapid.SampledFrom([]string{answer, failure, ""}).Draw(rt, "how the call ends"); ending != "" {
			words = slices.Insert(words, rapid.IntRange(0, len(words)).Draw(rt, "when"), ending)
		}
		a := w.Send(chat.TypeAudio, `{"link":"https://a.b/c.ogg","voice":true}`)
		w.Events()
		so := told{callbacks: map[string]bool{}}
		inBatches(rt, words, func(batch []string) {
			var updates []provider.Update
			flush := func() {
				w.Apply(updates...)
				updates = nil
			}
			for _, word := range batch {
				switch word {
				case answer:
					flush()
					w.Answered(a, "wamid.9")
					so.taken = true
				case failure:
					flush()
					failed := (&provider.Error{HTTPStatus: 400, Code: 131000}).MessageError()
					w.Record(core.SendResult{Work: w.Work(a), Failure: &failed})
					so.guessed = so.guessed || !so.taken
				default:
					updates = append(updates, w.Status("wamid.9", a.Message.ID, word, &provider.Error{Code: 131026}))
					so.taken, so.callbacks[word] = true, true
				}
			}
			flush()
		})
		w.checkTold(rt, a.Message.ID, so)
	})
}

func (w *world) checkTold(rt *rapid.T, messageID string, so told) {
	m, want := w.Message(messageID), so.status()
	if m.Status != want || (m.Error != nil) != (want == chat.StatusFailed) || (m.PlayedAt != nil) != so.callbacks["played"] || (m.ProviderID == "wamid.9") != so.taken {
		rt.Fatalf("after %+v it is %s, error %v, played %v, id %q; want %s", so, m.Status, m.Error, m.PlayedAt, m.ProviderID, want)
	}
	if owner := w.jobOwner(m.ID); (owner == "") != (so.taken || so.guessed) {
		rt.Fatalf("after %+v %q is to send it", so, owner)
	}
	counts := map[chat.EventType]int{}
	for _, e := range w.Events() {
		counts[e.Type]++
	}
	if d := cmp.Diff(so.events(), counts); d != "" {
		rt.Fatalf("after %+v other events (-want +got):\n%s", so, d)
	}
}

// A message that went out twice, because the process was killed in between, is one message: in whatever order the
// callbacks about both copies come, and however often, each kind emits its event once.
func TestStatusesOfTwoCopies(t *testing.T) {
	checkProperty(t, func(rt *rapid.T, w *world) {
		a := w.Send(chat.TypeText, `{"body":"hi"}`)
		w.Answered(a, "wamid.first")
		w.Events()
		heard := map[string]int{}
		reports := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]string {
			return [2]string{
				rapid.SampledFrom([]string{"wamid.first", "wamid.second"}).Draw(t, "copy"),
				rapid.SampledFrom([]string{"sent", "delivered", "read"}).Draw(t, "status"),
			}
		}), 1, 12).Draw(rt, "reports")
		inBatches(rt, reports, func(batch [][2]string) {
			var updates []provider.Update
			for _, r := range batch {
				updates = append(updates, w.Status(r[0], a.Message.ID, r[1], nil))
				heard[fmt.Sprintf("%q:%q", "status", r[1])] = 1
			}
			w.Apply(updates...)
		})
		told := map[string]int{}
		for _, e := range w.Events() {
			told[statusIn(e.Payload)]++
		}
		if d := cmp.Diff(heard, told); d != "" {
			rt.Fatalf("after %v other events (-want +got):\n%s", reports, d)
		}
	})
}

// Any order of any callbacks gives the same state and the same set of events.
func TestOrderOfStatusesDoesNotMatter(t *testing.T) {
	checkProperty(t, func(rt *rapid.T, w *world) {
		words := callbackWords.Draw(rt, "words")
		hear := func(id string, words []string) (chat.MessageStatus, []string) {
			a := w.Send(chat.TypeAudio, `{"link":"https://a.b/c.ogg","voice":true}`)
			w.Answered(a, id)
			w.Events()
			inBatches(rt, words, func(batch []string) {
				var updates []provider.Update
				for _, word := range batch {
					updates = append(updates, w.Status(id, "", word, &provider.Error{Code: 131026}))
				}
				w.Apply(updates...)
			})
			var told []string
			for _, e := range w.Events() {
				told = append(told, string(e.Type)+statusIn(e.Payload))
			}
			slices.Sort(told)
			return w.Message(a.Message.ID).Status, told
		}
		status, events := hear("wamid.a", words)
		again, others := hear("wamid.b", rapid.Permutation(words).Draw(rt, "in another order"))
		if status != again || !slices.Equal(events, others) {
			rt.Fatalf("%s with %v in one order, %s with %v in the other", status, events, again, others)
		}
	})
}

var statusPattern = regexp.MustCompile(`"status":"(\w+)"`)

func statusIn(payload []byte) string { return string(statusPattern.Find(payload)) }

// happening is something that Ada does, reported by a callback.
type happening struct {
	what   string // text, reaction, edit, withheld, revoke
	id     string
	target string // of everything but texts
	minute int    // of edits
}

// Whatever the order and the number of a person's callbacks, there is one contact with one conversation, each message
// once, and as many unread as there are messages.
func TestInboundInAnyOrder(t *testing.T) {
	checkProperty(t, func(rt *rapid.T, w *world) {
		texts := []string{"wamid.A", "wamid.B"}
		some := []happening{{what: "text", id: texts[0]}, {what: "text", id: texts[1]}}
		for i := range rapid.IntRange(0, 5).Draw(rt, "others") {
			some = append(some, happening{
				what: rapid.SampledFrom([]string{"reaction", "edit", "edit", "withheld", "revoke"}).Draw(rt, "what"), id: fmt.Sprint("wamid.", i),
				target: rapid.SampledFrom(texts).Draw(rt, "target"), minute: i + 1,
			})
		}
		again := rapid.SliceOfN(rapid.SampledFrom(some), 0, 5).Draw(rt, "again")
		order := rapid.Permutation(append(some, again...)).Draw(rt, "order")
		begin := w.Clock.Now()
		inBatches(rt, order, func(batch []happening) {
			var updates []provider.Update
			for _, h := range batch {
				updates = append(updates, w.callback(rt, h, begin))
			}
			w.Apply(updates...)
		})
		requireInbox(rt, w, expectedInbox(order))
	})
}

// callback is the callback of a happening. The provider always gives the BSUID, and sometimes the number.
func (w *world) callback(rt *rapid.T, h happening, begin time.Time) provider.Update {
	who := ada()
	if rapid.Bool().Draw(rt, "without a number") {
		who.Phone = ""
	}
	switch h.what {
	case "edit":
		return w.edit(h.id, h.target, h.id, begin.Add(time.Duration(h.minute)*time.Minute))
	case "withheld":
		m := w.Text(h.id, "")
		m.Contact, m.Type, m.Content, m.Context = who, chat.TypeUnsupported, json.RawMessage(`{"type":"edit"}`), h.target
		return m
	case "revoke":
		return provider.Revoke{Origin: w.Origin(), ProviderID: h.id, OriginalID: h.target}
	case "reaction":
		m := w.Text(h.id, "")
		m.Contact, m.Type, m.Content = who, chat.TypeReaction, json.RawMessage(`{"message_id":"`+h.target+`","emoji":"👍"}`)
		return m
	default:
		m := w.Text(h.id, "as it was")
		m.Contact = who
		return m
	}
}

// inbox is what an inbox holds about a person.
type inbox struct {
	Contents map[string]string // by the provider's id
	Revoked  map[string]bool
	Unread   int64
	Events   map[chat.EventType]int
}

// expectedInbox computes it from the callbacks. A change of a message that has not come waits for it, so it does not
// matter when the change came.
func expectedInbox(order []happening) inbox {
	changes := func(h happening) bool { return h.what == "edit" || h.what == "revoke" }
	comes := func(h happening) bool { return !changes(h) }
	order = slices.Concat(slices.DeleteFunc(slices.Clone(order), changes), slices.DeleteFunc(slices.Clone(order), comes))
	in := inbox{Contents: map[string]string{}, Revoked: map[string]bool{}, Events: map[chat.EventType]int{}}
	done, latest := map[string]bool{}, map[string]int{}
	for _, h := range order {
		if done[h.id] {
			continue
		}
		done[h.id] = true
		switch h.what {
		case "edit":
			in.Events[chat.EventMessageEdited]++
			if h.minute > latest[h.target] {
				latest[h.target], in.Contents[h.target] = h.minute, `{"body":"`+h.id+`"}`
			}
		case "revoke":
			if !in.Revoked[h.target] {
				in.Revoked[h.target] = true
				in.Events[chat.EventMessageRevoked]++
			}
		default:
			in.Contents[h.id] = `{"body":"as it was"}`
			switch h.what {
			case "reaction":
				in.Contents[h.id] = `{"message_id":"` + h.target + `","emoji":"👍"}`
			case "withheld":
				in.Contents[h.id] = `{"type":"edit"}`
			}
			in.Events[chat.EventMessageReceived]++
			in.Unread++
		}
	}
	in.Events[chat.EventContactCreated] = 1
	return in
}

func requireInbox(rt *rapid.T, w *world, want inbox) {
	contacts, conversations := w.Contacts(), w.Conversations()
	if len(contacts) != 1 || len(conversations) != 1 {
		rt.Fatalf("there are %d contacts and %d conversations", len(contacts), len(conversations))
	}
	got := inbox{Contents: map[string]string{}, Revoked: map[string]bool{}, Unread: conversations[0].UnreadCount, Events: map[chat.EventType]int{}}
	messages := w.Messages()
	for _, m := range messages {
		got.Contents[m.ProviderID] = string(m.Content)
		if m.Revoked {
			got.Revoked[m.ProviderID] = true
		}
		if m.ContactID != contacts[0].ID || m.ConversationID != conversations[0].ID || m.Direction != chat.Inbound {
			rt.Fatalf("a message is elsewhere: %+v", m)
		}
	}
	for _, e := range w.Events() {
		got.Events[e.Type]++
	}
	if d := cmp.Diff(want, got); d != "" || len(messages) != len(got.Contents) {
		rt.Fatalf("another inbox of %d messages (-want +got):\n%s", len(messages), d)
	}
}
