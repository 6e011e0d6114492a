package names

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// UserCipher turns phone numbers into business-scoped user ids and back. It is a permutation instead of a hash, so that
// an id can be written to after a restart although nothing was stored.
type UserCipher struct{ keys [6]uint32 }

func NewUserCipher(scope string) UserCipher {
	sum := sha256.Sum256([]byte("user id of " + scope))
	var c UserCipher
	for i := range c.keys {
		c.keys[i] = binary.LittleEndian.Uint32(sum[4*i:])
	}
	return c
}

func feistel(half, key uint32) uint32 { return uint32(mix64(uint64(half)<<32 | uint64(key))) }

func (c UserCipher) seal(n uint64) uint64 {
	l, r := uint32(n>>32), uint32(n)
	for _, k := range c.keys {
		l, r = r, l^feistel(r, k)
	}
	return uint64(l)<<32 | uint64(r)
}

func (c UserCipher) open(n uint64) uint64 {
	l, r := uint32(n>>32), uint32(n)
	for i := len(c.keys) - 1; i >= 0; i-- {
		l, r = r^feistel(l, c.keys[i]), l
	}
	return uint64(l)<<32 | uint64(r)
}

const parentMark = "ENT."

// UserID is the id of the person with that phone, as this business sees it.
func (c UserCipher) UserID(phone string) string { return c.encode(phone, "") }

// ParentID is the id that all businesses of the same portfolio see.
func (c UserCipher) ParentID(phone string) string { return c.encode(phone, parentMark) }

func (c UserCipher) encode(phone, mark string) string {
	n, err := strconv.ParseUint(phone, 10, 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s.%s%020d", countryOf(phone), mark, c.seal(n))
}

// Phone finds the phone that an id belongs to. Ids of other businesses do not give a phone number.
func (c UserCipher) Phone(id string) (string, bool) {
	country, rest, _ := strings.Cut(id, ".")
	rest = strings.TrimPrefix(rest, parentMark)
	sealed, err := strconv.ParseUint(rest, 10, 64)
	if err != nil || len(rest) != 20 {
		return "", false
	}
	phone := strconv.FormatUint(c.open(sealed), 10)
	if len(phone) < minPhone || len(phone) > maxPhone || countryOf(phone) != country {
		return "", false
	}
	return phone, true
}

// IsUserID reports whether s has the shape of a user id: a country, a period, letters and digits.
func IsUserID(s string) bool {
	country, rest, ok := strings.Cut(s, ".")
	rest = strings.TrimPrefix(rest, parentMark)
	if !ok || len(country) != 2 || rest == "" || len(rest) > 128 {
		return false
	}
	for _, r := range country {
		if r < 'A' || r > 'Z' {
			return false
		}
	}
	for _, r := range rest {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return true
}

const (
	minPhone = 7
	maxPhone = 15
)

// NormalizePhone strips the characters that people write between digits.
func NormalizePhone(s string) (string, bool) {
	digits := make([]byte, 0, 16)
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
		case c == '+' && i == 0, c == ' ', c == '-', c == '(', c == ')':
		default:
			return "", false
		}
	}
	if len(digits) < minPhone || len(digits) > maxPhone || digits[0] == '0' {
		return "", false
	}
	return string(digits), true
}

// CanonicalPhone is the id that the network gives a phone number. It differs from the dialled number in two countries:
// Mexican mobiles get a 1, and most Brazilian ones lose their 9.
func CanonicalPhone(digits string) string {
	switch {
	case len(digits) == 12 && strings.HasPrefix(digits, "52"):
		return "521" + digits[2:]
	case len(digits) == 13 && strings.HasPrefix(digits, "55") && digits[4] == '9' && digits[2:4] >= "31":
		return digits[:4] + digits[5:]
	}
	return digits
}

// countryOf maps a calling code to a country. Only the format of ids depends on it.
func countryOf(phone string) string {
	for n := min(3, len(phone)); n > 0; n-- {
		if c, ok := callingCodes[phone[:n]]; ok {
			return c
		}
	}
	return "US"
}

var callingCodes = map[string]string{
	"1": "US", "7": "RU", "20": "EG", "27": "ZA", "30": "GR", "31": "NL", "32": "BE", "33": "FR", "34": "ES",
	"36": "HU", "39": "IT", "40": "RO", "41": "CH", "43": "AT", "44": "GB", "45": "DK", "46": "SE", "47": "NO",
	"48": "PL", "49": "DE", "51": "PE", "52": "MX", "53": "CU", "54": "AR", "55": "BR", "56": "CL", "57": "CO",
	"58": "VE", "60": "MY", "61": "AU", "62": "ID", "63": "PH", "64": "NZ", "65": "SG", "66": "TH", "81": "JP",
	"82": "KR", "84": "VN", "86": "CN", "90": "TR", "91": "IN", "92": "PK", "93": "AF", "94": "LK", "95": "MM",
	"98": "IR", "212": "MA", "213": "DZ", "216": "TN", "218": "LY", "221": "SN", "225": "CI", "233": "GH",
	"234": "NG", "237": "CM", "243": "CD", "244": "AO", "250": "RW", "251": "ET", "254": "KE", "255": "TZ",
	"256": "UG", "258": "MZ", "260": "ZM", "263": "ZW", "351": "PT", "352": "LU", "353": "IE", "354": "IS",
	"355": "AL", "356": "MT", "357": "CY", "358": "FI", "359": "BG", "370": "LT", "371": "LV", "372": "EE",
	"373": "MD", "374": "AM", "375": "BY", "380": "UA", "381": "RS", "385": "HR", "386": "SI", "387": "BA",
	"389": "MK", "420": "CZ", "421": "SK", "502": "GT", "503": "SV", "504": "HN", "505": "NI", "506": "CR",
	"507": "PA", "591": "BO", "593": "EC", "595": "PY", "598": "UY", "852": "HK", "855": "KH", "880": "BD",
	"886": "TW", "961": "LB", "962": "JO", "963": "SY", "964": "IQ", "965": "KW", "966": "SA", "967": "YE",
	"968": "OM", "970": "PS", "971": "AE", "972": "IL", "973": "BH", "974": "QA", "977": "NP", "994": "AZ",
	"995": "GE", "998": "UZ", "999": "ZZ",
}
