package api_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// slowly is a half-sent request on a socket of its own.
type slowly struct {
	t      *testing.T
	conn   net.Conn
	answer *bufio.Reader
	rest   string
}

// sendHalf returns once the server waits for the rest, which the server shows by asking for the body.
func sendHalf(t *testing.T, c *apitest.Case, r apitest.Request) *slowly {
	t.Helper()
	r = c.Expanded(r)
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.URL, "http://"))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		kind = "application/json"
	}
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		r.Method, r.Path, c.Org.Key, kind, len(r.Body))
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := answer.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	half := len(r.Body) / 2
	io.WriteString(conn, r.Body[:half])
	return &slowly{t, conn, answer, r.Body[half:]}
}

// finish sends the rest and returns the answer's status.
func (s *slowly) finish() int {
	s.t.Helper()
	io.WriteString(s.conn, s.rest)
	response, err := http.ReadResponse(s.answer, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// nothingHeld checks that all requests have given back what they held. The count goes down before an
// answer is written.
func nothingHeld(t *testing.T, a *api.API) {
	t.Helper()
	if slots, bytes, files := a.Held(); slots != 0 || bytes != 0 || files != 0 {
		t.Errorf("%d slots, %d bytes and %d files are still held", slots, bytes, files)
	}
}

// Bodies that arrive slowly, many more than there are slots, leave the slots to other requests, of the same
// organization and of others.
func TestSlowBodiesHoldNoSlots(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite, calling(t, nil), api.Within(api.Bounds{Requests: 4, RequestsPerOrg: 2}))
	var slow []*slowly
	crawling := []*apitest.Case{s.NewCase(t), s.NewCase(t)}
	for _, c := range crawling {
		connected(t, c)
		for i := range 10 {
			slow = append(slow,
				sendHalf(t, c, newLabel(fmt.Sprintf(`{"name":"label %d"}`, i))),
				sendHalf(t, c, upload(picture("a.png"))),
			)
		}
	}
	for _, c := range append(crawling, s.NewCase(t)) {
		c.Call(t, apitest.Request{Path: "/v1/labels"}).RequireStatus(t, http.StatusOK)
		c.Call(t, newLabel(`{"name":"quick"}`)).RequireStatus(t, http.StatusCreated)
	}
	for _, one := range slow {
		if status := one.finish(); status != http.StatusCreated {
			t.Errorf("in the end it gets %d", status)
		}
	}
	nothingHeld(t, s.API)
}

// begun is a request in process whose body is written piece by piece: a write returns when the server has read
// it.
type begun struct {
	body     *io.PipeWriter
	answered chan *httptest.ResponseRecorder
}

func begin(c *apitest.Case, r apitest.Request) *begun {
	r = c.Expanded(r)
	body, write := io.Pipe()
	request := httptest.NewRequest(r.Method, r.Path, body)
	request.Header.Set("Content-Type", "application/json")
	maps.Copy(request.Header, r.Header)
	request.Header.Set("Authorization", "Bearer "+c.Org.Key)
	b := &begun{write, make(chan *httptest.ResponseRecorder, 1)}
	go func() {
		recorder := httptest.NewRecorder()
		c.API.ServeHTTP(recorder, request)
		body.Close() // as the server does, so that no writer waits
		b.answered <- recorder
	}()
	return b
}

func (b *begun) write(text string) { io.WriteString(b.body, text) }

func (b *begun) end(text string) int {
	b.write(text)
	b.body.Close()
	return (<-b.answered).Code
}

// The memory of all bodies is bounded, and nobody can have all of it. Ordinary bodies are not counted.
func TestLargeBodiesShareMemory(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite, api.Within(api.Bounds{Bodies: 8 * api.FreeBody, BodiesPerOrg: 4 * api.FreeBody}))
	greedy, other := s.NewCase(t), s.NewCase(t)
	large := newLabel("")
	start := `{"name":"x"` + strings.Repeat(" ", api.FreeBody+1)
	held := []*begun{begin(greedy, large), begin(greedy, large)}
	for _, b := range held {
		b.write(start)
	}
	if status := begin(greedy, large).end(start + "}"); status != http.StatusServiceUnavailable {
		t.Errorf("a third large body gets %d", status)
	}
	greedy.Call(t, newLabel(`{"name":"small"}`)).RequireStatus(t, http.StatusCreated)
	if status := begin(other, large).end(start + "}"); status != http.StatusCreated {
		t.Errorf("another organization's gets %d", status)
	}
	if status := held[0].end("}"); status != http.StatusCreated {
		t.Errorf("the first gets %d", status)
	}
	if status := held[1].end("]"); status != http.StatusBadRequest {
		t.Errorf("the second gets %d", status)
	}
	nothingHeld(t, s.API)
}

// A key that is revoked while a body arrives, or a file, can do nothing with it any more.
func TestSlowBodiesOfRevokedKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := apitest.Start(t, storetest.SQLite, api.Connect(t, nil, dir))
	for _, revoked := range []bool{false, true} {
		c := s.NewCase(t)
		connected(t, c)
		text := picture("a.png")
		label, file := begin(c, newLabel("")), begin(c, upload(""))
		label.write(`{"name":`)
		file.write(text[:20])
		want := http.StatusCreated
		if revoked {
			s.RevokeKey(t, c.Org.KeyID)
			want = http.StatusUnauthorized
		}
		s.Clock.Advance(2 * time.Second)
		if made, stored := label.end(`"x"}`), file.end(text[20:]); made != want || stored != want {
			t.Errorf("revoked %v: the label gets %d and the file %d", revoked, made, stored)
		}
	}
	if files := filesIn(t, dir); len(files) != 1 {
		t.Errorf("the files are %q", files)
	}
	nothingHeld(t, s.API)
}

