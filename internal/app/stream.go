package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/rest"
)

const (
	// pingEvery keeps proxies from closing an idle stream.
	pingEvery = 20 * time.Second
	// writeTimeout is how long a browser may take to read a hint.
	writeTimeout = 30 * time.Second
)

func registerStream(a *App) {
	rest.Stream(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/stream", ID: "stream", Tag: "Live", Role: chat.RoleAgent,
		Summary: "Hear of changes",
		Description: "Server-sent events, each a hint: `kind` and, where there is one, `id`. Fetch what you show of it. " +
			"The first is `hello`; after it, fetch everything that you show. `session` says that the session has ended.",
	}, a.stream)
}

// stream sends hints to a browser until it leaves or is signed out.
func (a *App) stream(c *rest.Call, _ *noInput) error {
	l := a.cfg.Live.Listen(sessionOf(c))
	defer l.Leave()
	out := &eventWriter{w: c.W, connection: http.NewResponseController(c.W)}
	out.send(helloHint{"hello", a.cfg.Version})
	out.flush()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for out.err == nil {
		select {
		case <-l.Ready:
			for _, hint := range l.Take() {
				out.send(hint)
			}
		case <-ping.C:
			out.write(": ping\n\n")
		case <-l.Ended:
			out.send(live.Hint{Kind: "session"})
			return nil
		case <-c.Ctx.Done():
			return nil
		}
		out.flush()
	}
	return nil
}

type helloHint struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

// eventWriter writes server-sent events until the first failure.
type eventWriter struct {
	w          http.ResponseWriter
	connection *http.ResponseController
	err        error
}

func (e *eventWriter) send(hint any) {
	text, err := json.Marshal(hint)
	if err != nil {
		e.err = err
		return
	}
	e.write("data: " + string(text) + "\n\n")
}

func (e *eventWriter) write(text string) {
	if e.err != nil {
		return
	}
	e.connection.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, e.err = fmt.Fprint(e.w, text)
}

func (e *eventWriter) flush() {
	if e.err == nil {
		e.err = e.connection.Flush()
	}
}
