package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

const (
	library  = "/v1/${number}/media"
	boundary = "frontier"
)

// part is a part of a form.
type part struct{ name, filename, kind, content string }

// form is a form with these parts.
func form(parts ...part) string {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	if err := w.SetBoundary(boundary); err != nil {
		panic(err)
	}
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name=%q`, p.name)}}
		if p.filename != "" {
			header.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename="%s"`, p.name, p.filename)) // as it is, broken or not
		}
		if p.kind != "" {
			header.Set("Content-Type", p.kind)
		}
		into, err := w.CreatePart(header)
		if err != nil {
			panic(err)
		}
		io.WriteString(into, p.content)
	}
	w.Close()
	return text.String()
}

// upload sends a body as a form.
func upload(body string) apitest.Request {
	return apitest.Request{
		Method: http.MethodPost, Path: library, Body: body,
		Header: http.Header{"Content-Type": {"multipart/form-data; boundary=" + boundary}},
	}
}

// uploadUnder is upload with an Idempotency-Key.
func uploadUnder(key, body string) apitest.Request {
	r := upload(body)
	r.Header.Set("Idempotency-Key", key)
	return r
}

// picture is a form with a small picture.
func picture(name string) string { return form(part{"file", name, "image/png", "PNG"}) }

// mediaWith is a file's envelope.
func mediaWith(kind, content, filename string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf(`{"data":{"id":"<med>","object":"media","mime_type":%q,"size":%d,"sha256":%q,"filename":%s,"url":"<text>","created_at":"<now>"},"request_id":"<req>"}`,
		kind, len(content), hex.EncodeToString(sum[:]), filename)
}

// uploaded has a picture in the library: ${media}.
func uploaded(t *testing.T, c *apitest.Case) {
	connected(t, c)
	var made struct{ ID string }
	c.Call(t, upload(picture("a.png"))).RequireStatus(t, http.StatusCreated).Data(t, &made)
	c.Set("media", made.ID)
}

