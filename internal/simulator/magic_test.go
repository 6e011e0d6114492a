package simulator

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMagicNumbersRefuseAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for to, want := range map[string][2]int{
		"+99910131056":     {400, 131056},
		"+999101310561234": {400, 131056},
		"+99910000190":     {401, 190},
		"+99910000004":     {400, 4},
		"+99910132001":     {404, 132001},
		"+99910131000":     {500, 131000},
		"+99912593107":     {400, 2593107},
		"+99910999999":     {400, 999999},
	} {
		got := r.do("POST", "/"+testNumber+"/messages", helloWorld(to))
		if got.status != want[0] || got.code() != want[1] {
			t.Errorf("%s: %d %s", to, got.status, got.raw)
		}
	}
	for to, want := range map[string]int{"+99930000503": 503, "+99930000429": 429, "+99930000502": 502} {
		got := r.do("POST", "/"+testNumber+"/messages", helloWorld(to))
		if got.status != want || got.body != nil {
			t.Errorf("%s: %d %s", to, got.status, got.raw)
		}
	}
}

func TestMagicNumbersFailLater(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for to, want := range map[string]int{"+99920131026": 131026, "+99920131049": 131049, "+999201310310007": 131031} {
		id := r.send(text(to, "x"))
		r.settle(time.Minute)
		if code := r.recv.failureOf(t, id); code != want {
			t.Errorf("%s failed with %d", to, code)
		}
	}
}

func TestMagicNumbersBendStatuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for to, want := range map[string]string{
		"+99970000001": "sent sent delivered delivered read read",
		"+99970000002": "read delivered sent",
		"+99970000003": "sent",
		"+99970000004": "sent delivered",
		"+99970000005": "",
		"+99970000006": "sent read",
		"+99970000007": "sent delivered read",
		"+99970000008": "sent delivered failed",
		"+99970000009": "sent failed",
		"+99970000010": "failed",
		"+99970000011": "delivered read sent",
		"+99970000099": "sent delivered read",
	} {
		id := r.send(helloWorld(to))
		r.settle(time.Minute)
		if got := strings.Join(r.recv.statuses(id), " "); got != want {
			t.Errorf("%s: %q, want %q", to, got, want)
		}
	}
	got := r.do("POST", "/"+testNumber+"/messages", helloWorld("+99970000007"))
	if dig(got.body, "messages", 0, "message_status") != "held_for_quality_assessment" {
		t.Errorf("held: %s", got.raw)
	}
}

func TestMagicNumberRecovers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for try, want := range []int{131000, 131000, 0, 0} {
		if got := r.do("POST", "/"+testNumber+"/messages", helloWorld("+99982131000")); got.code() != want {
			t.Errorf("try %d: %s", try, got.raw)
		}
	}
}

// A lost answer: the caller sees a broken connection, but the person gets the message.
func TestMagicNumberLosesTheAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	body := with(helloWorld("+99960000000"), "biz_opaque_callback_data", "msg_lost")
	if got, err := r.try("POST", "/"+testNumber+"/messages", body); err == nil {
		t.Fatalf("answered: %d %s", got.status, got.raw)
	}
	r.settle(time.Minute)
	all := r.recv.all()
	if len(all) != 3 || dig(all[0].value, "statuses", 0, "biz_opaque_callback_data") != "msg_lost" {
		t.Errorf("callbacks: %v", all)
	}
}

func TestMagicNumberHangs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	errs := make(chan error, 1)
	go func() {
		_, err := r.try("POST", "/"+testNumber+"/messages", helloWorld("+99950005000"))
		errs <- err
	}()
	waitFor(t, func() bool { return r.sim.sched.waiting() == 1 })
	r.settle(5 * time.Second)
	if err := <-errs; err == nil {
		t.Error("a hanging request was answered")
	}
	if n := r.sim.counters.accepted.Load(); n != 0 {
		t.Errorf("%d accepted", n)
	}
}

func TestMagicNumberHangsUntilTheCallerGivesUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error, 1)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, "POST", r.url+"/"+testNumber+"/messages", strings.NewReader(string(encode(t, helloWorld("+99950000000")))))
		req.Header.Set("Authorization", "Bearer x")
		_, err := r.request(req)
		errs <- err
	}()
	waitFor(t, func() bool { return r.sim.counters.sends.Load() == 1 })
	cancel()
	if err := <-errs; err == nil {
		t.Error("answered")
	}
}

func TestMagicNumberIsSlow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	answers := make(chan reply, 1)
	go func() {
		got, _ := r.try("POST", "/"+testNumber+"/messages", helloWorld("+99940003000"))
		answers <- got
	}()
	waitFor(t, func() bool { return r.sim.sched.waiting() == 1 })
	r.settle(3 * time.Second)
	if got := <-answers; got.status != 200 {
		t.Errorf("slow answer: %d %s", got.status, got.raw)
	}
}

// waitFor yields until another goroutine has reached a state that it does not announce.
func waitFor(t *testing.T, reached func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !reached() {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
		<-tick.C
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	send := func() reply {
		got, err := r.try("POST", "/"+testNumber+"/messages", helloWorld(testPerson))
		if err != nil {
			return reply{}
		}
		return got
	}
	for _, tc := range []struct {
		name   string
		faults map[string]any
		status int
		code   int
	}{
		{"code", map[string]any{"code": 131016}, 500, 131016},
		{"code now and then", map[string]any{"code": 131016, "rate": 1e-9}, 200, 0},
		{"status", map[string]any{"http_status": 503}, 503, 0},
		{"lost answers", map[string]any{"drop_answer_rate": 1}, 0, 0},
		{"later", map[string]any{"code": 131049, "async": true}, 200, 0},
		{"none", map[string]any{}, 200, 0},
	} {
		r.control("PUT", "faults/"+testNumber, tc.faults)
		if got := send(); got.status != tc.status || got.code() != tc.code {
			t.Errorf("%s: %d %s", tc.name, got.status, got.raw)
		}
	}
	r.control("DELETE", "faults/"+testNumber, nil)
	r.control("PUT", "faults", map[string]any{"max_per_second": 2})
	codes := []int{send().code(), send().code(), send().code()}
	r.clock.move(time.Second)
	if codes = append(codes, send().code()); !slices.Equal(codes, []int{0, 0, 130429, 0}) {
		t.Errorf("throughput: %v", codes)
	}
	if got := r.do("PUT", "/_sim/faults", map[string]any{"misspelt": 1}); got.status != 400 {
		t.Errorf("misspelt: %s", got.raw)
	}
}

func TestFaultyStatuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for want, faults := range map[string]map[string]any{
		"sent sent delivered delivered read read": {"duplicate_rate": 1},
		"read delivered sent":                     {"reorder_rate": 1},
		"sent read":                               {"skip_delivered_rate": 1},
		"":                                        {"silent_rate": 1},
	} {
		r.control("PUT", "faults", faults)
		id := r.send(helloWorld(testPerson))
		r.settle(time.Minute)
		if got := strings.Join(r.recv.statuses(id), " "); got != want {
			t.Errorf("%v: %q", faults, got)
		}
	}
}
