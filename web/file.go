package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// file is a built file. It is read, hashed and compressed when somebody first asks for it, so that a start costs nothing,
// and it is kept compressed only: hardly any client takes it otherwise.
type file struct {
	kind    string
	lasting bool // its name has a hash of its content
	read    func() []byte
	packed  func() packedFile
}

type packedFile struct {
	tag      string
	squeezed []byte
}

func newFile(root fs.FS, name string) *file {
	read := func() []byte { return mustRead(root, name) }
	return &file{
		kind:    kindOf(name),
		lasting: strings.HasPrefix(name, "assets/"),
		read:    read,
		packed:  sync.OnceValue(func() packedFile { return pack(read()) }),
	}
}

func mustRead(root fs.FS, name string) []byte {
	content, err := fs.ReadFile(root, name)
	if err != nil {
		panic(err) // what is embedded can be read
	}
	return content
}

func pack(content []byte) packedFile {
	sum := sha256.Sum256(content)
	return packedFile{tag: hex.EncodeToString(sum[:8]), squeezed: squeeze(content)}
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
	packed := f.packed()
	if acceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
		header.Set("ETag", `"`+packed.tag+`-gzip"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(packed.squeezed))
		return
	}
	header.Set("ETag", `"`+packed.tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.read()))
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
