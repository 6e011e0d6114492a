package store

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Later is a statement whose result nobody waits for.
func Later(tx *Tx, sql string, args ...any) error { return tx.later(sql, args...) }

// Journey counts the statements sent to PostgreSQL, and the round trips.
type Journey struct{ Statements, Trips atomic.Int64 }

// Traced is a configuration whose statements are counted.
func Traced(cfg Config) (Config, *Journey) {
	j := &Journey{}
	cfg.tracer = j
	return cfg, j
}

func (j *Journey) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	j.Statements.Add(1)
	j.Trips.Add(1)
	return ctx
}

func (j *Journey) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (j *Journey) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	j.Trips.Add(1)
	return ctx
}

func (j *Journey) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {
	j.Statements.Add(1)
}

func (j *Journey) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// OneGroup makes PostgreSQL's groups run one at a time.
func OneGroup(s *Store) {
	g := s.engine.(*postgresEngine).groups
	g.lines, g.ahead = g.lines[:1], g.ahead[:1]
}

// InLine is the number of members that wait for the next group, in the first line of those that name a thread and of the
// others.
func InLine(s *Store) (waiting int) {
	g := s.engine.(*postgresEngine).groups
	for _, line := range []*groupLine{&g.lines[0], &g.ahead[0]} {
		line.mu.Lock()
		waiting += line.waiting.Len()
		line.mu.Unlock()
	}
	return waiting
}

// Exec is a statement whose count of changed rows the closure waits for.
func Exec(tx *Tx, sql string, args ...any) (int64, error) { return tx.exec(sql, args...) }

// RunsTogether reports whether PostgreSQL would run a transaction of this kind together with others.
func RunsTogether(s *Store, kind string) bool {
	u := &s.engine.(*postgresEngine).groups.unfit
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.until[kind] == 0
}

// HoldLookUps makes look-ups by a key wait until they are released.
func HoldLookUps(s *Store) (waiting func() int, release func()) {
	e := s.engine.(*postgresEngine)
	e.lookUps.mu.Lock()
	defer e.lookUps.mu.Unlock()
	e.lookUps.running += lookUpTrips
	waiting = func() int {
		e.lookUps.mu.Lock()
		defer e.lookUps.mu.Unlock()
		return len(e.lookUps.waiting)
	}
	return waiting, func() {
		for range lookUpTrips {
			e.lookUps.leave(e)
		}
	}
}

// Sharing lets readers of one row share its answers.
type Sharing struct{ sharing }

// Do reads, or waits for who does.
func (s *Sharing) Do(ctx context.Context, read func() error) error {
	_, err := s.do(ctx, "row", func() (any, error) { return nil, read() })
	return err
}

// State tells whether somebody reads, and whether somebody waits to read next.
func (s *Sharing) State() (reading, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.asks["row"]
	return current != nil, current != nil && current.next != nil
}

// Readers is how many reads have a seat on PostgreSQL, and how many wait for one.
func Readers(s *Store) (seated, waiting int) {
	seats := s.engine.(*postgresEngine).seats
	seats.mu.Lock()
	defer seats.mu.Unlock()
	return seats.taken, seats.waiting.Len()
}

// Fit says what is known of a statement by its text: its kind, the table that it is about, and whether its row can be
// named.
func Fit(sql string) string {
	f := aheadFormOf(sql)
	kind := map[aheadKind]string{aheadOther: "alone", aheadRead: "read", aheadAdd: "add", aheadInsert: "insert", aheadChange: "change"}[f.kind]
	for _, known := range []struct {
		is   bool
		word string
	}{{f.table != "", f.table}, {f.row != nil, "row"}, {f.locks, "locked"}, {f.counted, "counted"}} {
		if known.is {
			kind += " " + known.word
		}
	}
	return kind
}

// NextGroup is the turns of the members that run together, of those that wait, when each turn's last member wrote so
// many rows.
func NextGroup(waiting []Turn, written map[Turn]int) (together []Turn) {
	line := &newGroups(nil, pairConns).lines[0]
	for _, turn := range waiting {
		line.waiting.Add(turn, &member{ctx: WithTurn(context.Background(), turn)})
	}
	for turn, rows := range written {
		line.learn([]*member{{ctx: WithTurn(context.Background(), turn), rows: rows}}, 0)
	}
	for _, m := range line.take() {
		together = append(together, turnOf(m.ctx))
	}
	return together
}

// MostRest is how long an organization rests at most.
const MostRest = mostRest

// Line is a line of groups that end when the test says so.
type Line struct {
	line *groupLine
	mu   sync.Mutex
	runs []*Group
}

// Group is what runs together.
type Group struct {
	Members []LineMember
	end     chan struct{}
}

// LineMember writes so many rows on somebody's behalf.
type LineMember struct {
	Turn Turn
	Rows int
}

// NewLine returns an empty line, of a store to which one organization comes or several.
func NewLine(alone bool) *Line {
	l := &Line{}
	l.line = &newLines(l.work, func() bool { return alone }, groupQueue, true)[0]
	return l
}

func (l *Line) work(members []*member) {
	g := &Group{end: make(chan struct{})}
	for _, m := range members {
		g.Members = append(g.Members, LineMember{turnOf(m.ctx), m.rows})
	}
	l.mu.Lock()
	l.runs = append(l.runs, g)
	l.mu.Unlock()
	<-g.end
}

// Add makes a member wait.
func (l *Line) Add(m LineMember) {
	l.line.add(&member{ctx: WithTurn(context.Background(), m.Turn), rows: m.Rows})
}

// Running is the groups that run.
func (l *Line) Running() []*Group {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.runs)
}

// End ends a group.
func (l *Line) End(g *Group) {
	l.mu.Lock()
	l.runs = slices.DeleteFunc(l.runs, func(other *Group) bool { return other == g })
	l.mu.Unlock()
	close(g.end)
}
