package sender

import (
	"slices"

	"github.com/parleyhq/parley/internal/store"
)

// Recall tells the sender that a conversation has more messages in the table, which another node accepted behind
// messages of this node. They are read at once instead of by the next sweep.
func (s *Sender) Recall(queue store.SendQueue) {
	if queue.Owner != s.Node() {
		return
	}
	s.mu.Lock()
	s.told[queue] = true
	s.mu.Unlock()
	s.hear.Wake()
}

func (s *Sender) recallLoop() {
	for {
		select {
		case <-s.hear:
		case <-s.ctx.Done():
			return
		}
		for queue := range s.takeTold() {
			if err := s.recall(queue); err != nil {
				s.warn("messages that another node has accepted could not be read", err)
				break // sweeps will find them
			}
		}
	}
}

func (s *Sender) takeTold() map[store.SendQueue]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.told
	s.told = map[store.SendQueue]bool{}
	return told
}

// recall takes up the jobs in the table behind the messages in memory, up to the first job of another node.
func (s *Sender) recall(queue store.SendQueue) error {
	if !s.mayTake() || !s.roomFor(queue.AccountID) {
		return nil
	}
	jobs, err := s.cfg.Store.Read(s.ctx).SendJobsBehind(queue.OrgID, queue.ConversationID, s.lastHeld(queue), s.page())
	if err != nil {
		return err
	}
	if others := slices.IndexFunc(jobs, func(j store.SendJob) bool { return j.Owner != queue.Owner }); others >= 0 {
		jobs = jobs[:others]
	}
	// A job of another queue may stand behind a job that was skipped here. Sweeps take it up.
	jobs = slices.DeleteFunc(jobs, func(j store.SendJob) bool { return j.Queue() != queue.ConversationID })
	return s.load(s.unheld(jobs), map[string]bool{})
}

// lastHeld is the last message of a conversation in memory; "" if there is none.
func (s *Sender) lastHeld(queue store.SendQueue) string {
	s.mu.Lock()
	n := s.numbers[queue.AccountID]
	s.mu.Unlock()
	if n == nil {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	q := n.queues[queue.ConversationID]
	if q == nil {
		return ""
	}
	return q.waiting[len(q.waiting)-1].Job.MessageID
}

// forgetLoaded forgets which jobs were read from the table some time ago. A job that comes to Enqueue so late is looked
// up before it is sent.
func (s *Sender) forgetLoaded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.cfg.Store.Moment()
	for id, at := range s.loaded {
		if now.Sub(at) > 2*s.cfg.SweepEvery {
			delete(s.loaded, id)
		}
	}
}
