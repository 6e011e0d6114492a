package core

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// PINPurpose names the key from which two-step codes are derived.
const PINPurpose = "two-step PIN"

// TokenContext binds a sealed token to the account it is for.
func TokenContext(accountID string) string { return "account token " + accountID }

// TwoStepPIN is the code with which a number without one is registered. It is derived from the number: after a crash,
// or when the number is connected again, it is the same, so it need not be stored.
func TwoStepPIN(key []byte, phoneNumberID string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(phoneNumberID))
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac.Sum(nil))%1_000_000)
}
