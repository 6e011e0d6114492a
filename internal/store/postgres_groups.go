package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/parleyhq/parley/internal/fair"
)

const (
	// groupLines is the number of lines, each of which usually runs one group. A conversation always uses the same line,
	// so that groups of this node never wait for each other's locks. With more lines the groups are smaller, and
	// accepting takes the processors from outcomes and callbacks, which have a connection each.
	groupLines = 2
	// groupSize and groupRows bound a group, and thereby how long its first member waits for its last, and the next
	// group for it. What several organizations share is smaller. A member that is expected to write more than heavyRows,
	// such as an event for a hundred endpoints, is a group of its own.
	groupSize, groupRows, sharedRows, heavyRows = 64, 512, 192, 48
	// usualRows is what a member is expected to write if nothing is known of its like.
	usualRows = 6
	// groupQueue is how many members may wait in a line. Beyond it the store is overloaded. Those of an organization
	// that name no thread are all in one line.
	groupQueue, aheadQueue = 1024, 4096
	// rowTime is the charge of a row. Members run together, so that nobody knows what each of them took.
	rowTime = time.Microsecond
	// pairConns is how many connections it takes that a line may run two groups.
	pairConns = 16
	// groupTime bounds a group's transaction.
	groupTime = 20 * time.Second
	// mostRest bounds the rest of who has written much: a group may have waited for a lock.
	mostRest = 50 * time.Millisecond
)

// groups runs closures that wait at the same time in one transaction, one after the other, as the embedded
// store does. Their reads are done together beforehand, and their writes are sent together with the COMMIT. If
// a member fails before any of its writes was sent, only that member is rolled back. Otherwise the group is
// given up and each member runs alone.
type groups struct {
	engine *postgresEngine
	seed   maphash.Seed
	lines  []groupLine // of members that name a thread
	ahead  []groupLine // of the others; those of an organization are always in the same
	unfit  unfit

	mu      sync.Mutex
	company fair.Company[string]
}

type groupLine struct {
	work    func([]*member)
	alone   func() bool // no two organizations come
	most    int         // that may wait
	mu      sync.Mutex
	waiting *fair.Turns[Turn, *member]
	written map[like]int    // rows of the last member of each kind
	pair    bool            // two groups may run
	running int             // goroutines that run groups, one after the other
	busy    map[string]bool // organizations with members in those groups
	resting map[string]bool // organizations that leave the processors to others for a moment
}

// like names members that write about as many rows.
type like struct {
	turn Turn
	kind string
}

type member struct {
	ctx  context.Context
	want Foresight
	body func(session, *foreseen) error
	rows int // that it has written
	// misfit says that it has statements which cannot be run in a group.
	misfit bool
	err    error
	panic  *closurePanic
	done   chan struct{}
}

func (m *member) like() like { return like{turnOf(m.ctx), m.want.Kind} }

// newGroups returns the groups of a store with so many connections.
func newGroups(e *postgresEngine, conns int32) *groups {
	pair := conns >= pairConns
	g := &groups{engine: e, seed: maphash.MakeSeed()}
	g.lines, g.ahead = newLines(e.runGroup, g.alone, groupQueue, pair), newLines(e.runAhead, g.alone, aheadQueue, pair)
	return g
}

func newLines(work func([]*member), alone func() bool, most int, pair bool) []groupLine {
	lines := make([]groupLine, groupLines)
	for i := range lines {
		l := &lines[i]
		l.work, l.alone, l.most, l.pair = work, alone, most, pair
		l.waiting, l.written, l.busy, l.resting = fair.NewTurns[Turn, *member](), map[like]int{}, map[string]bool{}, map[string]bool{}
	}
	return lines
}

// note notes who comes.
func (g *groups) note(turn Turn) {
	if turn.OrgID == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.company.Note(turn.OrgID, time.Now())
}

func (g *groups) alone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.company.Alone()
}

// lineOf is the line of a member.
func (g *groups) lineOf(ctx context.Context, want Foresight) *groupLine {
	if want.Thread != (ThreadKey{}) {
		return &g.lines[maphash.Comparable(g.seed, want.Thread)%uint64(len(g.lines))]
	}
	return &g.ahead[maphash.Comparable(g.seed, turnOf(ctx).OrgID)%uint64(len(g.ahead))]
}

func (g *groups) do(ctx context.Context, want Foresight, body func(session, *foreseen) error) error {
	g.note(turnOf(ctx))
	if want.Thread == (ThreadKey{}) && g.unfit.is(want.Kind) {
		return g.engine.inTx(ctx, func(s session) error { return body(s, nil) })
	}
	m := &member{ctx: ctx, want: want, body: body, done: make(chan struct{})}
	line := g.lineOf(ctx, want)
	if !line.add(m) {
		return fmt.Errorf("%w: %d transactions are waiting", ErrUnavailable, line.most)
	}
	<-m.done
	if m.panic != nil {
		panic(m.panic)
	}
	return m.err
}

