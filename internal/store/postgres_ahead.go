package store

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// aheadPasses is how often the members of a group are run, until those that still lack something run alone.
	aheadPasses = 6
	// aheadRows is how much a member may write. One that writes more would make the others wait.
	aheadRows = 64
	// aheadSettings are those of useIndexes. Nobody waits long for a row that another transaction has locked, because
	// all members would: after that each waits alone.
	aheadSettings = ", set_config('lock_timeout', '200', true)"
)

// aheadTx is the transaction of a group whose members have not said what they will read. Each member is run until it
// asks for something that nobody has read yet. All that the members ask for is read with one round trip, and they are
// run again, until each has got to its end. A member that ends has seen the rows as they are after those that
// ended before it, as if it had run alone after them. What it writes is sent later, with everybody's.
//
// What one member has read is given to the others too, and another node may have changed it since. That is no more than
// what READ COMMITTED allows: a member that runs alone, too, acts on rows that it has read a moment ago and not locked.
// But one that has locked a row counts on what it reads after that: who changes it must hold the same lock. So nobody is
// given what was read before the member's own last lock. A row that is itself locked cannot have changed.
//
// The statements are understood by their text (aheadForm). A member with another kind of statement runs alone.
type aheadTx struct {
	postgresTx
	ctx     context.Context
	answers *foreseen // what is stored under the members' keys
	known   map[askKey]*asked
	asking  []*asked // what is to be read next
	written map[string]*tableChanges
	taken   map[askKey]bool // unique keys of the rows that members add
	changes int             // counts the statements of members that have ended
	trips   int             // counts how often something was read
}

// askKey names a query by its text and its arguments.
type askKey struct{ sql, args string }

// asked is a query and its result.
type asked struct {
	statement
	key    askKey
	form   *aheadForm
	holds  bool // it locks what it reads
	read   bool
	fields []pgconn.FieldDescription // if there are rows
	rows   [][][]byte
	at     int // the changes that had been sent when it was read
	trip   int // the one that has read it
	held   int // the one that has first locked its rows; 0: nothing is locked
}

// tableChanges says when a table was changed: by its rows, in rows that nobody can name, and other than by adding rows
// whose unique keys are known.
type tableChanges struct {
	rows                 map[string]int
	any, unnamed, beside int
}

// tryAhead runs members together. It returns those that must run alone, now that the others are done.
func (e *postgresEngine) tryAhead(group []*member) (alone []*member, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	conn, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	tx := &aheadTx{postgresTx: postgresTx{conn: conn, pooled: e.pooled, byIndex: true}, ctx: ctx, answers: newForeseen(),
		known: map[askKey]*asked{}, written: map[string]*tableChanges{}, taken: map[askKey]bool{}}
	tx.later(ctx, postgresDialect.useIndexes+aheadSettings, nil)
	if alone, err = tx.runAll(group); err == nil {
		err = tx.finish()
	}
	if err != nil {
		tx.rollback(ctx)
		return nil, afterGroup(err)
	}
	return alone, nil
}

// finish commits, unless there is nothing to commit.
func (tx *aheadTx) finish() error {
	if !tx.begun && tx.changes == 0 {
		return nil
	}
	return tx.commit(tx.ctx)
}

func (tx *aheadTx) runAll(group []*member) (alone []*member, err error) {
	var batch reads
	wants := make([]Foresight, len(group))
	for i, m := range group {
		wants[i] = m.want
	}
	if keys := distinct(wants, func(w Foresight) AnswerKey { return w.Answer }); len(keys) > 0 {
		tx.answers.readAnswers(&batch, keys)
	}
	for pass := range aheadPasses {
		lacking := group[:0:0]
		for _, m := range group {
			switch tx.run(m, pass == 0 && m.want.Answer != AnswerKey{}) {
			case runLacks:
				lacking = append(lacking, m)
			case runAlone:
				alone = append(alone, m)
			}
		}
		if group = lacking; len(group) == 0 || pass == aheadPasses-1 {
			break
		}
		if err := tx.readAsked(batch); err != nil {
			return nil, err
		}
		batch = nil
	}
	return append(alone, group...), nil
}

type runOutcome int

const (
	runEnds runOutcome = iota
	runLacks
	runAlone
)

