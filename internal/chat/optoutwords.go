package chat

import (
	"slices"
	"strings"
	"unicode"
)

// OptOutWords are the words of a language by which people say that they want no marketing any more, or want it
// again, and what they are answered then; an empty answer: nothing.
type OptOutWords struct {
	OrgID      string   `json:"-"`
	Language   string   `json:"-"`
	Default    bool     `json:"-"` // nobody has chosen others
	Stop       []string `json:"stop"`
	Start      []string `json:"start"`
	StopReply  string   `json:"stop_reply"`
	StartReply string   `json:"start_reply"`
}

// maxOptOutWord is how long such a word may be, in characters.
const maxOptOutWord = 40

// DefaultOptOutWords hold for an organization that has chosen no others for the language.
var DefaultOptOutWords = []OptOutWords{
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

// ChosenOptOutWords are the words that hold for an organization which has chosen some: by language, the default where
// it has not.
func ChosenOptOutWords(chosen []OptOutWords) []OptOutWords {
	all := slices.Clone(chosen)
	for _, d := range DefaultOptOutWords {
		if !slices.ContainsFunc(chosen, func(w OptOutWords) bool { return w.Language == d.Language }) {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b OptOutWords) int { return strings.Compare(a.Language, b.Language) })
	return all
}

// OptOutWord is a text in the form in which it is compared with the words: without case, punctuation and more than one
// blank. It is empty where the text is too long for any.
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

// Clean checks words that were chosen.
func (w OptOutWords) Clean() (OptOutWords, error) {
	for _, list := range []struct {
		param string
		words []string
	}{{"stop", w.Stop}, {"start", w.Start}} {
		for i, word := range list.words {
			if plain := OptOutWord(word); plain == "" || len([]rune(plain)) > maxOptOutWord {
				return w, Invalid(indexed(list.param, i), "Must be a word or a few, with 1 to %d letters or digits.", maxOptOutWord)
			}
		}
	}
	return w, nil
}

// Meaning is what a word says of marketing, and the answer to it; ok is false for any other word.
func (w OptOutWords) Meaning(word string) (consent Consent, answer string, ok bool) {
	is := func(other string) bool { return OptOutWord(other) == word }
	switch {
	case slices.ContainsFunc(w.Stop, is):
		return ConsentOptedOut, w.StopReply, true
	case slices.ContainsFunc(w.Start, is):
		return ConsentOptedIn, w.StartReply, true
	}
	return "", "", false
}
