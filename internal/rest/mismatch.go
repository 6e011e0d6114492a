package rest

import (
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// numberPattern is the pattern of a business number's id.
const numberPattern = "^[0-9]{6,20}$"

// inWords says what the patterns of the public API ask for that are no plain ids.
var inWords = map[string]string{
	numberPattern:                              "Must be the id of a business number, which is 6 to 20 digits. GET /v1/accounts lists yours as phone_number_id.",
	"^[0-9]{6}$":                               "Must be six digits.",
	"^[a-z0-9_]{1,512}$":                       "Must be 1 to 512 lowercase letters, digits and underscores.",
	"^([0-9]|1[0-9]|20)$":                      "Must be a whole number of seconds from 0 to 20.",
	"^(usr_)?[0-9A-HJKMNP-TV-Z]{26}$":          "Must be a user id, such as usr_01ARZ3NDEKTSV4RRFFQ69G5FAV.",
	"^[A-Z]{2}[.][A-Za-z0-9]{1,128}$":          "Must be a business-scoped user id, such as US.13491208655302741918.",
	"^[A-Z]{2}[.](ENT[.])?[A-Za-z0-9]{1,128}$": "Must be a business-scoped user id, such as US.13491208655302741918 or US.ENT.13491208655302741918.",
}

// idNames are what people call the things with ids.
var idNames = map[chat.Kind]string{
	chat.KindAccount: "an account id", chat.KindBroadcast: "a broadcast id", chat.KindRecipient: "a recipient id", chat.KindContact: "a contact id",
	chat.KindConversation: "a conversation id", chat.KindCustomer: "a customer id", chat.KindDelivery: "a delivery id", chat.KindEvent: "an event id",
	chat.KindKey: "an API key's id", chat.KindLabel: "a label id", chat.KindMedia: "a media id", chat.KindMessage: "a message id", chat.KindNote: "a note id",
	chat.KindOrganization: "an organization id", chat.KindReply: "a reply id", chat.KindRequest: "a request id", chat.KindSecret: "a secret's id",
	chat.KindSetupLink: "a setup link's id", chat.KindSubscription: "a webhook subscription id", chat.KindTeam: "a team id", chat.KindTemplate: "a template id",
	chat.KindUser: "a user id",
}

// mismatch says what a text should look like that does not match a pattern. The patterns that people meet most are
// said in words; the others are shown.
func mismatch(pattern string) string {
	if words := inWords[pattern]; words != "" {
		return words
	}
	prefix, _, found := strings.Cut(strings.TrimPrefix(pattern, "^"), "_")
	kind := chat.Kind(prefix)
	if !found || kind.Pattern() != pattern {
		return "Must match " + pattern + "."
	}
	name := idNames[kind]
	if name == "" {
		name = "an id"
	}
	return "Must be " + name + ", such as " + prefix + "_01ARZ3NDEKTSV4RRFFQ69G5FAV."
}
