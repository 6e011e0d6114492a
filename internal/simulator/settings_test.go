package simulator

import (
	"reflect"
	"testing"
)

const settingsPath = "/v25.0/" + testNumber + "/settings"

func TestSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	want := map[string]any{
		"calling":               map[string]any{"status": "DISABLED", "call_icon_visibility": "DEFAULT", "callback_permission_status": "DISABLED"},
		"storage_configuration": map[string]any{"status": "DEFAULT"}, "payload_encryption": map[string]any{"status": "DISABLED"},
		"user_identity_change": map[string]any{"enable_identity_key_check": false},
	}
	if got := r.do("GET", settingsPath, nil); !reflect.DeepEqual(got.body, want) {
		t.Errorf("new: %s", got.raw)
	}
	set := func(change map[string]any) {
		t.Helper()
		if got := r.do("POST", settingsPath, change); got.body["success"] != true {
			t.Errorf("%v: %s", change, got.raw)
		}
	}
	set(map[string]any{"calling": map[string]any{"status": "ENABLED", "sip": map[string]any{
		"status": "ENABLED", "servers": []any{map[string]any{"hostname": "sip.example.test", "port": 5061}},
	}}})
	set(map[string]any{"calling": `{"call_icon_visibility": "DISABLE_ALL"}`})
	set(map[string]any{"fallback_language": "de"})
	set(map[string]any{"user_identity_change": map[string]any{"enable_identity_key_check": true}})
	got := r.do("GET", settingsPath, nil)
	if dig(got.body, "calling", "status") != "ENABLED" || dig(got.body, "calling", "call_icon_visibility") != "DISABLE_ALL" ||
		dig(got.body, "user_identity_change", "enable_identity_key_check") != true {
		t.Errorf("changed: %s", got.raw)
	}
	server := at[map[string]any](t, got.body, "calling", "sip", "servers", 0)
	if server["hostname"] != "sip.example.test" || server["sip_user_password"] != nil {
		t.Errorf("server: %v", server)
	}
	got = r.do("GET", settingsPath+"?include_sip_credentials=true", nil)
	if dig(got.body, "calling", "sip", "servers", 0, "sip_user_password") == nil {
		t.Errorf("password: %s", got.raw)
	}
}

// TestStorageSettings shows that the place where messages are stored is decided before the number is registered.
func TestStorageSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "status": "PENDING"})
	storage := func(status, region string) int {
		return r.do("POST", settingsPath, map[string]any{"storage_configuration": map[string]any{"status": status, "data_localization_region": region}}).code()
	}
	region := func() any {
		return dig(r.do("GET", settingsPath, nil).body, "storage_configuration", "data_localization_region")
	}
	if storage(storageOn, "Brazil") != 100 || storage("ON", "BR") != 100 || storage(storageOn, "BR") != 0 || region() != "BR" {
		t.Errorf("region: %v", region())
	}
	if storage(storageOff, "") != 0 || region() != nil {
		t.Errorf("turned off: %v", region())
	}
	r.do("POST", "/"+testNumber+"/register", map[string]any{"messaging_product": "whatsapp", "pin": "123456", "data_localization_region": "DE"})
	if region() != "DE" || storage(storageOff, "") != 100 || region() != "DE" {
		t.Errorf("registered: %v", region())
	}
}

func TestSettingsRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, change := range map[string]map[string]any{
		"two":          {"calling": map[string]any{"status": "ENABLED"}, "user_identity_change": map[string]any{"enable_identity_key_check": true}},
		"wrong value":  {"calling": map[string]any{"status": "ON"}},
		"wrong type":   {"calling": map[string]any{"status": 1}},
		"no value":     {"user_identity_change": map[string]any{}},
		"no such part": {"payload_encryption": map[string]any{"status": "ENABLED"}},
	} {
		if got := r.do("POST", settingsPath, change); got.status != 400 || got.code() != 100 {
			t.Errorf("%s: %d %s", name, got.status, got.raw)
		}
	}
	if got := r.do("GET", settingsPath, nil); dig(got.body, "calling", "status") != "DISABLED" {
		t.Errorf("a refused change was made: %s", got.raw)
	}
}
