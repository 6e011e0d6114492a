package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Consent is what a contact said about marketing.
type Consent string

const (
	ConsentUnknown  Consent = "unknown"
	ConsentOptedIn  Consent = "opted_in"
	ConsentOptedOut Consent = "opted_out"
)

// Contact is a person with whom an account exchanges messages.
type Contact struct {
	ID          string
	OrgID       string
	AccountID   string
	PhoneNumber *string // +E.164
	BSUID       *string
	ParentBSUID *string
	Username    *string
	Name        *string
	Email       *string
	Metadata    json.RawMessage // an object, or nil
	Consent     Consent
	// PreferenceAt is when the contact last told the provider about marketing.
	PreferenceAt *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// SearchKey is the text that a search matches.
func (c Contact) SearchKey() string {
	var parts []string
	for _, p := range []*string{c.Name, c.Email, c.PhoneNumber, c.Username} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	return FoldCase(strings.Join(parts, "\n"))
}

// Limits of a contact: its texts in characters, its metadata in keys and bytes.
const (
	maxContactName     = 200
	maxContactUsername = 100
	maxMetadataKeys    = 64
	maxMetadataBytes   = 16 << 10
)

// NewContact is the request to make a contact: a number or a BSUID, and whatever else is known.
type NewContact struct {
	PhoneNumber *string
	BSUID       *string
	Username    *string
	Name        *string
	Email       *string // empty: none
	Metadata    json.RawMessage
	Consent     Consent // empty: unknown
}

// Contact checks the fields in their documented order and returns the contact they describe.
func (n NewContact) Contact() (Contact, error) {
	if n.PhoneNumber == nil && n.BSUID == nil {
		return Contact{}, Missing("phone_number")
	}
	c := Contact{BSUID: n.BSUID, Consent: cmp.Or(n.Consent, ConsentUnknown)}
	if n.PhoneNumber != nil {
		number, err := CleanPhoneNumber("phone_number", *n.PhoneNumber)
		if err != nil {
			return Contact{}, err
		}
		c.PhoneNumber = &number
	}
	if n.BSUID != nil && (!ValidBSUID(*n.BSUID) || ParentBSUID(*n.BSUID)) {
		return Contact{}, Invalid("bsuid", "Must be two capital letters, a dot, and 1 to 128 letters and digits.")
	}
	rest := ContactPatch{Username: Patch[string]{true, n.Username}, Name: Patch[string]{true, n.Name}, Email: Patch[string]{true, n.Email}}
	if n.Metadata != nil {
		rest.Metadata = To(n.Metadata)
	}
	c, _, err := rest.Apply(c)
	return c, err
}

// ContactPatch changes the fields that are given. An empty e-mail address clears it.
type ContactPatch struct {
	Name     Patch[string]
	Username Patch[string]
	Email    Patch[string]
	Metadata Patch[json.RawMessage]
	Consent  *Consent
}

// Apply returns c with the patch applied, and the names of the fields that this changed.
func (p ContactPatch) Apply(c Contact) (Contact, []string, error) {
	if err := p.clean(); err != nil {
		return Contact{}, nil, err
	}
	before := c
	p.Name.apply(&c.Name)
	p.Username.apply(&c.Username)
	p.Email.apply(&c.Email)
	if p.Metadata.Given {
		c.Metadata = nil
		if p.Metadata.Value != nil {
			c.Metadata = *p.Metadata.Value
		}
	}
	if p.Consent != nil {
		c.Consent = *p.Consent
	}
	return c, changedFields(before, c), nil
}

// clean checks the values in their documented order and gives them the form they are stored in.
func (p *ContactPatch) clean() (err error) {
	if err := checkText("name", p.Name.Value, maxContactName); err != nil {
		return err
	}
	if p.Name.Value != nil && strings.TrimSpace(*p.Name.Value) == "" {
		return Invalid("name", "Must not be only white space. Null clears the name.")
	}
	if err := checkText("username", p.Username.Value, maxContactUsername); err != nil {
		return err
	}
	if p.Email.Value, err = cleanOptionalEmail(p.Email.Value); err != nil {
		return err
	}
	if p.Metadata.Value, err = cleanMetadata(p.Metadata.Value); err != nil {
		return err
	}
	if p.Consent != nil && !slices.Contains(p.Consent.Values(), *p.Consent) {
		return Invalid("marketing_consent", "Must be one of unknown, opted_in, opted_out.")
	}
	return nil
}

func cleanOptionalEmail(s *string) (*string, error) {
	if s == nil || *s == "" {
		return nil, nil
	}
	email, err := CleanEmail(*s)
	return &email, err
}

// CheckText checks a text that is kept as it is given.
func CheckText(param, s string, most int) error { return checkText(param, &s, most) }

// checkText checks a text that is stored as given, white space included.
func checkText(param string, s *string, most int) error {
	if s == nil {
		return nil
	}
	if n := utf8.RuneCountInString(*s); n < 1 || n > most {
		return Invalid(param, "Must be 1 to %d characters long.", most)
	}
	if strings.ContainsRune(*s, 0) {
		return Invalid(param, "Must not contain the NUL character.")
	}
	return nil
}

// changedFields names the fields that differ, in their documented order. It looks only at fields that people
// change.
func changedFields(before, after Contact) []string {
	var changed []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"name", equal(before.Name, after.Name)},
		{"username", equal(before.Username, after.Username)},
		{"email", equal(before.Email, after.Email)},
		{"metadata", sameJSON(before.Metadata, after.Metadata)},
		{"marketing_consent", before.Consent == after.Consent},
	} {
		if !f.same {
			changed = append(changed, f.name)
		}
	}
	return changed
}

