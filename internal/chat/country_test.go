package chat

import "testing"

func TestReadNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, country, want string }{
		{"+49 151 123-456/78", "", "+4915112345678"},
		{"0049 (151) 12345678", "", "+4915112345678"},
		{"+49 (0)151 12345678", "", "+4915112345678"},
		{"4915112345678", "", "+4915112345678"},
		{"4915112345678.0", "", "+4915112345678"},
		{"0151 12345678", "DE", "+4915112345678"},
		{"151 12345678", "DE", "+4915112345678"},
		{"4915112345678", "DE", "+4915112345678"},
		{"+62 812 3456 7890", "DE", "+6281234567890"},
		{"0812-3456-7890", "ID", "+6281234567890"},
		{"6281234567890", "ID", "+6281234567890"},
		{"(415) 555-0132", "US", "+14155550132"},
		{"1 415 555 0132", "US", "+14155550132"},
		{"8 912 345-67-89", "RU", "+79123456789"},
		{"06 6982 1234", "IT", "+390669821234"},
		{"612 345 678", "ES", "+34612345678"},
		{"tel:+4915112345678", "", "+4915112345678"},
		{"WhatsApp:+49 151 12345678", "", "+4915112345678"},
		{"\u202a+49 151\u00a0123456\u201178\u202c", "", "+4915112345678"}, // as phones copy it
		{"\u200e+49 (0)151 12345678", "", "+4915112345678"},
		{`="+4915112345678"`, "", "+4915112345678"},
		{"'+4915112345678", "", "+4915112345678"},
		{"+٤٩١٥١١٢٣٤٥٦٧٨", "", "+4915112345678"},
		{"+۴۹ ۱۵۱ ۱۲۳۴۵۶۷۸", "", "+4915112345678"},
		{"+49151ABC5678", "", ""},
		{"+4915112345678 / +4915112345679", "", ""},
		{"0151 12345678", "", ""},
		{"4.91511E+12", "DE", ""},
		{"", "DE", ""},
		{"Ada", "DE", ""},
		{"+49", "DE", ""},
	} {
		got, err := ReadNumber(test.in, test.country)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q in %q: got %q, %v, want %q", test.in, test.country, got, err, test.want)
		}
	}
}

func TestReadConsent(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Consent{"": "", " Yes ": ConsentOptedIn, "opted_out": ConsentOptedOut, "TIDAK": ConsentOptedOut, "1": ConsentOptedIn, "unknown": ConsentUnknown} {
		if got, err := readConsent(in); got != want || err != nil {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
	if _, err := readConsent("perhaps"); err == nil {
		t.Error("perhaps is a consent")
	}
}
