package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

func TestCleanLabelName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 50) // 100 bytes
	for _, test := range []struct {
		name string
		in   string
		want string
		ok   bool
	}{
		{"plain", "VIP", "VIP", true},
		{"one character", "x", "x", true},
		{"white space around", " \t\u00a0\u3000 Follow up \r\n", "Follow up", true},
		{"white space inside", "a  b", "a  b", true},
		{"50 characters of two bytes", long, long, true},
		{"50 and white space around", "  " + long + "  ", long, true},
		{"50 characters of four bytes", strings.Repeat("🏷", 50), strings.Repeat("🏷", 50), true},
		{"51", long + "x", "", false},
		{"empty", "", "", false},
		{"white space only", " \t\n\u2003", "", false},
		{"NUL", "a\x00b", "", false},
		{"NUL at the end", "a\x00", "", false},
	} {
		got, err := chat.CleanLabelName(test.in)
		if got != test.want || (err == nil) != test.ok {
			t.Errorf("%s: got %q, %v", test.name, got, err)
		}
		if !test.ok {
			requireInvalid(t, err, "name")
		}
	}
}

// requireInvalid checks that err blames the value of a field.
func requireInvalid(t *testing.T, err error, param string) {
	t.Helper()
	e, ok := err.(*chat.Error)
	if !ok || e.Code != chat.CodeInvalidFieldValue || e.Param != param || e.Message == "" {
		t.Errorf("got %#v, want the value of %s blamed", err, param)
	}
}

func TestNewLabelClean(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		in      chat.NewLabel
		want    chat.NewLabel
		invalid string
	}{
		{name: "trimmed, with the default color", in: chat.NewLabel{Name: " VIP ", TeamID: "team"}, want: chat.NewLabel{Name: "VIP", Color: "gray", TeamID: "team"}},
		{name: "color kept", in: chat.NewLabel{Name: "VIP", Color: "pink"}, want: chat.NewLabel{Name: "VIP", Color: "pink"}},
		{name: "unknown color", in: chat.NewLabel{Name: "VIP", Color: "mauve"}, invalid: "color"},
		{name: "colors are small letters", in: chat.NewLabel{Name: "VIP", Color: "Pink"}, invalid: "color"},
		{name: "the name is checked first", in: chat.NewLabel{Color: "mauve"}, invalid: "name"},
	} {
		err := test.in.Clean()
		if test.invalid != "" {
			requireInvalid(t, err, test.invalid)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, test.in); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLabelPatch(t *testing.T) {
	t.Parallel()
	label := chat.Label{ID: "lbl", Name: "VIP", Color: "red"}
	for _, test := range []struct {
		name    string
		patch   chat.LabelPatch
		want    chat.Label
		changed bool
		invalid string
	}{
		{name: "nothing", want: label},
		{name: "the same again", patch: chat.LabelPatch{Name: new(" VIP "), Color: new("red")}, want: label},
		{name: "name", patch: chat.LabelPatch{Name: new(" vip ")}, want: chat.Label{ID: "lbl", Name: "vip", Color: "red"}, changed: true},
		{name: "color", patch: chat.LabelPatch{Color: new("blue")}, want: chat.Label{ID: "lbl", Name: "VIP", Color: "blue"}, changed: true},
		{name: "no name", patch: chat.LabelPatch{Name: new(" ")}, invalid: "name"},
		{name: "no color", patch: chat.LabelPatch{Color: new("")}, invalid: "color"},
		{name: "the name is checked first", patch: chat.LabelPatch{Name: new(""), Color: new("")}, invalid: "name"},
	} {
		got, changed, err := test.patch.Apply(label)
		if test.invalid != "" {
			requireInvalid(t, err, test.invalid)
		} else if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got != test.want || changed != test.changed {
			t.Errorf("%s: got %+v, changed: %v", test.name, got, changed)
		}
	}
}

func TestEveryLabelColorIsAccepted(t *testing.T) {
	t.Parallel()
	for _, color := range append(chat.LabelColors, chat.DefaultLabelColor) {
		if err := (&chat.NewLabel{Name: "x", Color: color}).Clean(); err != nil {
			t.Errorf("%s: %v", color, err)
		}
	}
}
