package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNewAccount(t *testing.T) {
	t.Parallel()
	good := NewAccount{OrgID: "org_1", PhoneNumberID: "123456", PhoneNumber: "15550001111", WABAID: " 42 "}
	for name, test := range map[string]struct {
		change func(*NewAccount)
		want   string
	}{
		"good":                   {func(*NewAccount) {}, ""},
		"five digits":            {func(n *NewAccount) { n.PhoneNumberID = "12345" }, "invalid_field_value phone_number_id"},
		"twenty digits":          {func(n *NewAccount) { n.PhoneNumberID = strings.Repeat("1", 20) }, ""},
		"twenty-one digits":      {func(n *NewAccount) { n.PhoneNumberID = strings.Repeat("1", 21) }, "invalid_field_value phone_number_id"},
		"id with a line break":   {func(n *NewAccount) { n.PhoneNumberID = "123456\n" }, "invalid_field_value phone_number_id"},
		"number of letters":      {func(n *NewAccount) { n.PhoneNumber = "call me" }, "invalid_phone_number phone_number"},
		"no business account":    {func(n *NewAccount) { n.WABAID = " " }, "invalid_field_value waba_id"},
		"unknown status":         {func(n *NewAccount) { n.Status = "gone" }, "invalid_field_value status"},
		"empty name":             {func(n *NewAccount) { n.Name = new("") }, "invalid_field_value name"},
		"still being set up":     {func(n *NewAccount) { n.Status = AccountOnboarding }, ""},
		"a name and a reference": {func(n *NewAccount) { n.Name, n.ProviderStatus = new("Shop"), new("CONNECTED") }, ""},
	} {
		in := good
		test.change(&in)
		_, err := in.Account()
		requireRefused(t, name, err, test.want)
	}
	a, err := good.Account()
	if err != nil || *a.PhoneNumber != "+15550001111" || a.WABAID != "42" || a.Status != AccountConnected || *a.PhoneNumberID != "123456" {
		t.Errorf("got %+v, %v", a, err)
	}
}

// Each of two restrictions ends at its own time.
func TestTwoRestrictions(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(hours int) *time.Time { return new(begin.Add(time.Duration(hours) * time.Hour)) }
	for name, ends := range map[string]RestrictionEnds{
		"none": {}, "business": {RestrictBusiness: at(2)}, "customer for good": {RestrictCustomer: nil},
		"both": {RestrictBusiness: at(2), RestrictCustomer: at(2)}, "both for good": {RestrictBusiness: nil, RestrictCustomer: nil},
		"business first": {RestrictBusiness: at(1), RestrictCustomer: at(2)}, "customer first": {RestrictBusiness: at(2), RestrictCustomer: at(1)},
		"business for good": {RestrictBusiness: nil, RestrictCustomer: at(1)},
	} {
		var account Account
		account.SetRestrictions(ends)
		for hours := range 4 {
			now, left := *at(hours), RestrictionEnds{}
			for kind, end := range ends {
				if end == nil || now.Before(*end) {
					left[kind] = end
				}
			}
			if d := cmp.Diff(left, account.Restrictions(now)); d != "" {
				t.Errorf("%s after %d hours (-want +got):\n%s", name, hours, d)
			}
			_, opening := left[RestrictBusiness]
			_, answering := left[RestrictCustomer]
			if account.Restricted(now, true) != opening || account.Restricted(now, false) != answering {
				t.Errorf("%s after %d hours: it may open %v, answer %v", name, hours, !opening, !answering)
			}
		}
	}
}
