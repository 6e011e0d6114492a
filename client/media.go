package client

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"time"
)

// Media is a file of the library.
type Media struct {
	ID        string    `json:"id"`
	Object    string    `json:"object"`
	MimeType  string    `json:"mime_type"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"`
	Filename  *string   `json:"filename"`
	URL       string    `json:"url"` // permanent; needs no key and cannot be guessed
	CreatedAt time.Time `json:"created_at"`
}

// File is a file to upload.
type File struct {
	Name string
	// MimeType may be omitted if the name's extension implies it.
	MimeType string
	// Content is streamed. An upload can be repeated if Content is also an io.ReaderAt and an io.Seeker, as an
	// *os.File and a *bytes.Reader are; otherwise it gets one attempt.
	Content io.Reader
}

// UploadMedia uploads a file to the library, so that it can be sent by its id.
func (c *Client) UploadMedia(ctx context.Context, phoneNumberID string, f File, options ...CallOption) (*Media, error) {
	cl := newCall(http.MethodPost, options, phoneNumberID, "media")
	cl.timeout = uploadTimeout
	cl.body = f.form()
	return one[Media](ctx, c, cl)
}

// form is a multipart form around the file, which is not read yet.
func (f File) form() *body {
	header := textproto.MIMEHeader{"Content-Disposition": {multipart.FileContentDisposition("file", f.Name)}}
	if f.MimeType != "" {
		header.Set("Content-Type", f.MimeType)
	}
	var frame bytes.Buffer // writes to a buffer do not fail
	w := multipart.NewWriter(&frame)
	w.CreatePart(header)
	head := frame.Len()
	w.Close()
	before, after := frame.Bytes()[:head], frame.Bytes()[head:]

	content, size := f.reopen()
	b := &body{contentType: w.FormDataContentType(), length: -1, once: size < 0}
	if size >= 0 {
		b.length = int64(len(before)) + size + int64(len(after))
	}
	b.open = func() io.Reader {
		return io.MultiReader(bytes.NewReader(before), content(), bytes.NewReader(after))
	}
	return b
}

// reopen returns a function that reads the content again from its current position, and the size; -1 if it can
// be read only once. Each reader has its own position, because the transport may still be reading for one
// attempt when the next begins.
func (f File) reopen() (open func() io.Reader, size int64) {
	once := func() io.Reader { return f.Content }
	at, ok := f.Content.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok {
		return once, -1
	}
	start, err := at.Seek(0, io.SeekCurrent)
	if err != nil {
		return once, -1
	}
	end, err := at.Seek(0, io.SeekEnd)
	if err != nil {
		return once, -1
	}
	if _, err := at.Seek(start, io.SeekStart); err != nil {
		return once, -1
	}
	return func() io.Reader { return io.NewSectionReader(at, start, end-start) }, end - start
}

// GetMedia returns a file of the library.
func (c *Client) GetMedia(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Media, error) {
	return one[Media](ctx, c, newCall(http.MethodGet, options, phoneNumberID, "media", id))
}

// DeleteMedia removes a file from the library.
func (c *Client) DeleteMedia(ctx context.Context, phoneNumberID, id string, options ...CallOption) (*Deleted, error) {
	return c.remove(ctx, newCall(http.MethodDelete, options, phoneNumberID, "media", id), "media", id)
}
