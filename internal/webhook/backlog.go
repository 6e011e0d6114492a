package webhook

import (
	"time"

	"github.com/parleyhq/parley/internal/store"
)

// backlogState says whether the table may have due jobs of a lane that are not in memory.
type backlogState int

const (
	inMemory     backlogState = iota // none: new jobs go straight to memory
	inTable                          // some: new jobs queue up behind them
	outOfMemory                      // some, and there is no memory for them before the next sweep
	reading                          // a refill is reading them
	readingAgain                     // likewise, and more jobs have come since it began
)

// backlog records how far a lane's jobs have been read from the table.
type backlog struct {
	state    backlogState
	place    store.DeliveryPlace // how far the table has been read
	horizon  time.Time           // first attempts due by then count as due, even if the clock says they are in the future
	readTo   string              // the greatest id read from the table
	released map[string]bool     // ids that left memory during a refill, which may have read them before
	void     bool                // what the refill under way reads must be read again
	lookedAt store.Moment        // when the jobs of another living node were last looked for
}

// note records that the table has a job that is not in memory.
func (b *backlog) note() {
	switch b.state {
	case inMemory:
		b.state = inTable
	case reading:
		b.state = readingAgain
	}
}

// startAgain has the table read from its beginning, because jobs that were read before are forgotten.
func (b *backlog) startAgain() {
	b.place, b.void = store.DeliveryPlace{}, true
	b.note()
}

// relieve lets a lane that found no memory try again.
func (b *backlog) relieve() {
	if b.state == outOfMemory {
		b.state = inTable
	}
}

func (b *backlog) reads() bool { return b.state == reading || b.state == readingAgain }

// begin begins a refill.
func (b *backlog) begin() { b.state, b.released, b.void = reading, map[string]bool{}, false }

// end ends a refill. next is the new state, unless more jobs came meanwhile.
func (b *backlog) end(next backlogState) {
	if b.state == readingAgain && next == inMemory {
		next = inTable
	}
	b.state, b.released = next, nil
}

// dropped records a job that left memory.
func (b *backlog) dropped(id string) {
	if b.reads() {
		b.released[id] = true
	}
}
