package simulator

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

const blockPath = "/v25.0/" + testNumber + "/block_users"

func blocking(users ...any) map[string]any {
	list := []any{}
	for _, u := range users {
		list = append(list, map[string]any{"user": u})
	}
	return map[string]any{"messaging_product": "whatsapp", "block_users": list}
}

func TestBlockAndUnblock(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	entry := map[string]any{"input": testPerson, "wa_id": testPerson[1:]}
	got := r.do("POST", blockPath, blocking(testPerson))
	if got.status != 200 || !reflect.DeepEqual(got.body, map[string]any{"messaging_product": "whatsapp", "block_users": map[string]any{"added_users": []any{entry}}}) {
		t.Errorf("block: %s", got.raw)
	}
	if again := r.do("POST", blockPath, blocking(testPerson)); again.status != 200 {
		t.Errorf("again: %s", again.raw)
	}
	listed := r.do("GET", blockPath, nil)
	if !reflect.DeepEqual(listed.body["data"], []any{map[string]any{"messaging_product": "whatsapp", "wa_id": testPerson[1:]}}) {
		t.Errorf("list: %s", listed.raw)
	}
	id := r.send(text(testPerson, "do you hear me?"))
	r.settle(time.Minute)
	if code := r.recv.failureOf(t, id); code != 131026 {
		t.Errorf("a message to them: %d", code)
	}
	refused := r.do("POST", "/_sim/inbound", map[string]any{"phone_number_id": testNumber, "from": testPerson, "text": "hello?"})
	if refused.status != http.StatusBadRequest || !strings.Contains(string(refused.raw), "is blocked") {
		t.Errorf("a message from them: %s", refused.raw)
	}
	got = r.do("DELETE", blockPath, blocking(testPerson))
	if got.status != 200 || !reflect.DeepEqual(got.body["block_users"], map[string]any{"removed_users": []any{entry}}) {
		t.Errorf("unblock: %s", got.raw)
	}
	r.inbound()
	id = r.send(text(testPerson, "and now?"))
	r.settle(time.Minute)
	if got := strings.Join(r.recv.statuses(id), " "); got != "sent delivered read" {
		t.Errorf("after: %s", got)
	}
}

// TestBlockByUserID shows that people who hide their phone are blocked by user id, and the phone is not shown.
func TestBlockByUserID(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.inbound()
	user := r.sim.withPhone(r.sim.accounts.number(testNumber).waba.Load(), testPerson[1:]).userID
	body := map[string]any{"messaging_product": "whatsapp", "block_users": `[{"user_id": "` + user + `"}]`}
	if got := r.do("POST", blockPath, body); !reflect.DeepEqual(dig(got.body, "block_users", "added_users", 0), map[string]any{"input": user, "user_id": user}) {
		t.Errorf("block: %s", got.raw)
	}
	if got := r.do("GET", blockPath, nil); !reflect.DeepEqual(dig(got.body, "data", 0), map[string]any{"messaging_product": "whatsapp", "user_id": user}) {
		t.Errorf("list: %s", got.raw)
	}
	if !r.sim.accounts.number(testNumber).blocks.has(testPerson[1:]) {
		t.Error("the person can still write")
	}
}

// TestBlockFailures shows that each person has their own outcome.
func TestBlockFailures(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.control("POST", "numbers", map[string]any{"id": testNumber, "phone": "+4930555000"})
	r.inbound()
	got := r.do("POST", blockPath, blocking(testPerson, "+14155559876", "+4930555000", "nonsense"))
	if got.status != 400 || got.code() != 139100 || dig(got.body, "error", "message") != "(#139100) Failed to block/unblock users" {
		t.Errorf("error: %d %s", got.status, got.raw)
	}
	if dig(got.body, "block_users", "added_users", 0, "input") != testPerson {
		t.Errorf("the first was not blocked: %s", got.raw)
	}
	for i, want := range []struct {
		input, waID, says string
		code              float64
	}{{"+14155559876", "14155559876", "Re-engagement required", 131047}, {"+4930555000", "4930555000", "Self block", 131021}, {"nonsense", "", "Re-engagement required", 131047}} {
		failed := dig(got.body, "block_users", "failed_users", i)
		waID, _ := dig(failed, "wa_id").(string)
		if dig(failed, "input") != want.input || waID != want.waID || dig(failed, "errors", 0, "code") != want.code ||
			dig(failed, "errors", 0, "message") != want.says || dig(failed, "errors", 0, "error_data", "details") == nil {
			t.Errorf("failure %d: %v", i, failed)
		}
	}
	r.clock.move(windowFor)
	if got := r.do("POST", blockPath, blocking(testPerson)); dig(got.body, "block_users", "failed_users", 0, "errors", 0, "code") != 131047.0 {
		t.Errorf("a day later: %s", got.raw)
	}
	if got := r.do("DELETE", blockPath, blocking("nonsense")); got.code() != 139100 || !strings.Contains(string(got.raw), "Failed to unblock") {
		t.Errorf("unblock nobody: %s", got.raw)
	}
	if got := r.do("POST", blockPath, blocking()); got.code() != 100 {
		t.Errorf("nobody: %s", got.raw)
	}
	if got := r.do("POST", blockPath, blocking(make([]any, maxBlockedOnce+1)...)); got.code() != 130429 {
		t.Errorf("too many at once: %s", got.raw)
	}
}

func TestBlockListHasPagesAndALimit(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.IgnoreWindow = true })
	for i := range 3 {
		r.do("POST", blockPath, blocking(fmt.Sprint(491551000000+i)))
	}
	first := r.do("GET", blockPath+"?limit=2", nil)
	rest := r.do("GET", strings.TrimPrefix(at[string](t, first.body, "paging", "next"), r.url), nil)
	if len(at[[]any](t, first.body, "data")) != 2 || dig(rest.body, "data", 0, "wa_id") != "491551000002" {
		t.Errorf("pages: %s then %s", first.raw, rest.raw)
	}
	n := r.sim.accounts.number(testNumber)
	for i := len(n.blocks.people); i < maxBlocked; i++ {
		n.blocks.add(recipient{phone: fmt.Sprint(491560000000 + i)})
	}
	got := r.do("POST", blockPath, blocking("+491579999999"))
	if dig(got.body, "block_users", "failed_users", 0, "errors", 0, "code") != 139101.0 {
		t.Errorf("full: %s", got.raw)
	}
	if got := r.do("POST", blockPath, blocking("491551000001")); got.status != 200 {
		t.Errorf("one who is on it already: %s", got.raw)
	}
}
