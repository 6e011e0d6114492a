package inbound

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// The queues know which rows are in memory, and which rows must come first.

// maxKnown bounds the entries about rows that must come first, one for each number of a row. Beyond it the queues only
// know that there are such rows: some 20 MB are enough.
const maxKnown = 100_000

// beginStoring reports whether the caller must store an arrival: not if it was applied, is a row, or is being stored.
func (q *queues) beginStoring(a *arrival) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if a.left == 0 || a.storing || a.callback.ID != "" {
		return false
	}
	a.storing = true
	return true
}

// instant is the time in the ids of the next rows. Rows are read back by id, so it never goes back, even if the wall
// clock does.
func (q *queues) instant(now func() time.Time) time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch at := now(); {
	case at.After(q.newest):
		q.newest = at
	case at.Before(q.newest):
		q.newest = q.newest.Add(time.Millisecond)
	}
	return q.newest
}

// hold keeps rows that are about to be written from being read back.
func (q *queues) hold(rows []store.Callback) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range rows {
		q.held[c.ID] = true
	}
}

// letGo leaves rows to the sweeps.
func (q *queues) letGo(rows ...store.Callback) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range rows {
		delete(q.held, c.ID)
	}
}

// stored notes that an arrival is a row now. applied reports that the arrival was applied meanwhile; then the row must
// end.
func (q *queues) stored(a *arrival, row store.Callback) (e ended, applied bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	a.callback, a.storing = row, false
	return ended{row, a.failed}, a.left == 0
}

// rowOf is the row id of an arrival; empty if it is no row.
func (q *queues) rowOf(a *arrival) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return a.callback.ID
}

// notStored notes that arrivals could not be stored.
func (q *queues) notStored(arrivals []*arrival) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, a := range arrivals {
		a.storing = false
	}
}

// spill leaves a row in the table, to be read back in its turn. Later updates of its numbers wait for it.
func (q *queues) spill(a *arrival) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.held, a.callback.ID)
	if q.known += len(a.parts); q.known > maxKnown {
		clear(q.spilled)
		clear(q.spilledOf)
		q.known = 0
		q.lose()
		return
	}
	var numbers []string
	for _, p := range a.parts {
		numbers = append(numbers, p.number)
		q.spilledOf[p.number]++
	}
	q.spilled[a.callback.ID] = numbers
}

func (q *queues) unspill(id string) {
	q.known -= len(q.spilled[id])
	for _, number := range q.spilled[id] {
		if q.spilledOf[number]--; q.spilledOf[number] == 0 {
			delete(q.spilledOf, number)
		}
	}
	delete(q.spilled, id)
}

// load takes in a row that was read back. It reports false if the row is already in memory.
func (q *queues) load(a *arrival) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held[a.callback.ID] {
		return false
	}
	q.held[a.callback.ID] = true
	q.push(a)
	q.unspill(a.callback.ID)
	return true
}

// loadable reports whether a row must be read back, and whether there is room for it.
func (q *queues) loadable(id string) (wanted, room bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.held[id], q.bytes < q.most
}

// fallBehind notes that there are rows that the queues do not know.
func (q *queues) fallBehind() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lose()
}

func (q *queues) lose() {
	q.behind = true
	q.lost++
}

// outside are the rows known to be outside memory, the number of rows in memory, and the value of lost.
func (q *queues) outside() (spilled map[string]bool, held, lost int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	spilled = make(map[string]bool, len(q.spilled))
	for id := range q.spilled {
		spilled[id] = true
	}
	return spilled, len(q.held), q.lost
}

// caughtUp notes that all rows are in memory that existed when lost had this value. Spilled rows in gone were taken
// over by another node.
func (q *queues) caughtUp(gone map[string]bool, lost int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.behind = lost != q.lost
	for id := range gone {
		q.unspill(id)
	}
}

// wantsRows reports whether there are rows to read back, and plenty of room for them.
func (q *queues) wantsRows() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return (q.behind || len(q.spilled) > 0) && q.bytes < q.most/2
}
