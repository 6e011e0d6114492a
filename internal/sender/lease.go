package sender

import (
	"container/heap"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// leaseAgain is how soon a message is tried again after the node had no lease for it.
const leaseAgain = 200 * time.Millisecond

// errNoLease means that the node may have been declared dead, and that another node may have the message.
var errNoLease = errors.New("this node has no lease")

// Node is the owner to write into jobs that are handed to Enqueue.
func (s *Sender) Node() string { return s.cfg.Lease().Node }

// owns tells whether a job certainly belongs to this node. Only then may its message be sent.
func (s *Sender) owns(job store.SendJob) bool {
	lease := s.cfg.Lease()
	return job.Owner == lease.Node && lease.Holds(s.cfg.Store.Moment(), 0)
}

// mayTake tells whether jobs may be taken from the table. After the node was declared dead, the sender forgets the jobs
// it had under the old name. It takes nothing while calls of that time are under way or their outcomes are not written,
// because new messages might overtake them.
func (s *Sender) mayTake() bool {
	lease := s.cfg.Lease()
	s.mu.Lock()
	defer s.mu.Unlock()
	if renamed := lease.Node != s.life; renamed || len(s.former) > 0 {
		s.life = lease.Node
		for _, n := range s.numbers {
			for _, id := range n.abandon(s.life) {
				delete(s.held, id)
				delete(s.former, id) // it was put off at the moment the node got its new name
				n.held--
			}
		}
		if renamed {
			s.former = maps.Clone(s.held)
		}
	}
	return len(s.former) == 0 && lease.Holds(s.cfg.Store.Moment(), 0)
}

// abandon forgets the messages that belong to another name of the node and are not under way. It returns their ids.
func (n *number) abandon(life string) (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, q := range n.queues {
		kept, before := 0, len(q.waiting)
		if q.busy {
			kept = 1
		}
		own := slices.DeleteFunc(q.waiting[kept:], func(w queued) bool {
			if w.Job.Owner == life {
				return false
			}
			ids = append(ids, w.Job.MessageID)
			return true
		})
		q.waiting = q.waiting[:kept+len(own)]
		if q.busy || len(q.waiting) == before {
			continue
		}
		heap.Remove(n.heapOf(q), q.index)
		if len(q.waiting) == 0 {
			delete(n.queues, id)
		} else {
			n.makeReady(q, q.waiting[0].due)
		}
	}
	return ids
}
