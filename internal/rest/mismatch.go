package rest

import (
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// numberPattern is the pattern of a business number's id.
const numberPattern = "^[0-9]{6,20}$"

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
	if pattern == numberPattern {
		return "Must be the id of a business number, which is 6 to 20 digits. GET /v1/accounts lists yours as phone_number_id."
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
