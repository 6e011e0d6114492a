package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/client"
)

func signed(at int64, body string, secrets ...string) string {
	header := fmt.Sprintf("t=%d", at)
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.%s", at, body)
		header += ",v1=" + hex.EncodeToString(mac.Sum(nil))
	}
	return header
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	const at, body = 1_700_000_000, "{\"id\": \"evt_1\"}\n\x00ü"
	good := signed(at, body, "whsec_new")
	both := signed(at, body, "whsec_old", "whsec_new")
	for name, test := range map[string]struct {
		secrets   string
		header    string
		body      string
		late      time.Duration
		tolerance time.Duration
		want      error
	}{
		"valid":                      {"whsec_new", good, body, 0, 0, nil},
		"both, I have the old":       {"whsec_old", both, body, 0, 0, nil},
		"both, I have the new":       {"whsec_new", both, body, 0, 0, nil},
		"I have both":                {"whsec_old whsec_new", good, body, 0, 0, nil},
		"spaces":                     {"whsec_new", strings.ReplaceAll(good, ",", " , "), body, 0, 0, nil},
		"a scheme to come":           {"whsec_new", "v2=zz," + good, body, 0, 0, nil},
		"upper case":                 {"whsec_new", "t=1700000000,v1=" + strings.ToUpper(strings.Split(good, "v1=")[1]), body, 0, 0, nil},
		"just in time":               {"whsec_new", good, body, 300 * time.Second, 0, nil},
		"just early enough":          {"whsec_new", good, body, -300 * time.Second, 0, nil},
		"too late":                   {"whsec_new", good, body, 301 * time.Second, 0, client.ErrSignatureTime},
		"too early":                  {"whsec_new", good, body, -301 * time.Second, 0, client.ErrSignatureTime},
		"own tolerance":              {"whsec_new", good, body, 9 * time.Minute, 10 * time.Minute, nil},
		"beyond own tolerance":       {"whsec_new", good, body, 2 * time.Second, time.Second, client.ErrSignatureTime},
		"another secret":             {"whsec_other", good, body, 0, 0, client.ErrSignature},
		"no secret":                  {"", good, body, 0, 0, client.ErrSignature},
		"signed with nothing":        {" whsec_new", signed(at, body, ""), body, 0, 0, client.ErrSignature},
		"another body":               {"whsec_new", good, body + " ", 0, 0, client.ErrSignature},
		"another time":               {"whsec_new", strings.Replace(good, "t=17", "t=18", 1), body, 0, 0, client.ErrSignature},
		"two times":                  {"whsec_new", good + ",t=1700000000", body, 0, 0, client.ErrSignature},
		"no time":                    {"whsec_new", strings.TrimPrefix(good, "t=1700000000,"), body, 0, 0, client.ErrSignature},
		"no signature":               {"whsec_new", "t=1700000000", body, 0, 0, client.ErrSignature},
		"empty":                      {"whsec_new", "", body, 0, 0, client.ErrSignature},
		"cut short":                  {"whsec_new", good[:len(good)-2], body, 0, 0, client.ErrSignature},
		"not hex":                    {"whsec_new", good[:len(good)-1] + "g", body, 0, 0, client.ErrSignature},
		"late and of another secret": {"whsec_other", good, body, time.Hour, 0, client.ErrSignature},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := client.VerifyWebhook(strings.Split(test.secrets, " "), test.header, []byte(test.body), time.Unix(at, 0).Add(test.late), test.tolerance)
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func FuzzVerifyWebhook(f *testing.F) {
	f.Add("t=1700000000,v1=00", []byte("{}"))
	f.Add(signed(1_700_000_000, "{}", "whsec_x"), []byte("{}"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		if err := client.VerifyWebhook([]string{"a secret nobody knows"}, header, body, time.Unix(1_700_000_000, 0), 0); err == nil {
			t.Errorf("%q was taken", header)
		}
	})
}
