package cloud

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/provider"
)

// directory finds a person's entry in contacts. It is an index because a callback may have as many contacts as
// messages.
type directory struct {
	byID map[string]node
	only node // the entry, if there is just one
}

func newDirectory(value node) directory {
	d := directory{byID: map[string]node{}}
	entries := 0
	for contact := range value.elements("contacts") {
		if !contact.isObject() {
			continue
		}
		d.only = contact
		entries++
		for _, id := range []string{contact.text("wa_id"), contact.text("user_id")} {
			if id != "" {
				d.byID[plain(id)] = contact
			}
		}
	}
	if entries != 1 {
		d.only = node{}
	}
	return d
}

// find looks a person up. A person without identifiers can only be the sole contact.
func (d directory) find(phone, userID string) node {
	if phone == "" && userID == "" {
		return d.only
	}
	for _, id := range []string{userID, phone} {
		if contact, found := d.byID[plain(id)]; id != "" && found {
			return contact
		}
	}
	return node{}
}

func plain(id string) string { return strings.TrimPrefix(id, "+") }

// person combines an item and its contacts entry. A BSUID may stand in place of a phone number.
func (c *change) person(phone, userID, parentID string) (provider.Person, node) {
	contact := c.contacts.find(phone, userID)
	profile := contact.get("profile")
	waID := contact.text("wa_id")
	return provider.Person{
		Phone:        cmp.Or(e164(phone), e164(waID)),
		UserID:       cmp.Or(userID, bsuid(phone), contact.text("user_id"), bsuid(waID)),
		ParentUserID: cmp.Or(parentID, contact.text("parent_user_id")),
		Username:     username(cmp.Or(profile.text("username"), contact.text("username"))),
		ProfileName:  profile.text("name"),
	}, contact
}

func known(p provider.Person) bool { return p.Phone != "" || p.UserID != "" }

// e164 converts a number in any notation to +digits; empty for other texts.
func e164(s string) string {
	digits := make([]byte, 1, 16)
	digits[0] = '+'
	for i := range len(s) {
		switch b := s[i]; {
		case b >= '0' && b <= '9':
			digits = append(digits, b)
		case strings.IndexByte("+ -().", b) < 0:
			return ""
		}
	}
	if n := len(digits) - 1; n < 5 || n > 15 || digits[1] == '0' {
		return ""
	}
	return string(digits)
}

// bsuid returns s if it has the form of a user id: a country, a dot, then letters and digits. A parent's id has
// another word and dot in between.
func bsuid(s string) string {
	country, rest, found := strings.Cut(s, ".")
	if !found || len(country) != 2 || len(s) > 140 {
		return ""
	}
	rest = strings.TrimPrefix(rest, "ENT.")
	if rest == "" || strings.Trim(country, upperLetters) != "" || strings.Trim(rest, upperLetters+lowerLetters+"0123456789") != "" {
		return ""
	}
	return s
}

const (
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
)

func username(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "@") }

// The range of valid instants: seconds up to the year 5138, then milliseconds.
const (
	maxSeconds      = 1e11
	maxMilliseconds = 1e14
)

// instant parses unix seconds or milliseconds, without their decimals, or a date in a usual form; zero if it is none.
func instant(s string) time.Time {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case n >= 1 && n < maxSeconds:
			return time.Unix(int64(n), 0).UTC()
		case n >= maxSeconds && n < maxMilliseconds:
			return time.UnixMilli(int64(n)).UTC()
		default:
			return time.Time{}
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
