package client_test

import (
	"strconv"
	"testing"

	"github.com/parleyhq/parley/client"
)

// An event that failed at first is known for as long as any other, once it was handled.
func TestRecentEventsAfterAFailure(t *testing.T) {
	t.Parallel()
	memory := client.NewRecentEvents()
	begin := func(key string) bool {
		first, err := memory.Begin(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return first
	}
	begin("failed")
	if err := memory.Forget(t.Context(), "failed"); err != nil {
		t.Fatal(err)
	}
	others := func(from, n int) {
		for i := range n {
			begin(strconv.Itoa(from + i))
		}
	}
	others(0, client.MaxRecentEvents-1)
	if !begin("failed") {
		t.Fatal("it is known, although it has failed")
	}
	others(client.MaxRecentEvents, client.MaxRecentEvents-1)
	if begin("failed") {
		t.Error("it is forgotten before 10,000 others have come")
	}
	others(2*client.MaxRecentEvents, 1)
	if !begin("failed") {
		t.Error("it is known for longer than others")
	}
}
