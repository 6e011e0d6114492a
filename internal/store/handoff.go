package store

import (
	"slices"

	"github.com/parleyhq/parley/internal/chat"
)

// Hands is who takes, on this node, what transactions leave for others to do. Each is called once the
// transaction is durable, in its goroutine, and does not block. Where there is none for something, no node
// owns it, and other processes are told.
type Hands struct {
	// Node owns what is taken here.
	Node func() string
	// Send takes messages that were accepted.
	Send func(chat.Account, SendWork)
	// Deliver takes deliveries of events.
	Deliver func([]DeliveryJob)
	// Fetch takes files of messages that came in.
	Fetch func(MediaJob)
	// Numbers is told that a number has come or gone.
	Numbers func()
	// Subscription is told that a subscription changed, or that deliveries wait for it which belong to no
	// node.
	Subscription func(orgID, id string)
	// Changed is told what open dashboards may show.
	Changed func([]Change)
	// Count is told in which quarters of an hour the numbers of messages and deliveries may be others.
	Count func([]Slot)
	// CallOff is told that deliveries of a subscription are not to be attempted any more. Other nodes see it
	// before they try again (see DeliveryDue).
	CallOff func(subscriptionID string, ids []string)
}

// HandTo changes who takes what transactions leave, from the next transaction on.
func (s *Store) HandTo(change func(*Hands)) {
	s.handsMu.Lock()
	defer s.handsMu.Unlock()
	hands := *s.hands.Load()
	change(&hands)
	s.hands.Store(&hands)
}

// work is what a transaction leaves for others.
type work struct {
	sends      []sending
	deliveries []DeliveryJob
	files      []MediaJob
	numbers    bool
	changed    []subscriptionKey
	calledOff  []calledOff
	changes    []Change
	slots      []Slot
	topics     []Topic // for other processes
}

type sending struct {
	account chat.Account
	SendWork
}

type subscriptionKey struct{ orgID, id string }

type calledOff struct {
	subscriptionID string
	ids            []string
}

// tell lets other processes know once the transaction is durable.
func (tx *Tx) tell(topic Topic) {
	if !slices.Contains(tx.work.topics, topic) {
		tx.work.topics = append(tx.work.topics, topic)
	}
}

// handOver gives others what a transaction has left for them.
func (tx *Tx) handOver() {
	h, w := tx.hands, &tx.work
	for _, s := range w.sends {
		h.Send(s.account, s.SendWork)
	}
	if len(w.deliveries) > 0 {
		h.Deliver(w.deliveries)
	}
	for _, file := range w.files {
		h.Fetch(file)
	}
	if w.numbers {
		h.Numbers()
	}
	for _, s := range w.changed {
		h.Subscription(s.orgID, s.id)
	}
	for _, c := range w.calledOff {
		h.CallOff(c.subscriptionID, c.ids)
	}
	if len(w.changes) > 0 {
		h.Changed(w.changes)
	}
	if len(w.slots) > 0 {
		h.Count(w.slots)
	}
	for _, topic := range w.topics {
		tx.store.engine.tell(topic)
	}
}

// QueueSend puts an accepted message on its way, from this node if messages are sent here.
func (tx *Tx) QueueSend(account chat.Account, w SendWork) (SendJob, error) {
	here := ""
	if tx.hands.Send != nil {
		here = tx.hands.Node()
	}
	w.Job.Owner = here
	job, err := tx.InsertSendJob(w.Job)
	if err == nil && here != "" && job.Owner == here {
		w.Job = job
		tx.work.sends = append(tx.work.sends, sending{account, w})
	}
	return job, err
}

// QueueFile asks for an inbound file to be fetched, by this node if files are fetched here.
func (tx *Tx) QueueFile(j MediaJob) error {
	if tx.hands.Fetch == nil {
		tx.tell(TopicFiles)
		return tx.InsertMediaJob(j)
	}
	j.Owner = tx.hands.Node()
	tx.work.files = append(tx.work.files, j)
	return tx.InsertMediaJob(j)
}

// noteNumber has a number that has come or gone looked after.
func (tx *Tx) noteNumber(orgID string) {
	tx.noteChange(ChangedNumbers, orgID, "")
	if tx.hands.Numbers == nil {
		tx.tell(TopicNumbers)
		return
	}
	tx.work.numbers = true
}

// SubscriptionChanged tells of a change of a subscription once it is durable.
func (tx *Tx) SubscriptionChanged(orgID, id string) {
	tx.forgetReceivers(orgID)
	tx.noteChange(ChangedWebhooks, orgID, "")
	tx.tell(TopicDeliveries)
	if tx.hands.Subscription != nil {
		tx.work.changed = append(tx.work.changed, subscriptionKey{orgID, id})
	}
}

func (tx *Tx) callOff(subscriptionID string, ids []string) {
	if tx.hands.CallOff != nil && len(ids) > 0 {
		tx.work.calledOff = append(tx.work.calledOff, calledOff{subscriptionID, ids})
	}
}
