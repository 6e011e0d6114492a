package cloud

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

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

// uploadRequest puts the form's parts around the file, so that its length is known beforehand and
// the file never is in memory as a whole.
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

// Media looks up where a file can be fetched. Naming the number makes the upstream refuse the files
// of others.
func (c *Client) Media(ctx context.Context, n provider.Number, mediaID string) (provider.MediaInfo, error) {
	answer, err := c.get(ctx, n.Token, url.PathEscape(mediaID)+"?phone_number_id="+url.QueryEscape(n.PhoneNumberID))
	if err != nil {
		return provider.MediaInfo{}, err
	}
	info := provider.MediaInfo{
		URL:      answer.text("url"),
		MimeType: answer.text("mime_type"),
		SHA256:   digest(answer.text("sha256")),
		Size:     answer.integer("file_size"),
	}
	if info.URL == "" {
		return provider.MediaInfo{}, unreadable(http.StatusOK, nil)
	}
	return info, nil
}

// Download opens a file. The time limit of a call holds only until its first byte; the caller's
// context bounds the rest.
func (c *Client) Download(ctx context.Context, n provider.Number, address string) (io.ReadCloser, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, unsendable(err)
	}
	// The token goes with the request: only to the upstream, and never in the clear over a network.
	if u.Scheme != "https" && u.Host != c.base.Host {
		return nil, unsendable(fmt.Errorf("the address of the file is not https: %s", u.Redacted()))
	}
	req, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, unsendable(err)
	}
	res, err := c.do(ctx, n.Token, req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		body, _ := readCapped(res.Body, maxAnswer)
		return nil, refusal(res, body)
	}
	return &cappedBody{ReadCloser: res.Body, left: maxFile}, nil
}

// cappedBody fails, rather than ends, where a file is larger than any the upstream may have.
type cappedBody struct {
	io.ReadCloser
	left int64
}

func (b *cappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// digest reads a SHA-256 in hexadecimal or base64, of which the upstream uses both; nil if it is neither.
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
