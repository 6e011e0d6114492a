package simulator

import (
	"encoding/json"
	"strings"
)

// verdict is what a review comes to, and what happens after it.
type verdict struct {
	status   string
	reason   string
	atOnce   bool   // already in the answer to the creation
	then     string // PAUSED or DISABLED, one review time later
	category string // the review finds that it is of another category
	quality  string // its quality falls to this, one review time later
	never    bool   // no decision
}

// reviewRules go by the template's name; the first that matches decides.
var reviewRules = []struct {
	word string
	verdict
}{
	{"instant_reject", verdict{status: "REJECTED", reason: "INVALID_FORMAT", atOnce: true}},
	{"instant", verdict{status: "APPROVED", reason: "NONE", atOnce: true}},
	{"reject_abusive", verdict{status: "REJECTED", reason: "ABUSIVE_CONTENT"}},
	{"reject_promotional", verdict{status: "REJECTED", reason: "PROMOTIONAL"}},
	{"reject_tag", verdict{status: "REJECTED", reason: "TAG_CONTENT_MISMATCH"}},
	{"reject_scam", verdict{status: "REJECTED", reason: "SCAM"}},
	{"reject_category", verdict{status: "REJECTED", reason: "INCORRECT_CATEGORY"}},
	{"reject", verdict{status: "REJECTED", reason: "INVALID_FORMAT"}},
	{"pending", verdict{never: true}},
	{"pause", verdict{status: "APPROVED", reason: "NONE", then: "PAUSED"}},
	{"disable", verdict{status: "APPROVED", reason: "NONE", then: "DISABLED"}},
	{"recategorize", verdict{status: "APPROVED", reason: "NONE", category: "MARKETING"}},
	{"low_quality", verdict{status: "APPROVED", reason: "NONE", quality: "RED"}},
}

func reviewOf(name string) verdict {
	for _, r := range reviewRules {
		if strings.Contains(name, r.word) {
			return r.verdict
		}
	}
	return verdict{status: "APPROVED", reason: "NONE"}
}

// otherInfo is why a template was paused or disabled, in a callback.
func otherInfo(title, description string) map[string]string {
	return map[string]string{"title": title, "description": description}
}

// callbackValue is what all callbacks about a template carry. The id is a number here.
func (t template) callbackValue() map[string]any {
	return map[string]any{
		"message_template_id": json.Number(t.id), "message_template_name": t.name, "message_template_language": t.language,
	}
}
