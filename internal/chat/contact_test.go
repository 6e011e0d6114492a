package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// requireRefused checks an error's code and param; "" is no error.
func requireRefused(t *testing.T, name string, err error, want string) {
	t.Helper()
	got := ""
	if e, ok := err.(*Error); ok {
		got = string(e.Code) + " " + e.Param
	} else if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got != want {
		t.Errorf("%s: got %q, want %q", name, got, want)
	}
}

func TestNewContact(t *testing.T) {
	t.Parallel()
	number := new("4915112345678")
	for name, test := range map[string]struct {
		in   NewContact
		want string
	}{
		"number":             {NewContact{PhoneNumber: number}, ""},
		"BSUID":              {NewContact{BSUID: new("DE.a1B2")}, ""},
		"neither":            {NewContact{Name: new("x")}, "missing_required_field phone_number"},
		"neither, bad name":  {NewContact{Name: new("")}, "missing_required_field phone_number"},
		"letters":            {NewContact{PhoneNumber: new("+49abc1234567")}, "invalid_phone_number phone_number"},
		"leading zero":       {NewContact{PhoneNumber: new("015112345678")}, "invalid_phone_number phone_number"},
		"six digits":         {NewContact{PhoneNumber: new("123456")}, "invalid_phone_number phone_number"},
		"seven digits":       {NewContact{PhoneNumber: new("1234567")}, ""},
		"sixteen digits":     {NewContact{PhoneNumber: new("1234567890123456")}, "invalid_phone_number phone_number"},
		"parent BSUID":       {NewContact{BSUID: new("DE.ENT.a1")}, "invalid_field_value bsuid"},
		"BSUID of a small c": {NewContact{BSUID: new("de.a1")}, "invalid_field_value bsuid"},
		"long BSUID":         {NewContact{BSUID: new("DE." + strings.Repeat("a", 129))}, "invalid_field_value bsuid"},
		"bad e-mail":         {NewContact{PhoneNumber: number, Email: new("ada@")}, "invalid_field_value email"},
		"no e-mail":          {NewContact{PhoneNumber: number, Email: new("")}, ""},
		"metadata list":      {NewContact{PhoneNumber: number, Metadata: json.RawMessage(`[]`)}, "invalid_field_value metadata"},
	} {
		_, err := test.in.Contact()
		requireRefused(t, name, err, test.want)
	}
	c, err := NewContact{PhoneNumber: number, Email: new(""), Metadata: json.RawMessage(` { "a" : 1 } `)}.Contact()
	if err != nil || *c.PhoneNumber != "+4915112345678" || c.Email != nil || string(c.Metadata) != `{"a":1}` || c.Consent != ConsentUnknown {
		t.Errorf("got %+v, %v", c, err)
	}
}

// Two spellings of a number name each other, and no other number has a second one.
func TestOtherSpelling(t *testing.T) {
	t.Parallel()
	for a, b := range map[string]string{"+525512345678": "+5215512345678", "+5531987654321": "+553187654321", "+551161234567": "+5511961234567"} {
		if OtherSpelling(a) != b || OtherSpelling(b) != a {
			t.Errorf("%s is %q, and %s is %q", a, OtherSpelling(a), b, OtherSpelling(b))
		}
	}
	for _, number := range []string{"", "+", "+5", "+52", "+5255123456789", "+525512345", "+5231234567", "+553132345678", "+5531912345678", "+5531887654321", "+541155551234", "+491567123456", "+4915961234567", "+55119876543210", "+4915510000001", "DE.7001"} {
		if other := OtherSpelling(number); other != "" {
			t.Errorf("%s is %s too", number, other)
		}
	}
}

func TestContactPatch(t *testing.T) {
	t.Parallel()
	before := Contact{Name: new("Ada"), Username: new("ada"), Email: new("ada@example.com"), Metadata: json.RawMessage(`{"a":1,"b":2}`), Consent: ConsentUnknown}
	for name, test := range map[string]struct {
		patch ContactPatch
		want  string
	}{
		"nothing":                {ContactPatch{}, ""},
		"the same":               {ContactPatch{Name: To("Ada"), Username: To("ada"), Email: To("ada@example.com"), Consent: new(ConsentUnknown)}, ""},
		"name":                   {ContactPatch{Name: To("Bea")}, "name"},
		"name cleared":           {ContactPatch{Name: Cleared[string]()}, "name"},
		"username's case":        {ContactPatch{Username: To("ADA")}, "username"},
		"e-mail cleared":         {ContactPatch{Email: To("")}, "email"},
		"the same metadata":      {ContactPatch{Metadata: To(json.RawMessage(`{ "b":2, "a":1 }`))}, ""},
		"metadata":               {ContactPatch{Metadata: To(json.RawMessage(`{"a":1,"b":"2"}`))}, "metadata"},
		"metadata number's form": {ContactPatch{Metadata: To(json.RawMessage(`{"a":1.0,"b":2}`))}, "metadata"},
		"metadata emptied":       {ContactPatch{Metadata: To(json.RawMessage(`{}`))}, "metadata"},
		"metadata cleared":       {ContactPatch{Metadata: Cleared[json.RawMessage]()}, "metadata"},
		"all, in order": {ContactPatch{Consent: new(ConsentOptedIn), Metadata: Cleared[json.RawMessage](), Email: Cleared[string](), Username: To("x"), Name: To("x")},
			"name username email metadata marketing_consent"},
	} {
		_, changed, err := test.patch.Apply(before)
		if got := strings.Join(changed, " "); err != nil || got != test.want {
			t.Errorf("%s: changed %q, %v, want %q", name, got, err, test.want)
		}
	}
}

