package simulator

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
)

func TestCountersTellLostFromRepeated(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, data := range []string{"a", "b", "a", "c", "a"} {
		r.send(with(helloWorld(testPerson), "biz_opaque_callback_data", data))
	}
	r.settle(time.Minute)
	got := r.control("GET", "counters", nil).body
	for name, want := range map[string]float64{
		"accepted": 5, "opaque_distinct": 3, "opaque_repeated": 2, "status_read": 5, "callbacks_acknowledged": 15, "callbacks_waiting": 0,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if dig(got, "opaque_repeated_examples", 0) != "a" {
		t.Errorf("examples: %v", got["opaque_repeated_examples"])
	}
}

func TestMessagesAndRequestsCanBeListed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.send(with(helloWorld(testPerson), "biz_opaque_callback_data", "one"))
	failed := r.send(text("+4915510000002", "x"))
	r.settle(time.Minute)
	for query, want := range map[string]float64{
		"": 2, "?state=failed": 1, "?state=read": 1, "?phone=%2B4915510000001": 1, "?biz_opaque_callback_data=one": 1,
		"?type=text": 1, "?direction=inbound": 0, "?phone_number_id=" + testNumber: 2,
	} {
		if got := r.control("GET", "messages"+query, nil); got.body["total"] != want {
			t.Errorf("%s: %s", query, got.raw)
		}
	}
	if got := r.control("GET", "messages/"+failed, nil); got.body["code"] != 131047.0 || dig(got.body, "body", "type") != "text" {
		t.Errorf("message: %s", got.raw)
	}
}

func TestStatusOutOfTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.send(with(helloWorld("+99970000005"), "biz_opaque_callback_data", "mine"))
	r.control("POST", "statuses", map[string]any{"biz_opaque_callback_data": "mine", "status": "failed", "code": 131031})
	r.control("POST", "statuses", map[string]any{"message_id": id, "status": "read", "copies": 2})
	r.settle(0)
	if got := fmt.Sprint(r.recv.statuses(id)); got != "[failed read read]" || r.recv.failureOf(t, id) != 131031 {
		t.Errorf("statuses: %s", got)
	}
	if got := r.do("POST", "/_sim/statuses", map[string]any{"message_id": "x", "status": "read"}); got.status != 404 {
		t.Errorf("unknown message: %s", got.raw)
	}
}

func TestRawCallbacks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	value := map[string]any{"decision": "APPROVED", "ü": "/"}
	r.control("POST", "callbacks", map[string]any{"field": "account_review_update", "waba_id": "2001", "value": value, "copies": 2})
	r.control("POST", "callbacks", map[string]any{"field": "anything", "phone_number_id": testNumber, "value": value})
	r.control("POST", "callbacks", map[string]any{"field": "account_update", "to_app": true, "value": value})
	r.settle(0)
	entries := map[string]int{}
	for _, c := range r.recv.all() {
		entries[c.field+" "+c.entry]++
		if c.value["ü"] != "/" {
			t.Errorf("value: %v", c.value)
		}
	}
	want := map[string]int{
		"account_review_update 2001": 2, "account_update " + appOwner: 1, "anything " + names.DerivedID(names.WABA, testNumber): 1,
	}
	if fmt.Sprint(entries) != fmt.Sprint(want) {
		t.Errorf("entries: %v, want %v", entries, want)
	}
}

func TestAccountEventsHaveEffects(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	code := func(body any) int { return r.do("POST", "/"+testNumber+"/messages", body).code() }
	event := func(fields map[string]any) {
		fields["phone_number_id"] = testNumber
		r.control("POST", "account_events", fields)
	}
	event(map[string]any{"event": "ACCOUNT_RESTRICTION", "fields": map[string]any{"restriction_info": []any{
		map[string]any{"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiration": r.clock.now().Unix() + 60},
	}}})
	if got := code(helloWorld(testPerson)); got != 368 {
		t.Errorf("restricted: %d", got)
	}
	if got := code(text(testPerson, "x")); got != 0 {
		t.Errorf("free-form while templates are restricted: %d", got)
	}
	r.clock.move(time.Minute)
	if got := code(helloWorld(testPerson)); got != 0 {
		t.Errorf("after the restriction: %d", got)
	}
	event(map[string]any{"event": "DISABLED_UPDATE", "fields": map[string]any{"ban_info": map[string]any{"waba_ban_state": "DISABLE"}}})
	if got := code(helloWorld(testPerson)); got != 131031 {
		t.Errorf("banned: %d", got)
	}
	event(map[string]any{"event": "DISABLED_UPDATE", "fields": map[string]any{"ban_info": map[string]any{"waba_ban_state": "REINSTATE"}}})
	event(map[string]any{"event": "PARTNER_REMOVED", "fields": map[string]any{"disconnection_info": map[string]any{"reason": "PRIMARY_INACTIVITY", "initiated_by": "SYSTEM"}}})
	if got := code(helloWorld(testPerson)); got != 133010 {
		t.Errorf("disconnected: %d", got)
	}
	r.settle(0)
	all := r.recv.all()
	last := all[len(all)-1]
	for _, c := range all {
		if c.value["event"] == "PARTNER_REMOVED" {
			last = c
		}
	}
	if last.entry != appOwner || dig(last.value, "waba_info", "waba_id") != names.DerivedID(names.WABA, testNumber) || dig(last.value, "disconnection_info", "reason") != "PRIMARY_INACTIVITY" {
		t.Errorf("callback: %v", last)
	}
}

