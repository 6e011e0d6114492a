package live

import (
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// Nodes tell each other by topics of the store: that they have listeners, which objects have changed, and who
// is at a conversation. While no node has listeners, no changes are told. A node that hears of a listener says if it
// has kept changes to itself until then: the listener may have fetched before they were made.
const (
	watchTopic    = "watch"
	changesTopic  = "changes"
	untoldTopic   = "untold"
	presenceTopic = "presence"
	// watchEvery is how often a node announces its listeners, and watchFor how long other nodes remember it.
	watchEvery = 20 * time.Second
	watchFor   = time.Minute
	// maxTopic is the largest notification.
	maxTopic = 7000
)

// Hear handles a topic from another node. It returns false for topics that are not for hubs. It does not block, because
// the node's other parts are woken in the same goroutine.
func (h *Hub) Hear(topic store.Topic) bool {
	words := strings.Split(string(topic), " ")
	switch words[0] {
	case watchTopic, changesTopic, untoldTopic, presenceTopic:
	default:
		if topic == store.TopicAny { // a notification may have been missed
			h.PublishAll(Hint{Kind: KindAll})
		}
		return false
	}
	if len(words) < 2 || words[1] == h.cfg.Node() {
		return true
	}
	switch {
	case words[0] == watchTopic:
		now := h.cfg.Store.Moment()
		h.others.Store(&now)
		h.wanted.Store(true)
		if h.untold.Swap(false) {
			h.cfg.Store.Tell(store.Topic(untoldTopic + " " + h.cfg.Node()))
		}
	case words[0] == untoldTopic:
		h.PublishAll(Hint{Kind: KindAll})
	case words[0] == changesTopic && len(words) >= 4:
		h.hearChanges(words[2], words[3:])
	case words[0] == presenceTopic && len(words) == 7:
		h.hearPresence(words[2:])
	}
	return true
}

func (h *Hub) hearChanges(org string, words []string) {
	h.collect(org, func(n *news) {
		for _, word := range words {
			kind, id, _ := strings.Cut(word, ":")
			n.heard[store.Change{OrgID: org, Kind: store.ChangeKind(kind), ID: id}] = true
		}
	})
}

func (h *Hub) othersListen() bool {
	at := h.others.Load()
	return at != nil && h.cfg.Store.Moment().Sub(*at) < watchFor
}

// tellOthers sends an organization's changes to other nodes, if there are listeners.
func (h *Hub) tellOthers(org string, changes []store.Change) {
	if len(changes) == 0 {
		return
	}
	if !h.othersListen() {
		h.untold.Store(true)
		if !h.othersListen() { // asked again, because one may have been heard of since
			return
		}
	}
	head := strings.Join([]string{changesTopic, h.cfg.Node(), org}, " ")
	text := head
	for _, c := range changes {
		word := " " + string(c.Kind) + ":" + c.ID
		if len(text)+len(word) > maxTopic {
			h.cfg.Store.Tell(store.Topic(text))
			text = head
		}
		text += word
	}
	h.cfg.Store.Tell(store.Topic(text))
}

// watch announces the listeners here from time to time, and notices when no node has any.
func (h *Hub) watch() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wanted.Store(len(h.orgs) > 0 || h.othersListen())
	if len(h.orgs) > 0 && h.cfg.Store.Moment().Sub(h.watching) >= watchEvery {
		h.tellWatching()
	}
}

func (h *Hub) tellWatching() {
	h.watching = h.cfg.Store.Moment()
	h.cfg.Store.Tell(store.Topic(watchTopic + " " + h.cfg.Node()))
}