// run runs a member. guess says that what is stored under its key is not known yet: it is run as if nothing were, to
// see what it will ask for.
func (tx *aheadTx) run(m *member, guess bool) runOutcome {
	m.panic = nil
	if m.err = m.ctx.Err(); m.err != nil {
		return runEnds
	}
	run := &aheadRun{tx: tx, lacks: guess}
	m.protect(run, tx.answerOf(m.want.Answer, guess))
	switch {
	case run.misfit:
		m.misfit = true
		return runAlone
	case run.lacks:
		return runLacks
	}
	if m.err == nil && m.panic == nil {
		m.err = m.ctx.Err()
	}
	if m.err == nil && m.panic == nil {
		m.rows = len(run.own)
		tx.end(run)
	}
	return runEnds
}

// answerOf is what a member knows of its key. It is made for each run, because it is given out once.
func (tx *aheadTx) answerOf(k AnswerKey, guess bool) *foreseen {
	if k == (AnswerKey{}) {
		return &foreseen{}
	}
	if guess {
		return &foreseen{answers: map[AnswerKey]*IdempotencyRecord{k: nil}, locks: map[string]bool{k.lock(): true}}
	}
	return &foreseen{
		answers: map[AnswerKey]*IdempotencyRecord{k: tx.answers.answers[k]},
		locks:   map[string]bool{k.lock(): tx.answers.locks[k.lock()]},
	}
}

// end adds the statements of a member that has got to its end.
func (tx *aheadTx) end(run *aheadRun) {
	for _, w := range run.own {
		tx.pending = append(tx.pending, w.statement)
		tx.changes++
		t := tx.written[w.table]
		if t == nil {
			t = &tableChanges{rows: map[string]int{}}
			tx.written[w.table] = t
		}
		t.any = tx.changes
		if w.row == "" {
			t.unnamed = tx.changes
		} else {
			t.rows[w.row] = tx.changes
		}
		if w.unique == (askKey{}) {
			t.beside = tx.changes
		} else {
			tx.taken[w.unique] = true
		}
	}
}

// isStale reports whether a member that has ended may have changed the result of a query.
func (tx *aheadTx) isStale(a *asked) bool {
	for table, changed := range tx.written {
		if !a.form.tables[table] || changed.any <= a.at {
			continue
		}
		switch row := a.form.rowOf(table, a.args); {
		case a.form.probes:
			if changed.beside > a.at {
				return true
			}
		case row == "", changed.unnamed > a.at, changed.rows[row] > a.at:
			return true
		}
	}
	return false
}

// isOlder reports whether another node may have changed the result of a query before a trip. Each trip locks rows before
// it reads others.
func (a *asked) isOlder(trip int) bool { return a.trip < trip && !(a.form.locks && a.held > 0) }

// ask returns a query's result, or has it read for the next pass. It must not be older than a trip.
func (tx *aheadTx) ask(sql string, args []any, form *aheadForm, since int) (a *asked, known bool) {
	key := askKey{sql, textOf(args)}
	old := tx.known[key]
	if old != nil && (!old.read || !tx.isStale(old) && !old.isOlder(since)) {
		return old, old.read
	}
	a = &asked{statement: statement{sql, args}, key: key, form: form, holds: form.holds}
	if old != nil && form.locks {
		a.held = old.held // the same row, until the end of the transaction
	}
	tx.known[key] = a
	tx.asking = append(tx.asking, a)
	return a, false
}

// readAsked reads what the members have asked for, after all that was written so far.
func (tx *aheadTx) readAsked(batch reads) error {
	tx.trips++
	asking := tx.asking
	for _, a := range asking {
		a.read, a.at, a.trip = true, tx.changes, tx.trips
	}
	addAsked(&batch, asking)
	tx.asking = nil
	err := tx.readAll(tx.ctx, batch)
	for _, a := range asking {
		if a.holds && a.held == 0 && len(a.rows) > 0 {
			a.held = tx.trips
		}
	}
	return err
}

// aheadRun is a member's session in one run. What it returns once the run lacks something or does not fit is of no
// account, because the run is then thrown away.
type aheadRun struct {
	tx     *aheadTx
	own    []aheadWrite
	locked map[string]bool // rows that it has read, and that therefore exist
	since  int             // the trip that has brought its last lock
	lacks  bool
	misfit bool
}

// aheadWrite is a statement of a member, and what it changes.
type aheadWrite struct {
	statement
	table, row string
	unique     askKey // of an added row
}

// errAhead ends a run that cannot go on.
var errAhead = errors.New("store: the member is run again, or alone")

func (r *aheadRun) unfit() error {
	r.misfit = true
	return errAhead
}

