package api

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

var fileForm = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
	"multipart/form-data": {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{
		"file": {Type: huma.TypeString, Format: "binary"},
	}}},
}}

var uploadErrors = []chat.Code{chat.CodePayloadTooLarge, chat.CodeUnsupportedMediaType, chat.CodeMissingRequiredField}

// registerAttachments is for people, who send files that nobody looks for again. Programs put what they send into the library.
func registerAttachments(a *API, dashboard rest.Place) {
	rest.Receive[struct{ rest.AccountPath }](dashboard, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/attachments", ID: "uploadAttachment", Tag: "Media", Role: chat.RoleAgent,
		Summary: "Store a file to send", Status: http.StatusCreated,
		Description: "As `uploadMedia` does, without a place in the library: the file is removed with the message that it is sent by.",
		Errors:      uploadErrors, RequestBody: fileForm,
	}, a.receive, a.addAs(chat.MediaAttachment))
}

func registerMedia(a *API) {
	rest.Receive[struct{ rest.AccountPath }](a.shared, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/media", ID: "uploadMedia", Tag: "Media", Role: chat.RoleAgent,
		Summary: "Put a file into the library", Status: http.StatusCreated,
		Description: "multipart/form-data with the part `file`. The file is stored once and handed to the provider when it is first sent. " +
			"Its type is the part's Content-Type, of whose parameters `charset` and `codecs` are kept, or else what the ending of its name tells. " +
			"At most 64 KiB may stand before it in the form.",
		Errors: uploadErrors, RequestBody: fileForm,
	}, a.receive, a.addAs(chat.MediaLibrary))

	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/media/{id}", ID: "getMedia", Tag: "Media", Role: chat.RoleAgent, Summary: "Get a library file",
		Description: "`url` is permanent and needs no key.",
	}, a.getMedia)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/{phone_number_id}/media/{id}", ID: "deleteMedia", Tag: "Media", Role: chat.RoleAdmin, Summary: "Delete a library file",
		Description: "New messages and canned replies cannot use it any more; messages that were sent with it stay as they are.",
	}, deleteMedia)
}

type mediaView struct {
	ID        rest.MediaID `json:"id"`
	Object    string       `json:"object" enum:"media"`
	MimeType  string       `json:"mime_type"`
	Size      int64        `json:"size"`
	SHA256    string       `json:"sha256" pattern:"^[0-9a-f]{64}$"`
	Filename  *string      `json:"filename" nullable:"true"`
	URL       string       `json:"url" format:"uri" doc:"Permanent; needs no key and cannot be guessed."`
	CreatedAt rest.Instant `json:"created_at"`
}

func (a *API) viewMedia(m chat.Media) mediaView {
	return mediaView{
		ID: rest.MediaID(m.ID), Object: "media", MimeType: m.MimeType, Size: m.Size, SHA256: m.SHA256, Filename: m.Filename,
		URL: a.publicURL + core.MediaPath(m), CreatedAt: rest.Instant(m.CreatedAt),
	}
}

func (a *API) getMedia(c *rest.Call, in *rest.NumberByID[rest.MediaID]) (mediaView, error) {
	r := c.Read()
	m, err := core.LibraryMedia(r, c.Account, string(in.ID))
	return a.viewMedia(m), err
}

func deleteMedia(tx *store.Tx, c *rest.Call, in *rest.NumberByID[rest.MediaID]) (rest.DeletedView, error) {
	err := core.DeleteLibraryMedia(tx, c.Account, string(in.ID))
	return rest.DeletedView{ID: string(in.ID), Object: "media", Deleted: true}, err
}

// registerMessageMedia registers the redirect to a message's file.
func registerMessageMedia(a *API) {
	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/messages/{id}/media", ID: "getMessageMedia", Tag: "Messages", Role: chat.RoleAgent,
		Summary:     "Get a message's file",
		Description: "302 to the file's permanent address, or to the link that an outbound message was sent with. 404 when the message has no file, or while it is still being fetched.",
		Status:      http.StatusFound,
	}, a.messageFile)
}

func (a *API) messageFile(c *rest.Call, in *rest.NumberByID[rest.MessageID]) (messageFileView, error) {
	address, err := core.MessageFileAddress(c.Read(), c.Account, string(in.ID), a.publicURL, c.Caller.User)
	address = chat.InASCII(address)
	if err == nil {
		location := address
		if c.Caller.User != nil { // a browser on another host name may show only files of that host
			location = strings.TrimPrefix(address, a.publicURL)
		}
		c.W.Header().Set("Location", location)
	}
	return messageFileView{"message_file", address}, err
}

// messageFileView is the body of the redirect, for clients that do not follow it.
type messageFileView struct {
	Object string `json:"object" enum:"message_file"`
	URL    string `json:"url" format:"uri"`
}
