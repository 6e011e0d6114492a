package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

const (
	// leastLetters is the shortest word that the index can find.
	leastLetters = 3
	// leastDigits is the shortest part of a number that can be searched.
	leastDigits = 3
	mostWords   = 12
)

// Query is a parsed search: texts that contain all words, or contacts by a part of their number.
type Query struct {
	words  []string
	digits []string // in each spelling of the number
	masked bool     // contacts' numbers do not match
}

// Parse parses the text of a search. It has no operators: every character stands for itself.
func Parse(text string) Query {
	folded := fold(strings.ToValidUTF8(text, " "))
	words := strings.Fields(folded)
	slices.Sort(words)
	words = slices.Compact(words)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) }) // the longest words are the rarest
	return Query{words: words[:min(len(words), mostWords)], digits: spellings(numberPart(folded))}
}

// empty reports whether there is nothing to search for.
func (q Query) empty() bool { return len(q.words) == 0 }

// WithoutNumbers is the query of a user who must not find people by their numbers.
func (q Query) WithoutNumbers() Query {
	q.digits, q.masked = nil, true
	return q
}

// numberPart returns the digits of a text that is part of a number, or "". A leading zero stands for the
// country's code.
func numberPart(text string) string {
	if strings.Trim(text, "0123456789+-()./ ") != "" {
		return ""
	}
	digits := strings.TrimLeft(chat.Digits(text), "0")
	if len(digits) < leastDigits {
		return ""
	}
	return digits
}

// spellings are the ways to write a number: two of some whole numbers, one of every other part of one, none of nothing.
func spellings(digits string) []string {
	if digits == "" {
		return nil
	}
	if other := chat.OtherSpelling(digits); other != "" {
		return []string{digits, chat.Digits(other)}
	}
	return []string{digits}
}

// commonEnd is what all of the texts end with.
func commonEnd(texts []string) (end string) {
	for i, text := range texts {
		if i == 0 {
			end = text
		}
		for !strings.HasSuffix(text, end) {
			end = end[1:]
		}
	}
	return end
}

// longWords are the words that the index can find.
func (q Query) longWords() (words []string) {
	for _, word := range q.words {
		if utf8.RuneCountInString(word) >= leastLetters {
			words = append(words, word)
		}
	}
	return words
}

// forIndex is the query for the index. Words that it leaves out are checked on the rows found. It returns false
// if the index cannot help.
func (q Query) forIndex(kind chat.Kind) (words []string, or string, ok bool) {
	words = q.longWords()
	if kind == chat.KindContact {
		or = commonEnd(q.digits)
	}
	return words, or, len(words) > 0 || or != ""
}

// matches reports whether a row, as it is now, matches the query.
func (q Query) matches(row store.SearchRow) bool {
	if kindOf(row.ID) == chat.KindContact && slices.ContainsFunc(q.digits, func(d string) bool { return strings.Contains(chat.Digits(row.Number), d) }) {
		return true
	}
	text := fold(textOf(row))
	if digits := chat.Digits(row.Number); q.masked && digits != "" {
		text = strings.ReplaceAll(text, digits, "")
	}
	for _, word := range q.words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
