package provider

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
)

func TestClassify(t *testing.T) {
	tests := []struct {
		name                  string
		code, subcode, status int
		want                  Class
	}{
		{"no answer", 0, 0, 0, outage},
		{"server fault without a code", 0, 0, 500, outage},
		{"gateway", 0, 0, 502, outage},
		{"refusal without a code", 0, 0, 400, refused},
		{"unknown code", 424242, 0, 400, refused},
		{"unknown code, server fault", 424242, 0, 500, outage},
		{"unknown code, unauthorized", 424242, 0, 401, tokenLost},
		{"code zero is a lost token", 0, 0, 401, tokenLost},
		{"throttled without a code", 0, 0, 429, accountLimit},
		{"unknown code, throttled", 424242, 0, 429, accountLimit},
		{"app limit", 4, 0, 400, appLimit},
		{"app limit as 429", 4, 0, 429, appLimit},
		{"known code that says nothing of limits, as 429", 131009, 0, 429, Class{Code: chat.FailUpstream, Transient: true, Throttled: true}},
		{"pair limit", 131056, 0, 400, Class{Code: chat.FailAccountRateLimited, Transient: true, PairLimited: true}},
		{"pair limit as 429 does not stop the number", 131056, 0, 429, Class{Code: chat.FailAccountRateLimited, Transient: true, PairLimited: true}},
		{"spam limit lasts too long to wait", 131048, 0, 400, longLimit},
		{"invalid parameter", 100, 0, 400, refused},
		{"hidden object", 100, 33, 400, noPermission},
		{"number deleted", 33, 0, 400, Class{Code: chat.FailUpstream, NumberGone: true}},
		{"permission range, start", 200, 0, 403, noPermission},
		{"permission range, end", 299, 0, 403, noPermission},
		{"past the permission range", 300, 0, 400, refused},
		{"a permanent code wins over a 500", 3, 0, 500, noPermission},
		{"registration", 131045, 0, 500, unregistered},
		{"not registered", 133010, 0, 400, unregistered},
		{"stopped marketing", 131050, 0, 400, Class{Code: chat.FailMarketingOptedOut}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Classify(test.code, test.subcode, test.status); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// TestTransientCodes compares the whole table with the list of codes that are worth a retry: all that the upstream
// documents as passing. To fail a message at once for one of them would lose it for a pause of a minute.
func TestTransientCodes(t *testing.T) {
	want := map[int]bool{}
	for _, code := range []int{
		1, 2, 4, 17, 32, 341, 613, 80007, 80008, 130429, 131000, 131016, 131056, 131057, 133004, 134101, 2494100,
	} {
		want[code] = true
	}
	for code := range classes {
		if got := Classify(code, 0, http.StatusBadRequest).Transient; got != want[code] {
			t.Errorf("code %d: transient is %t, want %t", code, got, want[code])
		}
		delete(want, code)
	}
	for code := range want {
		t.Errorf("code %d is not in the table", code)
	}
}

func TestThrottlingCodes(t *testing.T) {
	want := map[int]bool{4: true, 17: true, 32: true, 341: true, 613: true, 80007: true, 80008: true, 130429: true}
	for code, class := range classes {
		if class.Throttled != want[code] {
			t.Errorf("code %d: throttled is %t, want %t", code, class.Throttled, want[code])
		}
	}
}

func TestReasons(t *testing.T) {
	want := map[chat.MessageErrorCode][]int{
		chat.FailAuthExpired:          {102, 104, 190, 2500},
		chat.FailPermissionRevoked:    {3, 10, 131005},
		chat.FailAccountRestricted:    {368, 130497, 131037, 131042, 131044, 131063},
		chat.FailAccountLocked:        {131031},
		chat.FailAppRateLimited:       {4, 17, 32, 341, 613},
		chat.FailAccountRateLimited:   {80007, 80008, 130429, 131048, 131056, 131064},
		chat.FailRecipientUnavailable: {131021, 131026, 131030, 137000},
		chat.FailUndeliverable:        {130472, 131043, 131049},
		chat.FailOutsideWindow:        {131047},
		chat.FailMarketingOptedOut:    {131050},
		chat.FailUnsupportedType:      {131051, 131062},
		chat.FailMediaDownload:        {131052},
		chat.FailMediaUpload:          {131053},
		chat.FailTemplateNotFound:     {132001},
		chat.FailTemplatePolicy:       {132007},
		chat.FailTemplatePaused:       {132015, 132016},
		chat.FailFlowBlocked:          {132068, 132069},
		chat.FailPolicyViolation:      {134011},
	}
	special := map[int]bool{}
	for reason, codes := range want {
		for _, code := range codes {
			special[code] = true
			if got := classes[code].Code; got != reason {
				t.Errorf("code %d: %s, want %s", code, got, reason)
			}
		}
	}
	for code, class := range classes {
		if !special[code] && class.Code != chat.FailUpstream {
			t.Errorf("code %d: %s, want %s", code, class.Code, chat.FailUpstream)
		}
		if advice[class.Code] == "" {
			t.Errorf("reason %s has no advice", class.Code)
		}
	}
}

func TestMessageError(t *testing.T) {
	e := &Error{HTTPStatus: 400, Code: 131047, Message: "Re-engagement message"}
	m := e.MessageError()
	if m.Code != chat.FailOutsideWindow || m.ProviderCode == nil || *m.ProviderCode != 131047 {
		t.Errorf("got %+v", m)
	}
	if !strings.Contains(m.Message, "Send a template") || !strings.HasSuffix(m.Message, "The network says: Re-engagement message") {
		t.Errorf("message: %q", m.Message)
	}

	m = (&Error{}).MessageError()
	if m.Code != chat.FailUpstream || m.ProviderCode != nil || m.Message != advice[chat.FailUpstream] {
		t.Errorf("no answer: got %+v", m)
	}

	for _, status := range []int{0, 401} { // 0: in a callback
		m = (&Error{HTTPStatus: status, CodeZero: true}).MessageError()
		if m.Code != chat.FailAuthExpired || m.ProviderCode == nil || *m.ProviderCode != 0 {
			t.Errorf("the upstream's code 0 with HTTP %d: got %+v", status, m)
		}
	}

	m = (&Error{Code: 100, Message: strings.Repeat("é", 5000)}).MessageError()
	if len(m.Message) > 700 || !strings.HasSuffix(m.Message, "é…") {
		t.Errorf("a long text is not cut cleanly: %d bytes", len(m.Message))
	}
}

func TestErrorText(t *testing.T) {
	tests := []struct {
		err  *Error
		want string
	}{
		{&Error{HTTPStatus: 401, Code: 190, Subcode: 463, Message: "expired", Trace: "T1"}, "upstream: expired, code 190, subcode 463, HTTP 401, trace T1"},
		{&Error{HTTPStatus: 500}, "upstream: refused without a reason, HTTP 500"},
		{&Error{Cause: context.Canceled}, "upstream: no answer: context canceled"},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if !errors.Is(&Error{Cause: context.Canceled}, context.Canceled) {
		t.Error("the cause is not in the chain")
	}
}