// add makes a member wait for its turn. It returns false if too many wait.
func (l *groupLine) add(m *member) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting.Len() >= l.most {
		return false
	}
	l.waiting.Add(turnOf(m.ctx), m)
	l.start()
	return true
}

// start runs one more group if there is room for it and somebody waits who could be in it.
func (l *groupLine) start() {
	if !l.room(l.running) {
		return
	}
	if _, _, somebody := l.waiting.First(l.free); somebody {
		l.running++
		go l.run()
	}
}

// free tells whether no running group has members of the organization. Two groups with members of one would wait for
// each other's locks.
func (l *groupLine) free(turn Turn) bool { return !l.busy[turn.OrgID] && !l.resting[turn.OrgID] }

// room tells whether one more group may run beside so many. Beside the group of a single organization one may, so that
// others need not wait for the end of it. Groups of several are shared fairly, and larger ones are cheaper.
func (l *groupLine) room(running int) bool {
	return running == 0 || running == 1 && l.pair && len(l.busy) == 1
}

// next takes the next group; none ends the goroutine.
func (l *groupLine) next() (group []*member) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.room(l.running - 1) {
		group = l.take()
	}
	for _, m := range group {
		l.busy[turnOf(m.ctx).OrgID] = true
	}
	if len(group) == 0 {
		l.running--
		return nil
	}
	l.start()
	return group
}

// take takes members of organizations that are free, as many rows from each.
func (l *groupLine) take() (group []*member) {
	most := groupRows
	if l.waiting.Keys() > 1 {
		most = sharedRows
	}
	for rows := 0; len(group) < groupSize; {
		turn, m, ok := l.waiting.First(l.free)
		if !ok {
			break
		}
		expected := cmp.Or(l.written[m.like()], usualRows)
		if expected > heavyRows {
			most = min(most, expected)
		}
		if len(group) > 0 && rows+expected > most {
			break
		}
		group = append(group, l.waiting.TakeOf(turn))
		l.waiting.Charge(turn, time.Duration(expected)*rowTime)
		rows += expected
	}
	return group
}

// learn remembers how much the members of a group that has ended have written.
func (l *groupLine) learn(group []*member, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.written) > groupQueue {
		clear(l.written)
	}
	for _, m := range group {
		delete(l.busy, turnOf(m.ctx).OrgID)
		if m.rows > 0 {
			l.written[m.like()] = m.rows
		}
	}
	if len(group) == 1 {
		l.rest(group[0], took)
	}
}

func (l *groupLine) run() {
	for group := l.next(); len(group) > 0; group = l.next() {
		begun := time.Now()
		l.work(group)
		l.learn(group, time.Since(begun))
	}
}

// rest lets the organization of a member that has written much wait for its next group as long as this one took, while
// others come: the processors and the disk are theirs in that time. A member that has run outside of its group counts
// as none. The caller holds the lock.
func (l *groupLine) rest(m *member, took time.Duration) {
	if m.rows <= heavyRows || l.alone() {
		return
	}
	orgID := turnOf(m.ctx).OrgID
	l.resting[orgID] = true
	time.AfterFunc(min(took, mostRest), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.resting, orgID)
		l.start()
	})
}

func (e *postgresEngine) inGroup(ctx context.Context, want Foresight, body func(session, *foreseen) error) error {
	return e.groups.do(ctx, want, body)
}

// runGroup runs members together.
func (e *postgresEngine) runGroup(group []*member) { e.settle(group, nil, e.tryGroup(group)) }

// settle tells the members their outcome. If the group has failed, it runs each one alone, because one of them may be
// the cause. If the outcome of the group is unknown, all members get that error.
func (e *postgresEngine) settle(group, alone []*member, err error) {
	for _, m := range group {
		switch {
		case err == nil && slices.Contains(alone, m):
			go e.runAlone(m)
		case err == nil:
			close(m.done)
		case errors.Is(err, ErrUnavailable), errors.Is(err, ErrClosed):
			m.err = err
			close(m.done)
		default:
			go e.runAlone(m)
		}
	}
}

func (e *postgresEngine) runAlone(m *member) {
	defer close(m.done)
	m.err, m.panic = nil, nil
	err := e.inTx(m.ctx, func(s session) error {
		m.protect(s, nil)
		if m.panic != nil {
			return errors.New("store: the closure did not return")
		}
		return m.err
	})
	m.err = err
}