func TestUpload(t *testing.T) {
	kept := apitest.Changes{"media": "+1"}
	taken := func(name, kind, filename, content, want string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: connected, Request: upload(form(part{"file", filename, kind, content})), Status: http.StatusCreated, Want: want, Change: kept, Events: []string{}}
	}
	refused := func(name, body, code, param string) apitest.Scenario {
		return apitest.Scenario{Name: name, Given: connected, Request: upload(body), Code: code, Param: param}
	}
	as := func(name, contentType, code string) apitest.Scenario {
		r := upload(picture("a.png"))
		r.Header.Set("Content-Type", contentType)
		return apitest.Scenario{Name: name, Given: connected, Request: r, Code: code}
	}
	scenarios := []apitest.Scenario{
		taken("a picture", "image/png", "a.png", "PNG", mediaWith("image/png", "PNG", `"a.png"`)),
		taken("no name", "image/jpeg", "", "JPEG", mediaWith("image/jpeg", "JPEG", `null`)),
		taken("a type with parameters", "audio/ogg; codecs=opus", "a.ogg", "OGG", mediaWith("audio/ogg; codecs=opus", "OGG", `"a.ogg"`)),
		taken("a type in capitals", "Application/PDF", "a.pdf", "PDF", mediaWith("application/pdf", "PDF", `"a.pdf"`)),
		taken("a type with parameters that nobody needs", "image/png; x=y; name=\"a\"", "a.png", "PNG", mediaWith("image/png", "PNG", `"a.png"`)),
		taken("a name with control characters", "image/png", "a\tb\xff.png", "PNG", mediaWith("image/png", "PNG", `"ab.png"`)),
		taken("a path as name", "image/png", `../../etc/a.png`, "PNG", mediaWith("image/png", "PNG", `"a.png"`)),
		taken("a long name", "image/png", strings.Repeat("é", 300), "PNG", mediaWith("image/png", "PNG", `"`+strings.Repeat("é", 240)+`"`)),
		taken("as large as its type may be", "image/webp", "a.webp", strings.Repeat("w", 500<<10), mediaWith("image/webp", strings.Repeat("w", 500<<10), `"a.webp"`)),
		{Name: "a name with escaped control characters", Given: connected, Request: upload(strings.Replace(picture("a.png"), `filename="a.png"`, "filename*=utf-8''a%00%0D%0A%1Bb%FF.png", 1)),
			Status: http.StatusCreated, Want: mediaWith("image/png", "PNG", `"ab.png"`), Change: kept},
		{Name: "behind other parts", Given: connected, Request: upload(form(part{"messaging_product", "", "", "chat"}, part{"other", "b.exe", "application/zip", "ZIP"}, part{"file", "a.png", "image/png", "PNG"})),
			Status: http.StatusCreated, Want: mediaWith("image/png", "PNG", `"a.png"`), Change: kept},
		refused("larger than its type may be", form(part{"file", "a.webp", "image/webp", strings.Repeat("w", 500<<10+1)}), "payload_too_large", ""),
		refused("empty", form(part{"file", "a.png", "image/png", ""}), bad, "file"),
		refused("a type that is not text", form(part{"file", "a.png", "image/png; x=\xff", "PNG"}), bad, "file"),
		refused("a type that is very long", form(part{"file", "a.png", "image/png; x=" + strings.Repeat("y", 40<<10), "PNG"}), bad, "file"),
		refused("a type that is longer than all that may stand before a file", form(part{"file", "a.png", "image/png; x=" + strings.Repeat("y", 3<<20), "PNG"}), "payload_too_large", ""),
		refused("much before the file", form(part{"other", "b.zip", "application/zip", strings.Repeat("z", 65<<10)}, part{"file", "a.png", "image/png", "PNG"}), "payload_too_large", ""),
		refused("no file", form(part{"picture", "a.png", "image/png", "PNG"}), missing, "file"),
		refused("no parts", form(), missing, "file"),
		refused("nothing", "", bad, "file"),
		refused("no form", `{"file":"x"}`, bad, "file"),
		refused("a form that is cut off", picture("a.png")[:len(picture("a.png"))-20], bad, "file"),
		refused("a form that is cut off before its file", "--"+boundary+"\r\nContent-Disposition: form-da", missing, "file"),
		as("as JSON", "application/json", "unsupported_media_type"),
		as("as another kind of parts", "multipart/mixed; boundary="+boundary, "unsupported_media_type"),
		as("without a boundary", "multipart/form-data", "unsupported_media_type"),
		as("without a type", "", "unsupported_media_type"),
		{Name: "to an unknown number", Request: apitest.Request{Method: http.MethodPost, Path: "/v1/999999999999/media", Body: picture("a.png"), Header: upload("").Header}, Code: "resource_not_found"},
		{Name: "to a foreign number", Given: foreignNumber, Request: apitest.Request{Method: http.MethodPost, Path: "/v1/${foreign_number}/media", Body: picture("a.png"), Header: upload("").Header}, Code: "resource_not_found"},
	}
	for _, kind := range []string{"image/gif", "image/svg+xml", "video/webm", "audio/wav", "text/html", "application/zip", "application/json", "x", "application/octet-stream"} {
		scenarios = append(scenarios, refused(kind, form(part{"file", "a", kind, "x"}), bad, "file"))
	}
	for name, want := range map[string]string{
		"a.jpg": "image/jpeg", "a.JPEG": "image/jpeg", "a.png": "image/png", "a.webp": "image/webp", "a.mp4": "video/mp4", "a.3gp": "video/3gpp", "a.aac": "audio/aac", "a.amr": "audio/amr",
		"a.mp3": "audio/mpeg", "a.m4a": "audio/mp4", "a.ogg": "audio/ogg", "a.opus": "audio/ogg", "a.txt": "text/plain", "a.b.pdf": "application/pdf", "a.doc": "application/msword",
		"a.xls": "application/vnd.ms-excel", "a.ppt": "application/vnd.ms-powerpoint", "a.docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"a.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "a.pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	} {
		scenarios = append(scenarios, taken(name+" without a type", "", name, "x", mediaWith(want, "x", `"`+name+`"`)))
	}
	apitest.RunEach(t, append(scenarios,
		taken("a.pdf as anything", "application/octet-stream", "a.pdf", "x", mediaWith("application/pdf", "x", `"a.pdf"`)),
		refused("a.exe without a type", form(part{"file", "a.exe", "", "x"}), bad, "file"),
	), calling(t, nil))
}

