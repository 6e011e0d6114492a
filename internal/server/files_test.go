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
	info, err := s.messaging.blobs.Put(key, strings.NewReader(content), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	err = s.store.InTx(t.Context(), func(tx *store.Tx) error {
		m, err := core.AddMedia(tx, chat.Account{OrgID: "org_x", ID: "acc_x", TeamID: "team_x"}, chat.MediaInbound,
			core.StoredFile{BlobKey: key, MimeType: mimeType, Size: info.Size, SHA256: info.SHA256, Filename: filename})
		path = core.MediaPath(m)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Files come from strangers. What a browser would take for a page is saved and not shown.
func TestFilesAreShownOrSaved(t *testing.T) {
	t.Parallel()
	s, _ := open(t, settings(t))
	t.Cleanup(func() { s.Close() })
	for _, test := range []struct{ mimeType, filename, want string }{
		{"image/png", "a.png", `inline; filename=a.png`},
		{"image/jpeg", "", "inline"},
		{"Video/MP4", "a.mp4", `inline; filename=a.mp4`},
		{"audio/ogg; codecs=opus", "", "inline"},
		{"application/pdf", "a b.pdf", `inline; filename="a b.pdf"`},
		{"text/plain; charset=utf-8", "a.txt", `inline; filename=a.txt`},
		{"text/html", "a.html", `attachment; filename=a.html`},
		{"TEXT/HTML; charset=utf-8", "", "attachment"},
		{"image/svg+xml", "a.svg", `attachment; filename=a.svg`},
		{"application/xhtml+xml", "", "attachment"},
		{"application/zip", "a.zip", `attachment; filename=a.zip`},
		{"", "", "attachment"},
		{"nonsense", "", "attachment"},
	} {
		response := httptest.NewRecorder()
		s.routes().ServeHTTP(response, httptest.NewRequest(http.MethodGet, keep(t, s, test.mimeType, test.filename, "content"), nil))
		if got := response.Header().Get("Content-Disposition"); got != test.want || response.Code != http.StatusOK {
			t.Errorf("%q: %d with %s, want %s", test.mimeType, response.Code, got, test.want)
		}
	}
}

// A large file over a slow line takes longer than an answer of the API may.
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
