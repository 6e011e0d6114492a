package server

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"strings"

	"github.com/parleyhq/parley/internal/store"
)

// serveFile answers for a stored file. Its address is the right to it, and its bytes never change.
// They come from strangers: nothing in them may run in this origin.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.URL.Path, "/media/")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || token == "" {
		s.api.ServeHTTP(w, r)
		return
	}
	media, err := s.store.Read(r.Context()).MediaByToken(token)
	if err == nil {
		file, openErr := s.messaging.blobs.Get(media.BlobKey)
		if openErr == nil {
			defer file.Close()
			h := w.Header()
			h.Set("Content-Type", media.MimeType)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
			h.Set("Cache-Control", "private, max-age=31536000, immutable")
			h.Set("ETag", `"`+media.SHA256+`"`)
			if media.Filename != nil {
				h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": *media.Filename}))
			}
			http.ServeContent(w, r, "", media.CreatedAt, file)
			return
		}
		err = openErr
	}
	if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		s.log.Error("a file could not be served", "error", err)
	}
	s.api.ServeHTTP(w, r) // its 404
}
