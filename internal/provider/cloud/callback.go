package cloud

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/parleyhq/parley/internal/provider"
)

var errNotObject = errors.New("not a JSON object")

// Verify tells whether header, the value of X-Hub-Signature-256, signs exactly these bytes with the
// app's secret. An empty secret signs nothing.
func Verify(secret, header string, body []byte) bool {
	given, found := strings.CutPrefix(header, "sha256=")
	if !found || secret == "" {
		return false
	}
	signature, err := hex.DecodeString(given)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), signature)
}

// Decode translates a callback. It fails only where the body is not a JSON object; parts of it that
// are not understood come as Ignored, so that they do not take the others with them.
func Decode(body []byte) ([]provider.Update, error) {
	envelope, err := parse(body)
	if err == nil && !envelope.isObject() {
		err = errNotObject
	}
	if err != nil {
		return nil, fmt.Errorf("callback: %w", err)
	}
	return nil, nil
}
