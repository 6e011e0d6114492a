package onboard

import "strings"

// MissingTexts are the texts that some language lacks, and those whose names differ.
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
