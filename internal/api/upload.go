package api

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"reflect"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	maxUpload = 100 << 20
	// maxBeforeFile is how much of a form may stand before the file's content: its headers, which are kept
	// in memory, and other parts, which are skipped.
	maxBeforeFile = 64 << 10
	// uploadTime is how long a client may take to send a file.
	uploadTime = 5 * time.Minute
)

// upload streams the file to the blob store, and records it. With an Idempotency-Key the file's
// hash stands for the body: a repeated upload leaves no second file.
func (a *API) upload(c *call, op *operation) (answer, error) {
	if err := op.input.bind(c, reflect.ValueOf(&struct{ accountPath }{}).Elem()); err != nil {
		return answer{}, err
	}
	account, err := c.account(a.store.Read(c.ctx))
	if err != nil {
		return answer{}, err
	}
	file, err := a.receive(c)
	if err != nil {
		return answer{}, err
	}
	var cancel context.CancelFunc // the upload may have used up the time of an ordinary request
	c.ctx, cancel = context.WithTimeout(c.r.Context(), requestTimeout)
	defer cancel()
	stored := false
	record := func(tx *store.Tx) (answer, error) {
		m, err := core.AddMedia(tx, account, chat.MediaLibrary, file)
		if err != nil {
			return answer{}, err
		}
		tx.AfterCommit(func() { stored = true })
		return op.success(c, a.viewMedia(m)), nil
	}
	defer func() {
		if !stored {
			a.forgetFile(file.BlobKey)
		}
	}()
	if c.hasIdempotencyKey() {
		return a.once(c, []byte(file.SHA256+" "+file.MimeType+" "+file.Filename), record)
	}
	return inTx(c, record)
}

func (a *API) forgetFile(key string) {
	if err := a.blobs.Delete(key); err != nil {
		a.log.Warn("a file's bytes remain", "file", key, "error", err)
	}
}

func (a *API) receive(c *call) (core.StoredFile, error) {
	kind, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return core.StoredFile{}, chat.Fail(chat.CodeUnsupportedMediaType, "Send multipart/form-data with the part `file`.")
	}
	connection := http.NewResponseController(c.w)
	connection.SetReadDeadline(time.Now().Add(uploadTime))
	connection.SetWriteDeadline(time.Now().Add(uploadTime + requestTimeout))
	body := &bounded{body: c.r.Body, left: maxBeforeFile}
	parts := multipart.NewReader(body, params["boundary"])
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			return core.StoredFile{}, chat.Missing("file")
		}
		if err != nil {
			return core.StoredFile{}, uploadFailed(c, err)
		}
		if p.FormName() == "file" {
			body.left += maxUpload + 1<<10 // with the end of the form
			return a.storePart(c, p)
		}
	}
}

// storePart writes the part to the blob store within its type's limit.
func (a *API) storePart(c *call, p *multipart.Part) (core.StoredFile, error) {
	mimeType, err := partType(p)
	if err != nil {
		return core.StoredFile{}, err
	}
	limit, err := core.MediaLimit(mimeType)
	if err != nil {
		return core.StoredFile{}, err
	}
	key := a.store.NewID(chat.KindMedia)
	info, err := a.blobs.Put(key, p, limit)
	if errors.Is(err, blob.ErrTooLarge) {
		c.w.Header().Set("Connection", "close")
		return core.StoredFile{}, chat.Fail(chat.CodePayloadTooLarge, "A file of type %s can have at most %d bytes.", mimeType, limit)
	}
	if err != nil {
		return core.StoredFile{}, uploadFailed(c, err)
	}
	if info.Size == 0 {
		a.forgetFile(key)
		return core.StoredFile{}, chat.Invalid("file", "The file is empty.")
	}
	return core.StoredFile{BlobKey: key, MimeType: mimeType, Size: info.Size, SHA256: info.SHA256, Filename: chat.Filename(p.FileName())}, nil
}

func uploadFailed(c *call, err error) error {
	c.w.Header().Set("Connection", "close")
	switch {
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)): // the disk's fault, not the caller's
		return err
	case errors.Is(err, errFormTooLarge):
		return chat.Fail(chat.CodePayloadTooLarge, "The form is too large: a file can have 100 MiB, and all before it %d KiB.", maxBeforeFile>>10)
	case errors.Is(err, io.ErrUnexpectedEOF), c.r.Context().Err() != nil:
		return chat.Invalid("file", "The upload ended early.")
	default:
		return chat.Invalid("file", "The form could not be read.")
	}
}

// partType is the type that the part says its file has, or the one that its name tells.
func partType(p *multipart.Part) (string, error) {
	given := p.Header.Get("Content-Type")
	if given == "" {
		return core.MediaType(p.FileName()), nil
	}
	mimeType, ok := chat.MediaType(given)
	if !ok {
		return "", chat.Invalid("file", "The part's Content-Type must be a media type, like image/png or audio/ogg; codecs=opus.")
	}
	if mimeType == chat.UnknownMediaType {
		mimeType = core.MediaType(p.FileName())
	}
	return mimeType, nil
}

var errFormTooLarge = errors.New("the form is too large")

// bounded reads no more than what is left.
type bounded struct {
	body io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errFormTooLarge
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
