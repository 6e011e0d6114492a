package inbound

import (
	"errors"
	"net"
	"testing"
	"time"
)

// A body that was given up holds no room, whatever its reader does next.
func TestGivenUpBodiesHoldNothing(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*intake, *unproven) error{
		"it grows":  func(in *intake, u *unproven) error { return in.charge(u, 10) },
		"it reads":  func(in *intake, u *unproven) error { return in.note(u, 10) },
		"it shrank": func(in *intake, u *unproven) error { in.refund(u, 10); return errCrowded },
	} {
		conn, _ := net.Pipe()
		in, u := newIntake(), &unproven{conn: conn, begun: time.Now()}
		if err := errors.Join(in.enter(u), in.charge(u, 10)); err != nil {
			t.Fatal(err)
		}
		in.giveUp(u)
		if err := next(in, u); !errors.Is(err, errCrowded) {
			t.Errorf("%s: %v", name, err)
		}
		in.leave(u)
		if in.bytes != 0 || len(in.reading) != 0 {
			t.Errorf("%s: %d bodies hold %d bytes", name, len(in.reading), in.bytes)
		}
	}
}
