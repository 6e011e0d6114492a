package chat

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// SecondStep is the authenticator app of a user.
type SecondStep struct {
	OrgID       string
	UserID      string
	Sealed      string // the secret
	CreatedAt   time.Time
	ConfirmedAt *time.Time // nil: set up but not confirmed, so sign-in asks for no code
	LastCounter int64      // the counter of the newest used code
}

// These are the defaults of authenticator apps: RFC 6238 with SHA-1, six digits, a new code every 30 seconds.
const (
	codePeriod = 30 * time.Second
	codeDigits = 6
	// codeDrift is how many codes a phone's clock may be off, in either direction.
	codeDrift = 1
)

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTPSecret makes the secret that the phone and the server share, in the encoding that apps read.
func NewTOTPSecret() string {
	var b [20]byte
	rand.Read(b[:])
	return base32Text.EncodeToString(b[:])
}

// TOTPAddress is the address in the QR code that the app scans.
func TOTPAddress(secret, issuer, account string) string {
	values := url.Values{"secret": {secret}, "issuer": {issuer}}
	// Apps show a plus sign as it is, so a space has to be %20.
	query := strings.ReplaceAll(values.Encode(), "+", "%20")
	return "otpauth://totp/" + url.PathEscape(issuer) + ":" + url.PathEscape(account) + "?" + query
}

// TOTPCode is the code of an instant.
func TOTPCode(secret string, at time.Time) (string, error) {
	key, err := base32Text.DecodeString(secret)
	return hotp(key, counterAt(at), codeDigits), err
}

func counterAt(at time.Time) int64 { return at.Unix() / int64(codePeriod/time.Second) }

// hotp is the code of a counter, as RFC 4226 has it.
func hotp(key []byte, counter int64, digits int) string {
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, counter)
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	most := uint32(1)
	for range digits {
		most *= 10
	}
	return fmt.Sprintf("%0*d", digits, number%most)
}

// CheckTOTP returns the counter of a code, and whether the code is valid now. Codes up to the counter used are
// refused, because that one or a newer one was used already.
func CheckTOTP(secret, code string, now time.Time, used int64) (counter int64, ok bool) {
	key, err := base32Text.DecodeString(secret)
	if err != nil {
		return 0, false
	}
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "") // apps show "123 456"
	for c := counterAt(now) - codeDrift; c <= counterAt(now)+codeDrift; c++ {
		if subtle.ConstantTimeCompare([]byte(hotp(key, c, codeDigits)), []byte(code)) == 1 && c > used {
			counter, ok = c, true
		}
	}
	return counter, ok
}

// RecoveryCodes is the number of codes that a user gets at once.
const RecoveryCodes = 10

// NewRecoveryCode makes a code for a user who has lost the phone. It has 80 random bits, so its hash needs no
// salt.
func NewRecoveryCode() string {
	var b [10]byte
	rand.Read(b[:])
	text := strings.ToLower(base32Text.EncodeToString(b[:]))
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// HashRecoveryCode is the stored form of a code. Case and hyphens do not matter.
func HashRecoveryCode(code string) string {
	return HashToken(strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code)))
}
