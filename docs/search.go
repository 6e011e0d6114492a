package docs

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

const (
	mostFound = 40
	// mostAsked and mostWords bound a question: anybody may ask, and each word is looked for everywhere.
	mostAsked = 200
	mostWords = 12
)

// hit is a section in which all words occur.
type hit struct {
	page  *page
	at    section
	score int
}

// search looks for sections with all words of a question, those first that have them in their title.
func (h *handler) search(asked string) template.HTML {
	asked = cut(asked, mostAsked)
	words := strings.Fields(strings.ToLower(asked))
	words = words[:min(len(words), mostWords)]
	if len(words) == 0 {
		return "<h1>Search</h1><p>Write a word into the field above: a setting, a code, a command.</p>"
	}
	var hits []hit
	for _, p := range h.pages {
		for _, at := range p.Sections {
			score := at.score(words)
			if strings.HasPrefix(p.Path, "/decisions/") {
				score = (score + 1) / 2 // why it is so comes after how to use it
			}
			if score > 0 && p.Path != "" {
				hits = append(hits, hit{p, at, score})
			}
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.page.Path, b.page.Path), cmp.Compare(a.at.Anchor, b.at.Anchor))
	})
	hits = slices.CompactFunc(hits, func(a, b hit) bool { return a.page == b.page && a.at == b.at }) // a page with two addresses
	return showHits(asked, words, hits)
}

// score is how well a section answers; zero where a word is missing.
func (s section) score(words []string) (score int) {
	title, text := strings.ToLower(s.Title), strings.ToLower(s.Text)
	for _, word := range words {
		switch {
		case strings.Contains(title, word):
			score += 10
		case strings.Contains(text, word):
			score += 1 + min(3, strings.Count(text, word))
		default:
			return 0
		}
	}
	return score
}

func showHits(asked string, words []string, hits []hit) template.HTML {
	var out strings.Builder
	fmt.Fprintf(&out, "<h1>%d found for “%s”</h1>", len(hits), template.HTMLEscapeString(asked))
	if len(hits) == 0 {
		out.WriteString("<p>Try fewer words, or another one.</p>")
	}
	out.WriteString("<ul class=\"found\">")
	for _, found := range hits[:min(len(hits), mostFound)] {
		fmt.Fprintf(&out, `<li><a href="%s%s#%s">%s</a> <span>%s</span><p>%s</p></li>`, base, found.page.Path, template.HTMLEscapeString(found.at.Anchor),
			template.HTMLEscapeString(cmp.Or(found.at.Title, found.page.Title)), template.HTMLEscapeString(found.page.Title),
			template.HTMLEscapeString(around(found.at.Text, words[0])))
	}
	out.WriteString("</ul>")
	return template.HTML(out.String())
}

// around is the text near a word.
func around(text, word string) string {
	at := strings.Index(strings.ToLower(text), word)
	if at < 0 || at > len(text) { // letters can change their length with their case
		return cut(text, 180)
	}
	start := strings.LastIndexByte(text[:max(0, at-60)]+" ", ' ')
	return cut(text[min(start, len(text)):], 180)
}
