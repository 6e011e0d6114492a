package app_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const importPath = app.Base + "/contacts/imports"

// half is a file of contacts of which a part has been sent.
type half struct {
	*net.TCPConn
	answer *bufio.Reader
}

// sendHalf returns once the server reads the file.
func sendHalf(t *testing.T, w *apptest.World, b *apptest.Browser) half {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: parley\r\nCookie: parley=%s\r\nContent-Type: text/csv\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		importPath, b.Token, len(peopleFile))
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := answer.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, peopleFile[:20])
	return half{conn.(*net.TCPConn), answer}
}

func (h half) status(t *testing.T) int {
	t.Helper()
	response, err := http.ReadResponse(h.answer, nil)
	must(t, err)
	response.Body.Close()
	return response.StatusCode
}

// Files of contacts, logos and pictures are among the files that an organization may send at once, on either surface.
func TestContactFilesAreBounded(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	busy, other := newOffice(t, w), newOffice(t, w)
	admin := func(o *office) *apptest.Browser {
		return w.As(t, w.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID))
	}
	boss, surface := admin(busy), w.App.Surface()
	slow := sendHalf(t, w, boss)
	release, ok := surface.OccupyUploads(busy.org.ID, rest.DefaultBounds.UploadsPerOrg-1)
	if !ok || surface.Load().Uploads != rest.DefaultBounds.UploadsPerOrg {
		t.Fatalf("%d files are on their way", surface.Load().Uploads)
	}
	boss.Do(t, "POST", "/contacts/imports", peopleFile, "Content-Type", "text/csv").RequireFailure(t, "service_unavailable", "")
	boss.Do(t, "PUT", "/organization/logo", "x", "Content-Type", "image/png").RequireFailure(t, "service_unavailable", "")
	w.WithKey(t, busy.org.ID).Do(t, "POST", "/"+*busy.account.PhoneNumberID+"/media", "x", "Content-Type", "multipart/form-data; boundary=x").
		RequireFailure(t, "service_unavailable", "")
	admin(other).Do(t, "POST", "/contacts/imports", peopleFile, "Content-Type", "text/csv").RequireStatus(t, http.StatusCreated)
	release()
	io.WriteString(slow, peopleFile[20:])
	if status := slow.status(t); status != http.StatusCreated {
		t.Errorf("the file that was on its way got %d", status)
	}
	if left := surface.Load().Uploads; left != 0 {
		t.Errorf("%d files are still on their way", left)
	}
}

// A client that hangs up is no fault of the server.
func TestContactFileThatEndsEarly(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w := apptest.Start(t, storetest.SQLite, func(cfg *app.Config) { cfg.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	o := newOffice(t, w)
	gone := sendHalf(t, w, w.As(t, w.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID)))
	must(t, gone.CloseWrite())
	if status := gone.status(t); status != http.StatusBadRequest {
		t.Errorf("got %d", status)
	}
	if log.Len() > 0 {
		t.Errorf("the log says %s", &log)
	}
}

// deadlines is an answer to a connection that notes until when it would wait for the client.
type deadlines struct {
	*httptest.ResponseRecorder
	reads []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.reads = append(d.reads, at)
	return nil
}

func (d *deadlines) SetWriteDeadline(time.Time) error { return nil }

// A file of contacts must not crawl: how long it may take grows with what has arrived.
func TestContactFilesMustNotCrawl(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	o := newOffice(t, w)
	admin := w.As(t, w.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID))
	const size = 1 << 20
	request := httptest.NewRequest("POST", importPath, strings.NewReader("phone,name\n"+strings.Repeat("+4915100000000,Ada\n", size/19)))
	request.Header.Set("Content-Type", "text/csv")
	request.AddCookie(&http.Cookie{Name: "parley", Value: admin.Token})
	answer := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	before := time.Now()
	w.App.ServeHTTP(answer, request)
	took := time.Since(before)
	if answer.Code != http.StatusCreated || len(answer.reads) < 10 {
		t.Fatalf("got %d after %d waits", answer.Code, len(answer.reads))
	}
	first, last := answer.reads[0].Sub(before), answer.reads[len(answer.reads)-1].Sub(before)
	if grown := last - first; first > 20*time.Second+took || grown < 60*time.Second || grown > 65*time.Second {
		t.Errorf("it may take %v at first, and %v in the end", first, last)
	}
}
