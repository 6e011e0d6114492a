package core

import (
	"fmt"
	"log/slog"

	"github.com/parleyhq/parley/internal/provider"
)

// unused counts updates that change nothing here. The log gets one line of a kind for all updates that are applied together,
// because a callback can contain any number of them.
type unused struct {
	useless, strange, bad int
	example, worst        string // of those that nobody misses, and of those that somebody may
}

// ofNoUse counts an update of a kind that we ignore. What was lost, and what the provider complains of, is for the operator.
func (n *unused) ofNoUse(u provider.Update) {
	switch u := u.(type) {
	case provider.Ignored:
		example := fmt.Sprintf("%.100q: %.100q", u.Field, u.Reason)
		if u.Lost {
			n.noteBad(u, example)
			return
		}
		n.useless++
		n.noteExample(example)
	case provider.ErrorReport:
		if len(u.Errors) > 0 {
			n.noteBad(u, fmt.Sprintf("%.300s", u.Errors[0]))
		}
	}
}

// notConnected counts an update of a number that is not connected.
func (n *unused) notConnected(u provider.Update) {
	n.strange++
	n.noteExample(fmt.Sprintf("number %.30q", u.About().PhoneNumberID))
}

func (n *unused) noteExample(text string) {
	if n.example == "" {
		n.example = text
	}
}

func (n *unused) noteBad(u provider.Update, text string) {
	if n.bad++; n.worst == "" {
		n.worst = fmt.Sprintf("number %.30q: %s", u.About().PhoneNumberID, text)
	}
}

func (n *unused) tell(log *slog.Logger) {
	if n.bad > 0 {
		log.Warn("the provider sent updates that cannot be used", "updates", n.bad, "first", n.worst)
	}
	if n.useless+n.strange > 0 {
		log.Debug("updates are not used", "of_no_use", n.useless, "of_numbers_that_are_not_connected", n.strange, "first", n.example)
	}
}
