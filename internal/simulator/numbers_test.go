package simulator

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestReadNumber(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "waba_id": "2001", "phone": "+4930555000", "name": "Shop"})
	got := r.do("GET", "/v25.0/"+testNumber, nil)
	for field, want := range map[string]any{
		"id": testNumber, "verified_name": "Shop", "display_phone_number": "+49 305 55000", "quality_rating": "GREEN",
		"code_verification_status": "VERIFIED", "platform_type": "CLOUD_API", "status": nil,
	} {
		if got.body[field] != want {
			t.Errorf("%s is %v, want %v", field, got.body[field], want)
		}
	}
	got = r.do("GET", "/"+testNumber+"?fields=status,is_on_biz_app,health_status{can_send_message,entities},throughput", nil)
	if got.body["status"] != "CONNECTED" || got.body["is_on_biz_app"] != false || dig(got.body, "health_status", "can_send_message") != "AVAILABLE" {
		t.Errorf("fields: %s", got.raw)
	}
	if got := r.do("GET", "/"+testNumber+"?fields=nonsense", nil); got.code() != 100 || !strings.Contains(string(got.raw), "nonexisting field (nonsense)") {
		t.Errorf("unknown field: %s", got.raw)
	}
	if got := r.do("GET", "/2001?fields=name,currency", nil); got.body["currency"] != "USD" {
		t.Errorf("account: %s", got.raw)
	}
	if got := r.do("GET", "/nonsense", nil); got.code() != 100 || dig(got.body, "error", "error_subcode") != 33.0 {
		t.Errorf("unknown id: %s", got.raw)
	}
	if got := r.do("GET", "/9000000000000000", nil); got.code() != 100 {
		t.Errorf("unknown media: %s", got.raw)
	}
	if got := r.do("GET", "/a/b/c", nil); got.code() != 2500 {
		t.Errorf("unknown path: %s", got.raw)
	}
}

func TestListNumbers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 5 {
		r.control("POST", "numbers", map[string]any{"id": fmt.Sprint(500 + i), "waba_id": "2001"})
		r.clock.move(time.Hour)
	}
	var ids []string
	path := "/2001/phone_numbers?limit=2&fields=id"
	for path != "" {
		got := r.do("GET", path, nil)
		for _, n := range at[[]any](t, got.body, "data") {
			ids = append(ids, at[string](t, n, "id"))
		}
		next, _ := dig(got.body, "paging", "next").(string)
		path = strings.TrimPrefix(next, r.url)
	}
	if got := strings.Join(ids, " "); got != "504 503 502 501 500" {
		t.Errorf("ids: %s", got)
	}
	if got := r.do("GET", "/2001/phone_numbers?limit=1", nil); dig(got.body, "data", 0, "status") != "CONNECTED" || dig(got.body, "data", 0, "last_onboarded_time") == nil {
		t.Errorf("without fields: %s", got.raw)
	}
	page := r.do("GET", "/2001/phone_numbers?limit=2&after="+cursorOf("503"), nil)
	before := r.do("GET", "/2001/phone_numbers?limit=2&before="+at[string](t, page.body, "paging", "cursors", "before"), nil)
	if dig(before.body, "data", 0, "id") != "504" {
		t.Errorf("before: %s", before.raw)
	}
	if got := r.do("GET", "/2001/phone_numbers?after=nonsense", nil); got.code() != 131059 {
		t.Errorf("bad cursor: %s", got.raw)
	}
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	created := r.do("POST", "/2001/phone_numbers", map[string]any{"cc": "49", "phone_number": "30555001", "verified_name": "Shop"})
	id := at[string](t, created.body, "id")
	register := func(pin any) int {
		return r.do("POST", "/"+id+"/register", map[string]any{"messaging_product": "whatsapp", "pin": pin}).code()
	}
	post := func(edge string, body any) int { return r.do("POST", "/"+id+"/"+edge, body).code() }
	status := func() any { return r.do("GET", "/"+id+"?fields=status", nil).body["status"] }
	check := func(step string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	check("new", status(), "PENDING")
	check("not verified", register("123456"), 133006)
	check("code before it was sent", post("verify_code", map[string]any{"code": "123456"}), 136025)
	check("no method", post("request_code", map[string]any{"language": "en_US"}), 100)
	check("request", post("request_code", map[string]any{"code_method": "SMS", "language": "en_US"}), 0)
	check("wrong code", post("verify_code", map[string]any{"code": "000000"}), 136025)
	check("right code", post("verify_code", map[string]any{"code": "123456"}), 0)
	check("no pin", register(nil), 100)
	check("short pin", register("123"), 100)
	check("send before", r.do("POST", "/"+id+"/messages", helloWorld(testPerson)).code(), 133010)
	check("register", register("246810"), 0)
	check("registered", status(), "CONNECTED")
	check("send", r.do("POST", "/"+id+"/messages", helloWorld(testPerson)).code(), 0)
	check("again", register("246810"), 0)
	check("wrong pin", register("111111"), 133005)
	check("still connected", status(), "CONNECTED")
	check("deregister", post("deregister", nil), 0)
	check("deregistered", status(), "PENDING")
	check("deregister twice", post("deregister", nil), 133010)
	check("pin is remembered", register("999999"), 133005)
	check("back", register("246810"), 0)
}

func TestPINGuessesAndAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "pin": "111111", "status": "PENDING"})
	register := func(pin string) reply {
		return r.do("POST", "/"+testNumber+"/register", map[string]any{"messaging_product": "whatsapp", "pin": pin})
	}
	for range maxWrongPINs {
		if got := register("222222"); got.code() != 133005 {
			t.Fatalf("guess: %s", got.raw)
		}
	}
	got := register("111111")
	if got.code() != 133008 || !strings.Contains(at[string](t, got.body, "error", "error_data", "details"), "43200 seconds") {
		t.Errorf("locked: %s", got.raw)
	}
	r.clock.move(pinLock)
	for i := range maxRegistrations - maxWrongPINs {
		if got := register("111111"); got.code() != 0 {
			t.Fatalf("registration %d: %s", i, got.raw)
		}
	}
	if got := register("111111"); got.code() != 133016 {
		t.Errorf("too often: %s", got.raw)
	}
	r.clock.move(registrationSpan)
	if got := register("111111"); got.code() != 0 {
		t.Errorf("three days later: %s", got.raw)
	}
}

func TestChangePIN(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.do("POST", "/"+testNumber, map[string]any{"pin": "654321"}); got.status != 200 {
		t.Fatalf("%s", got.raw)
	}
	r.settle(0)
	if all := r.recv.all(); len(all) != 1 || all[0].field != "security" || all[0].value["event"] != "PIN_CHANGED" {
		t.Errorf("callback: %v", all)
	}
	if got := r.do("GET", "/"+testNumber+"?fields=is_pin_enabled", nil); got.body["is_pin_enabled"] != true {
		t.Errorf("pin: %s", got.raw)
	}
}

func TestNumberChangesAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("PATCH", "numbers/"+testNumber, map[string]any{"tier": "TIER_10K", "name": "New", "name_decision": "APPROVED", "quality": "RED"})
	r.settle(0)
	fields := map[string]map[string]any{}
	for _, c := range r.recv.all() {
		fields[c.field] = c.value
	}
	if fields["phone_number_quality_update"]["current_limit"] != "TIER_10K" || fields["phone_number_name_update"]["requested_verified_name"] != "New" {
		t.Errorf("callbacks: %v", fields)
	}
	if got := r.do("GET", "/"+testNumber, nil); got.body["quality_rating"] != "RED" || got.body["verified_name"] != "New" {
		t.Errorf("number: %s", got.raw)
	}
}

// The account of a number is learnt from the token that both are used with.
func TestMadeUpNumbersJoinTheAccountOfTheirToken(t *testing.T) {
	t.Parallel()
	for _, numberFirst := range []bool{true, false} {
		r := newRig(t)
		steps := []func(){
			func() { r.send(helloWorld(testPerson)) },
			func() { r.do("GET", "/2001/phone_numbers", nil) },
		}
		if !numberFirst {
			steps[0], steps[1] = steps[1], steps[0]
		}
		steps[0]()
		steps[1]()
		got := r.do("GET", "/2001/phone_numbers", nil)
		if dig(got.body, "data", 0, "id") != testNumber {
			t.Errorf("number first %v: %s", numberFirst, got.raw)
		}
		r.recv.clear()
		r.settle(time.Minute)
		r.send(helloWorld(testPerson))
		r.settle(time.Minute)
		if all := r.recv.all(); all[len(all)-1].entry != "2001" {
			t.Errorf("entry: %v", all[len(all)-1].entry)
		}
	}
}

func TestManyMadeUpNumbersDoNotCollide(t *testing.T) {
	t.Parallel()
	s := New(Config{Seed: 1})
	seen := map[string]bool{}
	for i := range 5000 {
		n := s.provisionNumber(fmt.Sprint(600_000+i), token{raw: fmt.Sprint("t", i)})
		if n == nil || seen[n.digits] {
			t.Fatalf("number %d: %+v", i, n)
		}
		seen[n.digits] = true
	}
}
