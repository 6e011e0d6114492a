package simulator

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const qrPath = "/v25.0/" + testNumber + "/message_qrdls"

func TestQRCodes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	made := r.do("POST", qrPath, map[string]any{"prefilled_message": "[Cyber Monday]", "generate_qr_image": "SVG"})
	code := at[string](t, made.body, "code")
	if !regexp.MustCompile(`^[A-Z0-9]{14}$`).MatchString(code) || made.body["deep_link_url"] != "https://wa.me/message/"+code ||
		made.body["prefilled_message"] != "[Cyber Monday]" || made.body["qr_image_url"] == nil || made.body["id"] != nil {
		t.Errorf("made: %s", made.raw)
	}
	other := r.do("POST", qrPath+"?generate_qr_image=png&prefilled_message=Hello%20there", nil)
	if other.body["prefilled_message"] != "Hello there" || other.body["code"] == code {
		t.Errorf("made in the query: %s", other.raw)
	}
	want := map[string]any{"code": code, "prefilled_message": "[Cyber Monday]", "deep_link_url": "https://wa.me/message/" + code}
	if got := r.do("GET", qrPath+"/", nil); len(at[[]any](t, got.body, "data")) != 2 || !reflect.DeepEqual(dig(got.body, "data", 0), want) {
		t.Errorf("list: %s", got.raw)
	}
	if got := r.do("GET", qrPath+"/"+code+"?fields=code,qr_image_url.format(SVG)", nil); dig(got.body, "data", 0, "qr_image_url") == nil || dig(got.body, "data", 0, "deep_link_url") != nil {
		t.Errorf("one: %s", got.raw)
	}
	byBody := r.do("POST", qrPath, map[string]any{"code": code, "prefilled_message": "Cyber Tuesday"})
	if byBody.body["prefilled_message"] != "Cyber Tuesday" || byBody.body["code"] != code || byBody.body["qr_image_url"] != nil {
		t.Errorf("changed by the body: %s", byBody.raw)
	}
	if got := r.do("POST", qrPath+"/"+code+"?prefilled_message=Cyber%20Wednesday", nil); got.body["prefilled_message"] != "Cyber Wednesday" {
		t.Errorf("changed by the path: %s", got.raw)
	}
	if got := r.do("DELETE", qrPath+"/"+code, nil); got.body["success"] != true {
		t.Errorf("delete: %s", got.raw)
	}
	if got := r.do("GET", qrPath, nil); len(at[[]any](t, got.body, "data")) != 1 || dig(got.body, "data", 0, "code") != other.body["code"] {
		t.Errorf("after: %s", got.raw)
	}
}

func TestQRCodeRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, got := range map[string]reply{
		"no message":      r.do("POST", qrPath, map[string]any{"generate_qr_image": "SVG"}),
		"long message":    r.do("POST", qrPath, map[string]any{"prefilled_message": strings.Repeat("x", 141)}),
		"unknown format":  r.do("POST", qrPath, map[string]any{"prefilled_message": "x", "generate_qr_image": "GIF"}),
		"unknown code":    r.do("GET", qrPath+"/NONE", nil),
		"nothing to edit": r.do("POST", qrPath, map[string]any{"code": "NONE", "prefilled_message": "x"}),
		"nothing to drop": r.do("DELETE", qrPath+"/NONE", nil),
	} {
		if got.status != 400 || got.code() != 100 {
			t.Errorf("%s: %d %s", name, got.status, got.raw)
		}
	}
	if got := r.do("DELETE", qrPath, nil); got.code() != 2500 {
		t.Errorf("all at once: %s", got.raw)
	}
	for range maxQRCodes {
		r.sim.accounts.number(testNumber).qrCodes = append(r.sim.accounts.number(testNumber).qrCodes, qrCode{})
	}
	if got := r.do("POST", qrPath, map[string]any{"prefilled_message": "x"}); got.code() != 100 || !strings.Contains(string(got.raw), "2000") {
		t.Errorf("too many: %s", got.raw)
	}
}
