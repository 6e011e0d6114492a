package cloud

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/provider"
)

var app = App{ID: "700", Secret: "s3cret", ConfigID: "cfg1"}

func TestSignupURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://graph.facebook.com/v24.0": "https://www.facebook.com/v24.0/dialog/oauth",
		"https://graph.facebook.com/":      "https://www.facebook.com/dialog/oauth",
		"http://127.0.0.1:9465/v24.0/":     "http://127.0.0.1:9465/v24.0/dialog/oauth",
	} {
		c, err := New(Options{BaseURL: base, App: app})
		must(t, err)
		address, err := c.SignupURL("https://chat.example.com/onboard/callback", "st&ate")
		must(t, err)
		u, err := url.Parse(address)
		must(t, err)
		query := u.Query()
		u.RawQuery = ""
		if u.String() != want {
			t.Errorf("%s: the dialog is at %s, want %s", base, u, want)
		}
		for name, value := range map[string]string{
			"client_id": "700", "redirect_uri": "https://chat.example.com/onboard/callback", "state": "st&ate", "response_type": "code",
			"override_default_response_type": "true", "config_id": "cfg1", "scope": "",
		} {
			if query.Get(name) != value {
				t.Errorf("%s is %q, want %q", name, query.Get(name), value)
			}
		}
		if strings.Contains(address, app.Secret) {
			t.Error("the address has the secret")
		}
	}
	c, err := New(Options{BaseURL: "https://graph.facebook.com/v24.0", App: App{ID: "700", Secret: "s", DialogURL: "https://x.example/d"}})
	must(t, err)
	if address, err := c.SignupURL("r", "s"); err != nil || !strings.HasPrefix(address, "https://x.example/d?") || !strings.Contains(address, "scope=whatsapp_business_management%2Cwhatsapp_business_messaging") {
		t.Errorf("got %s, %v", address, err)
	}
	for _, incomplete := range []App{{}, {ID: "700"}, {Secret: "s"}} {
		c, err := New(Options{BaseURL: "https://graph.facebook.com/v24.0", App: incomplete})
		must(t, err)
		if _, err := c.SignupURL("r", "s"); err == nil {
			t.Errorf("%+v will do", incomplete)
		}
	}
}

func TestExchangeCode(t *testing.T) {
	t.Parallel()
	u := answering(t, 200, nil, `{"access_token":"EAAnew","token_type":"bearer"}`)
	u.app = app
	token, err := u.ExchangeCode(t.Context(), "co&de", "https://chat.example.com/back")
	if err != nil || token != "EAAnew" {
		t.Fatalf("got %q, %v", token, err)
	}
	r := <-u.requests
	if r.method != http.MethodPost || r.path != "/v24.0/oauth/access_token" || r.header.Get("Authorization") != "" {
		t.Errorf("asked %s %s with %v", r.method, r.path, r.header)
	}
	form, err := url.ParseQuery(string(r.body))
	must(t, err)
	want := url.Values{"client_id": {"700"}, "client_secret": {"s3cret"}, "code": {"co&de"}, "redirect_uri": {"https://chat.example.com/back"}}
	if d := cmp.Diff(want, form); d != "" {
		t.Error(d)
	}
	for name, answer := range map[string]string{"no token": `{}`, "empty": `{"access_token":""}`, "no object": `[]`} {
		u := answering(t, 200, nil, answer)
		if _, err := u.ExchangeCode(t.Context(), "c", "r"); err == nil {
			t.Errorf("%s will do", name)
		}
	}
	u = answering(t, 400, nil, `{"error":{"message":"This authorization code has been used.","type":"OAuthException","code":100,"fbtrace_id":"x"}}`)
	if _, err := u.ExchangeCode(t.Context(), "c", "r"); failure(t, err).Code != 100 || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}

