package cloud

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		status int
		header map[string]string
		answer string
		want   provider.Error
	}{
		{
			name: "invalid parameter with details", status: 400,
			answer: `{"error":{"message":"(#131008) Required parameter is missing","type":"OAuthException","code":131008,"error_subcode":2494010,
				"error_data":{"messaging_product":"whatsapp","details":"Parameter 'to' is mandatory"},"fbtrace_id":"T1"}}`,
			want: provider.Error{
				Text: "(#131008) Required parameter is missing",
				Code: 131008, Subcode: 2494010, Title: "Required parameter is missing",
				Details: "Parameter 'to' is mandatory", Message: "Parameter 'to' is mandatory", Trace: "T1",
			},
		},
		{
			name: "error data as a text", status: 400, answer: `{"error":{"message":"Invalid parameter","code":"100","error_data":"wrong thing"}}`,
			want: provider.Error{Text: "Invalid parameter", Code: 100, Title: "Invalid parameter", Details: "wrong thing", Message: "wrong thing"},
		},
		{
			name: "text for the user", status: 400,
			answer: `{"error":{"message":"Invalid parameter","code":100,"error_subcode":2388024,"is_transient":false,"error_user_title":"Exists","error_user_msg":"It exists already"}}`,
			want:   provider.Error{Text: "Invalid parameter", Code: 100, Subcode: 2388024, Title: "Exists", Message: "It exists already"},
		},
		{
			name: "token expired", status: 401, header: map[string]string{"X-Fb-Trace-Id": "H1"},
			answer: `{"error":{"message":"Error validating access token","type":"OAuthException","code":190,"error_subcode":463}}`,
			want:   provider.Error{Text: "Error validating access token", Code: 190, Subcode: 463, Title: "Error validating access token", Message: "Error validating access token", Trace: "H1"},
		},
		{
			name: "token lost under the code 0", status: 401, answer: `{"error":{"message":"(#0) AuthException","code":0}}`,
			want: provider.Error{Text: "(#0) AuthException", CodeZero: true, Title: "AuthException", Message: "AuthException"},
		},
		{
			name: "throttled", status: 400, answer: `{"error":{"message":"(#130429) Rate limit hit","code":130429}}`,
			want: provider.Error{Text: "(#130429) Rate limit hit", Code: 130429, Title: "Rate limit hit", Message: "Rate limit hit", Transient: true, Throttled: true},
		},
		{
			name: "throttled by status, code unknown", status: 429, header: map[string]string{"Retry-After": "17"}, answer: `{"error":{"message":"slow down","code":99}}`,
			want: provider.Error{Text: "slow down", Code: 99, Title: "slow down", Message: "slow down", Transient: true, Throttled: true, RetryAfter: 17 * time.Second},
		},
		{
			name: "throttled by status, no body", status: 429,
			want: provider.Error{Message: "HTTP 429 Too Many Requests", Transient: true, Throttled: true, Foreign: true},
		},
		{
			name: "wait told by the usage header", status: 400,
			header: map[string]string{"X-Business-Use-Case-Usage": `{"555":[{"type":"whatsapp","call_count":100,"estimated_time_to_regain_access":3},{"estimated_time_to_regain_access":"7"}]}`},
			answer: `{"error":{"message":"limit","code":80007}}`,
			want:   provider.Error{Text: "limit", Code: 80007, Title: "limit", Message: "limit", Transient: true, Throttled: true, RetryAfter: 7 * time.Minute},
		},
		{
			name: "nonsense in the headers", status: 400,
			header: map[string]string{"X-Business-Use-Case-Usage": `{"555":[`, "Retry-After": "soon"},
			answer: `{"error":{"message":"limit","code":80007}}`,
			want:   provider.Error{Text: "limit", Code: 80007, Title: "limit", Message: "limit", Transient: true, Throttled: true},
		},
		{
			name: "absurd wait", status: 503, header: map[string]string{"Retry-After": "2000000000"},
			want: provider.Error{Message: "HTTP 503 Service Unavailable", Transient: true, Foreign: true, RetryAfter: maxRetryAfter},
		},
		{
			name: "wait beyond all numbers", status: 503, header: map[string]string{"Retry-After": "99999999999999999999"},
			want: provider.Error{Message: "HTTP 503 Service Unavailable", Transient: true, Foreign: true, RetryAfter: maxRetryAfter},
		},
		{
			name: "wait that is over", status: 503, header: map[string]string{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"},
			want: provider.Error{Message: "HTTP 503 Service Unavailable", Transient: true, Foreign: true},
		},
		{
			name: "pair limit", status: 400, answer: `{"error":{"message":"(#131056) pair","code":131056}}`,
			want: provider.Error{Text: "(#131056) pair", Code: 131056, Title: "pair", Message: "pair", Transient: true},
		},
		{
			name: "said to be transient", status: 400, answer: `{"error":{"message":"m","code":424242,"is_transient":true}}`,
			want: provider.Error{Text: "m", Code: 424242, Title: "m", Message: "m", Transient: true},
		},
		{
			name: "server fault with an error object was not carried out", status: 500, answer: `{"error":{"message":"(#131000) Something went wrong","code":131000}}`,
			want: provider.Error{Text: "(#131000) Something went wrong", Code: 131000, Title: "Something went wrong", Message: "Something went wrong", Transient: true},
		},
		{
			name: "server fault without one may have been", status: 500, answer: `<html>oops</html>`,
			want: provider.Error{Message: "HTTP 500 Internal Server Error", Transient: true, OutcomeUnknown: true, Foreign: true},
		},
		{
			name: "gateway timeout", status: 504, want: provider.Error{Message: "HTTP 504 Gateway Timeout", Transient: true, OutcomeUnknown: true, Foreign: true},
		},
		{name: "unavailable", status: 503, want: provider.Error{Message: "HTTP 503 Service Unavailable", Transient: true, Foreign: true}},
		{name: "not found", status: 404, answer: `nothing`, want: provider.Error{Message: "HTTP 404 Not Found", Transient: true, Foreign: true}},
		{
			name: "a proxy wants somebody to sign in", status: 401, answer: `<html>Sign in</html>`,
			want: provider.Error{Message: "HTTP 401 Unauthorized", Transient: true, Foreign: true},
		},
		{
			name: "redirect", status: 302, header: map[string]string{"Location": "/elsewhere"},
			want: provider.Error{Message: "HTTP 302 Found", Transient: true, Foreign: true},
		},
		{
			name: "error under a good status", status: 200, answer: `{"error":{"message":"(#100) no","code":100}}`,
			want: provider.Error{Text: "(#100) no", Code: 100, Title: "no", Message: "no"},
		},
		{
			name: "error that is not an object", status: 400, answer: `{"error":"no"}`,
			want: provider.Error{Message: "HTTP 400 Bad Request", Transient: true, Foreign: true},
		},
		{
			name: "wrong types", status: 400, answer: `{"error":{"message":{"a":1},"code":[1],"error_data":[1],"fbtrace_id":{},"error_subcode":1e300}}`,
			want: provider.Error{Message: "HTTP 400 Bad Request"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := answering(t, test.status, test.header, test.answer)
			_, err := u.Send(context.Background(), number, outbound(chat.TypeText, `{"body":"x"}`))
			test.want.HTTPStatus = test.status
			if got := failure(t, err); *got != test.want {
				t.Errorf("got  %+v\nwant %+v", *got, test.want)
			}
			<-u.requests
			if len(u.requests) > 0 {
				t.Error("the request was repeated")
			}
		})
	}
}

