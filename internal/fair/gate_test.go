package fair

import (
	"context"
	"runtime"
	"slices"
	"testing"
)

// queueAt makes a caller wait at a gate, and returns once it waits. The caller writes to entered when it is
// admitted.
func queueAt(ctx context.Context, g *Gate[string], key string, entered chan<- string, left chan<- string) {
	before := g.Waiting()
	go func() {
		if g.Enter(ctx, key) {
			entered <- key
		} else {
			left <- key
		}
	}()
	for g.Waiting() == before {
		runtime.Gosched()
	}
}

// TestGateTakesTurns has ten callers of one key wait before two of another arrive, and one that gives up.
func TestGateTakesTurns(t *testing.T) {
	g := NewGate[string](1)
	ctx := context.Background()
	if !g.Enter(ctx, "first") {
		t.Fatal("a free place was not given")
	}
	entered, left := make(chan string), make(chan string)
	for range 10 {
		queueAt(ctx, g, "busy", entered, left)
	}
	for range 2 {
		queueAt(ctx, g, "quiet", entered, left)
	}
	impatient, giveUp := context.WithCancel(ctx)
	queueAt(impatient, g, "impatient", entered, left)
	giveUp()
	if key := <-left; key != "impatient" {
		t.Fatalf("%s has given up", key)
	}
	var order []string
	for range 12 {
		g.Leave()
		order = append(order, <-entered)
	}
	if want := []string{"busy", "quiet", "busy", "quiet", "busy", "busy"}; !slices.Equal(order[:6], want) {
		t.Fatalf("the order was %v, want %v", order, want)
	}
	g.Leave() // the last one; no caller waits now
	if !g.Enter(ctx, "later") || g.Waiting() != 0 {
		t.Fatal("the place of the last is not free")
	}
}
