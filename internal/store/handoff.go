package store

import (
	"slices"

	"github.com/parleyhq/parley/internal/chat"
)

// Hands takes the work that transactions on this node leave. Each function is called once the transaction is
// durable, in its goroutine, and must not block. If a function is nil, the work has no owner, and other
// processes are told.
type Hands struct {
	// Node is the owner of the work taken here.
	Node func() string
	// Send takes accepted messages.
	Send func(chat.Account, SendWork)
	// Deliver takes webhook deliveries.
	Deliver func([]DeliveryJob)
	// Fetch takes files of inbound messages.
	Fetch func(MediaJob)
	// Numbers is called when a number was connected or disconnected.
	Numbers func()
	// Subscription is called when a subscription changed, or has deliveries without an owner.
	Subscription func(orgID, id string)
	// Changed gets the changes that open dashboards may show.
	Changed func([]Change)
	// Count gets what may have other counts now.
	Count func([]Mark)
	// CallOff is called when deliveries of a subscription must not be attempted any more. Other nodes notice
	// before their next attempt (see DeliveryDue).
	CallOff func(subscriptionID string, ids []string)
}

// Here is the name of this node; empty: it has none.
func (tx *Tx) Here() string {
	if tx.hands.Node == nil {
		return ""
	}
	return tx.hands.Node()
}

// HandTo changes the hands from the next transaction on.
func (s *Store) HandTo(change func(*Hands)) {
	s.handsMu.Lock()
	defer s.handsMu.Unlock()
	hands := *s.hands.Load()
	change(&hands)
	s.hands.Store(&hands)
}

// work is the work that a transaction leaves: to the hands, which take it at once, and to its caller, who finishes the
// fan-outs after that.
type work struct {
	sends      []sending
	deliveries []DeliveryJob
	files      []MediaJob
	numbers    bool
	changed    []subscriptionKey
	calledOff  []calledOff
	changes    []Change
	marks      []Mark
	topics     []Topic // for other processes
	fanOuts    []FanOut
	finish     Finisher // of the fan-outs
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

// tell sends a topic to other processes once the transaction is durable.
func (tx *Tx) tell(topic Topic) {
	if !slices.Contains(tx.work.topics, topic) {
		tx.work.topics = append(tx.work.topics, topic)
	}
}

// handOver hands over the work of a durable transaction.
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
	if len(w.marks) > 0 {
		h.Count(w.marks)
	}
	for _, topic := range w.topics {
		tx.store.engine.tell(topic)
	}
}

// QueueSend queues an accepted message. This node owns it if it sends messages.
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

// QueueFile queues an inbound file. This node owns it if it fetches files.
func (tx *Tx) QueueFile(j MediaJob) error {
	if tx.hands.Fetch == nil {
		tx.tell(TopicFiles)
		return tx.InsertMediaJob(j)
	}
	j.Owner = tx.hands.Node()
	tx.work.files = append(tx.work.files, j)
	return tx.InsertMediaJob(j)
}

// noteNumber calls Numbers for a connected or disconnected number.
func (tx *Tx) noteNumber(orgID string) {
	tx.noteChange(ChangedNumbers, orgID, "")
	if tx.hands.Numbers == nil {
		tx.tell(TopicNumbers)
		return
	}
	tx.work.numbers = true
}

// SubscriptionChanged calls Subscription once the change is durable.
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
