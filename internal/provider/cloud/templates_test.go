package cloud

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

func TestTemplatesReadsAPage(t *testing.T) {
	t.Parallel()
	u := answering(t, http.StatusOK, nil, `{"data":[
		{"id":800100200,"name":"promo","language":"en-US","status":"APPROVED","category":"marketing","parameter_format":"NAMED","quality_score":{"score":"GREEN","date":1},
			"rejected_reason":"NONE","message_send_ttl_seconds":"600","components":[{"type":"BODY","text":"Gr\u00fc\u00dfe"}],"added_later":{}},
		{"id":"800100201","name":"old","language":"de"}],
		"paging":{"cursors":{"before":"b","after":"a b"},"next":"https://graph.example/x"}}`)
	page, err := u.Templates(context.Background(), number, provider.TemplateQuery{Name: "pro&mo", After: "c d"})
	want := provider.TemplatePage{Next: "a b", Templates: []provider.Template{
		{ID: "800100200", Name: "promo", Language: "en_US", Status: "APPROVED", RejectedReason: "NONE", Category: "MARKETING", Format: "named", Quality: "GREEN",
			TTLSeconds: new(600), Components: []byte(`[{"type":"BODY","text":"Grüße"}]`)},
		{ID: "800100201", Name: "old", Language: "de", Format: "positional"},
	}}
	if d := cmp.Diff(want, page); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	r := <-u.requests
	asked, err := url.Parse(r.path)
	if err != nil || r.method != http.MethodGet || asked.Path != "/v24.0/555/message_templates" {
		t.Errorf("called %s %s", r.method, r.path)
	}
	if q := asked.Query(); q.Get("name") != "pro&mo" || q.Get("after") != "c d" || q.Get("limit") != "100" || !strings.Contains(q.Get("fields"), "quality_score") {
		t.Errorf("asked %v", q)
	}
}

func TestTheLastPageOfTemplatesHasNoNext(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{"data":[]}`, `{"data":[],"paging":{"cursors":{"before":"b","after":"a"}}}`} {
		page, err := answering(t, http.StatusOK, nil, answer).Templates(context.Background(), number, provider.TemplateQuery{})
		if err != nil || page.Next != "" || page.Templates != nil {
			t.Errorf("%s: %+v, %v", answer, page, err)
		}
	}
}

// An answer without a list says nothing of the templates, which would otherwise be taken for deleted.
func TestAnAnswerWithoutTemplatesIsNoList(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{}`, `{"data":null}`, `{"data":{}}`, `[]`} {
		if page, err := answering(t, http.StatusOK, nil, answer).Templates(context.Background(), number, provider.TemplateQuery{}); err == nil {
			t.Errorf("%s: %+v", answer, page)
		}
	}
}

// The address of the next page has its cursor too. A page with another one behind it that cannot be asked for is no whole
// list.
func TestTheNextPageIsInItsAddress(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{"https://graph.example/x?limit=1&after=a%20b": "a b", "https://graph.example/x": "", "%": ""} {
		page, err := answering(t, http.StatusOK, nil, `{"data":[],"paging":{"next":"`+next+`"}}`).Templates(context.Background(), number, provider.TemplateQuery{})
		if page.Next != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", next, page.Next, err)
		}
	}
}

func TestAPageOfTemplatesMayBeLarge(t *testing.T) {
	t.Parallel()
	item := `{"id":"1","name":"n","language":"de","components":[{"type":"BODY","text":"` + strings.Repeat("x", 1<<20) + `"}]}`
	page, err := answering(t, http.StatusOK, nil, `{"data":[`+item+`,`+item+`]}`).Templates(context.Background(), number, provider.TemplateQuery{})
	if err != nil || len(page.Templates) != 2 {
		t.Errorf("%d templates, %v", len(page.Templates), err)
	}
}

func TestCreateTemplate(t *testing.T) {
	t.Parallel()
	u := answering(t, http.StatusOK, nil, `{"id":"800100200","status":"PENDING","category":"MARKETING"}`)
	made, err := u.CreateTemplate(context.Background(), number, provider.NewTemplate{
		Name: "promo", Language: "de", Category: "UTILITY", Format: "named", TTLSeconds: new(60), Components: []byte(`[{"type":"BODY"}]`),
	})
	want := provider.Template{ID: "800100200", Name: "promo", Language: "de", Status: "PENDING", Category: "MARKETING", Format: "named", TTLSeconds: new(60)}
	if d := cmp.Diff(want, made); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	called(t, <-u.requests, "POST /v24.0/555/message_templates",
		`{"name":"promo","language":"de","category":"UTILITY","parameter_format":"named","message_send_ttl_seconds":60,"components":[{"type":"BODY"}]}`)
}

