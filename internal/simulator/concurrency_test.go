package simulator

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestConcurrentUse does everything at once; the race detector and the final count decide.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) {
		c.Delays, c.Now, c.MaxMessages, c.IgnoreWindow = &Delays{}, nil, 200, true
	})
	call := func(method, path, body string) {
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer t")
		r.sim.ServeHTTP(httptest.NewRecorder(), req)
	}
	work := []func(int){
		func(i int) {
			call("POST", fmt.Sprintf("/%d/messages", 100+i%5), fmt.Sprintf(`{"messaging_product":"whatsapp","to":"+49155%08d","text":{"body":"x"},"biz_opaque_callback_data":"%d"}`, i, i%20))
		},
		func(i int) {
			call("POST", "/_sim/inbound", fmt.Sprintf(`{"phone_number_id":"%d","from":"+49155%08d","type":"image"}`, 100+i%5, i))
		},
		func(i int) { call("GET", "/_sim/messages?limit=5", "") },
		func(i int) { call("GET", "/_sim/counters", "") },
		func(i int) {
			call("PUT", "/_sim/faults/101", fmt.Sprintf(`{"duplicate_rate":0.5,"grouping":"%s"}`, []string{groupChange, groupValue, groupEntry}[i%3]))
		},
		func(i int) { call("POST", "/2001/message_templates", templateBody(fmt.Sprint("t", i))) },
		func(i int) { call("GET", "/2001/message_templates", "") },
		func(i int) { call("PATCH", "/_sim/numbers/101", `{"quality":"RED","tier":"TIER_10K"}`) },
		func(i int) { call("GET", "/101?fields=health_status,status", "") },
		func(i int) {
			call("POST", "/_sim/inbound", fmt.Sprintf(`{"phone_number_id":"101","from":{"phone":"+49155%08d","username":"u%d"},"text":"x"}`, i, i))
		},
		func(i int) {
			if i%40 == 39 {
				call("POST", "/_sim/reset", "")
			}
		},
	}
	var group sync.WaitGroup
	for _, do := range work {
		group.Go(func() {
			for i := range 120 {
				do(i)
			}
		})
	}
	group.Wait()
	call("POST", "/_sim/reset", "")
	r.settle(0)
	r.recv.clear()
	id := r.send(helloWorld(testPerson))
	r.settle(0)
	if got := len(r.recv.statuses(id)); got != 3 {
		t.Errorf("%d statuses afterwards", got)
	}
}
