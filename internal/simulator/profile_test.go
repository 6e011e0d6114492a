package simulator

import (
	"reflect"
	"strings"
	"testing"
)

const profilePath = "/v25.0/" + testNumber + "/whatsapp_business_profile"

func TestBusinessProfile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.do("GET", profilePath, nil); !reflect.DeepEqual(dig(got.body, "data", 0), map[string]any{"messaging_product": "whatsapp"}) {
		t.Errorf("new: %s", got.raw)
	}
	change := map[string]any{
		"messaging_product": "whatsapp", "about": "Butterflies {of all kinds}", "address": "1 Lane", "description": "We sell butterflies.",
		"email": "shop@example.test", "vertical": "RETAIL", "websites": []string{"https://example.test/", "http://example.test/b"},
		"profile_picture_handle": r.sim.uploadHandle("image/png"),
	}
	if got := r.do("POST", profilePath, change); got.body["success"] != true {
		t.Fatalf("change: %s", got.raw)
	}
	got := r.do("GET", profilePath, nil)
	shown := at[map[string]any](t, got.body, "data", 0)
	for _, field := range []string{"messaging_product", "about", "address", "description", "email", "vertical"} {
		if shown[field] != change[field] {
			t.Errorf("%s is %v", field, shown[field])
		}
	}
	if dig(shown, "websites", 1) != "http://example.test/b" || !strings.HasPrefix(at[string](t, shown, "profile_picture_url"), "https://") || shown["id"] != nil {
		t.Errorf("shown: %s", got.raw)
	}
	r.do("POST", profilePath, map[string]any{"messaging_product": "whatsapp", "about": "New", "websites": []string{}})
	got = r.do("GET", profilePath+"?fields=about,address,websites", nil)
	if want := map[string]any{"about": "New", "address": "1 Lane", "messaging_product": "whatsapp"}; !reflect.DeepEqual(dig(got.body, "data", 0), want) {
		t.Errorf("changed in part: %s", got.raw)
	}
	if got := r.do("GET", profilePath+"?fields=about,id", nil); got.code() != 100 || !strings.Contains(string(got.raw), "nonexisting field (id)") {
		t.Errorf("unknown field: %s", got.raw)
	}
}

func TestBusinessProfileRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, field := range map[string]struct {
		value any
		says  string
	}{
		"about":                  {"", "Param about must be at least 1 characters long."},
		"address":                {strings.Repeat("a", 257), "Param address must be at most 256 characters long."},
		"description":            {strings.Repeat("ä", 513), "Param description must be at most 512 characters long."},
		"email":                  {"Shop <shop@example.test>", "Param email must be a valid email address."},
		"vertical":               {"INDUSTRY", "Param vertical must be one of {ALCOHOL, APPAREL"},
		"websites":               {[]string{"https://a.test", "https://b.test", "https://c.test"}, "Param websites must have at most 2 items."},
		"profile_picture_handle": {"nonsense", "Param profile_picture_handle must be a handle"},
		"messaging_product":      {"sms", "Param messaging_product must be one of {WHATSAPP}"},
	} {
		got := r.do("POST", profilePath, with(map[string]any{"messaging_product": "whatsapp", "about": "x"}, name, field.value))
		if got.status != 400 || got.code() != 100 || !strings.Contains(at[string](t, got.body, "error", "message"), field.says) {
			t.Errorf("%s: %d %s", name, got.status, got.raw)
		}
	}
	if got := r.do("POST", profilePath, map[string]any{"messaging_product": "whatsapp", "websites": []string{"example.test"}}); !strings.Contains(string(got.raw), "websites[0]") {
		t.Errorf("website without a scheme: %s", got.raw)
	}
	if got := r.do("GET", profilePath, nil); dig(got.body, "data", 0, "about") != nil {
		t.Errorf("a refused change was made: %s", got.raw)
	}
}