// TestEveryCallReportsRefusals makes sure that no call swallows an error answer.
func TestEveryCallReportsRefusals(t *testing.T) {
	u := answering(t, 400, nil, `{"error":{"message":"(#100) no","code":100,"error_subcode":33}}`)
	ctx := context.Background()
	calls := map[string]func() error{
		"MarkRead":    func() error { return u.MarkRead(ctx, number, "wamid.I", true) },
		"Register":    func() error { return u.Register(ctx, number, "123456") },
		"PhoneNumber": func() error { _, err := u.PhoneNumber(ctx, number); return err },
		"Media":       func() error { _, err := u.Media(ctx, number, "9001"); return err },
		"Download":    func() error { _, err := u.Download(ctx, number, u.url+"/f"); return err },
		"UploadMedia": func() error {
			_, err := u.UploadMedia(ctx, number, provider.File{MimeType: "image/png", Size: 1, Body: strings.NewReader("x")})
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			e := failure(t, call())
			if e.Code != 100 || e.Subcode != 33 || e.HTTPStatus != 400 || e.Transient || e.Class().Code != chat.FailPermissionRevoked {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestUnreadableAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"empty":           ``,
		"not JSON":        `<html>login to the hotel's network</html>`,
		"not an object":   `[]`,
		"no messages":     `{}`,
		"no id":           `{"messages":[{}]}`,
		"wrong type":      `{"messages":{"id":"wamid.A"}}`,
		"more than one":   accepted + accepted,
		"far too large":   `{"x":"` + strings.Repeat("x", maxAnswer) + `"}`,
		"broken off":      accepted[:len(accepted)-1],
		"nested too deep": strings.Repeat(`{"a":`, 20000),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := answering(t, http.StatusOK, nil, answer).Send(context.Background(), number, outbound(chat.TypeText, `{"body":"x"}`))
			if e := failure(t, err); !e.OutcomeUnknown || !e.Transient {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestCheckRedirect(t *testing.T) {
	request := func(method, url string) *http.Request {
		r, err := http.NewRequest(method, url, nil)
		must(t, err)
		return r
	}
	first := request(http.MethodGet, "http://sim.test/f")
	tests := []struct {
		name string
		next *http.Request
		via  []*http.Request
		want error
	}{
		{"file elsewhere", request(http.MethodGet, "https://cdn.test/f"), []*http.Request{first}, nil},
		{"file on the same host", request(http.MethodGet, "http://sim.test/g"), []*http.Request{first}, nil},
		{"file in the clear", request(http.MethodGet, "http://cdn.test/f"), []*http.Request{first}, errRedirect},
		{"call to the API", request(http.MethodGet, "https://sim.test/g"), []*http.Request{request(http.MethodPost, "https://sim.test/f")}, http.ErrUseLastResponse},
		{"too many", request(http.MethodGet, "https://cdn.test/f"), []*http.Request{first, first, first, first}, http.ErrUseLastResponse},
	}
	for _, test := range tests {
		if got := checkRedirect(test.next, test.via); !errors.Is(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
