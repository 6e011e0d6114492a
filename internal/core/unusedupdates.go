package core

import (
	"fmt"
	"log/slog"

	"github.com/parleyhq/parley/internal/provider"
)

// unused counts updates that change nothing here. The log gets one line for all updates that are applied together,
// because a callback can contain any number of them.
type unused struct {
	useless, strange int
	example          string
}

// ofNoUse counts an update of a kind that we ignore.
func (n *unused) ofNoUse(u provider.Update) {
	n.useless++
	if n.example != "" {
		return
	}
	switch u := u.(type) {
	case provider.Ignored:
		n.example = fmt.Sprintf("%.100q: %.100q", u.Field, u.Reason)
	case provider.ErrorReport:
		if len(u.Errors) > 0 {
			n.example = fmt.Sprintf("%.300s", u.Errors[0])
		}
	}
}

// notConnected counts an update of a number that is not connected.
func (n *unused) notConnected(u provider.Update) {
	n.strange++
	if n.example == "" {
		n.example = fmt.Sprintf("number %.30q", u.About().PhoneNumberID)
	}
}

func (n *unused) tell(log *slog.Logger) {
	if n.useless+n.strange > 0 {
		log.Debug("updates are not used", "of_no_use", n.useless, "of_numbers_that_are_not_connected", n.strange, "first", n.example)
	}
}
