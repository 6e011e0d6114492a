package webhook

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// backlogState is what the table may have of a lane's due jobs that memory does not.
type backlogState int

const (
	inMemory     backlogState = iota // nothing: new jobs come straight to memory
	inTable                          // some: new ones queue up behind them
	outOfMemory                      // some, and there is no memory for them before the next sweep
	reading                          // a refill reads them
	readingAgain                     // likewise, and something has come since it began
)

// backlog is how far a lane's jobs have come from the table.
type backlog struct {
	state    backlogState
	place    store.DeliveryPlace // how far the table was read
	horizon  time.Time           // by which the first attempts in it are due, also if the clock says that is to come
	readTo   string              // the greatest id that was found in it
	released map[string]bool     // what left memory during a refill, which may have read it before
	lookedAt store.Moment        // when jobs of another living node were last looked for
}

// note tells that the table has something that is not in memory.
func (b *backlog) note() {
	switch b.state {
	case inMemory:
		b.state = inTable
	case reading:
		b.state = readingAgain
	}
}

// relieve lets a lane try again that found no memory.
func (b *backlog) relieve() {
	if b.state == outOfMemory {
		b.state = inTable
	}
}

func (b *backlog) reads() bool { return b.state == reading || b.state == readingAgain }

// begin begins a refill.
func (b *backlog) begin() { b.state, b.released = reading, map[string]bool{} }

// end ends a refill: next is what the table has, unless something came meanwhile.
func (b *backlog) end(next backlogState) {
	if b.state == readingAgain && next == inMemory {
		next = inTable
	}
	b.state, b.released = next, nil
}

// dropped notes what has left memory.
func (b *backlog) dropped(id string) {
	if b.reads() {
		b.released[id] = true
	}
}
