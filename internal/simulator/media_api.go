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

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

const mediaPath = "/whatsapp_business/attachments/"

// mediaURL is the address of a file. It works for a few minutes, and only with a token.
func (s *Simulator) mediaURL(base string, f *files.File) string {
	expires := strconv.FormatInt(s.now().Add(files.MediaURLLife).Unix(), 10)
	q := url.Values{"mid": {f.ID}, "ext": {expires}, "hash": {s.mediaHash(f.ID, expires)}}
	return strings.TrimRight(base, "/") + mediaPath + "?" + q.Encode()
}

func (s *Simulator) mediaHash(id, expires string) string {
	mac := hmac.New(sha256.New, []byte("media "+s.cfg.AppSecret+strconv.FormatUint(s.cfg.Seed, 16)))
	mac.Write([]byte(id + "." + expires))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// maxUpload is the largest file of any type, plus the form around it.
const maxUpload = 100*files.Mib + files.Mib

// uploadMedia takes a file in a form. The type given for the part decides, as it does upstream.
func (s *Simulator) uploadMedia(c *call, n *number) (answer, *wire.Error) {
	form, err := readUpload(c)
	if err != nil {
		return answer{}, err
	}
	if err := checkProduct(form.product); err != nil {
		return answer{}, err
	}
	if form.data == nil {
		return answer{}, wire.BadParam("The parameter file is required.")
	}
	if a, done := s.applyFaults(c, s.faultsFor(n)); done {
		return a, nil
	}
	if err := form.check(); err != nil {
		return answer{}, err
	}
	f := &files.File{
		ID: s.ids.Object(names.Media), Number: n.id, MimeType: form.mimeType, Name: form.name, Data: form.data,
		Expires: s.now().Add(files.UploadedLife),
	}
	s.media.Add(f)
	return ok(map[string]string{"id": f.ID}), nil
}

type uploadForm struct {
	product  string
	mimeType string
	name     string
	data     []byte
}

func readUpload(c *call) (uploadForm, *wire.Error) {
	form := uploadForm{product: c.param("messaging_product")}
	kind, params, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return form, wire.BadParam("The parameter file is required.")
	}
	declared := c.param("type")
	r := multipart.NewReader(http.MaxBytesReader(c.w, c.Body, maxUpload), params["boundary"])
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return form, wire.BadParam("The form could not be read")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return form, wire.BadParam("Param file is too large or was cut off")
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

func (f uploadForm) check() *wire.Error {
	limit, known := files.LimitFor(f.mimeType)
	if !known {
		var types []string
		for _, l := range files.Limits {
			types = append(types, l.Types...)
		}
		return wire.BadParam("Param file must be a file with one of the following types: %s. Received file of type '%s'.", strings.Join(types, ", "), f.mimeType)
	}
	if len(f.data) > limit.Max {
		return wire.BadParam("Param file must be at most %d bytes for type '%s'; received %d bytes.", limit.Max, files.BaseType(f.mimeType), len(f.data))
	}
	if len(f.data) == 0 {
		return wire.BadParam("Param file must not be empty.")
	}
	return nil
}

// mayUse tells whether the caller's token and the number given in the query own a file.
func (s *Simulator) mayUse(c *call, f *files.File) bool {
	if id := c.param("phone_number_id"); id != "" && id != f.Number {
		return false
	}
	n := s.accounts.number(f.Number)
	return n != nil && c.token.maySee(n.waba.Load())
}

func (s *Simulator) mediaNode(c *call, f *files.File) (node, *wire.Error) {
	if !s.mayUse(c, f) {
		return node{}, wire.UnknownObject(c.Method, c.id)
	}
	fields := map[string]any{
		"messaging_product": "whatsapp", "url": s.mediaURL(c.base(), f), "mime_type": files.BaseType(f.MimeType),
		"sha256": hex.EncodeToString(f.Sum[:]), "file_size": len(f.Data),
	}
	return node{kind: "WhatsAppMedia", id: f.ID, defaults: sortedKeys(fields), fields: fields}, nil
}

func (s *Simulator) deleteNode(c *call) (answer, *wire.Error) {
	f := s.media.Find(c.id, s.now())
	if f == nil || !s.mayUse(c, f) {
		return answer{}, wire.UnknownObject(c.Method, c.id)
	}
	s.media.Remove(f.ID)
	return success, nil
}

// download serves a file. Every error in the address is a 404, as it is upstream.
func (s *Simulator) download(c *call) (answer, *wire.Error) {
	id, expires := c.param("mid"), c.param("ext")
	gone := answer{status: http.StatusNotFound, contentType: "text/html", body: []byte("<html><body>Not found</body></html>")}
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !hmac.Equal([]byte(c.param("hash")), []byte(s.mediaHash(id, expires))) || !s.now().Before(time.Unix(at, 0)) {
		return gone, nil
	}
	f := s.media.Find(id, s.now())
	if f == nil || !s.mayUse(c, f) {
		return gone, nil
	}
	if c.UserAgent() == "" {
		return answer{status: http.StatusForbidden, contentType: "text/html", body: []byte("<html><body>Forbidden</body></html>")}, nil
	}
	if s.sched.sleep(c.Context(), f.Slow) != nil {
		return answer{abort: true}, nil
	}
	return answer{status: http.StatusOK, contentType: f.MimeType, body: f.Data}, nil
}
