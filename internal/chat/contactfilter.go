package chat

import (
	"strings"
	"time"
)

// ContactFilter selects contacts for a list, a bulk change, an export or an audience. An empty field excludes
// nobody.
type ContactFilter struct {
	Search       string     `json:"search,omitempty" minLength:"1" maxLength:"200" doc:"Parts of the name, e-mail address, number or username; every word must be there, and those from the twelfth on side by side."`
	Number       string     `json:"number,omitempty" pattern:"^[0-9]{6,20}$" doc:"Only of this business number, by its phone_number_id."`
	LabelIDs     []string   `json:"label_ids,omitempty" maxItems:"20" pattern:"^lbl_[0-9A-HJKMNP-TV-Z]{26}$"`
	AllLabels    bool       `json:"all_labels,omitzero" doc:"All of the labels must be there, not one of them."`
	Consent      Consent    `json:"consent,omitempty" enum:"unknown,opted_in,opted_out"`
	SeenAfter    *time.Time `json:"seen_after,omitempty" doc:"Only those who have written since."`
	NotSeenSince *time.Time `json:"not_seen_since,omitempty" doc:"Only those who have not written since, or never."`
	NeverSeen    bool       `json:"never_seen,omitzero" doc:"Only those who have never written."`
}

// Words are the words of the search.
func (f ContactFilter) Words() []string { return SearchWords(f.Search) }

// mostSearchWords bounds what is compared with each contact.
const mostSearchWords = 12

// SearchWords are the words of a search, as search keys have them. A number may be written with blanks and signs between its
// digits. What is beyond the twelfth word belongs to it: without those words the filter of a broadcast would let more people
// pass than were meant.
func SearchWords(search string) []string {
	folded := FoldCase(search)
	if digits := numberPart(folded); digits != "" {
		return []string{digits}
	}
	words := strings.Fields(folded)
	if last := mostSearchWords - 1; len(words) > mostSearchWords {
		return append(words[:last], strings.Join(words[last:], " "))
	}
	return words
}

// numberPart returns the digits of a text that looks like a part of a number, and an empty text otherwise.
func numberPart(s string) string {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" +-()./\u00a0", r) {
			return -1
		}
		return r
	}, s)
	if len(digits) < 3 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits
}

// ContactSort is the order of a list of contacts.
type ContactSort string

const (
	ContactsNewest ContactSort = "newest"
	ContactsByName ContactSort = "name"
)

// ContactEntry is a contact as the dashboard lists it, without its labels.
type ContactEntry struct {
	Contact
	ConversationID *string
	LastSeenAt     *time.Time // when the person last wrote
	PhoneNumberID  *string    // the business number whose contact it is
	OwnNumber      *string
	NumberName     *string
	TeamID         string
}

// MostContactsCounted is where counts of contacts stop.
const MostContactsCounted = 100_000