// A body of any size, in pieces of any size, is read whole.
func TestBodiesAreReadWhole(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite)
	c := s.NewCase(t)
	for _, size := range []int{100, 511, 512, 513, api.FreeBody, api.FreeBody + 1, 100 << 10, api.MaxBody - 1, api.MaxBody, api.MaxBody + 1} {
		want := http.StatusCreated
		if size > api.MaxBody {
			want = http.StatusRequestEntityTooLarge
		}
		text := fmt.Sprintf(`{"name":"size %d"`, size)
		text += strings.Repeat(" ", size-len(text)-1) + "}"
		b := begin(c, newLabel(""))
		b.write(text[:size/3])
		if status := b.end(text[size/3:]); status != want {
			t.Errorf("%d bytes in pieces get %d, want %d", size, status, want)
		}
		if status := c.Call(t, newLabel(strings.Replace(text, "size", "same", 1))).Status; status != want {
			t.Errorf("%d bytes get %d, want %d", size, status, want)
		}
	}
	nothingHeld(t, s.API)
}

// An organization may upload only so many files at once, and other organizations are not affected.
func TestUploadsAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := apitest.Start(t, storetest.SQLite, api.Connect(t, nil, dir), api.Within(api.Bounds{Uploads: 2, UploadsPerOrg: 1}))
	busy, other, third := s.NewCase(t), s.NewCase(t), s.NewCase(t)
	for _, c := range []*apitest.Case{busy, other, third} {
		connected(t, c)
	}
	text := picture("a.png")
	first := begin(busy, upload(""))
	first.write(text[:20])
	busy.Call(t, upload(text)).RequireFailure(t, "service_unavailable", "")
	busy.Call(t, newLabel(`{"name":"x"}`)).RequireStatus(t, http.StatusCreated)
	second := begin(other, upload(""))
	second.write(text[:20])
	third.Call(t, upload(text)).RequireFailure(t, "service_unavailable", "")
	for _, b := range []*begun{first, second} {
		if status := b.end(text[20:]); status != http.StatusCreated {
			t.Errorf("got %d", status)
		}
	}
	busy.Call(t, upload(text)).RequireStatus(t, http.StatusCreated)
	if files := filesIn(t, dir); len(files) != 3 {
		t.Errorf("the files are %q", files)
	}
	nothingHeld(t, s.API)
}

// A file that has arrived is deleted if there is no slot left to record it.
func TestUploadIntoOverload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := apitest.Start(t, storetest.SQLite, api.Connect(t, nil, dir))
	c := s.NewCase(t)
	connected(t, c)
	text := picture("a.png")
	b := begin(c, upload(""))
	b.write(text[:20])
	release := s.API.FillSlots() // waits for all slots; the upload holds none
	status := b.end(text[20:])
	release()
	if status != http.StatusServiceUnavailable || len(filesIn(t, dir)) != 0 {
		t.Errorf("got %d, and the files are %q", status, filesIn(t, dir))
	}
	nothingHeld(t, s.API)
}

// patientConnection remembers each read deadline, with the number of bytes read before it was set.
type patientConnection struct {
	*httptest.ResponseRecorder
	read  *int
	waits map[int]time.Time
}

func (p patientConnection) SetReadDeadline(at time.Time) error {
	p.waits[*p.read] = at
	return nil
}

func (p patientConnection) SetWriteDeadline(time.Time) error { return nil }

// counted counts what was read.
type counted struct {
	io.Reader
	read *int
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p[:min(len(p), 4096)])
	*c.read += n
	return n, err
}

// An upload that crawls is cut off. Its time grows with the received bytes, up to a limit.
func TestUploadsMustNotCrawl(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, storetest.SQLite, calling(t, nil))
	c := s.NewCase(t)
	connected(t, c)
	r := c.Expanded(upload(form(part{"file", "a.pdf", "application/pdf", strings.Repeat("x", 5<<20)})))
	read := 0
	request := httptest.NewRequest(r.Method, r.Path, counted{strings.NewReader(r.Body), &read})
	request.Header = r.Header
	request.Header.Set("Authorization", "Bearer "+c.Org.Key)
	connection := patientConnection{httptest.NewRecorder(), &read, map[int]time.Time{}}
	before := time.Now()
	s.API.ServeHTTP(connection, request)
	took := time.Since(before)
	if connection.Code != http.StatusCreated || len(connection.waits) < 1000 {
		t.Fatalf("got %d after %d waits", connection.Code, len(connection.waits))
	}
	delete(connection.waits, read) // all has come
	for received, until := range connection.waits {
		want := min(20*time.Second+time.Duration(received)*time.Second/(16<<10), 5*time.Minute)
		if got := until.Sub(before); got < want-time.Second || got > want+took+time.Second {
			t.Fatalf("after %d bytes it may take until %v, want %v", received, got, want)
		}
	}
}