func TestContactPatchRules(t *testing.T) {
	t.Parallel()
	object := func(keys int, value string) Patch[json.RawMessage] {
		fields := make([]string, keys)
		for i := range fields {
			fields[i] = fmt.Sprintf(`"k%02d":%s`, i, value)
		}
		return To(json.RawMessage("{" + strings.Join(fields, ",") + "}"))
	}
	for name, test := range map[string]struct {
		patch ContactPatch
		want  string
	}{
		"name of 200":       {ContactPatch{Name: To(strings.Repeat("é", 200))}, ""},
		"name of 201":       {ContactPatch{Name: To(strings.Repeat("é", 201))}, "invalid_field_value name"},
		"empty name":        {ContactPatch{Name: To("")}, "invalid_field_value name"},
		"blank name":        {ContactPatch{Name: To(" \u00a0")}, "invalid_field_value name"},
		"blanks around":     {ContactPatch{Name: To(" x ")}, ""},
		"NUL":               {ContactPatch{Name: To("a\x00")}, "invalid_field_value name"},
		"username of 100":   {ContactPatch{Username: To(strings.Repeat("x", 100))}, ""},
		"username of 101":   {ContactPatch{Username: To(strings.Repeat("x", 101))}, "invalid_field_value username"},
		"empty username":    {ContactPatch{Username: To("")}, "invalid_field_value username"},
		"e-mail of 255":     {ContactPatch{Email: To(strings.Repeat("x", 64) + "@" + strings.Repeat("x", 186) + ".com")}, ""},
		"e-mail of 256":     {ContactPatch{Email: To(strings.Repeat("x", 64) + "@" + strings.Repeat("x", 187) + ".com")}, "invalid_field_value email"},
		"e-mail with name":  {ContactPatch{Email: To("Ada <ada@example.com>")}, "invalid_field_value email"},
		"64 keys":           {ContactPatch{Metadata: object(64, "1")}, ""},
		"65 keys":           {ContactPatch{Metadata: object(65, "1")}, "invalid_field_value metadata"},
		"16 KiB":            {ContactPatch{Metadata: object(1, `"`+strings.Repeat("x", 16<<10-10)+`"`)}, ""},
		"16 KiB and a byte": {ContactPatch{Metadata: object(1, `"`+strings.Repeat("x", 16<<10-9)+`"`)}, "invalid_field_value metadata"},
		"16 KiB and blanks": {ContactPatch{Metadata: object(1, strings.Repeat(" ", 100)+`"`+strings.Repeat("x", 16<<10-10)+`"`)}, ""},
		"metadata null":     {ContactPatch{Metadata: To(json.RawMessage(`null`))}, "invalid_field_value metadata"},
		"metadata text":     {ContactPatch{Metadata: To(json.RawMessage(`"x"`))}, "invalid_field_value metadata"},
		"unknown consent":   {ContactPatch{Consent: new(Consent("maybe"))}, "invalid_field_value marketing_consent"},
		"first bad value":   {ContactPatch{Name: To(""), Username: To(""), Email: To("x")}, "invalid_field_value name"},
	} {
		_, _, err := test.patch.Apply(Contact{})
		requireRefused(t, name, err, test.want)
	}
}

func TestSearchKeyHoldsWhatASearchLooksInto(t *testing.T) {
	t.Parallel()
	c := Contact{Name: new("Ada Groß"), Email: new("A@Example.com"), PhoneNumber: new("+4915112345678"), Username: new("A.da"), BSUID: new("DE.hidden")}
	if got, want := strings.Split(c.SearchKey(), "\n"), []string{"ada groß", "a@example.com", "+4915112345678", "a.da"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