func TestIdentityChange(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "identity", map[string]any{"phone_number_id": testNumber, "person": testPerson, "new_phone": "+4915510000009"})
	must(t, r.sim.people.put(person{Phone: "4915510000005", Username: "eve", HidePhone: true}))
	r.control("POST", "identity", map[string]any{"phone_number_id": testNumber, "person": "+4915510000005", "new_phone": "+4915510000006"})
	r.settle(0)
	types := map[any]map[string]any{}
	for _, c := range r.recv.all() {
		sys := at[map[string]any](t, c.value, "messages", 0, "system")
		types[sys["type"]] = sys
	}
	changed := types["user_changed_number"]
	if changed["wa_id"] != "4915510000009" || changed["user_id"] == changed["previous_user_id"] || changed["previous_user_id"] == nil {
		t.Errorf("changed number: %v", changed)
	}
	if hidden := types["user_changed_user_id"]; hidden == nil || hidden["wa_id"] != nil {
		t.Errorf("changed user id: %v", hidden)
	}
}

func TestWindowsAndReset(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failure := func() int {
		id := r.send(text(testPerson, "x"))
		r.settle(time.Minute)
		return r.recv.failureOf(t, id)
	}
	window := func(open bool) {
		r.control("POST", "windows", map[string]any{"phone_number_id": testNumber, "person": testPerson, "open": open})
	}
	window(true)
	if code := failure(); code != 0 {
		t.Errorf("opened: %d", code)
	}
	window(false)
	if code := failure(); code != 131047 {
		t.Errorf("closed: %d", code)
	}
	window(true)
	r.clock.move(25 * time.Hour)
	if code := failure(); code != 131047 {
		t.Errorf("a day later: %d", code)
	}
	r.control("POST", "reset", nil)
	if got := r.control("GET", "counters", nil); got.body["accepted"] != 0.0 {
		t.Errorf("after a reset: %s", got.raw)
	}
	if got := r.control("GET", "messages", nil); got.body["total"] != 0.0 {
		t.Errorf("after a reset: %s", got.raw)
	}
	if got := r.sim.scripts.list; len(got) != 1 || got[0].Person != DemoPhone[1:] {
		t.Errorf("the demo person is gone: %v", got)
	}
}

func TestControlTokenAndUnknownControls(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.ControlToken = "control" })
	if got := r.do("GET", "/_sim/counters", nil); got.status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", got.status)
	}
	if got := r.fetch(r.url+"/_sim/counters", "control"); got.status != 200 {
		t.Errorf("with the token: %d", got.status)
	}
	if got := r.fetch(r.url+"/_sim/nothing", "control"); got.status != 404 {
		t.Errorf("unknown control: %d", got.status)
	}
	if got := r.fetch(r.url+"/_sim", "control"); got.status != 200 || dig(got.body, "controls", 0) == nil {
		t.Errorf("list of controls: %d %s", got.status, got.raw)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newMessageStore(320)
	for i := range 10_000 {
		m.Put(recent.Key(fmt.Sprint(i)), &message{})
	}
	n := 0
	m.Each(func(recent.Key, *message) bool { n++; return true })
	if n > 320 {
		t.Errorf("%d messages are kept", n)
	}
	kept := files.NewStore(1000)
	for i := range 100 {
		kept.Add(&files.File{ID: fmt.Sprint(i), Data: make([]byte, 100), Expires: time.Now().Add(time.Hour)})
	}
	if kept.Bytes > 1000 || kept.Find("99", time.Now()) == nil || kept.Find("0", time.Now()) != nil {
		t.Errorf("%d bytes are kept", kept.Bytes)
	}
}
