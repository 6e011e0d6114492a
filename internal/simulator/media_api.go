package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const mediaPath = "/whatsapp_business/attachments/"

// mediaURL is where a file can be fetched for a few minutes, and only with a token.
func (s *Simulator) mediaURL(base string, f *file) string {
	expires := strconv.FormatInt(s.now().Add(mediaURLLife).Unix(), 10)
	q := url.Values{"mid": {f.id}, "ext": {expires}, "hash": {s.mediaHash(f.id, expires)}}
	return strings.TrimRight(base, "/") + mediaPath + "?" + q.Encode()
}

func (s *Simulator) mediaHash(id, expires string) string {
	mac := hmac.New(sha256.New, []byte("media "+s.cfg.AppSecret+strconv.FormatUint(s.cfg.Seed, 16)))
	mac.Write([]byte(id + "." + expires))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// maxUpload is the largest file of any type, and what surrounds it in a form.
const maxUpload = 100*mib + mib

// uploadMedia takes a file in a form. The part's own type decides, as it does upstream.
func (s *Simulator) uploadMedia(c *call) (answer, *graphError) {
	n, err := c.number()
	if err != nil {
		return answer{}, err
	}
	form, err := readUpload(c)
	if err != nil {
		return answer{}, err
	}
	if err := checkProduct(form.product); err != nil {
		return answer{}, err
	}
	if form.data == nil {
		return answer{}, badParam("The parameter file is required.")
	}
	if a, done := s.applyFaults(c, s.faultsFor(n)); done {
		return a, nil
	}
	if err := form.check(); err != nil {
		return answer{}, err
	}
	f := &file{
		id: s.ids.object(prefixMedia), number: n.id, mimeType: form.mimeType, name: form.name, data: form.data,
		expires: s.now().Add(uploadedLife),
	}
	s.media.add(f)
	return ok(map[string]string{"id": f.id}), nil
}

type uploadForm struct {
	product  string
	mimeType string
	name     string
	data     []byte
}

func readUpload(c *call) (uploadForm, *graphError) {
	form := uploadForm{product: c.param("messaging_product")}
	kind, params, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return form, badParam("The parameter file is required.")
	}
	declared := c.param("type")
	r := multipart.NewReader(http.MaxBytesReader(c.w, c.Body, maxUpload), params["boundary"])
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return form, badParam("The form could not be read")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return form, badParam("Param file is too large or was cut off")
		}
		switch part.FormName() {
		case "messaging_product":
			form.product = string(value)
		case "type":
			declared = string(value)
		case "file":
			form.data, form.name, form.mimeType = value, part.FileName(), part.Header.Get("Content-Type")
		}
	}
	if form.mimeType == "" || form.mimeType == "application/octet-stream" {
		form.mimeType = declared
	}
	return form, nil
}

func (f uploadForm) check() *graphError {
	limit, known := limitFor(f.mimeType)
	if !known {
		var types []string
		for _, l := range mediaLimits {
			types = append(types, l.types...)
		}
		return badParam("Param file must be a file with one of the following types: %s. Received file of type '%s'.", strings.Join(types, ", "), f.mimeType)
	}
	if len(f.data) > limit.max {
		return badParam("Param file must be at most %d bytes for type '%s'; received %d bytes.", limit.max, baseType(f.mimeType), len(f.data))
	}
	if len(f.data) == 0 {
		return badParam("Param file must not be empty.")
	}
	return nil
}

// mayUse reports whether the caller's token and the number given in the query own a file.
func (s *Simulator) mayUse(c *call, f *file) bool {
	if id := c.param("phone_number_id"); id != "" && id != f.number {
		return false
	}
	n := s.accounts.number(f.number)
	return n != nil && c.token.maySee(n.waba.Load())
}

func (s *Simulator) mediaNode(c *call, f *file) (node, *graphError) {
	if !s.mayUse(c, f) {
		return node{}, unknownObject(c.Method, c.id)
	}
	fields := map[string]any{
		"messaging_product": "whatsapp", "url": s.mediaURL(c.base(), f), "mime_type": baseType(f.mimeType),
		"sha256": hex.EncodeToString(f.sum[:]), "file_size": len(f.data),
	}
	return node{kind: "WhatsAppMedia", id: f.id, defaults: sortedKeys(fields), fields: fields}, nil
}

func (s *Simulator) deleteNode(c *call) (answer, *graphError) {
	f := s.media.find(c.id, s.now())
	if f == nil || !s.mayUse(c, f) {
		return answer{}, unknownObject(c.Method, c.id)
	}
	s.media.remove(f.id)
	return success, nil
}

// download serves a file. Everything wrong with the address is a 404, as it is upstream.
func (s *Simulator) download(c *call) (answer, *graphError) {
	id, expires := c.param("mid"), c.param("ext")
	gone := answer{status: http.StatusNotFound, contentType: "text/html", body: []byte("<html><body>Not found</body></html>")}
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !hmac.Equal([]byte(c.param("hash")), []byte(s.mediaHash(id, expires))) || !s.now().Before(time.Unix(at, 0)) {
		return gone, nil
	}
	f := s.media.find(id, s.now())
	if f == nil || !s.mayUse(c, f) {
		return gone, nil
	}
	if c.UserAgent() == "" {
		return answer{status: http.StatusForbidden, contentType: "text/html", body: []byte("<html><body>Forbidden</body></html>")}, nil
	}
	if s.sched.sleep(c.Context(), f.slow) != nil {
		return answer{abort: true}, nil
	}
	return answer{status: http.StatusOK, contentType: f.mimeType, body: f.data}, nil
}
