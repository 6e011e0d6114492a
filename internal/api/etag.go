package api

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// weakETag makes a weak entity tag out of what a representation depends on.
func weakETag(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// errNotModified ends an operation whose client has the current version.
var errNotModified = errors.New("api: not modified")

// unchanged sets the answer's ETag and reports whether the client has that version already; the
// answer is then 304 without a body.
func (c *call) unchanged(tag string) bool {
	c.w.Header().Set("ETag", tag)
	for _, line := range c.r.Header.Values("If-None-Match") {
		for _, given := range strings.Split(line, ",") {
			given = strings.TrimSpace(given)
			if given == "*" || strings.TrimPrefix(given, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}
