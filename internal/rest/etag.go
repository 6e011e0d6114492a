package rest

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// WeakETag makes a weak entity tag from the values that a representation depends on.
func WeakETag(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// ErrNotModified ends an operation whose client has the current version.
var ErrNotModified = errors.New("rest: not modified")

// Unchanged sets the answer's ETag. It returns true if the client has that version already; the answer is then
// 304 without a body.
func (c *Call) Unchanged(tag string) bool {
	c.W.Header().Set("ETag", tag)
	for _, line := range c.R.Header.Values("If-None-Match") {
		for given := range strings.SplitSeq(line, ",") {
			given = strings.TrimSpace(given)
			if given == "*" || strings.TrimPrefix(given, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}
