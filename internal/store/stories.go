package store

import "github.com/parleyhq/parley/internal/chat"

// MessageOf returns a message of the organization, of any number, or ErrNotFound.
func (r Reader) MessageOf(orgID, id string) (chat.Message, error) {
	return one(r, scanMessage, "SELECT "+messageColumns+" FROM messages WHERE org_id = $1 AND id = $2", orgID, id)
}

// MessageToldAs finds a message of the organization by the provider's id, or ErrNotFound.
func (r Reader) MessageToldAs(orgID, providerID string) (chat.Message, error) {
	return one(r, scanMessage, "SELECT "+prefixed("m", messageColumns)+` FROM accounts a
		JOIN messages m ON m.org_id = a.org_id AND m.account_id = a.id AND m.provider_id = $2
		WHERE a.org_id = $1 AND a.deleted_at IS NULL LIMIT 1`, orgID, providerID)
}

// ContactsWithNumber returns up to limit contacts of the organization with a number, in whichever spelling: one for each
// business number they wrote with.
func (r Reader) ContactsWithNumber(orgID, number string, limit int) ([]chat.Contact, error) {
	c := conditions{args: []any{orgID, limit}}
	return many(r, scanContact, "SELECT "+prefixed("c", contactColumns)+` FROM accounts a
		JOIN contacts c ON c.org_id = a.org_id AND c.account_id = a.id AND c.phone_number IN (`+c.argList(spellings(number))+`)
		WHERE a.org_id = $1 AND a.deleted_at IS NULL ORDER BY c.id LIMIT $2`, c.args...)
}

// spellings are the ways to write an address: two of some numbers, one of all others.
func spellings(address string) []string {
	if other := chat.OtherSpelling(address); other != "" {
		return []string{address, other}
	}
	return []string{address}
}

// ContactOf returns a contact of the organization, or ErrNotFound.
func (r Reader) ContactOf(orgID, id string) (chat.Contact, error) {
	return one(r, scanContact, "SELECT "+contactColumns+" FROM contacts WHERE org_id = $1 AND id = $2", orgID, id)
}

// ContactOfConversation returns the contact of a conversation, or ErrNotFound.
func (r Reader) ContactOfConversation(orgID, conversationID string) (chat.Contact, error) {
	return one(r, scanContact, "SELECT "+prefixed("c", contactColumns)+` FROM conversations v
		JOIN contacts c ON c.org_id = v.org_id AND c.id = v.contact_id WHERE v.org_id = $1 AND v.id = $2`, orgID, conversationID)
}

// LatestMessages returns up to limit of a conversation's messages, newest first.
func (r Reader) LatestMessages(orgID, conversationID string, limit int) ([]chat.Message, error) {
	return many(r, scanMessage, "SELECT "+messageColumns+" FROM messages WHERE conversation_id = $2 AND org_id = $1 ORDER BY id DESC LIMIT $3", orgID, conversationID, limit)
}
