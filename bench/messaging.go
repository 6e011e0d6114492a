package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// numbers is how many business numbers share the load, and perSecond how much each may send.
	numbers   = 20
	perSecond = 200
	// people is how many recipients and senders there are. Most messages belong to an existing conversation, as in real
	// use.
	people = 5_000

	appSecret = "bench-app-secret"

	updatesApplied = "parley_callback_updates_applied_total"
	// readAfter is when people have read a message sent to them, by the simulator's delays.
	readAfter = 2050 * time.Millisecond
)

// behind is work that continues after an answer. A row with it counts that work instead: a metric of the server grows
// by perRequest for each request, at least lag later.
type behind struct {
	metric     string
	perRequest int
	lag        time.Duration
}

var messagingScenarios = []scenario{
	{
		name: "send, completed to read", want: 200, bare: bareHTTPPost, writes: true, sends: true,
		requests: func(t target) requestFunc { return sendTemplate(t, numbers) }, behind: &behind{updatesApplied, 3, readAfter},
	},
	{
		name: "callback, applied", want: 200, bare: bareHTTPPost, writes: true,
		requests: inboundText, behind: &behind{updatesApplied, 1, 0},
	},
}

// acceptScenarios are answered by the bare path of sends as well.
var acceptScenarios = []scenario{
	{
		name: "send, accepted", want: 200, bare: bareHTTPPost, writes: true, sends: true,
		requests: func(t target) requestFunc { return sendTemplate(t, 1) },
	},
	{
		name: "send, accepted, Idempotency-Key", want: 200, bare: bareHTTPPost, writes: true, sends: true,
		requests: func(t target) requestFunc { return keyed(sendTemplate(t, 1)) },
	},
}

func phoneNumberID(i int) string { return fmt.Sprintf("1002003%05d", i%numbers) }

// person is a phone number of a fixed width.
func person(i int) string { return fmt.Sprintf("4915%09d", i%people) }

// sendTemplate sends from the given number of business numbers, the last ones. With one number nearly all accepted
// messages wait for their turn.
func sendTemplate(t target, from int) requestFunc {
	heads := make([]string, from)
	for i := range heads {
		heads[i] = t.head("POST", "/v1/"+phoneNumberID(numbers-from+i)+"/messages") + "Content-Type: application/json\r\n"
	}
	return func(buf []byte, _, i int) []byte {
		body := `{"messaging_product":"chat","to":"+` + person(i) + `","type":"template","template":{"name":"hello_world","language":"en_US"}}`
		buf = append(buf, heads[i%len(heads)]...)
		buf = append(buf, "Content-Length: "...)
		buf = strconv.AppendInt(buf, int64(len(body)), 10)
		buf = append(buf, "\r\n\r\n"...)
		return append(buf, body...)
	}
}

// keyed gives each request an Idempotency-Key of its own.
func keyed(request requestFunc) requestFunc {
	return func(buf []byte, worker, i int) []byte {
		begin := len(buf)
		buf = request(buf, worker, i)
		line := bytes.IndexByte(buf[begin:], '\n') + 1 + begin
		return slices.Insert(buf, line, fmt.Appendf(nil, "Idempotency-Key: bench-%d\r\n", i)...)
	}
}

// inboundText plays the provider: one message to a callback, signed.
func inboundText(t target) requestFunc {
	return func(buf []byte, _, i int) []byte {
		from := person(i)
		body := `{"object":"whatsapp_business_account","entry":[{"id":"200300400500600","changes":[{"field":"messages","value":{"messaging_product":"whatsapp",` +
			`"metadata":{"display_phone_number":"15550100200","phone_number_id":"` + phoneNumberID(i) + `"},` +
			`"contacts":[{"profile":{"name":"Ada"},"wa_id":"` + from + `"}],` +
			`"messages":[{"from":"` + from + `","id":"wamid.` + strconv.Itoa(i) + `","timestamp":"` + strconv.FormatInt(time.Now().Unix(), 10) +
			`","type":"text","text":{"body":"hello there"}}]}}]}]}`
		mac := hmac.New(sha256.New, []byte(appSecret))
		mac.Write([]byte(body))
		buf = append(buf, t.head("POST", "/provider/webhook")...)
		buf = append(buf, "Content-Type: application/json\r\nX-Hub-Signature-256: sha256="...)
		buf = append(buf, hex.EncodeToString(mac.Sum(nil))...)
		buf = append(buf, "\r\nContent-Length: "...)
		buf = strconv.AppendInt(buf, int64(len(body)), 10)
		buf = append(buf, "\r\n\r\n"...)
		return append(buf, body...)
	}
}

// counting is a phase that counts the work done during it. The work left by its last requests makes up for the work
// left by the requests before it, so the load must have run for longer than the lag.
func (w behind) counting(s server, run phaseFunc) phaseFunc {
	return func(ctx context.Context, b bounds) (tally, error) {
		before, err := metric(ctx, s.ops, w.metric)
		if err != nil {
			return tally{}, err
		}
		t, err := run(ctx, b)
		if err != nil {
			return t, err
		}
		after, err := metric(ctx, s.ops, w.metric)
		t.done = int(after-before) / w.perRequest
		return t, err
	}
}

func awaitMetric(ctx context.Context, ops, name string, want float64) error {
	const patience = 2 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		have, err := metric(ctx, ops, name)
		if err == nil && have >= want {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s stands at %.0f, not at %.0f (%v)", name, have, want, err)
		}
	}
}

// metric reads one counter of the server.
func metric(ctx context.Context, ops, name string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ops+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("the server has no metric %s", name)
}
