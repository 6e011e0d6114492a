package cloud

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/provider"
)

// UploadMedia streams a file to the upstream, which keeps it for 30 days.
func (c *Client) UploadMedia(ctx context.Context, n provider.Number, f provider.File) (string, error) {
	req, err := c.uploadRequest(n, f)
	if err != nil {
		return "", unsendable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, max(c.timeout, uploadTimeout))
	defer cancel()
	answer, err := c.exchange(ctx, n.Token, req)
	if err != nil {
		return "", err
	}
	id := answer.text("id")
	if id == "" {
		return "", unreadable(http.StatusOK, nil)
	}
	return id, nil
}

// uploadRequest puts the form's parts around the file, so that the length is known beforehand and the file is
// never in memory as a whole.
func (c *Client) uploadRequest(n provider.Number, f provider.File) (*http.Request, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := errors.Join(w.WriteField("messaging_product", upstreamProduct), w.WriteField("type", f.MimeType)); err != nil {
		return nil, err
	}
	if _, err := w.CreatePart(fileHeader(f)); err != nil {
		return nil, err
	}
	before := form.Len()
	if err := w.Close(); err != nil {
		return nil, err
	}
	head, tail := form.Bytes()[:before], form.Bytes()[before:]
	body := io.MultiReader(bytes.NewReader(head), f.Body, bytes.NewReader(tail))
	req, err := http.NewRequest(http.MethodPost, c.prefix+url.PathEscape(n.PhoneNumberID)+"/media", body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	if f.Size > 0 {
		req.ContentLength = int64(form.Len()) + f.Size
	}
	return req, nil
}

var escapeQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "")

func fileHeader(f provider.File) textproto.MIMEHeader {
	name := f.Name
	if name == "" {
		name = "file"
	}
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", `form-data; name="file"; filename="`+escapeQuotes.Replace(name)+`"`)
	h.Set("Content-Type", escapeQuotes.Replace(f.MimeType))
	return h
}

// Media looks up the address of a file. With the number's id in the request, the upstream refuses files of
// other numbers.
func (c *Client) Media(ctx context.Context, n provider.Number, mediaID string) (provider.MediaInfo, error) {
	answer, err := c.get(ctx, n.Token, url.PathEscape(mediaID)+"?phone_number_id="+url.QueryEscape(n.PhoneNumberID))
	if err != nil {
		return provider.MediaInfo{}, err
	}
	info := provider.MediaInfo{URL: answer.text("url"), Size: answer.integer("file_size")}
	if info.URL == "" {
		return provider.MediaInfo{}, unreadable(http.StatusOK, nil)
	}
	return info, nil
}

// Download opens a file. The time limit of a call applies to each read, because a large file may take longer.
func (c *Client) Download(ctx context.Context, n provider.Number, address string) (io.ReadCloser, error) {
	req, err := c.downloadRequest(address)
	if err != nil {
		return nil, unsendable(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	idle := time.AfterFunc(c.timeout, func() { cancel(context.DeadlineExceeded) })
	body := &fileBody{left: maxFile, idle: idle, timeout: c.timeout, cancel: cancel, ctx: ctx}
	res, err := c.do(ctx, n.Token, req)
	if err != nil {
		body.stop()
		return nil, err
	}
	body.body = res.Body
	if res.StatusCode != http.StatusOK {
		defer body.Close()
		answer, _ := readCapped(body, maxAnswer)
		return nil, refusal(res, answer, false)
	}
	return body, nil
}

// downloadRequest refuses to send the token over plain http, except to the upstream itself, which may be a
// simulator.
func (c *Client) downloadRequest(address string) (*http.Request, error) {
	req, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	if req.URL.Scheme != "https" && req.URL.Host != c.base.Host {
		return nil, errNotHTTPS
	}
	return req, nil
}

// fileBody is a file that is being downloaded. It fails if the file is larger than the upstream allows, or
// stalls.
type fileBody struct {
	body    io.ReadCloser
	left    int64
	idle    *time.Timer
	timeout time.Duration
	cancel  context.CancelCauseFunc
	ctx     context.Context
}

func (b *fileBody) Read(p []byte) (int, error) {
	b.idle.Reset(b.timeout)
	n, err := b.body.Read(p)
	b.left -= int64(n)
	switch {
	case b.left < 0:
		return 0, errTooLarge
	case err != nil && err != io.EOF:
		return n, lost(cmp.Or(gaveUp(b.ctx), err))
	}
	return n, err
}

func (b *fileBody) Close() error {
	b.stop()
	return b.body.Close()
}

func (b *fileBody) stop() {
	b.idle.Stop()
	b.cancel(nil)
}

// digest reads a SHA-256 in hexadecimal or base64, both of which the upstream uses; nil if it is neither.
func digest(s string) []byte {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.URLEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
	} {
		if sum, err := decode(s); err == nil && len(sum) == 32 {
			return sum
		}
	}
	return nil
}