// errSpoiled gives a group up: writes of a failed member were already sent.
var errSpoiled = errors.New("store: a member of the group failed after it had written")

func (e *postgresEngine) tryGroup(group []*member) error {
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	conn, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx := &groupTx{postgresTx: postgresTx{conn: conn, pooled: e.pooled}, ctx: ctx}
	if err = tx.runAll(group); err == nil {
		err = tx.commit(ctx)
	}
	if err != nil {
		tx.rollback(ctx)
		return afterGroup(err)
	}
	return nil
}

// afterGroup tells a failure after which each member may run alone, because nothing was done, from one that may
// have been a success.
func afterGroup(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == lockTimeout {
		return refused // of one member, whose lock the others need not wait for
	}
	if errors.Is(err, ErrUnavailable) || errors.Is(err, errSpoiled) || errors.As(err, &refused) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// groupTx is the transaction of a group. Its statements do not use the member's context, because a cancelled
// one would close the connection for all.
type groupTx struct {
	postgresTx
	ctx    context.Context
	known  *foreseen
	broken bool // a statement failed, or something that was sent must be undone
	advance
}

// advance is the progress of a member.
type advance struct {
	own   int  // index in pending where its own statements begin
	left  bool // the pending statements were sent
	wrote bool // and some of them were its own
}

// runAll runs the members in order of their threads, as readThreads locks them: nodes that meet the same people at the
// same time wait for each other's contacts, but not in a circle.
func (tx *groupTx) runAll(group []*member) error {
	slices.SortStableFunc(group, func(a, b *member) int { return a.want.Thread.compare(b.want.Thread) })
	wants := make([]Foresight, 0, len(group))
	for _, m := range group {
		wants = append(wants, m.want)
	}
	var err error
	if tx.known, err = tx.foresee(tx.ctx, wants); err != nil {
		return err
	}
	for _, m := range group {
		if !tx.run(m) {
			return errSpoiled
		}
	}
	return nil
}

// run runs a member. It returns false if the member has spoiled the group.
func (tx *groupTx) run(m *member) bool {
	if m.err = m.ctx.Err(); m.err != nil {
		return true
	}
	tx.advance, tx.known.touched = advance{own: len(tx.pending)}, nil
	m.protect(tx, tx.known)
	if m.err == nil && m.panic == nil {
		m.err = m.ctx.Err()
	}
	if tx.broken || m.err == nil && m.panic == nil {
		m.rows = len(tx.pending) - tx.own
		return !tx.broken
	}
	if !tx.wrote {
		tx.takeBack(tx.own)
	}
	return !tx.wrote
}

// protect runs a member's closure, and keeps a panic from ending the others.
func (m *member) protect(s session, known *foreseen) {
	defer func() {
		if value := recover(); value != nil {
			m.panic = &closurePanic{value: value, stack: debug.Stack()}
		}
	}()
	m.err = m.body(s, known)
}

// takeBack drops the pending statements from there on.
func (tx *groupTx) takeBack(from int) {
	tx.pending = tx.pending[:from]
	tx.known.undo()
}

func (tx *groupTx) query(_ context.Context, sql string, args []any, each func(scanner) error) error {
	tx.goesOut(!strings.HasPrefix(sql, "SELECT"))
	return tx.noting(tx.postgresTx.query(tx.ctx, sql, args, each))
}

func (tx *groupTx) exec(_ context.Context, sql string, args []any) (int64, error) {
	tx.goesOut(true)
	n, err := tx.postgresTx.exec(tx.ctx, sql, args)
	return n, tx.noting(err)
}

// noting remembers a failed statement, after which PostgreSQL refuses all others in that transaction.
func (tx *groupTx) noting(err error) error {
	tx.broken = tx.broken || err != nil
	return err
}

// goesOut records that the pending statements are sent, and the member's next one with them.
func (tx *groupTx) goesOut(write bool) {
	tx.wrote = tx.wrote || write || len(tx.pending) > tx.own
	tx.own, tx.left = 0, true
}

// try runs fn so that its failure undoes only fn: if some of it was sent, the group is given up.
func (tx *groupTx) try(fn func() error) error {
	outer, from := tx.advance, len(tx.pending)
	tx.advance = advance{own: from}
	err := fn()
	if err != nil && tx.wrote {
		tx.broken = true
	} else if err != nil {
		tx.takeBack(tx.own)
	}
	inner := tx.advance
	tx.advance = outer
	if inner.left {
		tx.own, tx.left, tx.wrote = 0, true, outer.wrote || inner.wrote || from > outer.own
	}
	return err
}
