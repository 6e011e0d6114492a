package core

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// wordsFresh is how long an organization's words are cached, because every short message is compared with them.
const wordsFresh = 10 * time.Second

// Words caches the words by which people opt out, for each organization. A nil Words caches nothing.
type Words struct {
	mu   sync.Mutex
	orgs map[string]rememberedWords
}

type rememberedWords struct {
	words []chat.OptOutWords
	at    time.Time
}

// of are the words that apply to an organization.
func (w *Words) of(tx *store.Tx, orgID string) ([]chat.OptOutWords, error) {
	if w == nil {
		return OptOutWords(tx.Reader, orgID)
	}
	w.mu.Lock()
	known, ok := w.orgs[orgID]
	w.mu.Unlock()
	if age := tx.Now().Sub(known.at); ok && age >= 0 && age < wordsFresh {
		return known.words, nil
	}
	words, err := OptOutWords(tx.Reader, orgID)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.orgs == nil {
		w.orgs = map[string]rememberedWords{}
	}
	w.orgs[orgID] = rememberedWords{words, tx.Now()}
	return words, nil
}

// OptOutWords are the words that apply to an organization, by language.
func OptOutWords(r store.Reader, orgID string) ([]chat.OptOutWords, error) {
	chosen, err := r.OptOutWords(orgID)
	return chat.ChosenOptOutWords(chosen), err
}

// SetOptOutWords replaces the words of a language.
func SetOptOutWords(tx *store.Tx, w chat.OptOutWords) (chat.OptOutWords, error) {
	before, others, err := wordsBeside(tx.Reader, w.OrgID, w.Language)
	if err != nil {
		return w, err
	}
	if err := w.Check(before, others); err != nil {
		return w, err
	}
	return w, errors.Join(tx.PutOptOutWords(w), audit(tx, w.OrgID, chat.AuditWordsUpdated, chat.AuditObject{Name: w.Language}))
}

// ResetOptOutWords restores the default words of a language, if it has any.
func ResetOptOutWords(tx *store.Tx, orgID, language string) error {
	if err := tx.DeleteOptOutWords(orgID, language); err != nil {
		return err
	}
	defaults, others, err := wordsBeside(tx.Reader, orgID, language)
	if err != nil {
		return err
	}
	if e, refused := errors.AsType[*chat.Error](defaults.Check(chat.OptOutWords{}, others)); refused {
		return chat.Invalid("language", "The default words cannot be restored: %s", e.Message)
	}
	return audit(tx, orgID, chat.AuditWordsReset, chat.AuditObject{Name: language})
}

// wordsBeside are the words of a language, and those of the others.
func wordsBeside(r store.Reader, orgID, language string) (words chat.OptOutWords, others []chat.OptOutWords, err error) {
	all, err := OptOutWords(r, orgID)
	for _, w := range all {
		if w.Language == language {
			words = w
		} else {
			others = append(others, w)
		}
	}
	return words, others, err
}

// heed does what a person asks for with one of the words, and answers. A repeated request gets no second answer. It
// reports whether the person has opted out with it.
func (a Applier) heed(tx *store.Tx, account chat.Account, t *thread, m chat.Message) (optedOut bool, err error) {
	word := chat.OptOutWord(wordsOf(m))
	if word == "" {
		return false, nil
	}
	all, err := a.Words.of(tx, account.OrgID)
	if err != nil {
		return false, err
	}
	for _, words := range all {
		consent, answer, ok := words.Meaning(word)
		if !ok {
			continue
		}
		changed, err := a.comply(tx, account, t, m, consent, answer)
		return changed && consent == chat.ConsentOptedOut, err
	}
	return false, nil
}

// wordsOf is what a person wrote, or the text of a template's button that they pressed; empty: it cannot be a word.
// Buttons of other messages belong to programs, for which "Stop" may mean anything.
func wordsOf(m chat.Message) string {
	var text chat.TextContent
	switch {
	case len(m.Content) > 300:
		return ""
	case m.Type == chat.TypeButton:
		return buttonOf(m)
	case m.Type != chat.TypeText || json.Unmarshal(m.Content, &text) != nil:
		return ""
	}
	return text.Body
}

// comply stores a person's marketing consent, if it changes, and confirms it.
func (a Applier) comply(tx *store.Tx, account chat.Account, t *thread, m chat.Message, consent chat.Consent, answer string) (bool, error) {
	if err := t.lockContact(tx); err != nil {
		return false, err
	}
	before := t.contact.Consent
	if before == consent || consent == chat.ConsentOptedIn && before != chat.ConsentOptedOut {
		return false, nil // START undoes an opt-out; without one it is a word like any other
	}
	now := tx.Now()
	t.contact.Consent, t.contact.PreferenceAt, t.contact.UpdatedAt = consent, &now, now
	if err := tx.UpdateContact(t.contact); err != nil {
		return false, err
	}
	if err := consentChanged(tx, before, t.contact, chat.Actor{Source: chat.ConsentByMessage, ID: m.ID}); err != nil {
		return false, err
	}
	if answer == "" || now.Sub(m.CreatedAt) >= sinceInbound {
		return true, nil
	}
	content, err := json.Marshal(chat.TextContent{Body: answer})
	if err != nil {
		return true, err
	}
	err = sendBySelf(tx, account, *t, NewMessage{Type: chat.TypeText, Content: content, Source: chat.SourceAutomatic})
	if _, refused := errors.AsType[*chat.Error](err); refused {
		err = nil
	}
	return true, err
}
