package store

import (
	"strconv"
	"time"
)

const (
	// maxSilence is how long a server may be silent, without even acknowledging what was sent.
	maxSilence = 20 * time.Second
	// maxIdle is how long a transaction may be idle. Beyond it its node is frozen or gone, and the server
	// releases its locks, which others need.
	maxIdle = 15 * time.Second
)

var idleLimit = "idle_in_transaction_session_timeout = " + strconv.FormatInt(maxIdle.Milliseconds(), 10)
