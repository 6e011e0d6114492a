package onboard

import (
	"strings"
	"time"
)

// PageCSS is the page's style.
var PageCSS = pageCSS

// PageScript is the page's script.
var PageScript = pageScript

// Readable formats a number for the page.
var Readable = readable

// Date and Remaining format instants and durations in a browser's language.
func Date(accept string, at time.Time) string            { return textFor(accept).date(at) }
func Remaining(accept string, left time.Duration) string { return textFor(accept).remaining(left) }

// RenewOften makes a worker renew its holds very often. It must not have been started.
func RenewOften(w *Worker) *Worker {
	w.renewEvery = time.Millisecond
	return w
}

// MissingTexts are the texts that some language lacks or names differently.
func MissingTexts() (missing []string) {
	for _, t := range languages {
		for _, other := range languages {
			for key, text := range other.words {
				mine, ok := t.words[key]
				if !ok || mine == "" || strings.Contains(mine, "{organization}") != strings.Contains(text, "{organization}") {
					missing = append(missing, t.lang+" "+key)
				}
			}
		}
	}
	return missing
}
