package sender

import (
	"errors"
	"sync"

	"github.com/parleyhq/parley/internal/logging"
	"github.com/parleyhq/parley/internal/provider"
)

// awayAfter is how many calls in a row have to fail until the provider counts as away. A single failure may be about its
// message.
const awayAfter = 3

// answers notices that the provider takes no messages, whatever number they are from.
type answers struct {
	away *logging.Episode

	mu     sync.Mutex
	failed int // calls in a row
}

func newAnswers(cfg Config) *answers {
	return &answers{away: logging.NewEpisode(cfg.Log, cfg.Metrics.registry, "provider",
		"the provider does not answer, or says that it is broken; messages are tried again for a quarter of an hour", "the provider answers again")}
}

// came takes note of how a call ended. What failed before the call, such as a file that we could not read, says nothing
// about the provider.
func (a *answers) came(err error) {
	e, called := errors.AsType[*provider.Error](err)
	if err != nil && !called {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !called || !unanswered(e):
		a.failed = 0
		a.away.Report(nil)
	default:
		if a.failed++; a.failed >= awayAfter {
			a.away.Report(err)
		}
	}
}

// unanswered tells whether the provider could not be reached or could not work. A refusal is an answer, and so is that we
// are too fast.
func unanswered(e *provider.Error) bool {
	class := e.Class()
	tooFast := e.Throttled || class.Throttled || class.PairLimited
	return !tooFast && (e.Transient || class.Transient || e.OutcomeUnknown)
}
