package chat

import (
	"slices"
	"strings"
	"unicode"
)

// OptOutWords are the words of one language by which people opt out of marketing or opt in again, and the
// answers they get. An empty answer sends nothing.
type OptOutWords struct {
	OrgID      string   `json:"-"`
	Language   string   `json:"-"`
	Default    bool     `json:"-"` // the organization has not chosen its own
	Stop       []string `json:"stop"`
	Start      []string `json:"start"`
	StopReply  string   `json:"stop_reply"`
	StartReply string   `json:"start_reply"`
}

// maxOptOutWord is the longest such word, in characters.
const maxOptOutWord = 40

// defaultOptOutWords are the words of an organization that has not chosen its own.
var defaultOptOutWords = []OptOutWords{
	{Language: "en", Default: true, Stop: []string{"STOP", "STOP ALL", "UNSUBSCRIBE", "OPT OUT"}, Start: []string{"START", "UNSTOP", "OPT IN"},
		StopReply:  "You will not get marketing messages from us any more. Write START to get them again.",
		StartReply: "You will get our marketing messages again. Write STOP to end that."},
	{Language: "de", Default: true, Stop: []string{"STOPP", "ABMELDEN"}, Start: []string{"ANMELDEN"},
		StopReply:  "Sie erhalten keine Werbung mehr von uns. Schreiben Sie ANMELDEN, um sie wieder zu erhalten.",
		StartReply: "Sie erhalten unsere Werbung wieder. Schreiben Sie STOPP, um das zu beenden."},
	{Language: "es", Default: true, Stop: []string{"BAJA", "DETENER"}, Start: []string{"ALTA"},
		StopReply:  "Ya no recibirá mensajes promocionales nuestros. Escriba ALTA para recibirlos de nuevo.",
		StartReply: "Recibirá de nuevo nuestros mensajes promocionales. Escriba BAJA para dejar de recibirlos."},
	{Language: "id", Default: true, Stop: []string{"BERHENTI", "BERHENTI BERLANGGANAN"}, Start: []string{"MULAI", "BERLANGGANAN"},
		StopReply:  "Anda tidak akan menerima pesan promosi dari kami lagi. Balas MULAI untuk menerimanya kembali.",
		StartReply: "Anda akan menerima pesan promosi kami lagi. Balas BERHENTI untuk menghentikannya."},
	{Language: "pt", Default: true, Stop: []string{"PARAR", "SAIR"}, Start: []string{"VOLTAR"},
		StopReply:  "Você não receberá mais mensagens promocionais nossas. Escreva VOLTAR para recebê-las de novo.",
		StartReply: "Você receberá de novo nossas mensagens promocionais. Escreva PARAR para cancelar."},
}

// ChosenOptOutWords returns the words of an organization: for each language its own, or else the default.
func ChosenOptOutWords(chosen []OptOutWords) []OptOutWords {
	all := slices.Clone(chosen)
	for _, d := range defaultOptOutWords {
		if !slices.ContainsFunc(chosen, func(w OptOutWords) bool { return w.Language == d.Language }) {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b OptOutWords) int { return strings.Compare(a.Language, b.Language) })
	return all
}

// OptOutWord brings a text into the form in which it is compared with the words: without case, punctuation and
// repeated blanks. It is empty where the text is too long for any word.
func OptOutWord(text string) string {
	if len(text) > 4*maxOptOutWord {
		return ""
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSymbol(r) {
			return -1
		}
		return r
	}, text)
	return FoldCase(strings.Join(strings.Fields(plain), " "))
}

// Check checks an organization's own words of a language, which were others before. People may use the words of any
// language, so no new one may mean the opposite of another.
func (w OptOutWords) Check(before OptOutWords, others []OptOutWords) error {
	all := append(slices.Clone(others), w)
	for _, list := range []struct {
		param, opposite string
		words, before   []string
		opposites       func(OptOutWords) []string
	}{
		{"stop", "start", w.Stop, before.Stop, func(o OptOutWords) []string { return o.Start }},
		{"start", "stop", w.Start, before.Start, func(o OptOutWords) []string { return o.Stop }},
	} {
		for i, word := range list.words {
			plain := OptOutWord(word)
			if plain == "" || len([]rune(plain)) > maxOptOutWord {
				return Invalid(indexed(list.param, i), "Must be a word or a few, with 1 to %d letters or digits.", maxOptOutWord)
			}
			if hasWord(list.before, plain) {
				continue
			}
			if at := slices.IndexFunc(all, func(o OptOutWords) bool { return hasWord(list.opposites(o), plain) }); at >= 0 {
				return Invalid(indexed(list.param, i), "%q is a %s word too (language %s). A word can mean only one of the two.", word, list.opposite, all[at].Language)
			}
		}
	}
	return nil
}

// hasWord reports whether a word, in the form of OptOutWord, is among others.
func hasWord(words []string, plain string) bool {
	return slices.ContainsFunc(words, func(other string) bool { return OptOutWord(other) == plain })
}

// Meaning returns the consent that a word expresses and the answer to it. ok is false for any other word.
func (w OptOutWords) Meaning(word string) (consent Consent, answer string, ok bool) {
	switch {
	case hasWord(w.Stop, word):
		return ConsentOptedOut, w.StopReply, true
	case hasWord(w.Start, word):
		return ConsentOptedIn, w.StartReply, true
	}
	return "", "", false
}
