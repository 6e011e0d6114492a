package search

import (
	"slices"
	"strings"
	"unicode/utf16"
)

const (
	snippetLetters = 160
	// snippetLead is the length of the text before the first match.
	snippetLead = 40
	ellipsis    = '…'
)

// Snippet is the part of a text around a match.
type Snippet struct {
	Text string
	// Marks are the matches, in UTF-16 units, as browsers count.
	Marks [][2]int
}

// snippet cuts a text around its first match.
func (q Query) snippet(text string) Snippet {
	letters := []rune(text)
	marks := q.find(letters)
	from, until := 0, len(letters)
	if len(letters) > snippetLetters {
		if len(marks) > 0 {
			from = max(0, min(marks[0][0]-snippetLead, len(letters)-snippetLetters))
		}
		until = min(from+snippetLetters, len(letters))
	}
	return cut(letters, marks, from, until)
}

// cut shows a part of a text, with the marks that lie in it.
func cut(letters []rune, marks [][2]int, from, until int) (s Snippet) {
	shown := slices.Clone(letters[from:until])
	shift := -from
	if from > 0 {
		shown, shift = slices.Insert(shown, 0, ellipsis), shift+1
	}
	if until < len(letters) {
		shown = append(shown, ellipsis)
	}
	s = Snippet{Text: string(shown), Marks: [][2]int{}}
	units := unitsBefore(shown)
	for _, mark := range marks {
		begin, end := max(mark[0], from), min(mark[1], until)
		if begin < end {
			s.Marks = append(s.Marks, [2]int{units[begin+shift], units[end+shift]})
		}
	}
	return s
}

// unitsBefore returns, for each letter and for the end, the number of UTF-16 units before it.
func unitsBefore(letters []rune) []int {
	units := make([]int, len(letters)+1)
	for i, r := range letters {
		units[i+1] = units[i] + max(1, utf16.RuneLen(r))
	}
	return units
}

// find returns the ranges of letters that match the words, sorted and without overlaps.
func (q Query) find(letters []rune) [][2]int {
	var folded strings.Builder
	var of []int // the letter to which each byte of the folded text belongs
	for i, r := range letters {
		foldRune(r, func(r rune) {
			n, _ := folded.WriteRune(r)
			for range n {
				of = append(of, i)
			}
		})
	}
	var marks [][2]int
	text := folded.String()
	for _, word := range q.words {
		for at := strings.Index(text, word); at >= 0; {
			end := at + len(word)
			marks = append(marks, [2]int{of[at], of[end-1] + 1})
			next := strings.Index(text[end:], word)
			if next < 0 {
				break
			}
			at = end + next
		}
	}
	return join(marks)
}

// join merges marks that overlap or touch.
func join(marks [][2]int) (joined [][2]int) {
	slices.SortFunc(marks, func(a, b [2]int) int { return a[0] - b[0] })
	for _, mark := range marks {
		if n := len(joined); n > 0 && mark[0] <= joined[n-1][1] {
			joined[n-1][1] = max(joined[n-1][1], mark[1])
			continue
		}
		joined = append(joined, mark)
	}
	return joined
}
