package store

import (
	"context"
	"errors"
	"sync"
	"time"
)

// postgresMemory caches rows of the steady tables on this node. A row counts while its organization has the edition that
// it had before the row was read. Everybody asks for the edition, because another node may have changed it; but that is one
// short statement for all who ask at once, instead of one for each of the rows that a request needs.
type postgresMemory struct {
	kept bool // the database keeps editions

	mu   sync.RWMutex
	rows map[string]steadyRow
}

type steadyRow struct {
	orgID, edition string // edition is empty until the row is read a second time: then its organization is known
	value          any
}

func (m *postgresMemory) get(key string) steadyRow {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.rows[key]
}

func (m *postgresMemory) put(key string, row steadyRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = map[string]steadyRow{}
	}
	makeRoom(m.rows)
	m.rows[key] = row
}

// clear forgets everything. A new connection may lead to a server that took another's place and has not got its last
// changes: what was read of those is nowhere any more.
func (m *postgresMemory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows = nil
}

// recallShared is recall on PostgreSQL. Simultaneous callers share one read.
func recallShared[T any](r Reader, e *postgresEngine, key string, owner func(T) string, read func() (T, error)) (found T, err error) {
	known := e.memory.get(key)
	edition := ""
	if known.orgID != "" {
		if edition, err = e.edition(r, known.orgID); err != nil {
			return found, err
		}
	}
	if edition != "" && edition == known.edition {
		return known.value.(T), nil
	}
	value, err := e.sharing.do(r.ctx, key, func() (any, error) { return read() })
	found, _ = value.(T)
	if err == nil && e.memory.kept {
		e.memory.put(key, steadyRow{owner(found), edition, found})
	}
	return found, err
}

// edition returns an organization's edition as of now, or as of the glance that the context has; empty if it has none.
func (e *postgresEngine) edition(r Reader, orgID string) (string, error) {
	g := glanceOf(r.ctx)
	if edition := g.edition(orgID); edition != "" {
		return edition, nil
	}
	found, err := e.sharing.do(r.ctx, "edition\x00"+orgID, func() (any, error) {
		return one(r, scanText, "SELECT edition FROM steady_editions WHERE org_id = $1 AND id = $2", orgID, steady)
	})
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	edition, _ := found.(string)
	if err == nil {
		g.learn(orgID, edition)
	}
	return edition, err
}

// glanceFor is how long what a glance has learnt holds.
const glanceFor = time.Second

// glance is what one request has learnt of an organization's edition, so that it asks once, and not for each row. What the
// request reads is then as of its beginning or later; what it has written itself ends the glance.
type glance struct {
	now   func() Moment
	until Moment

	mu             sync.Mutex
	orgID, current string
}

type glanceKey struct{}

// WithGlance lets reads in the context share a glance at what hardly ever changes. It is for a request, which takes a
// moment.
func (s *Store) WithGlance(ctx context.Context) context.Context {
	return context.WithValue(ctx, glanceKey{}, &glance{now: s.Moment, until: s.Moment().Add(glanceFor)})
}

// glanceOf returns the context's glance; nil if it has none.
func glanceOf(ctx context.Context) *glance {
	g, _ := ctx.Value(glanceKey{}).(*glance)
	return g
}

func (g *glance) edition(orgID string) string {
	if g == nil || g.now().After(g.until) {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.orgID != orgID {
		return ""
	}
	return g.current
}

func (g *glance) learn(orgID, edition string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.orgID, g.current = orgID, edition
}

// forget ends the glance.
func (g *glance) forget() { g.learn("", "") }
