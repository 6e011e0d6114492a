package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const demoNumber = "100200300400500"

// demoSite is a running demo with its address and key.
type demoSite struct {
	site
	url, key, simulator string
}

func newDemoSite(t *testing.T) demoSite {
	t.Helper()
	s := newSite(t)
	n := serve(t, append([]string{"--demo", "--demo-empty", "--secret-key", testKey}, s.flags...)...)
	found := n.stdout.wait(t, `(?s)Dashboard +(\S+)\n.*API key +(\S+)\n`)
	controls := n.stdout.wait(t, `Provider .*?(http://\S+)/_sim lists`)
	return demoSite{site: s, url: found[1], key: found[2], simulator: controls[1]}
}

// send runs parley send against the demo, its key given by the variable.
func (d demoSite) send(t *testing.T, args ...string) outcome {
	t.Helper()
	args = append([]string{"send", "--url", d.url, "--from", demoNumber, "--to", "+4915510000001"}, args...)
	return parleyWith(t, []string{"PARLEY_API_KEY=" + d.key}, args...)
}

func (d demoSite) sent(t *testing.T, args ...string) map[string]any {
	t.Helper()
	o := d.send(t, append(args, "--json")...)
	var object map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &object); o.code != 0 || err != nil || o.stderr != "" {
		t.Fatalf("parley send %s: %+v, %v", strings.Join(args, " "), o, err)
	}
	return object
}

func TestSend(t *testing.T) {
	t.Parallel()
	d := newDemoSite(t)
	picture := filepath.Join(t.TempDir(), "bird.jpg")
	if err := os.WriteFile(picture, []byte("picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	for kind, args := range map[string][]string{
		"text":     {"--text", "Hello, there"},
		"template": {"--template", "hello_world", "--language", "en_US"},
		"image":    {"--image", picture, "--caption", "A bird"},
		"video":    {"--video", "https://example.com/v.mp4"},
		"document": {"--document", "https://example.com/a.pdf", "--reply-to", "wamid.1"},
		"audio":    {"--audio", "https://example.com/a.ogg", "--voice"},
	} {
		got := d.sent(t, args...)
		if got["type"] != kind || got["status"] != "queued" || got["to"] != "+4915510000001" || !strings.HasPrefix(got["id"].(string), "msg_") {
			t.Errorf("%s: %v", kind, got)
		}
	}
	first := d.sent(t, "--text", "Once", "--idempotency-key", "k")
	if again := d.sent(t, "--text", "Once", "--idempotency-key", "k"); again["id"] != first["id"] {
		t.Errorf("sent %v, then %v", first, again)
	}
	if o := d.send(t, "--text", "Hello"); o.code != 0 || !strings.HasPrefix(o.stdout, "id               msg_") || !strings.Contains(o.stdout, "\nstatus           queued\n") {
		t.Errorf("got %+v", o)
	}
}

func TestSendRefusals(t *testing.T) {
	t.Parallel()
	d := newDemoSite(t)
	d.send(t, "--text", "a", "--to", "12").refused(t, exitFailed, "(invalid_phone_number, to, req_")
	d.send(t, "--text", "a", "--from", "999999999").refused(t, exitFailed, "resource_not_found", "check --from", "parley account list")
	d.send(t, "--template", "new_arrivals").refused(t, exitFailed, "header needs a parameter of type image", "missing_required_field", "--header gives the file of its header")
	d.send(t, "--template", "nope").refused(t, exitFailed, "invalid_template_name", "parley template list")
	d.send(t, "--image", "nowhere.jpg").refused(t, exitFailed, "nowhere.jpg: no such file", "the id of library media (med_…), or a file")
	d.send(t, "--text", "a", "--key", "svc_live_0123456789abcdefghijklmn").refused(t, exitFailed, "invalid_api_key", "check --key (PARLEY_API_KEY)")
}

func TestSendToNobody(t *testing.T) {
	t.Parallel()
	url := "http://" + deadAddress(t)
	parley(t, append(strings.Fields(sendArgs), "--text", "a", "--url", url)...).
		refused(t, exitFailed, "connection refused", "is the service running at "+url)
}
