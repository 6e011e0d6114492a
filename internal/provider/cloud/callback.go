package cloud

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/parleyhq/parley/internal/provider"
)

var errNotObject = errors.New("not a JSON object")

// CanSign reports whether a value of X-Hub-Signature-256 has the form of a signature.
func CanSign(header string) bool {
	_, ok := signatureIn(header)
	return ok
}

func signatureIn(header string) ([]byte, bool) {
	given, found := strings.CutPrefix(header, "sha256=")
	signature, err := hex.DecodeString(given)
	return signature, found && err == nil && len(signature) == sha256.Size
}

// Verify reports whether header, the value of X-Hub-Signature-256, signs exactly these bytes with the app's
// secret. An empty secret signs nothing.
func Verify(secret, header string, body []byte) bool {
	signature, ok := signatureIn(header)
	if !ok || secret == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), signature)
}

// Decode translates a callback. It fails only if the body is not a JSON object. Parts that it does not
// understand become Ignored, so that they do not affect the others.
func Decode(body []byte) ([]provider.Update, error) {
	envelope, err := parse(body)
	if err == nil && !envelope.isObject() {
		err = errNotObject
	}
	if err != nil {
		return nil, fmt.Errorf("callback: %w", err)
	}
	var updates []provider.Update
	if object := envelope.text("object"); object != "whatsapp_business_account" {
		return append(updates, provider.Ignored{Reason: "the callback is about another kind of object"}), nil
	}
	for entry := range envelope.elements("entry") {
		updates = decodeEntry(updates, entry)
	}
	return updates, nil
}

func decodeEntry(updates []provider.Update, entry node) []provider.Update {
	before := len(updates)
	for item := range entry.elements("changes") {
		c := newChange(entry, item)
		c.decode()
		updates = append(updates, c.updates...)
	}
	if len(updates) == before {
		updates = append(updates, provider.Ignored{Origin: provider.Origin{WABAID: entry.text("id")}, Reason: "the entry has no changes"})
	}
	return updates
}

// change is one item of an entry, and the updates found in it.
type change struct {
	origin   provider.Origin
	field    string
	value    node
	metadata []byte
	contacts directory
	updates  []provider.Update
}

func newChange(entry, item node) *change {
	value := item.get("value")
	metadata := value.get("metadata")
	c := &change{
		origin: provider.Origin{
			WABAID:             entry.text("id"),
			PhoneNumberID:      metadata.text("phone_number_id"),
			DisplayPhoneNumber: cmp.Or(metadata.text("display_phone_number"), value.text("display_phone_number")),
			ReportedAt:         instant(entry.text("time")),
		},
		field: item.text("field"),
		value: value,
	}
	if metadata.isObject() {
		c.metadata = neutral(metadata)
	}
	return c
}

// decoders maps the known fields to their decoders.
var decoders = map[string]func(*change){
	"messages":                           (*change).messages,
	"smb_message_echoes":                 (*change).echoes,
	"message_echoes":                     (*change).echoes,
	"history":                            (*change).history,
	"smb_app_state_sync":                 (*change).addressBook,
	"user_preferences":                   (*change).preferences,
	"user_id_update":                     (*change).identities,
	"account_update":                     (*change).account,
	"account_review_update":              (*change).accountReview,
	"business_capability_update":         (*change).capability,
	"phone_number_quality_update":        (*change).numberQuality,
	"phone_number_name_update":           (*change).numberName,
	"message_template_status_update":     (*change).template,
	"message_template_quality_update":    (*change).template,
	"message_template_components_update": (*change).template,
	"template_category_update":           (*change).template,
}

func (c *change) decode() {
	decoder, known := decoders[c.field]
	switch {
	case !known:
		c.ignore("the field is not used")
	case !c.value.isObject():
		c.lose("the change has no value")
	default:
		c.contacts = newDirectory(c.value)
		decoder(c)
		if len(c.updates) == 0 {
			c.ignore("nothing known is in it")
		}
	}
}

func (c *change) add(u provider.Update) { c.updates = append(c.updates, u) }

func (c *change) ignore(reason string) {
	c.add(provider.Ignored{Origin: c.origin, Field: c.field, Reason: reason})
}

// lose is ignore for a part that we would use if we could read it.
func (c *change) lose(reason string) {
	c.add(provider.Ignored{Origin: c.origin, Field: c.field, Reason: reason, Lost: true})
}
