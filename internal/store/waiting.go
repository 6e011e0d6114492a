package store

import "strconv"

// mostWaiting is where the count stops, because beyond it the exact number does not matter.
const mostWaiting = 100_000

// Queue is a kind of waiting work, of all organizations.
type Queue struct {
	Name string
	rows string
}

// The queues of the store.
var (
	QueuedSends      = Queue{"sends", "send_jobs"}
	QueuedHeld       = Queue{"held_sends", "held_sends"}
	QueuedDeliveries = Queue{"deliveries", "webhook_deliveries WHERE next_attempt_at IS NOT NULL"}
	// QueuedFanOuts are events of which not all deliveries are written yet.
	QueuedFanOuts   = Queue{"fan_outs", "fan_outs"}
	QueuedCallbacks = Queue{"callbacks", "callbacks"}
	QueuedFiles     = Queue{"files", "media_jobs"}

	Queues = []Queue{QueuedSends, QueuedHeld, QueuedDeliveries, QueuedFanOuts, QueuedCallbacks, QueuedFiles}
)

// Waiting counts the waiting work of a queue, up to 100,000.
func (r Reader) Waiting(q Queue) (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1 AS n FROM "+q.rows+" LIMIT "+strconv.Itoa(mostWaiting)+") w")
}
