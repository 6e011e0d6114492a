package store

import "strconv"

// mostWaiting is where counting what waits stops: nobody needs to know more exactly how much too much it is.
const mostWaiting = 100_000

// Queue is a table of work that waits.
type Queue struct {
	Name string
	rows string
}

// Queues are all there are.
var Queues = []Queue{
	{"sends", "send_jobs"},
	{"held_sends", "held_sends"},
	{"deliveries", "webhook_deliveries WHERE next_attempt_at IS NOT NULL"},
	{"callbacks", "callbacks"},
	{"files", "media_jobs"},
}

// Waiting counts what waits in a queue, of all organizations, up to 100,000.
func (r Reader) Waiting(q Queue) (int, error) {
	return one(r, scanInt, "SELECT COUNT(*) FROM (SELECT 1 AS n FROM "+q.rows+" LIMIT "+strconv.Itoa(mostWaiting)+") w")
}
