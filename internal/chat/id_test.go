package chat_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
)

var kinds = []chat.Kind{
	chat.KindAccount, chat.KindBroadcast, chat.KindCallback, chat.KindContact, chat.KindConversation, chat.KindCustomer,
	chat.KindDelivery, chat.KindEvent, chat.KindKey, chat.KindLabel, chat.KindMedia, chat.KindMessage,
	chat.KindOrganization, chat.KindRequest, chat.KindSecret, chat.KindSetupLink, chat.KindSubscription,
	chat.KindTeam, chat.KindTemplate, chat.KindUser,
}

func TestKindsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[chat.Kind]bool{}
	for _, k := range kinds {
		if seen[k] {
			t.Errorf("two kinds have the prefix %s", k)
		}
		seen[k] = true
	}
}

func TestValidID(t *testing.T) {
	t.Parallel()
	const ulid = "01JZX5T0Q8R2V7W3Y9ABCDEFGH"
	for _, test := range []struct {
		name string
		id   string
		want bool
	}{
		{"good", "lbl_" + ulid, true},
		{"all the alphabet's ends", "lbl_0123456789ABCDEFGHJKMNPQRS", true},
		{"the other end", "lbl_TVWXYZ00000000000000000000", true},
		{"empty", "", false},
		{"prefix only", "lbl_", false},
		{"no prefix", ulid, false},
		{"another kind", "msg_" + ulid, false},
		{"capital prefix", "LBL_" + ulid, false},
		{"small letters", "lbl_" + strings.ToLower(ulid), false},
		{"a character too few", "lbl_" + ulid[1:], false},
		{"a character too many", "lbl_0" + ulid, false},
		{"line break behind", "lbl_" + ulid + "\n", false},
		{"letter I", "lbl_I1JZX5T0Q8R2V7W3Y9ABCDEFGH", false},
		{"letter L", "lbl_L1JZX5T0Q8R2V7W3Y9ABCDEFGH", false},
		{"letter O", "lbl_O1JZX5T0Q8R2V7W3Y9ABCDEFGH", false},
		{"letter U", "lbl_U1JZX5T0Q8R2V7W3Y9ABCDEFGH", false},
		{"NUL", "lbl_\x001JZX5T0Q8R2V7W3Y9ABCDEFGH", false},
		{"two bytes for one character", "lbl_é1JZX5T0Q8R2V7W3Y9ABCDEFG", false},
	} {
		if got := chat.KindLabel.Valid(test.id); got != test.want {
			t.Errorf("%s: Valid(%q) is %v", test.name, test.id, got)
		}
	}
}

// Valid accepts the same ids as the published pattern.
func TestValidAgreesWithPattern(t *testing.T) {
	t.Parallel()
	patterns := map[chat.Kind]*regexp.Regexp{}
	for _, k := range kinds {
		patterns[k] = regexp.MustCompile(k.Pattern())
	}
	rapid.Check(t, func(t *rapid.T) {
		made := rapid.SampledFrom(kinds).Draw(t, "made as")
		id := rapid.StringMatching(made.Pattern()).Draw(t, "id")
		if !made.Valid(id) {
			t.Fatalf("%q matches %s and is not valid", id, made.Pattern())
		}
		at := rapid.IntRange(0, len(id)).Draw(t, "at")
		cut := rapid.IntRange(at, min(at+1, len(id))).Draw(t, "cut")
		changed := id[:at] + rapid.StringN(0, 1, 1).Draw(t, "insert") + id[cut:]
		asked := rapid.SampledFrom([]chat.Kind{made, rapid.SampledFrom(kinds).Draw(t, "other")}).Draw(t, "asked as")
		if got, want := asked.Valid(changed), patterns[asked].MatchString(changed); got != want {
			t.Fatalf("Valid(%q) is %v, its pattern says %v", changed, got, want)
		}
	})
}
