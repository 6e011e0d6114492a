package sender

import (
	"container/heap"
	"errors"
	"maps"
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
	if lease.Node != s.life {
		s.life = lease.Node
		for _, n := range s.numbers {
			for _, id := range n.abandon() {
				delete(s.held, id)
				n.held--
			}
		}
		s.former = maps.Clone(s.held)
	}
	return len(s.former) == 0 && lease.Holds(s.cfg.Store.Moment(), 0)
}

// abandon forgets all messages that are not on their way, and returns their ids.
func (n *number) abandon() (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, l := range n.lanes {
		kept := 0
		if l.busy {
			kept = 1
		}
		for _, w := range l.queue[kept:] {
			ids = append(ids, w.Job.MessageID)
		}
		clear(l.queue[kept:])
		l.queue = l.queue[:kept]
		if !l.busy {
			heap.Remove(&n.ready, l.index)
			delete(n.lanes, id)
		}
	}
	return ids
}
