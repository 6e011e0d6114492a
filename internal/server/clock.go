package server

import "time"

// wallClock is nil, which means the system's clock. A build with the tag torture turns it while the program runs.
var wallClock func() time.Time
