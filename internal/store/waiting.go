package store

import "strconv"

// mostWaiting is where counting what waits stops: nobody needs to know more exactly how much too much it is.
const mostWaiting = 100_000

// Queue is work that waits, of all organizations.
type Queue struct {
	Name string
	rows string
}

// The queues of the store.
var (
	QueuedSends      = Queue{"sends", "send_jobs"}
	QueuedHeld       = Queue{"held_sends", "held_sends"}
	QueuedDeliveries = Queue{"deliveries", "webhook_deliveries WHERE next_attempt_at IS NOT NULL"}
	QueuedCallbacks  = Queue{"callbacks", "callbacks"}
	QueuedFiles      = Queue{"files", "media_jobs"}

	Queues = []Queue{QueuedSends, QueuedHeld, QueuedDeliveries, QueuedCallbacks, QueuedFiles}
)

// Waiting counts what waits in a queue, up to 100,000.
func (r Reader) Waiting(q Queue) (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1 AS n FROM "+q.rows+" LIMIT "+strconv.Itoa(mostWaiting)+") w")
}
