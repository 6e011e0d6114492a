package chat

import (
	"cmp"
	"encoding/json"
	"time"
)

// Contradicts reports that two contacts cannot be the same person: both have a number, or both have a
// business-scoped user id, and the two differ in more than their spelling.
func (c Contact) Contradicts(other Contact) bool {
	for _, pair := range [][2]*string{{c.PhoneNumber, other.PhoneNumber}, {c.BSUID, other.BSUID}, {c.ParentBSUID, other.ParentBSUID}} {
		if pair[0] != nil && pair[1] != nil && *pair[0] != *pair[1] && OtherSpelling(*pair[0]) != *pair[1] {
			return true
		}
	}
	return false
}

// Absorb returns the contact after it was merged with another. Fields that both have keep c's value.
func (c Contact) Absorb(other Contact) Contact {
	c.PhoneNumber, c.BSUID = cmp.Or(c.PhoneNumber, other.PhoneNumber), cmp.Or(c.BSUID, other.BSUID)
	c.ParentBSUID, c.Username = cmp.Or(c.ParentBSUID, other.ParentBSUID), cmp.Or(c.Username, other.Username)
	c.Name, c.Email = cmp.Or(c.Name, other.Name), cmp.Or(c.Email, other.Email)
	c.Metadata = mergedMetadata(c.Metadata, other.Metadata)
	c.Consent = mergedConsent(c, other)
	c.PreferenceAt = later(c.PreferenceAt, other.PreferenceAt)
	return c
}

// mergedConsent is the later of two consents that the provider dated. Where that cannot be told, the stricter
// one counts.
func mergedConsent(a, b Contact) Consent {
	if a.PreferenceAt != nil && b.PreferenceAt != nil && !a.PreferenceAt.Equal(*b.PreferenceAt) {
		if a.PreferenceAt.After(*b.PreferenceAt) {
			return a.Consent
		}
		return b.Consent
	}
	return a.Consent.Stricter(b.Consent)
}

// mergedMetadata has the keys of both, so that nothing is lost. It may be larger than a request may set.
func mergedMetadata(a, b json.RawMessage) json.RawMessage {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(b, &fields) != nil || json.Unmarshal(a, &fields) != nil {
		return a
	}
	merged, err := json.Marshal(fields)
	if err != nil {
		return a
	}
	return merged
}

// Absorb returns the conversation with the messages of another one. Its status is the more open of the two.
func (c Conversation) Absorb(other Conversation) Conversation {
	for _, status := range []ConversationStatus{ConversationOpen, ConversationPending} {
		if c.Status == status || other.Status == status {
			c.Status = status
			break
		}
	}
	c.SnoozedUntil = cmp.Or(c.SnoozedUntil, other.SnoozedUntil)
	if c.Status != ConversationPending {
		c.SnoozedUntil = nil
	}
	c.WaitingSince = earlier(c.WaitingSince, other.WaitingSince)
	c.AssignedTo = cmp.Or(c.AssignedTo, other.AssignedTo)
	c.UnreadCount += other.UnreadCount
	c.LastMessageAt, c.LastInboundAt = later(c.LastMessageAt, other.LastMessageAt), later(c.LastInboundAt, other.LastInboundAt)
	return c
}

func later(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}