// cleanMetadata checks free-form data and drops the white space between its tokens.
func cleanMetadata(raw *json.RawMessage) (*json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(*raw, &fields); err != nil || fields == nil {
		return nil, Invalid("metadata", "Must be an object.")
	}
	var text bytes.Buffer
	if err := json.Compact(&text, *raw); err != nil {
		return nil, err
	}
	switch {
	case len(fields) > maxMetadataKeys:
		return nil, Invalid("metadata", "Must have at most %d keys.", maxMetadataKeys)
	case text.Len() > maxMetadataBytes:
		return nil, Invalid("metadata", "Must be at most %d bytes of JSON, not counting white space between its tokens.", maxMetadataBytes)
	}
	return new(json.RawMessage(text.Bytes())), nil
}

// sameJSON reports whether two texts say the same, whatever the order of their keys.
func sameJSON(a, b json.RawMessage) bool {
	if a == nil || b == nil || bytes.Equal(a, b) {
		return (a == nil) == (b == nil)
	}
	return reflect.DeepEqual(decoded(a), decoded(b))
}

// decoded parses JSON and keeps numbers as they are written, so that large ones compare exactly.
func decoded(raw json.RawMessage) (v any) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return string(raw)
	}
	return v
}

var (
	numberPattern = regexp.MustCompile(`^\+?[1-9][0-9]{6,14}$`)
	bsuidPattern  = regexp.MustCompile(`^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$`)
)

// CleanPhoneNumber checks a number in international form, with or without +, and returns it with +.
func CleanPhoneNumber(param, s string) (string, error) {
	if numberPattern.MatchString(s) {
		return "+" + strings.TrimPrefix(s, "+"), nil
	}
	e := &Error{Code: CodeInvalidPhoneNumber, Param: param,
		Message: "Must be a number in international form: 7 to 15 digits with or without +, the first not 0, nothing between them."}
	if field := bsuidFields[param]; field != "" && ValidBSUID(s) && (field == "recipient" || !ParentBSUID(s)) {
		e.Message = "This is a business-scoped user id and not a number: give it as " + field + "."
	}
	return "", e
}

// Digits are the digits of a text, such as a number with separators.
func Digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// OtherSpelling is the second way to write a mobile number, in the two countries where the network writes some
// with a digit more or less than people do: Mexico, with a 1 after the 52, and Brazil, without the 9 after the area.
// Eight digits that begin with less than 6 are a landline in Brazil. It is empty for all other numbers.
func OtherSpelling(number string) string {
	digits := strings.TrimPrefix(number, "+")
	country, rest := digits[:min(2, len(digits))], digits[min(2, len(digits)):]
	switch {
	case country == "52" && len(rest) == 10:
		return "+521" + rest
	case country == "52" && len(rest) == 11 && rest[0] == '1':
		return "+52" + rest[1:]
	case country == "55" && len(rest) == 10 && rest[2] >= '6':
		return "+55" + rest[:2] + "9" + rest[2:]
	case country == "55" && len(rest) == 11 && rest[2] == '9' && rest[3] >= '6':
		return "+55" + rest[:2] + rest[3:]
	default:
		return ""
	}
}

// bsuidFields maps each field that takes a number to the field that takes a business-scoped user id instead.
var bsuidFields = map[string]string{"to": "recipient", "phone_number": "bsuid", "phone": "bsuid"}

// ValidBSUID reports whether s can be a business-scoped user id, or a parent one.
func ValidBSUID(s string) bool { return bsuidPattern.MatchString(s) }

// ParentBSUID reports whether s is a parent id.
func ParentBSUID(s string) bool { return len(s) > 7 && s[2:7] == ".ENT." }
