package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// keep stores a file and returns its path.
func keep(t *testing.T, s *Server, mimeType, filename, content string) (path string) {
	t.Helper()
	key := s.store.NewID(chat.KindMedia)
	info, err := s.messaging.blobs.Put(t.Context(), key, strings.NewReader(content), 1<<20)
	must(t, err)
	err = s.store.InTx(t.Context(), func(tx *store.Tx) error {
		m, err := core.AddMedia(tx, chat.Account{OrgID: "org_x", ID: "acc_x", TeamID: "team_x"}, chat.MediaInbound,
			core.StoredFile{BlobKey: key, MimeType: mimeType, Size: info.Size, SHA256: info.SHA256, Filename: filename})
		path = core.MediaPath(m)
		return err
	})
	must(t, err)
	return path
}

// Files come from strangers. A file that a browser would treat as a page is saved and not shown.
func TestFilesAreShownOrSaved(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	t.Cleanup(func() { s.Close() })
	const unknown = "application/octet-stream"
	for _, test := range []struct{ mimeType, filename, want, wantType string }{
		{"image/png", "a.png", `inline; filename=a.png`, "image/png"},
		{"image/jpeg", "", "inline", "image/jpeg"},
		{"Video/MP4", "a.mp4", `inline; filename=a.mp4`, "video/mp4"},
		{"audio/ogg; codecs=opus", "", "inline", "audio/ogg; codecs=opus"},
		{"application/pdf", "a b.pdf", `inline; filename="a b.pdf"`, "application/pdf"},
		{"text/plain; charset=utf-8", "a.txt", `inline; filename=a.txt`, "text/plain; charset=utf-8"},
		{"text/html", "a.html", `attachment; filename=a.html`, "text/html"},
		{"TEXT/HTML; charset=utf-8", "", "attachment", "text/html; charset=utf-8"},
		{"image/svg+xml", "a.svg", `attachment; filename=a.svg`, "image/svg+xml"},
		{"application/xhtml+xml", "", "attachment", "application/xhtml+xml"},
		{"application/zip", "a.zip", `attachment; filename=a.zip`, "application/zip"},
		{"Text/JavaScript; charset=utf-8", "a.js", `attachment; filename=a.js`, unknown},
		{"application/x-ecmascript", "", "attachment", unknown},
		{"text/javascript1.5", "", "attachment", unknown},
		{"text/css", "", "attachment", unknown},
		{"", "", "attachment", unknown},
		{"nonsense", "", "attachment", unknown},
		{"image/png; x=" + strings.Repeat("y", 3<<20), "", "inline", unknown}, // from an earlier version
		{"image/png; x=\xff", "", "attachment", unknown},
	} {
		response := httptest.NewRecorder()
		s.routes().ServeHTTP(response, httptest.NewRequest(http.MethodGet, keep(t, s, test.mimeType, test.filename, "content"), nil))
		if got := response.Header().Get("Content-Disposition"); got != test.want || response.Code != http.StatusOK {
			t.Errorf("%.50q: %d with %s, want %s", test.mimeType, response.Code, got, test.want)
		}
		if got := response.Header().Get("Content-Type"); got != test.wantType {
			t.Errorf("%.50q is shown as %.50q, want %q", test.mimeType, got, test.wantType)
		}
	}
}

// A large file over a slow line may take longer than an answer of the API.
func TestFilesMayTakeTime(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	s.public.http.WriteTimeout = time.Nanosecond
	start(t, s)
	path := keep(t, s, "image/png", "", "content")
	if status, body := get(t, s.public.listener, path); status != http.StatusOK || body != "content" {
		t.Errorf("got %d %q", status, body)
	}
}