// Every type has its own limit, and only the type itself decides, not its parameters or its case.
func TestMediaLimits(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]int64{
		"image/jpeg": 5 << 20, "image/png": 5 << 20, " IMAGE/PNG ; x=y": 5 << 20, "image/webp": 500 << 10, "video/mp4": 16 << 20, "video/3gpp": 16 << 20,
		"audio/aac": 16 << 20, "audio/amr": 16 << 20, "audio/mpeg": 16 << 20, "audio/mp4": 16 << 20, "audio/ogg": 16 << 20, "audio/opus": 16 << 20,
		"text/plain": 100 << 20, "application/pdf": 100 << 20, "application/msword": 100 << 20,
	} {
		if got, err := core.MediaLimit(kind); got != want || err != nil {
			t.Errorf("%s: %d, %v", kind, got, err)
		}
	}
	for _, kind := range []string{"", "image", "image/", "image/*", "image/gif", "png"} {
		if got, err := core.MediaLimit(kind); err == nil {
			t.Errorf("%q may have %d bytes", kind, got)
		}
	}
}

// The file of a repeated or refused upload is not kept, and a deleted file is gone.
func TestUploadedFiles(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		dir := t.TempDir()
		api.Connect(t, nil, dir)(s.API)
		c := s.NewCase(t)
		connected(t, c)
		expect := func(what string, want ...string) {
			t.Helper()
			if got := filesIn(t, dir); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s: the files are %q, want %q", what, got, want)
			}
		}
		send := uploadUnder("k", picture("a.png"))
		var first, again struct{ ID, URL string }
		c.Call(t, send).RequireStatus(t, http.StatusCreated).Data(t, &first)
		expect("first", "PNG")
		r := c.Call(t, send).RequireStatus(t, http.StatusCreated)
		r.Data(t, &again)
		if again != first || r.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("again: got %s with %v, want %s", r.Body, r.Header, first.ID)
		}
		expect("again", "PNG")
		for _, other := range []string{form(part{"file", "a.png", "image/png", "OTHER"}), picture("b.png"), form(part{"file", "a.png", "image/jpeg", "PNG"})} {
			c.Call(t, uploadUnder("k", other)).RequireFailure(t, reuse, "Idempotency-Key")
		}
		c.Call(t, uploadUnder("", picture("a.png"))).RequireFailure(t, bad, "Idempotency-Key")
		c.Call(t, upload(form(part{"file", "a.webp", "image/webp", strings.Repeat("w", 500<<10+1)}))).RequireFailure(t, "payload_too_large", "")
		c.Call(t, upload(form(part{"file", "a.png", "image/png", ""}))).RequireFailure(t, bad, "file")
		c.Call(t, upload(form(part{"file", "a.png", "image/png; x=\xff", "PNG"}))).RequireFailure(t, bad, "file")
		expect("refused", "PNG")
		c.Call(t, upload(picture("a.png"))).RequireStatus(t, http.StatusCreated) // without a key it is another file
		expect("another", "PNG", "PNG")
		if !strings.HasPrefix(first.URL, api.PublicURL+"/media/") || len(first.URL) < len(api.PublicURL)+len("/media/")+32 {
			t.Errorf("the address is %s", first.URL)
		}
		c.Set("media", first.ID)
		c.Call(t, apitest.Request{Method: http.MethodDelete, Path: library + "/${media}"}).RequireStatus(t, http.StatusOK)
		expect("deleted, until the next housekeeping", "PNG", "PNG")
		if keys, err := s.Store.Read(t.Context()).RemovedFiles("", 10); err != nil || len(keys) != 1 {
			t.Errorf("to be removed are %v, %v", keys, err)
		}
		c.Call(t, post(content("image", `{"id":"${media}"}`))).RequireFailure(t, noMedia, "image.id")
		var sticker struct{ ID string }
		c.Call(t, upload(form(part{"file", "a.webp", "image/webp", "WEBP"}))).RequireStatus(t, http.StatusCreated).Data(t, &sticker)
		c.Set("sticker", sticker.ID)
		c.Call(t, post(content("image", `{"id":"${sticker}"}`))).RequireFailure(t, bad, "image.id")
		c.Call(t, post(content("document", `{"id":"${sticker}"}`))).RequireStatus(t, http.StatusOK)
	})
}

// If nobody knows whether an upload was recorded, its file stays, because it may have been.
func TestUploadThatMayBeRecorded(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		dir := t.TempDir()
		api.Connect(t, nil, dir)(s.API)
		c := s.NewCase(t)
		connected(t, c)
		c.Call(t, upload(picture("a.png"))).RequireStatus(t, http.StatusCreated)
		s.LoseCommits(t, "media")
		c.Call(t, upload(picture("b.png"))).RequireFailure(t, "service_unavailable", "")
		if files := filesIn(t, dir); len(files) != 2 {
			t.Errorf("the files are %q", files)
		}
	})
}