func (r *aheadRun) query(_ context.Context, sql string, args []any, each func(scanner) error) error {
	form := aheadFormOf(sql)
	if form.kind != aheadRead || r.misfit || r.hasWritten(form, args) {
		return r.unfit()
	}
	a, known := r.tx.ask(sql, args, form, r.since)
	if !known {
		r.lacks = true
		return errAhead
	}
	r.since = max(r.since, a.held)
	if row := form.rowOf(form.table, args); row != "" && len(a.rows) > 0 && form.locks {
		r.hold(form.table, row)
	}
	return a.each(r.tx.conn.Conn().TypeMap(), each)
}

func (r *aheadRun) hold(table, row string) {
	if r.locked == nil {
		r.locked = map[string]bool{}
	}
	r.locked[table+" "+row] = true
}

// hasWritten reports whether the member itself may have changed what it asks for.
func (r *aheadRun) hasWritten(form *aheadForm, args []any) bool {
	for _, w := range r.own {
		row := form.rowOf(w.table, args)
		if form.tables[w.table] && (w.row == "" || row == "" || row == w.row) {
			return true
		}
	}
	return false
}

func (r *aheadRun) exec(ctx context.Context, sql string, args []any) (int64, error) {
	form := aheadFormOf(sql)
	switch {
	case r.misfit:
		return 0, errAhead
	case form.kind == aheadAdd:
		return 1, r.later(ctx, sql, args)
	case form.kind == aheadInsert:
		return r.insert(form, args)
	case form.kind == aheadChange && form.counted:
		return r.change(ctx, sql, form, args)
	default:
		return 0, r.unfit()
	}
}

// insert adds a row, unless its unique key is taken.
func (r *aheadRun) insert(form *aheadForm, args []any) (int64, error) {
	if slices.ContainsFunc(r.own, func(w aheadWrite) bool { return w.table == form.table && w.unique == askKey{} }) {
		return 0, r.unfit()
	}
	probe := form.probe
	key, ok := form.uniqueKey(args)
	if !ok {
		return 0, r.unfit()
	}
	unique := askKey{probe.sql, textOf(key)}
	if r.tx.taken[unique] || slices.ContainsFunc(r.own, func(w aheadWrite) bool { return w.unique == unique }) {
		return 0, nil
	}
	a, known := r.tx.ask(probe.sql, key, probe.form, r.since)
	switch {
	case !known:
		r.lacks = true
	case len(a.rows) > 0:
		return 0, nil
	}
	return 1, r.write(aheadWrite{statement: statement{form.plain, args}, table: form.table, row: form.rowOf(form.table, args), unique: unique})
}

// change changes the row with a key, if there is one.
func (r *aheadRun) change(ctx context.Context, sql string, form *aheadForm, args []any) (int64, error) {
	row := form.rowOf(form.table, args)
	if !r.locked[form.table+" "+row] {
		found := false
		err := r.query(ctx, form.probe.sql, args[:2], func(scanner) error { found = true; return nil })
		if err == nil && !found {
			return 0, nil
		}
		if r.misfit {
			return 0, err
		}
	}
	return 1, r.write(aheadWrite{statement: statement{sql, args}, table: form.table, row: row})
}

func (r *aheadRun) later(_ context.Context, sql string, args []any) error {
	form := aheadFormOf(sql)
	if form.table == "" || form.kind == aheadRead || r.misfit {
		return r.unfit()
	}
	return r.write(aheadWrite{statement: statement{sql, args}, table: form.table, row: form.rowOf(form.table, args)})
}

func (r *aheadRun) write(w aheadWrite) error {
	if len(r.own) >= aheadRows {
		return r.unfit()
	}
	r.own = append(r.own, w)
	return nil
}

// forget is not called: try undoes.
func (r *aheadRun) forget() {}

// try runs fn so that its failure undoes only fn.
func (r *aheadRun) try(fn func() error) error {
	from := len(r.own)
	err := fn()
	if err != nil {
		r.own = r.own[:from]
	}
	return err
}

// runAhead runs members together that have not said what they will read.
func (e *postgresEngine) runAhead(group []*member) {
	alone, err := e.tryAhead(group)
	for _, m := range alone {
		if m.misfit {
			e.groups.unfit.note(m.want.Kind)
		}
	}
	e.settle(group, alone, err)
}

// unfit remembers the kinds of transactions that do not fit into groups. Every now and then one is tried again,
// because what a transaction does may depend on what it finds.
type unfit struct {
	mu    sync.Mutex
	until map[string]int // how many more run alone
}

// unfitFor is how many transactions of an unfit kind run alone until one is tried again.
const unfitFor = 64

func (u *unfit) is(kind string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.until[kind] == 0 {
		return false
	}
	u.until[kind]--
	return true
}

func (u *unfit) note(kind string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.until == nil {
		u.until = map[string]int{}
	}
	u.until[kind] = unfitFor
}
