package rest

import (
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// errStreamed and errDownloaded say that an operation has already written its answer. How long a stream took is no measure
// of anything.
var (
	errStreamed   = errors.New("streamed")
	errDownloaded = errors.New("downloaded")
)

// Stream registers an operation whose answer is server-sent events, for as long as the client listens. It holds
// no request slot meanwhile, and sets its own time limits.
func Stream[I any](p Place, op Operation, fn func(c *Call, in *I) error) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input, op.answers = newInputBinder[I](s.document), "text/event-stream"
		op.handle = func(c *Call) (Answer, error) {
			var in I
			if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
				return Answer{}, err
			}
			c.leave()
			c.Ctx = c.R.Context()
			connection := http.NewResponseController(c.W)
			connection.SetReadDeadline(time.Time{}) // otherwise the deadline would look like a client that left
			h := c.W.Header()
			h.Set(headerRequestID, c.ID)
			h.Set("Content-Type", "text/event-stream")
			h.Set("Cache-Control", "no-store")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("X-Accel-Buffering", "no")
			if err := fn(c, &in); err != nil {
				return Answer{}, err
			}
			return Answer{}, errStreamed
		}
		add[I, eventStream](s, op)
	})
}

// eventStream is an answer of server-sent events.
type eventStream struct{}

func (eventStream) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "Server-sent events."}
}
