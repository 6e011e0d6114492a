package chat_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

func TestNewKeyText(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^svc_live_[A-Za-z0-9_-]{24}$`)
	seen := map[string]bool{}
	for range 100 {
		text := chat.NewKeyText()
		if !form.MatchString(text) || !chat.WellFormedKey(text) {
			t.Fatalf("made the key %q", text)
		}
		if seen[text] {
			t.Fatalf("made %q twice", text)
		}
		seen[text] = true
	}
}

func TestWellFormedKey(t *testing.T) {
	t.Parallel()
	good := "svc_live_" + "abcdefghijklmnopqrstuvw-"
	for _, test := range []struct {
		name string
		text string
		want bool
	}{
		{"good", good, true},
		{"empty", "", false},
		{"prefix only", "svc_live_", false},
		{"another prefix", strings.Replace(good, "live", "test", 1), false},
		{"too short", good[:len(good)-1], false},
		{"too long", good + "a", false},
		{"not the alphabet of URLs", good[:len(good)-1] + "/", false},
		{"padded", good[:len(good)-1] + "=", false},
		{"line break behind", good + "\n", false},
		{"space before", " " + good[:len(good)-1], false},
	} {
		if got := chat.WellFormedKey(test.text); got != test.want {
			t.Errorf("%s: WellFormedKey(%q) is %v", test.name, test.text, got)
		}
	}
}

func TestHashKey(t *testing.T) {
	t.Parallel()
	// The hash is stored: another one would lock every customer out.
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // SHA-256's example for "abc"
	if got := chat.HashToken("abc"); got != want {
		t.Errorf("got %s", got)
	}
}

func TestKeyCheck(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *time.Time { return new(now.Add(d)) }
	for _, test := range []struct {
		name string
		key  chat.APIKey
		want chat.Code
	}{
		{"neither ends", chat.APIKey{}, ""},
		{"expires later", chat.APIKey{ExpiresAt: at(time.Millisecond)}, ""},
		{"expires now", chat.APIKey{ExpiresAt: at(0)}, chat.CodeExpiredAPIKey},
		{"expired", chat.APIKey{ExpiresAt: at(-time.Hour)}, chat.CodeExpiredAPIKey},
		{"revoked", chat.APIKey{RevokedAt: at(-time.Hour)}, chat.CodeRevokedAPIKey},
		{"revoked and expired", chat.APIKey{RevokedAt: at(-time.Hour), ExpiresAt: at(-time.Hour)}, chat.CodeRevokedAPIKey},
	} {
		if got, _ := chat.CodeOf(test.key.Check(now)); got != test.want {
			t.Errorf("%s: got %q", test.name, got)
		}
	}
}
