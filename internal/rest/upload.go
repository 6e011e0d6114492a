package rest

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
)

const (
	// uploadTime is how long a client may take to send a file. After uploadStart it must send at least
	// uploadRate bytes a second.
	uploadTime  = 5 * time.Minute
	uploadStart = 20 * time.Second
	uploadRate  = 16 << 10
)

// Upload runs read, which stores the file that the client sends, as one of a limited number of files on their way in. An
// error of read that is no answer becomes one, unless the storage has failed.
func (c *Call) Upload(read func(body io.Reader) error) error {
	leave, ok := c.surface.uploads.Enter(c.OrgID())
	if !ok {
		return Overloaded()
	}
	defer leave()
	return c.Arriving(func() error {
		body := &incoming{body: c.R.Body, connection: http.NewResponseController(c.W), begun: time.Now()}
		body.connection.SetWriteDeadline(body.begun.Add(uploadTime + RequestTimeout))
		err := read(body)
		if _, answer := errors.AsType[*chat.Error](err); err == nil || answer {
			return err
		}
		return c.uploadFailed(err)
	})
}

func (c *Call) uploadFailed(err error) error {
	c.W.Header().Set("Connection", "close")
	switch {
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)), errors.Is(err, blob.ErrUnavailable): // the storage's fault, not the caller's
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return chat.Invalid("file", "The upload took too long. Send at least %d KiB a second, and all within %d minutes.", uploadRate>>10, uploadTime/time.Minute)
	case errors.Is(err, io.ErrUnexpectedEOF), c.R.Context().Err() != nil:
		return chat.Invalid("file", "The upload ended early.")
	default:
		return chat.Invalid("file", "The upload could not be read.")
	}
}

// incoming reads a file from a client, which must not be too slow.
type incoming struct {
	body       io.Reader
	connection *http.ResponseController
	begun      time.Time
	received   int
}

func (f *incoming) Read(p []byte) (int, error) {
	inTime := uploadStart + time.Duration(f.received)*(time.Second/uploadRate)
	f.connection.SetReadDeadline(f.begun.Add(min(inTime, uploadTime)))
	n, err := f.body.Read(p)
	f.received += n
	return n, err
}
