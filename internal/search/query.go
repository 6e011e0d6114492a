package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// leastLetters is what the index can look for.
	leastLetters = 3
	// leastDigits is how much of a number must be given.
	leastDigits = 3
	mostWords   = 12
)

// Query is what somebody looks for: texts with all words, in any part of theirs, or contacts by a part of
// their number.
type Query struct {
	words  []string
	digits string
	masked bool // a contact's number does not count, wherever it stands
}

// Parse reads what somebody has typed. Nothing in it has a meaning beyond itself.
func Parse(text string) Query {
	folded := fold(strings.ToValidUTF8(text, " "))
	words := strings.Fields(folded)
	slices.Sort(words)
	words = slices.Compact(words)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) }) // the longest are the rarest
	return Query{words: words[:min(len(words), mostWords)], digits: numberPart(folded)}
}

// Empty tells that there is nothing to look for.
func (q Query) Empty() bool { return len(q.words) == 0 }

// WithoutNumbers is the query of somebody who is not to find people by their numbers.
func (q Query) WithoutNumbers() Query {
	q.digits, q.masked = "", true
	return q
}

// numberPart is the part of a number that a text is, or nothing. A leading zero stands for a country.
func numberPart(text string) string {
	if strings.Trim(text, "0123456789+-()./ ") != "" {
		return ""
	}
	digits := strings.TrimLeft(digitsOf(text), "0")
	if len(digits) < leastDigits {
		return ""
	}
	return digits
}

// longWords are those that the index can look for.
func (q Query) longWords() (words []string) {
	for _, word := range q.words {
		if utf8.RuneCountInString(word) >= leastLetters {
			words = append(words, word)
		}
	}
	return words
}

// forIndex is the query as the index takes it. What it leaves out is looked for in what is found. It reports
// false where the index cannot be asked.
func (q Query) forIndex(kind chat.Kind) (words []string, or string, ok bool) {
	words = q.longWords()
	if kind == chat.KindContact {
		or = q.digits
	}
	return words, or, len(words) > 0 || or != ""
}

// matches tells whether a row is what was looked for, as it is now.
func (q Query) matches(row store.SearchRow) bool {
	if kindOf(row.ID) == chat.KindContact && q.digits != "" && strings.Contains(digitsOf(row.Number), q.digits) {
		return true
	}
	text := fold(textOf(row))
	if digits := digitsOf(row.Number); q.masked && digits != "" {
		text = strings.ReplaceAll(text, digits, "")
	}
	for _, word := range q.words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
