package sender

import (
	"container/heap"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// leaseAgain is how soon a message is tried again for which the node had no lease.
const leaseAgain = 200 * time.Millisecond

// errNoLease: the node may have been taken for dead, and the message may be another's to send.
var errNoLease = errors.New("this node has no lease")

// Node is the owner to write into the jobs that are handed to Enqueue.
func (s *Sender) Node() string { return s.cfg.Lease().Node }

// owns tells whether a job is certainly this node's: only then it may go out.
func (s *Sender) owns(job store.SendJob) bool {
	lease := s.cfg.Lease()
	return job.Owner == lease.Node && lease.Holds(s.cfg.Store.Moment(), 0)
}

// mayTake tells whether jobs may be taken from the table. After the node was taken for dead the sender
// forgets what it had then, and takes nothing as long as calls of that time are under way or their outcomes
// are not written: it might overtake them.
func (s *Sender) mayTake() bool {
	lease := s.cfg.Lease()
	s.mu.Lock()
	defer s.mu.Unlock()
	if renamed := lease.Node != s.life; renamed || len(s.former) > 0 {
		s.life = lease.Node
		for _, n := range s.numbers {
			for _, id := range n.abandon(s.life) {
				delete(s.held, id)
				delete(s.former, id) // it was put off just when the node got its name
				n.held--
			}
		}
		if renamed {
			s.former = maps.Clone(s.held)
		}
	}
	return len(s.former) == 0 && lease.Holds(s.cfg.Store.Moment(), 0)
}

// abandon forgets the messages of other lives that are not on their way, and returns their ids.
func (n *number) abandon(life string) (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, l := range n.lanes {
		kept, before := 0, len(l.queue)
		if l.busy {
			kept = 1
		}
		own := slices.DeleteFunc(l.queue[kept:], func(w queued) bool {
			if w.Job.Owner == life {
				return false
			}
			ids = append(ids, w.Job.MessageID)
			return true
		})
		l.queue = l.queue[:kept+len(own)]
		if l.busy || len(l.queue) == before {
			continue
		}
		heap.Remove(n.heapOf(l), l.index)
		if len(l.queue) == 0 {
			delete(n.lanes, id)
		} else {
			n.makeReady(l, l.queue[0].due)
		}
	}
	return ids
}
