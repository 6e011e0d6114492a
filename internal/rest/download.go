package rest

import (
	"cmp"
	"io"
	"mime"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/store"
)

// downloadPause is how long a client may take to read one piece of a download.
const downloadPause = 30 * time.Second

const csvType = "text/csv; charset=utf-8"

// Download registers an operation whose answer is a table, as a CSV file that is made while it is sent. It
// holds no request slot meanwhile. An error after the first piece breaks the connection. fn may set c.FileName before
// the first piece where filename is too little to tell files apart.
func Download[I any](p Place, op Operation, filename string, fn func(c *Call, in *I, w io.Writer) error) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input, op.answers = newInputBinder[I](s.document), csvType
		op.handle = func(c *Call) (Answer, error) {
			var in I
			if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
				return Answer{}, err
			}
			if err := c.FindAccount(c.Read()); err != nil {
				return Answer{}, err
			}
			c.leave()
			c.Ctx = store.SameCaller(c.R.Context(), c.Ctx)
			w := &piecewise{call: c, to: c.W, connection: http.NewResponseController(c.W), begin: func(h http.Header) {
				h.Set(headerRequestID, c.ID)
				h.Set("Content-Type", csvType)
				h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": cmp.Or(c.FileName, filename)}))
				h.Set("Cache-Control", "no-store")
				h.Set("X-Content-Type-Options", "nosniff")
				h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
				h.Set("Referrer-Policy", "no-referrer")
			}}
			err := fn(c, &in, w)
			switch {
			case err != nil && !w.begun:
				return Answer{}, err
			case err != nil:
				panic(errCutOff) // so that the client does not take a part for the whole
			}
			return Answer{}, errDownloaded
		}
		add[I, textBody](s, op)
	})
}

// piecewise extends the write deadline for each piece, and checks that the caller may still have it. The first piece sets
// the headers.
type piecewise struct {
	call       *Call
	to         http.ResponseWriter
	connection *http.ResponseController
	begin      func(http.Header)
	begun      bool
}

func (w *piecewise) Write(piece []byte) (int, error) {
	if err := w.call.askAgain(); err != nil {
		return 0, err
	}
	if !w.begun {
		w.begun = true
		w.begin(w.to.Header())
	}
	w.connection.SetWriteDeadline(time.Now().Add(downloadPause))
	return w.to.Write(piece)
}

// textBody describes an answer that is plain text.
type textBody struct{}

func (textBody) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The file."}
}
