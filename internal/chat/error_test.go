package chat_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  *chat.Error
		code chat.Code
		text string
	}{
		{chat.Fail(chat.CodeQuotaExceeded, "%d of %d", 2, 1), chat.CodeQuotaExceeded, "2 of 1"},
		{chat.Missing("to"), chat.CodeMissingRequiredField, "to: This field is required."},
		{chat.Invalid("a.b", "not %s", "so"), chat.CodeInvalidFieldValue, "a.b: not so"},
		{chat.NotFound("label"), chat.CodeResourceNotFound, "No such label."},
	} {
		if test.err.Error() != test.text {
			t.Errorf("the text is %q", test.err)
		}
		if code, ok := chat.CodeOf(fmt.Errorf("wrapped: %w", test.err)); !ok || code != test.code {
			t.Errorf("the code of %q is %q", test.err, code)
		}
	}
	for _, err := range []error{nil, errors.New("another")} {
		if code, ok := chat.CodeOf(err); ok || code != "" {
			t.Errorf("%v has the code %q", err, code)
		}
	}
}

func TestFormatTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC), "2026-03-01T12:00:00.000Z"},
		{time.Date(2026, time.March, 1, 0, 30, 0, 7_999_999, time.FixedZone("", 3600)), "2026-02-28T23:30:00.007Z"},
	} {
		if got := chat.FormatTime(test.at); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