// A folder that cannot be written to is a server error, not the caller's.
func TestUploadWithoutADisk(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		dir := filepath.Join(t.TempDir(), "media")
		api.Connect(t, nil, dir)(s.API)
		c := s.NewCase(t)
		connected(t, c)
		must(t, errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)))
		c.Call(t, upload(picture("a.png"))).RequireFailure(t, "internal_error", "")
	})
}

// filesIn are the contents of the files in a folder.
func filesIn(t *testing.T, dir string) (contents []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		contents = append(contents, string(text))
		return err
	})
	must(t, err)
	return contents
}

func TestLibrary(t *testing.T) {
	get := func(id string) apitest.Request { return apitest.Request{Path: library + "/" + id} }
	remove := func(id string) apitest.Request {
		return apitest.Request{Method: http.MethodDelete, Path: library + "/" + id}
	}
	anotherTeam := func(t *testing.T, c *apitest.Case) {
		connected(t, c)
		c.Set("media", otherTeamsMedia(t, c))
	}
	inbound := func(t *testing.T, c *apitest.Case) {
		connected(t, c)
		c.InTx(t, func(tx *store.Tx) error {
			m, err := core.AddMedia(tx, accountOf(t, c), chat.MediaInbound, core.StoredFile{BlobKey: "med_x", MimeType: "image/png", SHA256: strings.Repeat("a", 64)})
			c.Set("media", m.ID)
			return err
		})
	}
	strange := func(t *testing.T, c *apitest.Case) {
		uploaded(t, c)
		c.Org = c.Stranger(t)
		connected(t, c)
	}
	const noFile = "med_00000000000000000000000000"
	sameFile := strings.Replace(mediaWith("image/png", "PNG", `"a.png"`), "<med>", "${media}", 1)
	scenarios := []apitest.Scenario{
		{Name: "get", Given: uploaded, Request: get("${media}"), Status: http.StatusOK, Want: sameFile},
		{Name: "get through another number of the team", Given: all(uploaded, connected), Request: get("${media}"), Status: http.StatusOK, Want: sameFile},
		{Name: "delete", Given: uploaded, Request: remove("${media}"), Status: http.StatusOK, Want: `{"data":{"id":"${media}","object":"media","deleted":true},"request_id":"<req>"}`,
			Change: apitest.Changes{"media": "-1", "removed_files": "+1"}, Events: []string{}, Then: func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
				c.Call(t, get("${media}")).RequireFailure(t, "resource_not_found", "")
				c.Call(t, remove("${media}")).RequireFailure(t, "resource_not_found", "")
			}},
	}
	for name, r := range map[string]apitest.Request{"get": get("${media}"), "delete": remove("${media}")} {
		for what, given := range map[string]func(*testing.T, *apitest.Case){"another team's": anotherTeam, "what came in": inbound, "another organization's": strange} {
			scenarios = append(scenarios, apitest.Scenario{Name: name + " " + what, Given: given, Request: r, Code: "resource_not_found"})
		}
	}
	apitest.RunEach(t, append(scenarios,
		apitest.Scenario{Name: "get unknown", Given: connected, Request: get(noFile), Code: "resource_not_found"},
		apitest.Scenario{Name: "delete unknown", Given: connected, Request: remove(noFile), Code: "resource_not_found"},
		apitest.Scenario{Name: "get malformed", Given: connected, Request: get("x"), Code: bad, Param: "id"},
		apitest.Scenario{Name: "delete malformed", Given: connected, Request: remove("msg_00000000000000000000000000"), Code: bad, Param: "id"},
	), calling(t, nil))
}

// Simultaneous deletions get by with the existing connections.
func TestDeleteMediaTogether(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		calling(t, nil)(s.API)
		c := s.NewCase(t)
		connected(t, c)
		var requests []apitest.Request
		for range 20 {
			c.Set("media", libraryFile(t, c, accountOf(t, c), "image/png").ID)
			requests = append(requests, c.Expanded(apitest.Request{Method: http.MethodDelete, Path: library + "/${media}"}))
		}
		statuses := make(chan int, len(requests))
		for _, r := range requests {
			go func() { statuses <- s.Do(t, r).Status }()
		}
		for range requests {
			if status := <-statuses; status != http.StatusOK {
				t.Errorf("got %d", status)
			}
		}
	})
}
