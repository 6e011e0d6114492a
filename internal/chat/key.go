package chat

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"time"
)

const (
	keyPrefix      = "svc_live_"
	keyRandomBytes = 18 // 24 base64 characters
	keyLength      = len(keyPrefix) + 24
	keyAlphabet    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
)

// APIKey is a key as the store knows it. The plaintext is shown once and not stored.
type APIKey struct {
	ID        string
	OrgID     string
	Name      string
	Hash      string
	Last4     string
	ExpiresAt *time.Time
	RevokedAt *time.Time
	CreatedAt time.Time
}

// Check returns an error that says why the key must not be used now, or nil.
func (k APIKey) Check(now time.Time) error {
	if k.RevokedAt != nil {
		return Fail(CodeRevokedAPIKey, "This API key was revoked. Issue a new one.")
	}
	if k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) {
		return Fail(CodeExpiredAPIKey, "This API key expired at %s. Issue a new one.", FormatTime(*k.ExpiresAt))
	}
	return nil
}

// NewKeyText makes the plaintext of a new API key.
func NewKeyText() string {
	var b [keyRandomBytes]byte
	rand.Read(b[:])
	return keyPrefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// WellFormedKey reports whether text can be an API key at all.
func WellFormedKey(text string) bool {
	rest, ok := strings.CutPrefix(text, keyPrefix)
	if !ok || len(text) != keyLength {
		return false
	}
	// base64's own decoder would skip line breaks, so the characters are checked here.
	return strings.Trim(rest, keyAlphabet) == ""
}
