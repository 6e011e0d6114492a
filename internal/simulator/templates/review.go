package templates

import (
	"encoding/json"
	"strings"
)

// Verdict is the result of a review, and what happens after it.
type Verdict struct {
	Status   string
	Reason   string
	AtOnce   bool   // already in the answer to the creation
	Then     string // PAUSED or DISABLED, one review time later
	Category string // the review finds that the template belongs to another category
	Quality  string // the quality falls to this, one review time later
	Never    bool   // no decision
}

// ReviewRules decide by the template's name. The first rule that matches counts.
var ReviewRules = []struct {
	Word string
	Verdict
}{
	{"instant_reject", Verdict{Status: "REJECTED", Reason: "INVALID_FORMAT", AtOnce: true}},
	{"instant", Verdict{Status: "APPROVED", Reason: "NONE", AtOnce: true}},
	{"reject_abusive", Verdict{Status: "REJECTED", Reason: "ABUSIVE_CONTENT"}},
	{"reject_promotional", Verdict{Status: "REJECTED", Reason: "PROMOTIONAL"}},
	{"reject_tag", Verdict{Status: "REJECTED", Reason: "TAG_CONTENT_MISMATCH"}},
	{"reject_scam", Verdict{Status: "REJECTED", Reason: "SCAM"}},
	{"reject_category", Verdict{Status: "REJECTED", Reason: "INCORRECT_CATEGORY"}},
	{"reject", Verdict{Status: "REJECTED", Reason: "INVALID_FORMAT"}},
	{"pending", Verdict{Never: true}},
	{"pause", Verdict{Status: "APPROVED", Reason: "NONE", Then: "PAUSED"}},
	{"disable", Verdict{Status: "APPROVED", Reason: "NONE", Then: "DISABLED"}},
	{"recategorize", Verdict{Status: "APPROVED", Reason: "NONE", Category: "MARKETING"}},
	{"low_quality", Verdict{Status: "APPROVED", Reason: "NONE", Quality: "RED"}},
}

func ReviewOf(name string) Verdict {
	for _, r := range ReviewRules {
		if strings.Contains(name, r.Word) {
			return r.Verdict
		}
	}
	return Verdict{Status: "APPROVED", Reason: "NONE"}
}

// OtherInfo is the reason, in a callback, why a template was paused or disabled.
func OtherInfo(title, description string) map[string]string {
	return map[string]string{"title": title, "description": description}
}

// CallbackValue is what all callbacks about a template carry. The id is a number there.
func (t Template) CallbackValue() map[string]any {
	return map[string]any{
		"message_template_id": json.Number(t.ID), "message_template_name": t.Name, "message_template_language": t.Language,
	}
}
