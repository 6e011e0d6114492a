package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// file is a built file. It is compressed when somebody first asks for it, so that a start costs nothing.
type file struct {
	content  []byte
	kind     string
	tag      string
	lasting  bool // its name has a hash of its content
	squeezed func() []byte
}

func newFile(name string, content []byte) *file {
	sum := sha256.Sum256(content)
	return &file{
		content:  content,
		kind:     kindOf(name),
		tag:      hex.EncodeToString(sum[:8]),
		lasting:  strings.HasPrefix(name, "assets/"),
		squeezed: sync.OnceValue(func() []byte { return squeeze(content) }),
	}
}

// kindOf does not ask the machine, whose table of types may say anything.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return mime.TypeByExtension(path.Ext(name))
	}
}

func squeeze(content []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level exists
	}
	w.Write(content)
	w.Close()
	return b.Bytes()
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "no-cache")
	if f.lasting {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	content, tag := f.content, f.tag
	if acceptsGzip(r) {
		content, tag = f.squeezed(), f.tag+"-gzip"
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" && strings.TrimSpace(params) != "q=0" {
			return true
		}
	}
	return false
}
