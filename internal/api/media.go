package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func registerMedia(a *API) {
	op := operation{
		method: http.MethodPost, path: "/{phone_number_id}/media", id: "uploadMedia", tag: "Media",
		summary: "Put a file into the library", status: http.StatusCreated,
		description: "multipart/form-data with the part `file`. The file is stored once and handed to the provider when it is first sent. " +
			"Its type is the part's Content-Type, of whose parameters `charset` and `codecs` are kept, or else what the ending of its name tells. " +
			"At most 64 KiB may stand before it in the form.",
		errors: []chat.Code{chat.CodePayloadTooLarge, chat.CodeUnsupportedMediaType, chat.CodeMissingRequiredField},
		input:  newInputBinder[struct{ accountPath }](a.document),
	}
	op.handle = func(c *call) (answer, error) { return a.upload(c, &op) }
	add[struct{ accountPath }, single[mediaView]](a, &op)
	a.document.multipart(&op)

	read(a, operation{
		method: http.MethodGet, path: "/{phone_number_id}/media/{id}", id: "getMedia", tag: "Media", summary: "Get a library file",
		description: "`url` is permanent and needs no key.",
	}, getMedia)

	write(a, operation{
		method: http.MethodDelete, path: "/{phone_number_id}/media/{id}", id: "deleteMedia", tag: "Media", summary: "Delete a library file",
		description: "New messages cannot use it any more; those that were sent with it stay as they are.",
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

// registerMessageMedia is the redirect to a message's file.
func registerMessageMedia(a *API) {
	op := operation{
		method: http.MethodGet, path: "/{phone_number_id}/messages/{id}/media", id: "getMessageMedia", tag: "Messages",
		summary:     "Get a message's file",
		description: "302 to the file's permanent address, or to the link that an outbound message was sent with. 404 when the message has no file, or while it is still being fetched.",
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
		address, err := core.MessageFileAddress(r, account, in.ID, a.publicURL)
		if err != nil {
			return answer{}, err
		}
		c.w.Header().Set("Location", address)
		return answer{status: http.StatusFound, body: marshal(single[messageFileView]{Data: messageFileView{"message_file", address}, RequestID: c.id})}, nil
	}
	add[messageInput, single[messageFileView]](a, &op)
}

// messageFileView is the answer to those who do not follow redirects.
type messageFileView struct {
	Object string `json:"object" enum:"message_file"`
	URL    string `json:"url" format:"uri"`
}

// multipart describes the one operation that takes a file.
func (d *document) multipart(op *operation) {
	d.api.Paths[op.path].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{
			"file": {Type: huma.TypeString, Format: "binary"},
		}}},
	}}
}
