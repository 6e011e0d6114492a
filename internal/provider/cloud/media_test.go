package cloud

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/provider"
)

func TestUploadMedia(t *testing.T) {
	for _, size := range []int64{11, 0} { // with and without a known length
		u := answering(t, http.StatusOK, nil, `{"id":900100200300}`)
		f := provider.File{Name: "a \"b\"\r\n.png", MimeType: "image/png", Size: size, Body: strings.NewReader("hello there")}
		id, err := u.UploadMedia(context.Background(), number, f)
		if err != nil || id != "900100200300" {
			t.Fatalf("got %q, %v", id, err)
		}
		checkUpload(t, <-u.requests)
	}
}

func checkUpload(t *testing.T, r request) {
	t.Helper()
	if r.method != http.MethodPost || r.path != "/v24.0/100200300400/media" || r.header.Get("Authorization") != "Bearer EAAtoken" {
		t.Errorf("called %s %s", r.method, r.path)
	}
	_, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	must(t, err)
	form, err := multipart.NewReader(bytes.NewReader(r.body), params["boundary"]).ReadForm(1 << 20)
	must(t, err)
	if got := form.Value["messaging_product"]; !reflect.DeepEqual(got, []string{"whatsapp"}) {
		t.Errorf("messaging_product: %q", got)
	}
	if got := form.Value["type"]; !reflect.DeepEqual(got, []string{"image/png"}) {
		t.Errorf("type: %q", got)
	}
	file := form.File["file"][0]
	if file.Filename != `a "b".png` || file.Header.Get("Content-Type") != "image/png" {
		t.Errorf("file %q, %v", file.Filename, file.Header)
	}
	part, err := file.Open()
	must(t, err)
	if content, err := io.ReadAll(part); err != nil || string(content) != "hello there" {
		t.Errorf("got %q, %v", content, err)
	}
}

func TestUploadWithoutAnID(t *testing.T) {
	u := answering(t, http.StatusOK, nil, `{}`)
	_, err := u.UploadMedia(context.Background(), number, provider.File{MimeType: "image/png", Body: strings.NewReader("x")})
	if e := failure(t, err); !e.OutcomeUnknown {
		t.Errorf("got %+v", e)
	}
}

func TestMedia(t *testing.T) {
	want := provider.MediaInfo{URL: "https://files.test/1?a=b&c", Size: 303833}
	for name, answer := range map[string]string{
		"numbers": `"file_size":303833,"id":9001`,
		"strings": `"file_size":"303833","id":"9001"`,
	} {
		t.Run(name, func(t *testing.T) {
			u := answering(t, http.StatusOK, nil, `{"messaging_product":"whatsapp","url":"https:\/\/files.test\/1?a=b&c","mime_type":"image\/jpeg",`+answer+`}`)
			got, err := u.Media(context.Background(), number, "90/01")
			if err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			if r := <-u.requests; r.method != http.MethodGet || r.path != "/v24.0/90%2F01?phone_number_id=100200300400" {
				t.Errorf("called %s %s", r.method, r.path)
			}
		})
	}
	if _, err := answering(t, http.StatusOK, nil, `{"id":"9001"}`).Media(context.Background(), number, "9001"); err == nil {
		t.Error("an answer without an address was accepted")
	}
}

func TestDownload(t *testing.T) {
	u := answering(t, http.StatusOK, map[string]string{"Content-Type": "image/png"}, "the file")
	body, err := u.Download(context.Background(), number, u.url+"/files/1?x=y")
	must(t, err)
	content, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil || string(content) != "the file" {
		t.Errorf("got %q, %v", content, err)
	}
	r := <-u.requests
	if r.path != "/files/1?x=y" || r.header.Get("Authorization") != "Bearer EAAtoken" || r.header.Get("User-Agent") != "Parley" {
		t.Errorf("called %s with %v", r.path, r.header)
	}
}

func TestDownloadKeepsTheTokenToItself(t *testing.T) {
	other := answering(t, http.StatusOK, nil, "x")
	u := answering(t, http.StatusOK, nil, "x")
	for _, address := range []string{other.url + "/f", "file:///etc/passwd", "://", ""} {
		if _, err := u.Download(context.Background(), number, address); err == nil {
			t.Errorf("%q was fetched", address)
		}
	}
	if len(other.requests) > 0 {
		t.Error("the token went to another host in the clear")
	}
}

func TestDownloadIsGone(t *testing.T) {
	u := answering(t, http.StatusNotFound, nil, "gone")
	_, err := u.Download(context.Background(), number, u.url+"/f")
	if e := failure(t, err); e.HTTPStatus != http.StatusNotFound || e.Transient {
		t.Errorf("got %+v", e)
	}
}

func TestDownloadStalls(t *testing.T) {
	end := make(chan struct{})
	u := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "the beginning")
		_ = http.NewResponseController(w).Flush()
		<-end
	})
	t.Cleanup(func() { close(end) })
	body, err := u.Download(context.Background(), number, u.url+"/f")
	must(t, err)
	defer body.Close()
	body.(*fileBody).timeout = 20 * time.Millisecond
	content, err := io.ReadAll(body)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %q, %v", content, err)
	}
	if e := failure(t, err); !e.Transient {
		t.Errorf("got %+v", e)
	}
}

func TestDownloadNeverBegins(t *testing.T) {
	url, _ := silent(t)
	_, err := client(t, url, 50*time.Millisecond).Download(context.Background(), number, url+"/f")
	if e := failure(t, err); !errors.Is(e, context.DeadlineExceeded) || !e.Transient {
		t.Errorf("got %+v", e)
	}
}

func TestFileTooLarge(t *testing.T) {
	u := answering(t, http.StatusOK, nil, "0123456789")
	body, err := u.Download(context.Background(), number, u.url+"/f")
	must(t, err)
	defer body.Close()
	body.(*fileBody).left = 9
	if _, err := io.ReadAll(body); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestDigest(t *testing.T) {
	sum := sha256.Sum256([]byte("x"))
	for _, good := range []string{
		hex.EncodeToString(sum[:]), strings.ToUpper(hex.EncodeToString(sum[:])),
		base64.StdEncoding.EncodeToString(sum[:]), base64.URLEncoding.EncodeToString(sum[:]), base64.RawStdEncoding.EncodeToString(sum[:]),
	} {
		if !bytes.Equal(digest(good), sum[:]) {
			t.Errorf("%q was not read", good)
		}
	}
	for _, bad := range []string{"", "00", "zz", hex.EncodeToString(sum[:31]), strings.Repeat("A", 64) + "="} {
		if digest(bad) != nil {
			t.Errorf("%q was read", bad)
		}
	}
}
