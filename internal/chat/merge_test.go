package chat

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestContradicts(t *testing.T) {
	t.Parallel()
	number, id := Contact{PhoneNumber: new("+4915510000001")}, Contact{BSUID: new("DE.1")}
	both := Contact{PhoneNumber: number.PhoneNumber, BSUID: id.BSUID, ParentBSUID: new("DE.ENT.1")}
	for name, test := range map[string]struct {
		a, b Contact
		want bool
	}{
		"a number and an id":     {number, id, false},
		"the same":               {both, both, false},
		"less of the same":       {both, number, false},
		"two numbers":            {number, Contact{PhoneNumber: new("+4915510000002")}, true},
		"a number written twice": {Contact{PhoneNumber: new("+553187654321")}, Contact{PhoneNumber: new("+5531987654321")}, false},
		"two ids":                {both, Contact{BSUID: new("DE.2")}, true},
		"two parents":            {both, Contact{ParentBSUID: new("DE.ENT.2")}, true},
		"names that differ":      {Contact{Name: new("Ada")}, Contact{Name: new("Bob")}, false},
		"usernames that differ":  {Contact{Username: new("ada")}, Contact{Username: new("bob")}, false},
	} {
		if test.a.Contradicts(test.b) != test.want || test.b.Contradicts(test.a) != test.want {
			t.Errorf("%s: want %v", name, test.want)
		}
	}
}

func TestContactAbsorb(t *testing.T) {
	t.Parallel()
	stays := Contact{ID: "ctc_1", PhoneNumber: new("+4915510000001"), Name: new("Ada"), Metadata: json.RawMessage(`{"a":1,"b":2}`), Consent: ConsentUnknown, CreatedAt: time.Unix(1, 0)}
	goes := Contact{
		ID: "ctc_2", BSUID: new("DE.1"), ParentBSUID: new("DE.ENT.1"), Username: new("ada.l"), Name: new("A. L."), Email: new("ada@example.com"),
		Metadata: json.RawMessage(`{"b":3,"c":4}`), Consent: ConsentOptedIn, CreatedAt: time.Unix(2, 0),
	}
	want := Contact{
		ID: "ctc_1", PhoneNumber: stays.PhoneNumber, BSUID: goes.BSUID, ParentBSUID: goes.ParentBSUID, Username: goes.Username, Name: stays.Name,
		Email: goes.Email, Metadata: json.RawMessage(`{"a":1,"b":2,"c":4}`), Consent: ConsentOptedIn, CreatedAt: time.Unix(1, 0),
	}
	if d := cmp.Diff(want, stays.Absorb(goes)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := (Contact{Consent: ConsentUnknown}).Absorb(goes).Metadata; string(got) != string(goes.Metadata) {
		t.Errorf("without metadata of its own it has %s", got)
	}
}

func TestAbsorbedConsent(t *testing.T) {
	t.Parallel()
	said := func(c Consent, at int64) Contact {
		contact := Contact{Consent: c}
		if at > 0 {
			contact.PreferenceAt = new(time.Unix(at, 0))
		}
		return contact
	}
	for name, test := range map[string]struct {
		a, b Contact
		want Consent
	}{
		"neither knows":                  {said(ConsentUnknown, 0), said(ConsentUnknown, 0), ConsentUnknown},
		"one wants it":                   {said(ConsentOptedIn, 0), said(ConsentUnknown, 0), ConsentOptedIn},
		"one does not":                   {said(ConsentOptedIn, 0), said(ConsentOptedOut, 0), ConsentOptedOut},
		"said once, set once":            {said(ConsentOptedIn, 5), said(ConsentOptedOut, 0), ConsentOptedOut},
		"first no, then yes":             {said(ConsentOptedOut, 1), said(ConsentOptedIn, 2), ConsentOptedIn},
		"first yes, then no":             {said(ConsentOptedIn, 1), said(ConsentOptedOut, 2), ConsentOptedOut},
		"yes and no at the same instant": {said(ConsentOptedIn, 1), said(ConsentOptedOut, 1), ConsentOptedOut},
	} {
		if ab, ba := test.a.Absorb(test.b), test.b.Absorb(test.a); ab.Consent != test.want || ba.Consent != test.want {
			t.Errorf("%s: got %s and %s, want %s", name, ab.Consent, ba.Consent, test.want)
		}
	}
	if got := said(ConsentOptedOut, 1).Absorb(said(ConsentOptedIn, 2)).PreferenceAt; got.Unix() != 2 {
		t.Errorf("the last word is from %v", got)
	}
}

func TestConversationAbsorb(t *testing.T) {
	t.Parallel()
	first, second := time.Unix(1, 0), time.Unix(2, 0)
	stays := Conversation{ID: "cnv_1", Status: ConversationResolved, UnreadCount: 1, LastMessageAt: &second}
	goes := Conversation{ID: "cnv_2", Status: ConversationPending, AssignedTo: new("usr_1"), UnreadCount: 2, LastMessageAt: &first, LastInboundAt: &first}
	want := Conversation{ID: "cnv_1", Status: ConversationPending, AssignedTo: new("usr_1"), UnreadCount: 3, LastMessageAt: &second, LastInboundAt: &first}
	if d := cmp.Diff(want, stays.Absorb(goes)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, test := range [][3]ConversationStatus{
		{ConversationOpen, ConversationResolved, ConversationOpen},
		{ConversationPending, ConversationOpen, ConversationOpen},
		{ConversationResolved, ConversationResolved, ConversationResolved},
	} {
		a, b := Conversation{Status: test[0]}, Conversation{Status: test[1]}
		if a.Absorb(b).Status != test[2] || b.Absorb(a).Status != test[2] {
			t.Errorf("%s and %s do not become %s", test[0], test[1], test[2])
		}
	}
}
