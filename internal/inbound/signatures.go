package inbound

import (
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/logging"
)

// trusted is how long one right signature outweighs wrong ones: the app secret is right then, and they are a stranger's.
const trusted = 15 * time.Minute

// signatures notices that nothing is signed with our app secret. Anybody can send wrong signatures, so that they mean
// something only while there are no right ones; unsigned requests mean nothing.
type signatures struct {
	wrong *logging.Episode

	mu    sync.Mutex
	right time.Time // when the last right one came
}

func newSignatures(cfg Config) *signatures {
	return &signatures{wrong: logging.NewEpisode(cfg.Log, cfg.Metrics.registry, "callback signatures",
		"callbacks are refused: their signature is not made with --provider-app-secret",
		"callbacks are signed with --provider-app-secret again")}
}

// saw takes note of a checked signature.
func (s *signatures) saw(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now := time.Now(); {
	case err == nil:
		s.right = now
	case now.Sub(s.right) < trusted:
		return
	}
	s.wrong.Report(err)
}
