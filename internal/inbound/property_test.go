package inbound_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// TestMain tries fewer cases of a property than usual, because each lasts many seconds of sweeps.
func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "40")
	os.Exit(m.Run())
}

// For any callbacks, failures of the store, turns of the clock, and processes that die or are taken for dead: every
// update of an acknowledged callback is applied, and those of one number in the order in which they came.
func TestOrderProperty(t *testing.T) {
	t.Parallel()
	bubble(t, storetest.SQLite, func(t *testing.T, r *rig) { // the order is made in memory, so one engine is enough
		r.receiver.Stop(context.Background())
		lives := 0
		rapid.Check(struct{ *testing.T }{t}, func(rt *rapid.T) { // a bubble has no deadline that could be asked for
			r.newNumbers()
			p := &play{rig: r, rt: rt, lives: &lives}
			p.draw()
			p.run()
			p.check()
		})
	})
}

// play is one case: clients that send their callbacks one after the other, each until it is acknowledged, while the
// state of the store changes.
type play struct {
	*rig
	rt      *rapid.T
	lives   *int
	clients [][]string // the bodies of each client
	weather []phase
	now     atomic.Pointer[phase]
	dead    *atomic.Bool // whether the current process is dead
	name    *atomic.Pointer[string]
}

// phase is the state of the store for a while, for all numbers or for one.
type phase struct {
	kind   string
	number int // 0: all
	lasts  time.Duration
}

// draw makes up the callbacks: words that name their client and their place.
func (p *play) draw() {
	for c := range rapid.IntRange(1, 3).Draw(p.rt, "clients") {
		var bodies []string
		serial := 0
		for range rapid.IntRange(1, 8).Draw(p.rt, "callbacks") {
			var words []string
			for range rapid.SampledFrom([]int{1, 1, 2, 5, 5, 120, 260}).Draw(p.rt, "updates") {
				number := rapid.SampledFrom([]int{1, 1, 1, 2, 3, 8}).Draw(p.rt, "number")
				words = append(words, fmt.Sprintf("%d/c%d-%04d", number, c, serial))
				serial++
			}
			if rapid.IntRange(0, 9).Draw(p.rt, "poison") == 0 {
				words = append(words, fmt.Sprintf("%d/poison", rapid.IntRange(1, 3).Draw(p.rt, "number")))
			}
			bodies = append(bodies, strings.Join(words, " "))
		}
		p.clients = append(p.clients, bodies)
	}
	for range rapid.IntRange(0, 6).Draw(p.rt, "phases") {
		p.weather = append(p.weather, phase{
			rapid.SampledFrom([]string{"fine", "away", "away", "lost answers", "slow", "slow", "clock", "new name", "new name", "death", "death"}).Draw(p.rt, "weather"),
			rapid.IntRange(0, 2).Draw(p.rt, "where"),
			time.Duration(rapid.IntRange(0, 3000).Draw(p.rt, "milliseconds")) * time.Millisecond,
		})
	}
}

// run plays the case.
func (p *play) run() {
	p.now.Store(&phase{kind: "fine"})
	p.startLife()
	var clients sync.WaitGroup
	for _, bodies := range p.clients {
		clients.Go(func() { p.send(bodies) })
	}
	for _, w := range p.weather {
		p.now.Store(&w)
		switch w.kind {
		case "death":
			p.dead.Store(true)
			p.receiver.Stop(context.Background())
			p.startLife()
		case "clock":
			p.Turn(time.Duration(w.number-1) * w.lasts)
		case "new name":
			p.name.Store(p.newName())
		}
		pass(w.lasts)
	}
	p.now.Store(&phase{kind: "fine"})
	clients.Wait()
	pass(5 * time.Second)
}

// startLife starts a new process under a new name. The last one writes nothing any more.
func (p *play) startLife() {
	dead, name := &atomic.Bool{}, &atomic.Pointer[string]{}
	name.Store(p.newName())
	cfg := p.cfg
	cfg.Lease = func() store.Lease { return store.LeaseForGood(*name.Load()) }
	cfg = inbound.Around(cfg, func(updates []provider.Update, run func() error) error { return p.through(dead, updates, run) })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead, p.name, p.receiver = dead, name, parttest.Start(p.t, inbound.New(inbound.Small(cfg, 100<<10)))
}

// newName is the next name of a process, which takes over the work of the last one.
func (p *play) newName() *string {
	*p.lives++
	p.Dead(fmt.Sprint("life_", *p.lives-1))
	name := fmt.Sprint("life_", *p.lives)
	p.Alive(name)
	return &name
}

// through runs a transaction under the current state of the store.
func (p *play) through(dead *atomic.Bool, updates []provider.Update, run func() error) error {
	now := p.now.Load()
	weather := now.kind
	if now.number > 0 && !slices.Contains(p.numbersOf(updates), *p.accounts[now.number-1].PhoneNumberID) {
		weather = "fine"
	}
	if weather == "slow" {
		<-time.After(700 * time.Millisecond)
	}
	if weather == "away" || dead.Load() {
		return store.ErrUnavailable
	}
	err := run()
	if weather == "lost answers" && err == nil {
		return store.ErrUnavailable
	}
	return err
}

// send sends callbacks as the provider does: the next one when the last was acknowledged.
func (p *play) send(bodies []string) {
	for _, body := range bodies {
		for p.post(body) != http.StatusOK {
			<-time.After(300 * time.Millisecond)
		}
	}
}

// post delivers to the living process.
func (p *play) post(body string) int {
	p.mu.Lock()
	receiver := p.receiver
	p.mu.Unlock()
	return deliverTo(receiver, body)
}

// check checks what each number has from each client.
func (p *play) check() {
	for number := 1; number <= numbers; number++ {
		applied := p.applied(number)
		for c, bodies := range p.clients {
			var want []string
			for word := range strings.FieldsSeq(strings.Join(bodies, " ")) {
				if id, mine := strings.CutPrefix(word, fmt.Sprint(number, "/")); mine && id != "poison" {
					want = append(want, id)
				}
			}
			got := slices.DeleteFunc(slices.Clone(applied), func(id string) bool { return !strings.HasPrefix(id, fmt.Sprintf("c%d-", c)) })
			if !slices.Equal(got, want) {
				p.rt.Errorf("number %d has of client %d:\n%q, want\n%q", number, c, got, want)
			}
		}
	}
	for _, left := range p.stored(fmt.Sprint("life_", *p.lives)) {
		if strings.Contains(left, "attempt 0") { // poisoned callbacks were tried
			p.rt.Errorf("left is %q", left)
		}
	}
	p.receiver.Stop(context.Background())
	p.InTx(func(tx *store.Tx) error {
		_, err := tx.PurgeCallbacks(tx.Now().Add(time.Hour), 1000)
		return err
	})
}
