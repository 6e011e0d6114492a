package simulator

import (
	"strings"
	"testing"
)

// phoneBook is what others know, as a server knows the numbers that were connected by a command.
type phoneBook map[string]NumberSpec

func (b phoneBook) find(id string) (NumberSpec, bool) {
	spec, found := b[id]
	return spec, found
}

func newRigKnowing(t *testing.T, book phoneBook) *rig {
	return newRig(t, func(c *Config) { c.Known = book.find })
}

// TestNumbersThatOthersKnow shows that such numbers have their own phone and account from the first use on.
func TestNumbersThatOthersKnow(t *testing.T) {
	t.Parallel()
	r := newRigKnowing(t, phoneBook{testNumber: {ID: testNumber, WABAID: "2001", Phone: "+4930555000", Name: "Shop"}})
	r.control("POST", "account_events", map[string]any{"phone_number_id": testNumber, "event": "PARTNER_REMOVED"})
	r.settle(0)
	told := r.recv.all()[0].value
	if dig(told, "waba_info", "waba_id") != "2001" || told["phone_number"] != "4930555000" {
		t.Errorf("told: %v", told)
	}
	if page := r.do("GET", "/dialog/oauth?client_id=7001&redirect_uri=https%3A%2F%2Fexample.test&state=x&response_type=code", nil); page.status != 200 || strings.Contains(string(page.raw), testNumber) {
		t.Errorf("the signup page offers it: %d %s", page.status, page.raw)
	}
	if got := r.do("GET", "/"+testNumber+"?fields=verified_name,status", nil); got.body["verified_name"] != "Shop" || got.body["status"] != "DISCONNECTED" {
		t.Errorf("number: %s", got.raw)
	}
}

// TestNumbersThatOthersKnowLater shows that an id may be used before its owner is known.
func TestNumbersThatOthersKnowLater(t *testing.T) {
	t.Parallel()
	book := phoneBook{}
	r := newRigKnowing(t, book)
	r.control("PATCH", "numbers/"+testNumber, map[string]any{"status": "FLAGGED", "on_business_app": true})
	book[testNumber] = NumberSpec{ID: testNumber, WABAID: "2001", Phone: "+4930555000"}
	r.control("POST", "account_events", map[string]any{"phone_number_id": testNumber, "event": "ACCOUNT_VIOLATION"})
	r.settle(0)
	told := r.recv.all()[0]
	if told.entry != "2001" || told.value["phone_number"] != "4930555000" {
		t.Errorf("told: %v", told)
	}
	if got := r.do("GET", "/"+testNumber+"?fields=status,is_on_biz_app", nil); got.body["status"] != "FLAGGED" || got.body["is_on_biz_app"] != true {
		t.Errorf("what had happened to it is forgotten: %s", got.raw)
	}
}

// TestGuessedPhonesAreNotTold shows that no event carries a made-up phone, because it would belong to nobody.
func TestGuessedPhonesAreNotTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := func() map[string]any {
		t.Helper()
		r.recv.clear()
		r.control("POST", "account_events", map[string]any{"phone_number_id": testNumber, "event": "ACCOUNT_VIOLATION"})
		r.settle(0)
		return r.recv.all()[0].value
	}
	r.do("GET", "/2001/message_templates", nil) // the number joins the account of the same token
	r.do("GET", "/"+testNumber, nil)
	if told := event(); told["phone_number"] != nil {
		t.Errorf("told: %v", told)
	}
	if got := r.recv.all()[0].entry; got != "2001" {
		t.Errorf("entry %s", got)
	}
	r.control("POST", "numbers", map[string]any{"id": testNumber, "waba_id": "2001", "phone": "+4930555000"})
	if told := event(); told["phone_number"] != "4930555000" {
		t.Errorf("told once it is known: %v", told)
	}
}