// TestSharedNumbers reads the numbers of the newest account that has some, the latest first.
func TestSharedNumbers(t *testing.T) {
	t.Parallel()
	const debug = `{"data":{"app_id":"700","is_valid":true,"granular_scopes":[{"scope":"pages_show_list","target_ids":["1"]},
		{"scope":"whatsapp_business_management","target_ids":["551",552]},{"scope":"whatsapp_business_messaging","target_ids":["552","553"]}]}}`
	numbers := map[string]string{
		"551": `{"data":[]}`,
		"552": `{"data":[{"id":"1","display_phone_number":"+49 30 1","last_onboarded_time":"2026-01-01T00:00:00+0000","status":"CONNECTED"},
			{"id":2,"display_phone_number":"+49 30 2","verified_name":"Shop","quality_rating":"GREEN","last_onboarded_time":"2026-02-01T00:00:00+0000","status":"PENDING"},{"id":"3"}]}`,
	}
	u := serving(t, func(w http.ResponseWriter, r *http.Request) {
		part := strings.Split(r.URL.Path, "/")[2]
		switch {
		case part == "debug_token" && r.Header.Get("Authorization") == "Bearer 700|s3cret" && r.URL.Query().Get("input_token") == "EAA+new":
			w.Write([]byte(debug))
		case r.Header.Get("Authorization") == "Bearer EAA+new":
			w.Write([]byte(numbers[part]))
		default:
			w.WriteHeader(401)
		}
	})
	u.app = app
	waba, got, err := u.SharedNumbers(t.Context(), "EAA+new")
	if err != nil || waba != "552" || len(got) != 3 {
		t.Fatalf("got %s %+v, %v", waba, got, err)
	}
	if d := cmp.Diff(provider.PhoneNumber{ID: "2", Display: "+49 30 2", VerifiedName: "Shop", Quality: "GREEN", Status: "PENDING"}, got[0]); d != "" {
		t.Error(d)
	}
	for name, answer := range map[string]string{
		"another app's": `{"data":{"app_id":"701","is_valid":true}}`, "invalid": `{"data":{"app_id":"700","is_valid":false}}`, "nothing": `{}`,
	} {
		u := answering(t, 200, nil, answer)
		u.app = app
		if _, _, err := u.SharedNumbers(t.Context(), "EAA"); err == nil {
			t.Errorf("%s token will do", name)
		}
	}
	u = answering(t, 200, nil, `{"data":{"app_id":"700","is_valid":true}}`)
	u.app = app
	if waba, got, err := u.SharedNumbers(t.Context(), "EAA"); err != nil || waba != "" || len(got) != 0 {
		t.Errorf("without accounts: %s %v, %v", waba, got, err)
	}
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	u := answering(t, 200, nil, `{"success":true}`)
	if err := u.Subscribe(t.Context(), number); err != nil {
		t.Error(err)
	}
	if err := u.Unsubscribe(t.Context(), number); err != nil {
		t.Error(err)
	}
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		if r := <-u.requests; r.method != method || r.path != "/v24.0/555/subscribed_apps" || r.header.Get("Authorization") != "Bearer EAAtoken" {
			t.Errorf("asked %s %s", r.method, r.path)
		}
	}
}

func TestSyncApp(t *testing.T) {
	t.Parallel()
	u := answering(t, 200, nil, `{"messaging_product":"whatsapp","request_id":"1"}`)
	if err := u.SyncApp(t.Context(), number, provider.AppHistory); err != nil {
		t.Error(err)
	}
	r := <-u.requests
	sameJSON(t, r.body, `{"messaging_product":"whatsapp","sync_type":"history"}`)
	if r.path != "/v24.0/100200300400/smb_app_data" {
		t.Errorf("asked %s", r.path)
	}
	again := answering(t, 400, nil, `{"error":{"message":"(#2593107) Sync","code":2593107}}`)
	if err := again.SyncApp(t.Context(), number, provider.AppContacts); err != nil {
		t.Errorf("asking again is an error: %v", err)
	}
	late := answering(t, 400, nil, `{"error":{"message":"(#2593108) Sync","code":2593108}}`)
	if err := late.SyncApp(t.Context(), number, provider.AppContacts); failure(t, err).Code != 2593108 {
		t.Errorf("got %v", err)
	}
}
