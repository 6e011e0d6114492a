package server

import (
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// downloadTime is how long a file may take: 100 MiB over a slow line.
const downloadTime = 15 * time.Minute

// serveFile serves a stored file. Knowing its address is the permission to read it.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.URL.Path, "/media/")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !core.WellFormedMediaToken(token) {
		s.api.ServeHTTP(w, r) // answers 404
		return
	}
	media, err := s.store.Read(r.Context()).MediaByToken(token)
	if err == nil {
		file, openErr := s.messaging.blobs.Get(r.Context(), media.BlobKey)
		if openErr == nil {
			defer file.Close()
			sendFile(w, r, media, file)
			return
		}
		err = openErr
	}
	if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) && r.Context().Err() == nil {
		s.log.Error("a file could not be served", "error", err)
		w.Header().Set("Retry-After", "1")
		http.Error(w, "The file cannot be read now. Try again shortly.", http.StatusServiceUnavailable)
		return
	}
	s.api.ServeHTTP(w, r)
}

// sendFile sends bytes that never change. They come from strangers, so nothing in them may run in this origin.
func sendFile(w http.ResponseWriter, r *http.Request, media chat.Media, file io.ReadSeeker) {
	mimeType, ok := chat.MediaType(media.MimeType) // earlier versions stored it unchecked
	if !ok || partOfPages(mimeType) {
		mimeType = chat.UnknownMediaType
	}
	h := w.Header()
	h.Set("Content-Type", mimeType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("ETag", `"`+media.SHA256+`"`)
	h.Set("Content-Disposition", disposition(media))
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTime))
	http.ServeContent(w, r, "", media.CreatedAt, file)
}

// partOfPages reports a type that a page can load as its script or its style. Our pages allow those of this origin, and a
// file of a stranger must not be one, should something lead a page to it.
func partOfPages(mimeType string) bool {
	base, _, _ := strings.Cut(mimeType, ";")
	return base == "text/css" || strings.HasSuffix(base, "script") || strings.Contains(base, "script1.") // text/javascript1.5
}

// disposition makes a browser show files that it can only show, and save all others: a page that a stranger sent must
// not look like one of ours.
func disposition(media chat.Media) string {
	kind := "attachment"
	base, _, err := mime.ParseMediaType(media.MimeType)
	family, _, _ := strings.Cut(base, "/")
	if err == nil && base != "image/svg+xml" && (slices.Contains([]string{"image", "audio", "video"}, family) || base == "application/pdf" || base == "text/plain") {
		kind = "inline"
	}
	if media.Filename == nil {
		return kind
	}
	return mime.FormatMediaType(kind, map[string]string{"filename": *media.Filename})
}
