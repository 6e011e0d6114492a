package chat

import (
	"encoding/base32"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The codes of RFC 6238, appendix B, and of RFC 4226, appendix D.
func TestCodesOfTheRFCs(t *testing.T) {
	t.Parallel()
	key := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130",
	} {
		if got := hotp(key, counterAt(time.Unix(at, 0)), 8); got != want {
			t.Errorf("at %d it is %s, not %s", at, got, want)
		}
	}
	for counter, want := range []string{"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"} {
		if got := hotp(key, int64(counter), 6); got != want {
			t.Errorf("code %d is %s, not %s", counter, got, want)
		}
	}
}

// A code is valid from half a minute before its time until half a minute after. It is refused after it, or a
// newer one, was used.
func TestCodesCountOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := NewTOTPSecret()
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0)
		used := int64(-1 << 62)
		for range 5 {
			off := rapid.Int64Range(-3, 3).Draw(t, "off")
			of := counterAt(now) + off
			key, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
			code := hotp(key, of, 6)
			counter, ok := CheckTOTP(secret, " "+code[:3]+" "+code[3:], now, used)
			want := off >= -1 && off <= 1 && of > used
			if ok && counter != of && hotp(key, counter, 6) == code {
				return // two codes of this minute are equal: one case in a million
			}
			if ok != want || ok && counter != of {
				t.Fatalf("the code of %d at %d, after %d: %t as %d", of, counterAt(now), used, ok, counter)
			}
			if ok {
				used = counter
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second)
		}
	})
}

func TestWrongCodes(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	for _, code := range []string{"", "12345", "1234567", "abcdef", "-00001"} {
		if _, ok := CheckTOTP(NewTOTPSecret(), code, now, 0); ok {
			t.Errorf("%q counts", code)
		}
	}
}

func TestTOTPAddress(t *testing.T) {
	t.Parallel()
	secret := NewTOTPSecret()
	address := TOTPAddress(secret, "Parley (Toko Ana)", "ana+sales@example.com")
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Parley (Toko Ana):ana+sales@example.com" {
		t.Errorf("%s: %+v, %v", address, u, err)
	}
	if q := u.Query(); q.Get("secret") != secret || q.Get("issuer") != "Parley (Toko Ana)" || strings.Contains(u.RawQuery, "+") {
		t.Errorf("it says %s", u.RawQuery)
	}
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	code := NewRecoveryCode()
	if len(code) != 19 || code == NewRecoveryCode() {
		t.Errorf("a code is %q", code)
	}
	for _, written := range []string{strings.ToUpper(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " ") + " "} {
		if HashRecoveryCode(written) != HashRecoveryCode(code) {
			t.Errorf("%q is not %q", written, code)
		}
	}
}
