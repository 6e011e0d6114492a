package chat_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

func TestWithQuery(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://a.example":                 "https://a.example?k=v&x=a+b%26",
		"https://a.example/":                "https://a.example/?k=v&x=a+b%26",
		"https://a.example/p?":              "https://a.example/p?k=v&x=a+b%26",
		"https://a.example/p?q":             "https://a.example/p?q&k=v&x=a+b%26",
		"https://a.example/p?q=1&":          "https://a.example/p?q=1&k=v&x=a+b%26",
		"https://a.example/p?next=%2Fx%3Fy": "https://a.example/p?next=%2Fx%3Fy&k=v&x=a+b%26",
		"https://a.example/p?k=old;z":       "https://a.example/p?k=old;z&k=v&x=a+b%26",
		"https://a.example/ä?b=ä%20":        "https://a.example/%C3%A4?b=%C3%A4%20&k=v&x=a+b%26",
		"http://localhost:3000/%C3%A4?b=c":  "http://localhost:3000/%C3%A4?b=c&k=v&x=a+b%26",
	} {
		if got := chat.WithQuery(address, "k", "v", "x", "a b&"); got != want {
			t.Errorf("%s becomes %s, want %s", address, got, want)
		}
	}
}

func TestSetupLinkExpires(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for status, want := range map[chat.SetupLinkStatus][2]chat.OnboardReason{
		chat.LinkActive: {"", chat.ReasonLinkExpired}, chat.LinkRevoked: {chat.ReasonLinkRevoked, chat.ReasonLinkRevoked},
		chat.LinkConsumed: {chat.ReasonLinkConsumed, chat.ReasonLinkConsumed}, "other": {chat.ReasonLinkInvalid, chat.ReasonLinkInvalid},
	} {
		link := chat.SetupLink{Status: status, ExpiresAt: end}
		if got := [2]chat.OnboardReason{link.Unusable(end.Add(-time.Millisecond)), link.Unusable(end)}; got != want {
			t.Errorf("%s: got %v, want %v", status, got, want)
		}
	}
}

func TestLinkTokens(t *testing.T) {
	t.Parallel()
	good := chat.NewLinkToken()
	for token, want := range map[string]bool{
		good: true, "": false, "csl_": false, good[:27]: false, good + "A": false, "csl_00000000000000000000000!": false, "CSL_" + good[4:]: false,
		"csl_00000000000000000000000\n": false,
	} {
		if chat.WellFormedLinkToken(token) != want {
			t.Errorf("%q: want %v", token, want)
		}
	}
}

func TestCustomerStates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	c := chat.Customer{Status: chat.CustomerSuspended}
	if !c.Archive(now) || c.Status != chat.CustomerArchived || !c.ArchivedAt.Equal(now) || c.Archive(now) {
		t.Errorf("archived as %+v", c)
	}
	for from, want := range map[chat.CustomerStatus][2]chat.CustomerStatus{ // without a number, and with one
		chat.CustomerSuspended: {chat.CustomerSuspended, chat.CustomerSuspended},
		chat.CustomerPending:   {chat.CustomerPending, chat.CustomerPending},
		chat.CustomerActive:    {chat.CustomerActive, chat.CustomerActive},
		"":                     {chat.CustomerPending, chat.CustomerActive}, // not written down
	} {
		c := chat.Customer{Status: chat.CustomerArchived, ArchivedFrom: from}
		without := c.Restored()
		c.OnboardedAt = &now
		if got := [2]chat.CustomerStatus{without, c.Restored()}; got != want {
			t.Errorf("archived when it was %s it comes back as %v, want %v", from, got, want)
		}
	}
	for status, may := range map[chat.CustomerStatus]bool{
		chat.CustomerPending: true, chat.CustomerActive: true, chat.CustomerSuspended: false, chat.CustomerArchived: false,
	} {
		if status.MaySend() != may {
			t.Errorf("%s may send: %v", status, !may)
		}
	}
}
