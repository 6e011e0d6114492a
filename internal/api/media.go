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
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	maxUpload = 100 << 20
	// uploadTime is how long a client may take to send a file.
	uploadTime = 5 * time.Minute
)

func registerMedia(a *API) {
	op := operation{
		method: http.MethodPost, path: "/{phone_number_id}/media", id: "uploadMedia", tag: "Media",
		summary: "Put a file into the library", status: http.StatusCreated,
		description: "multipart/form-data with the part `file`. The file is stored once and handed to the provider when it is first sent.",
		errors:      []chat.Code{chat.CodePayloadTooLarge, chat.CodeUnsupportedMediaType, chat.CodeMissingRequiredField},
		input:       newInputBinder[struct{ accountPath }](a.document),
	}
	op.handle = func(c *call) (answer, error) { return a.upload(c, &op) }
	add[struct{ accountPath }, single[mediaView]](a, &op)
	a.document.multipart(&op)

	read(a, operation{
		method: http.MethodGet, path: "/{phone_number_id}/media/{id}", id: "getMedia", tag: "Media", summary: "Get a library file",
	}, getMedia)

	write(a, operation{
		method: http.MethodDelete, path: "/{phone_number_id}/media/{id}", id: "deleteMedia", tag: "Media", summary: "Delete a library file",
	}, deleteMedia)
}

type mediaView struct {
	ID        string  `json:"id" pattern:"^med_[0-9A-HJKMNP-TV-Z]{26}$"`
	Object    string  `json:"object" enum:"media"`
	MimeType  string  `json:"mime_type"`
	Size      int64   `json:"size"`
	SHA256    string  `json:"sha256" pattern:"^[0-9a-f]{64}$"`
	Filename  *string `json:"filename" nullable:"true"`
	URL       string  `json:"url" format:"uri" doc:"Permanent; needs no key and cannot be guessed."`
	CreatedAt instant `json:"created_at"`
}

func (a *API) viewMedia(m chat.Media) mediaView {
	return mediaView{
		ID: m.ID, Object: "media", MimeType: m.MimeType, Size: m.Size, SHA256: m.SHA256, Filename: m.Filename,
		URL: a.publicURL + core.MediaPath(m), CreatedAt: instant(m.CreatedAt),
	}
}

type mediaInput struct {
	accountPath
	ID string `path:"id" pattern:"^med_[0-9A-HJKMNP-TV-Z]{26}$"`
}

func getMedia(c *call, in *mediaInput) (mediaView, error) {
	r := c.api.store.Read(c.ctx)
	account, err := c.account(r)
	if err != nil {
		return mediaView{}, err
	}
	m, err := core.LibraryMedia(r, account, in.ID)
	return c.api.viewMedia(m), err
}

func deleteMedia(tx *store.Tx, c *call, in *mediaInput) (deletedView, error) {
	account, err := c.account(tx.Reader)
	if err != nil {
		return deletedView{}, err
	}
	m, err := core.DeleteLibraryMedia(tx, account, in.ID)
	if err != nil {
		return deletedView{}, err
	}
	tx.AfterCommit(func() { c.api.forgetFile(m.BlobKey) })
	return deletedView{ID: in.ID, Object: "media", Deleted: true}, nil
}

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
	parts := multipart.NewReader(http.MaxBytesReader(c.w, c.r.Body, maxUpload+1<<20), params["boundary"])
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			return core.StoredFile{}, chat.Missing("file")
		}
		if err != nil {
			return core.StoredFile{}, uploadFailed(c, err)
		}
		if p.FormName() == "file" {
			return a.storePart(c, p)
		}
	}
}

// storePart writes the part to the blob store within its type's limit.
func (a *API) storePart(c *call, p *multipart.Part) (core.StoredFile, error) {
	mimeType := p.Header.Get("Content-Type")
	if mimeType == "" || mimeType == "application/octet-stream" {
		mimeType = core.MediaType(p.FileName())
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
	return core.StoredFile{BlobKey: key, MimeType: mimeType, Size: info.Size, SHA256: info.SHA256, Filename: cleanFilename(p.FileName())}, nil
}

func uploadFailed(c *call, err error) error {
	c.w.Header().Set("Connection", "close")
	switch {
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)): // the disk's fault, not the caller's
		return err
	case errors.As(err, new(*http.MaxBytesError)):
		return chat.Fail(chat.CodePayloadTooLarge, "The body is larger than 101 MiB.")
	case errors.Is(err, io.ErrUnexpectedEOF), c.r.Context().Err() != nil:
		return chat.Invalid("file", "The upload ended early.")
	default:
		return chat.Invalid("file", "The form could not be read.")
	}
}

func cleanFilename(name string) string {
	name = strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), "")
	if utf8.RuneCountInString(name) > 240 {
		name = string([]rune(name)[:240])
	}
	return name
}

// registerMessageMedia is the redirect to a message's file.
func registerMessageMedia(a *API) {
	op := operation{
		method: http.MethodGet, path: "/{phone_number_id}/messages/{id}/media", id: "getMessageMedia", tag: "Messages",
		summary:     "Get a message's file",
		description: "302 to the file's permanent address. 404 when the message has no file, or while it is still being fetched.",
		status:      http.StatusFound, input: newInputBinder[messageInput](a.document),
	}
	op.handle = func(c *call) (answer, error) {
		var in messageInput
		if err := op.input.bind(c, reflect.ValueOf(&in).Elem()); err != nil {
			return answer{}, err
		}
		r := a.store.Read(c.ctx)
		account, err := c.account(r)
		if err != nil {
			return answer{}, err
		}
		m, err := core.MessageFile(r, account, in.ID)
		if err != nil {
			return answer{}, err
		}
		c.w.Header().Set("Location", a.publicURL+core.MediaPath(m))
		return answer{status: http.StatusFound, body: marshal(single[mediaView]{Data: a.viewMedia(m), RequestID: c.id})}, nil
	}
	add[messageInput, single[mediaView]](a, &op)
}

// multipart describes the one operation that takes a file.
func (d *document) multipart(op *operation) {
	d.api.Paths[op.path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{
			"file": {Type: huma.TypeString, Format: "binary"},
		}}},
	}}
}
