package simulator

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/templates"
)

func (r *rig) upload(number, mimeType string, data []byte, fields map[string]string) reply {
	r.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for k, v := range fields {
		must(r.t, w.WriteField(k, v))
	}
	if data != nil {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="f"`}}
		if mimeType != "" {
			h.Set("Content-Type", mimeType)
		}
		part, err := w.CreatePart(h)
		must(r.t, err)
		if _, err := part.Write(data); err != nil {
			r.t.Fatal(err)
		}
	}
	w.Close()
	req, err := http.NewRequest("POST", r.url+"/v25.0/"+number+"/media", &b)
	must(r.t, err)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+testToken)
	got, err := r.request(req)
	must(r.t, err)
	return got
}

var uploadFields = map[string]string{"messaging_product": "whatsapp", "type": "image/png"}

func TestMediaLife(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	data := []byte("\x89PNG pixels")
	id := at[string](t, r.upload(testNumber, "image/png", data, uploadFields).body, "id")
	info := r.do("GET", "/v25.0/"+id+"?phone_number_id="+testNumber, nil)
	if info.body["mime_type"] != "image/png" || info.body["sha256"] != fmt.Sprintf("%x", sha256.Sum256(data)) || info.body["file_size"] != float64(len(data)) || info.body["messaging_product"] != "whatsapp" {
		t.Fatalf("look-up: %s", info.raw)
	}
	address := info.body["url"].(string)
	got := r.fetch(address, testToken)
	if got.status != 200 || !bytes.Equal(got.raw, data) || got.header.Get("Content-Type") != "image/png" {
		t.Errorf("download: %d %q", got.status, got.raw)
	}
	if got := r.fetch(address, ""); got.status != 401 {
		t.Errorf("without a token: %d", got.status)
	}
	if got := r.fetch(address+"0", testToken); got.status != 404 {
		t.Errorf("forged address: %d", got.status)
	}
	r.clock.move(files.MediaURLLife)
	if got := r.fetch(address, testToken); got.status != 404 {
		t.Errorf("after five minutes: %d", got.status)
	}
	if got := r.do("GET", "/"+id, nil); got.status != 200 || r.fetch(got.body["url"].(string), testToken).status != 200 {
		t.Errorf("looked up again: %s", got.raw)
	}
	if got := r.do("GET", "/"+id+"?phone_number_id=4711", nil); got.code() != 100 {
		t.Errorf("another number's: %s", got.raw)
	}
	if got := r.do("DELETE", "/"+id, nil); got.body["success"] != true {
		t.Errorf("delete: %s", got.raw)
	}
	if got := r.do("DELETE", "/"+id, nil); got.code() != 100 || dig(got.body, "error", "error_subcode") != 33.0 {
		t.Errorf("delete twice: %s", got.raw)
	}
	id = at[string](t, r.upload(testNumber, "image/png", data, uploadFields).body, "id")
	r.clock.move(files.UploadedLife)
	if got := r.do("GET", "/"+id, nil); got.code() != 100 {
		t.Errorf("after a month: %s", got.raw)
	}
}

func TestUploadChecks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tc := range []struct {
		name, mimeType string
		size           int
		fields         map[string]string
		code           int
	}{
		{"png", "image/png", 10, uploadFields, 0},
		{"ogg with codec", "audio/ogg; codecs=opus", 10, uploadFields, 0},
		{"type from the form", "", 10, uploadFields, 0},
		{"gif", "image/gif", 10, uploadFields, 100},
		{"no product", "image/png", 10, map[string]string{"type": "image/png"}, 100},
		{"empty", "image/png", 0, uploadFields, 100},
		{"largest image", "image/png", 5 * files.Mib, uploadFields, 0},
		{"large image", "image/png", 5*files.Mib + 1, uploadFields, 100},
		{"large sticker", "image/webp", 500*files.Kib + 1, uploadFields, 100},
		{"video", "video/mp4", 6 * files.Mib, uploadFields, 0},
		{"no file", "image/png", -1, uploadFields, 100},
	} {
		var data []byte
		if tc.size >= 0 {
			data = make([]byte, tc.size)
		}
		if got := r.upload(testNumber, tc.mimeType, data, tc.fields); got.code() != tc.code {
			t.Errorf("%s: %s", tc.name, got.raw)
		}
	}
	if got := r.do("POST", "/"+testNumber+"/media", map[string]any{}); got.code() != 100 {
		t.Errorf("not a form: %s", got.raw)
	}
}

func TestSendingUploadedMedia(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	upload := func(mimeType string) string {
		return at[string](t, r.upload(testNumber, mimeType, []byte("data"), uploadFields).body, "id")
	}
	png, ogg, mp3 := upload("image/png"), upload("audio/ogg; codecs=opus"), upload("audio/mpeg")
	send := func(kind, content string) string { return r.send(messageOf(kind, content)) }
	voice := send("audio", `{"id":"`+ogg+`","voice":true}`)
	want := map[string]string{
		send("image", `{"id":"`+png+`"}`):                       "sent delivered read",
		send("document", `{"id":"`+png+`"}`):                    "sent delivered read",
		send("audio", `{"id":"`+mp3+`"}`):                       "sent delivered read",
		voice:                                                   "sent delivered read played",
		send("audio", `{"id":"`+mp3+`","voice":true}`):          "failed",
		send("video", `{"id":"`+png+`"}`):                       "failed",
		send("image", `{"link":"https://files.invalid/a.png"}`): "failed",
		send("image", `{"link":"https://`+templates.SampleHost+`/v/t61/1.bin"}`): "failed",
	}
	r.settle(time.Minute)
	for id, want := range want {
		if got := strings.Join(r.recv.statuses(id), " "); got != want {
			t.Errorf("statuses %q, want %q", got, want)
		}
		if code := r.recv.failureOf(t, id); want == "failed" && code != 131053 {
			t.Errorf("failed with %d", code)
		}
	}
	if got := r.do("POST", "/4711/messages", messageOf("image", `{"id":"`+png+`"}`)); got.code() != 131009 {
		t.Errorf("another number's media: %s", got.raw)
	}
}

func TestSlowMedia(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.sim.cfg.BaseURL = r.url
	r.control("POST", "inbound", map[string]any{"phone_number_id": testNumber, "from": "+99990004000", "type": "image"})
	r.settle(0)
	address := at[string](t, r.recv.all()[0].value, "messages", 0, "image", "url")
	answers := make(chan reply, 1)
	go func() { answers <- r.fetch(address, testToken) }()
	waitFor(t, func() bool { return r.sim.sched.waiting() == 1 })
	r.settle(4 * time.Second)
	if got := <-answers; got.status != 200 || len(got.raw) == 0 {
		t.Errorf("download: %d", got.status)
	}
}

func TestResumableUpload(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	start := func(query string) reply { return r.do("POST", "/v25.0/7001/uploads?"+query, nil) }
	for _, bad := range []string{"file_type=image/png", "file_length=0&file_type=image/png", "file_length=5&file_type=image/gif"} {
		if got := start(bad); got.code() != 100 {
			t.Errorf("%s: %s", bad, got.raw)
		}
	}
	if got := r.do("POST", "/4711/uploads?file_length=5&file_type=image/png", nil); got.code() != 100 {
		t.Errorf("another app: %s", got.raw)
	}
	session := at[string](t, start("file_name=a.png&file_length=10&file_type=image/png").body, "id")
	put := func(offset, data string) reply {
		req, _ := http.NewRequest("POST", r.url+"/v25.0/"+session, strings.NewReader(data))
		req.Header.Set("Authorization", "OAuth "+testToken)
		req.Header.Set("file_offset", offset)
		got, err := r.request(req)
		must(t, err)
		return got
	}
	if got := put("0", "01234"); got.code() != 100 {
		t.Errorf("part: %s", got.raw)
	}
	if got := r.do("GET", "/v25.0/"+session, nil); got.body["file_offset"] != "5" {
		t.Errorf("state: %s", got.raw)
	}
	if got := put("0", "01234"); got.code() != 100 {
		t.Errorf("wrong offset: %s", got.raw)
	}
	handle, _ := put("5", "56789").body["h"].(string)
	if !strings.HasPrefix(handle, "4::aW1hZ2UvcG5n:") {
		t.Fatalf("handle: %q", handle)
	}
	name, _, _ := strings.Cut(session, "?")
	if got := r.do("GET", "/"+name, nil); got.code() != 100 {
		t.Errorf("without its signature: %s", got.raw)
	}
	created := r.do("POST", "/2001/message_templates", map[string]any{
		"name": "with_picture", "language": "en_US", "category": "marketing",
		"components": []any{
			map[string]any{"type": "header", "format": "image", "example": map[string]any{"header_handle": []string{handle}}},
			map[string]any{"type": "body", "text": "Look at this."},
		},
	})
	if created.status != 200 {
		t.Errorf("template: %s", created.raw)
	}
	listed := r.do("GET", "/2001/message_templates?name=with_picture", nil)
	sample := at[string](t, listed.body, "data", 0, "components", 0, "example", "header_handle", 0)
	if u, err := url.Parse(sample); err != nil || u.Host != templates.SampleHost {
		t.Errorf("listed sample: %s", sample)
	}
}

func TestMediaKindsAreDisjoint(t *testing.T) {
	t.Parallel()
	var all []string
	for _, l := range files.Limits {
		for _, kind := range l.Types {
			if slices.Contains(all, kind) {
				t.Errorf("%s is listed twice", kind)
			}
			all = append(all, kind)
		}
	}
}
