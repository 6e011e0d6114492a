package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

const (
	maxUpload = 100 << 20
	// maxBeforeFile bounds the part of a form before the file's content: its headers, which are kept in memory,
	// and other parts, which are skipped.
	maxBeforeFile = 64 << 10
)

// addAs records an uploaded file.
func (a *API) addAs(origin chat.MediaOrigin) func(*store.Tx, *rest.Call, core.StoredFile) (mediaView, error) {
	return func(tx *store.Tx, c *rest.Call, file core.StoredFile) (mediaView, error) {
		m, err := core.AddMedia(tx, c.Account, origin, file)
		return a.viewMedia(m), err
	}
}

func (a *API) openFile(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	return a.blobs.Get(ctx, key)
}

func (a *API) forgetFile(key string) {
	ctx, cancel := context.WithTimeout(context.Background(), rest.RequestTimeout) // the client may be gone
	defer cancel()
	if err := a.blobs.Delete(ctx, key); err != nil {
		a.log.Warn("a file's bytes remain", "file", key, "error", err)
	}
}

// receive streams the client's file to the blob store. With an Idempotency-Key the file's hash is the
// fingerprint, and a repeated upload leaves no second file.
func (a *API) receive(c *rest.Call) (got rest.Received[core.StoredFile], err error) {
	kind, params, err := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return got, chat.Fail(chat.CodeUnsupportedMediaType, "Send multipart/form-data with the part `file`.")
	}
	var file core.StoredFile
	err = c.Upload(func(body io.Reader) (err error) {
		file, err = a.storeForm(c, body, params["boundary"])
		return err
	})
	if err != nil && file.BlobKey != "" { // it has arrived, but there is no slot to record it
		a.forgetFile(file.BlobKey)
	}
	return rest.Received[core.StoredFile]{
		Value: file, Fingerprint: file.SHA256 + " " + file.MimeType + " " + file.Filename, Discard: func() { a.forgetFile(file.BlobKey) },
	}, err
}

// storeForm finds the file in the form and stores it.
func (a *API) storeForm(c *rest.Call, body io.Reader, boundary string) (core.StoredFile, error) {
	form := &bounded{body: body, left: maxBeforeFile}
	parts := multipart.NewReader(form, boundary)
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			return core.StoredFile{}, chat.Missing("file")
		}
		if err != nil {
			return core.StoredFile{}, formFailed(c, err)
		}
		if p.FormName() == "file" {
			form.left += maxUpload + 1<<10 // with the end of the form
			return a.storePart(c, p)
		}
	}
}

// storePart writes the part to the blob store, within its type's limit.
func (a *API) storePart(c *rest.Call, p *multipart.Part) (core.StoredFile, error) {
	mimeType, err := partType(p)
	if err != nil {
		return core.StoredFile{}, err
	}
	limit, err := core.MediaLimit(mimeType)
	if err != nil {
		return core.StoredFile{}, err
	}
	key := a.store.NewID(chat.KindMedia)
	info, err := a.blobs.Put(c.R.Context(), key, p, limit)
	if errors.Is(err, blob.ErrTooLarge) {
		c.W.Header().Set("Connection", "close")
		return core.StoredFile{}, chat.Fail(chat.CodePayloadTooLarge, "A file of type %s can have at most %d bytes.", mimeType, limit)
	}
	if err != nil {
		return core.StoredFile{}, formFailed(c, err)
	}
	if info.Size == 0 {
		a.forgetFile(key)
		return core.StoredFile{}, chat.Invalid("file", "The file is empty.")
	}
	return core.StoredFile{BlobKey: key, MimeType: mimeType, Size: info.Size, SHA256: info.SHA256, Filename: chat.Filename(p.FileName())}, nil
}

func formFailed(c *rest.Call, err error) error {
	if errors.Is(err, errFormTooLarge) {
		c.W.Header().Set("Connection", "close")
		return chat.Fail(chat.CodePayloadTooLarge, "The form is too large: a file can have 100 MiB, and all before it %d KiB.", maxBeforeFile>>10)
	}
	return err
}

// partType is the type in the part's header, or else the type of its name's ending.
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

// bounded reads a form of limited size.
type bounded struct {
	body io.Reader
	left int
}

func (f *bounded) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errFormTooLarge
	}
	n, err := f.body.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}
