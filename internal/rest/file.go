package rest

import (
	"bytes"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// File is a small file as an answer. It may come from a stranger, so the browser must not run anything in it.
type File struct {
	MimeType    string
	Disposition string // Content-Disposition, as in RFC 6266
	Data        []byte
}

// ServeFile registers an operation whose answer is a file that never changes.
func ServeFile[I any](p Place, op Operation, fn func(c *Call, in *I) (File, error)) {
	each(p, op, func(s *Surface, op *Operation) {
		op.input, op.answers = newInputBinder[I](s.document), "application/octet-stream"
		op.handle = func(c *Call) (Answer, error) {
			var in I
			if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
				return Answer{}, err
			}
			f, err := fn(c, &in)
			if err != nil {
				return Answer{}, err
			}
			h := c.W.Header()
			h.Set(headerRequestID, c.ID)
			h.Set("Content-Type", f.MimeType)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cache-Control", "private, max-age=31536000, immutable")
			h.Set("Content-Disposition", f.Disposition)
			http.ServeContent(c.W, c.R, "", time.Time{}, bytes.NewReader(f.Data))
			return Answer{}, errStreamed
		}
		add[I, fileBody](s, op)
	})
}

// fileBody describes an answer that is a file.
type fileBody struct{}

func (fileBody) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "The file."}
}