func called(t *testing.T, r request, line, body string) {
	t.Helper()
	if got := r.method + " " + r.path; got != line || r.header.Get("Authorization") != "Bearer EAAtoken" {
		t.Errorf("called %s as %s, want %s", got, r.header.Get("Authorization"), line)
	}
	if string(r.body) != body {
		t.Errorf("sent %s, want %s", r.body, body)
	}
}

func TestATemplateThatExistsIsTold(t *testing.T) {
	t.Parallel()
	u := answering(t, http.StatusBadRequest, nil, `{"error":{"message":"Invalid parameter","type":"OAuthException","code":100,"error_subcode":2388024,"is_transient":false,
		"error_user_title":"Content in this language already exists","error_user_msg":"There is already German content.","fbtrace_id":"x"}}`)
	_, err := u.CreateTemplate(context.Background(), number, provider.NewTemplate{Name: "promo"})
	e, ok := errors.AsType[*provider.Error](err)
	if !ok || !e.TemplateExists() || e.OutcomeUnknown || e.Title != "Content in this language already exists" || e.Message != "There is already German content." {
		t.Errorf("got %+v", e)
	}
}

func TestAnAnswerWithoutAnIDIsNoTemplate(t *testing.T) {
	t.Parallel()
	_, err := answering(t, http.StatusOK, nil, `{"status":"PENDING"}`).CreateTemplate(context.Background(), number, provider.NewTemplate{Name: "promo"})
	if e, ok := errors.AsType[*provider.Error](err); !ok || !e.OutcomeUnknown {
		t.Errorf("got %v", err)
	}
}

func TestEditAndDeleteTemplate(t *testing.T) {
	t.Parallel()
	u := answering(t, http.StatusOK, nil, `{"success":true,"id":"1"}`)
	if err := u.EditTemplate(context.Background(), number, "800", provider.TemplateEdit{Category: "UTILITY"}); err != nil {
		t.Error(err)
	}
	called(t, <-u.requests, "POST /v24.0/800", `{"category":"UTILITY"}`)
	if err := u.DeleteTemplate(context.Background(), number, "promo", "800"); err != nil {
		t.Error(err)
	}
	called(t, <-u.requests, "DELETE /v24.0/555/message_templates?hsm_id=800&name=promo", "")
	if err := u.DeleteTemplate(context.Background(), number, "promo", ""); err != nil {
		t.Error(err)
	}
	called(t, <-u.requests, "DELETE /v24.0/555/message_templates?name=promo", "")
	if err := answering(t, http.StatusOK, nil, `{"success":false}`).DeleteTemplate(context.Background(), number, "promo", ""); err == nil {
		t.Error("a refusal with status 200 went unnoticed")
	}
}

func TestUploadSample(t *testing.T) {
	t.Parallel()
	u := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/uploads") {
			_, _ = io.WriteString(w, `{"id":"upload:MTphd?sig=ARx"}`)
			return
		}
		_, _ = io.WriteString(w, `{"h":"4::aW1hZ2U=:ARb"}`)
	})
	file := provider.File{Name: "a b.png", MimeType: "image/png", Size: 5, Body: strings.NewReader("hello")}
	if _, err := u.UploadSample(context.Background(), number, file); !errors.Is(err, provider.ErrNoApp) {
		t.Errorf("without an app: %v", err)
	}
	u.appID = "700"
	handle, err := u.UploadSample(context.Background(), number, file)
	if err != nil || handle != "4::aW1hZ2U=:ARb" {
		t.Fatalf("got %q, %v", handle, err)
	}
	called(t, <-u.requests, "POST /v24.0/700/uploads?file_length=5&file_name=a+b.png&file_type=image%2Fpng", "")
	r := <-u.requests
	called(t, r, "POST /v24.0/upload:MTphd?sig=ARx", "hello")
	if r.header.Get("file_offset") != "0" || r.header.Get("Content-Length") != "5" {
		t.Errorf("headers %v", r.header)
	}
}

func TestAPreviewStaysHere(t *testing.T) {
	t.Parallel()
	body, err := encode(outbound(chat.TypeTemplate, `{"name":"n","language":{"code":"de"},"components":[{"type":"body","parameters":[{"preview":1}]}],"preview":{"body":"x"}}`))
	if err != nil || strings.Contains(string(body), `"body":"x"`) || !strings.Contains(string(body), `{"preview":1}`) {
		t.Errorf("%s, %v", body, err)
	}
}
