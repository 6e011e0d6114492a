package simulator

import (
	"strconv"
	"strings"
	"time"
)

// magicPrefix is a calling code that no country has, so that people with it can misbehave on demand: +999, one digit
// for the kind, seven for the value, and up to four to tell people apart.
const magicPrefix = "999"

// Kinds of misbehaviour: the digit after the prefix.
const (
	magicRefuse   = '1' // refused at once, with the code
	magicFail     = '2' // accepted, then failed with the code
	magicHTTP     = '3' // a bare HTTP status, no error object
	magicSlow     = '4' // the answer takes the given milliseconds
	magicHang     = '5' // no answer and nothing accepted, for the given milliseconds; 0 means until the caller gives up
	magicLost     = '6' // accepted after the given milliseconds, then the connection closes without an answer
	magicStatuses = '7' // the statuses come in odd ways; see oddPlan
	magicFlaky    = '8' // refused a number of times (first digit) with the code (other six), then accepted
	magicMedia    = '9' // files that this person sends take the given milliseconds to download
)

// magic is the misbehaviour that a recipient's number asks for.
type magic struct {
	mode  byte // 0 means none
	value int
}

func magicOf(phone string) magic {
	rest, found := strings.CutPrefix(phone, magicPrefix)
	if !found || len(rest) < 8 || rest[0] == '0' {
		return magic{}
	}
	value, err := strconv.Atoi(rest[1:8])
	if err != nil {
		return magic{}
	}
	return magic{mode: rest[0], value: value}
}

func (m magic) duration() time.Duration { return time.Duration(m.value) * time.Millisecond }

// flaky splits the value of magicFlaky.
func (m magic) flaky() (times, code int) { return m.value / 1_000_000, m.value % 1_000_000 }

// Odd orders of statuses: the value of magicStatuses.
const (
	oddDuplicates   = 1
	oddReordered    = 2
	oddOnlySent     = 3
	oddNeverRead    = 4
	oddSilent       = 5
	oddNoDelivered  = 6
	oddHeld         = 7
	oddLateFailure  = 8
	oddSentFailure  = 9
	oddHeldThenFail = 10
	oddLateSent     = 11
)

// oddPlan changes the usual plan of a message. It returns false if the value has no meaning.
func oddPlan(value int, d Delays, usual []step) ([]step, bool) {
	switch value {
	case oddDuplicates:
		plan := append([]step(nil), usual...)
		for i := range plan {
			plan[i].copies = 1
		}
		return plan, true
	case oddReordered:
		return planFor(d, statusRead, statusDelivered, statusSent), true
	case oddOnlySent:
		return planFor(d, statusSent), true
	case oddNeverRead:
		return planFor(d, statusSent, statusDelivered), true
	case oddSilent:
		return nil, true
	case oddNoDelivered:
		return planFor(d, statusSent, statusRead), true
	case oddHeld:
		return usual, true
	case oddLateFailure:
		return append(planFor(d, statusSent, statusDelivered), failPlan(d, 131026)...), true
	case oddSentFailure:
		return append(planFor(d, statusSent), failPlan(d, 131026)...), true
	case oddHeldThenFail:
		return failPlan(d, 132015), true
	case oddLateSent:
		return planFor(d, statusDelivered, statusRead, statusSent), true
	}
	return usual, false
}

// isHeld tells whether the answer says that the message waits for a quality check.
func (m magic) isHeld() bool {
	return m.mode == magicStatuses && (m.value == oddHeld || m.value == oddHeldThenFail)
}
