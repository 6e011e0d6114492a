package api

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// feedSettle is how long an event may take to appear. Its id is made before its transaction commits, so it
	// can appear after younger events.
	feedSettle = 10 * time.Second
	// feedWindow bounds the ids in a cursor. If more events happen within feedSettle, the oldest count as
	// settled.
	feedWindow = 500
	eventIDLen = len(chat.KindEvent) + 1 + chat.ULIDLength
)

// feedOf selects the events of a follower.
type feedOf struct {
	orgID string
	types []chat.EventType // nil: all
	limit int
}

func (f feedOf) wants(e chat.Event) bool {
	return len(e.Payload) > 0 && !core.IsSample(e) && (f.types == nil || slices.Contains(f.types, e.Type))
}

// feedBatch is one answer to a follower.
type feedBatch struct {
	events []chat.Event
	more   bool
}

// feedPlace is how far a follower has read. No event up to the floor will appear any more; of the later ones,
// seen were read already.
type feedPlace struct {
	floor string
	seen  []uint64 // hashes of event ids
}

// position encodes the place for a cursor.
func (p feedPlace) position() store.Position {
	id := []byte(p.floor)
	for _, h := range p.seen {
		id = binary.BigEndian.AppendUint64(id, h)
	}
	return store.Position{ID: string(id)}
}

func placeOf(position store.Position) feedPlace {
	p := feedPlace{floor: position.ID[:eventIDLen]}
	for rest := []byte(position.ID[eventIDLen:]); len(rest) >= 8; rest = rest[8:] {
		p.seen = append(p.seen, binary.BigEndian.Uint64(rest))
	}
	return p
}

// placeNow is the place after all events that have appeared.
func placeNow(r store.Reader, orgID string, now time.Time) (feedPlace, error) {
	p := feedPlace{floor: store.FirstEventID(now.Add(-feedSettle))}
	for {
		batch, err := p.read(r, feedOf{orgID, []chat.EventType{}, 1}, now)
		if err != nil || !batch.more {
			return p, err
		}
	}
}

// read returns the new events and moves the place after them.
func (p *feedPlace) read(r store.Reader, of feedOf, now time.Time) (feedBatch, error) {
	const most = 2 * feedWindow // so that the place moves on even if no event is wanted
	rows, err := r.EventsAfter(of.orgID, p.floor, most)
	if err != nil {
		return feedBatch{}, err
	}
	batch := feedBatch{more: len(rows) == most}
	for i, e := range rows {
		if of.wants(e) && !slices.Contains(p.seen, hashOf(e.ID)) {
			batch.events = append(batch.events, e)
		}
		if len(batch.events) == of.limit && i+1 < len(rows) {
			rows, batch.more = rows[:i+1], true
			break
		}
	}
	p.moveBehind(rows, now.Add(-feedSettle))
	return batch, nil
}

// moveBehind marks rows as read. Rows older than settled, or beyond feedWindow, raise the floor.
func (p *feedPlace) moveBehind(rows []chat.Event, settled time.Time) {
	open := 0
	for open < len(rows) && rows[open].CreatedAt.Before(settled) {
		open++
	}
	open = max(open, len(rows)-feedWindow)
	if open > 0 {
		p.floor = rows[open-1].ID
	}
	p.seen = nil
	for _, e := range rows[open:] {
		p.seen = append(p.seen, hashOf(e.ID))
	}
}

func hashOf(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
