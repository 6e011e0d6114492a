package core

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// PINPurpose names the key that two-step codes are made with.
const PINPurpose = "two-step PIN"

// TokenContext binds a sealed token to the account it is for.
func TokenContext(accountID string) string { return "account token " + accountID }

// TwoStepPIN is the code that a number is registered with, where it has none. It follows from the
// number: after a crash, or when the number comes again, it is the same, and nothing needs to be kept.
func TwoStepPIN(key []byte, phoneNumberID string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(phoneNumberID))
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac.Sum(nil))%1_000_000)
}
