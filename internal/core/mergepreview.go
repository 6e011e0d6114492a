package core

import (
	"errors"
	"slices"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// MergePreview is the result that a merge of two contacts would have.
type MergePreview struct {
	First, Second chat.Contact
	Now           chat.Contact // the contact after the merge
	Labels        []chat.Label // labels of both
	Notes         int          // notes about both
	Conversations int          // conversations that would be merged
	Contradict    bool         // they cannot be merged
}

// PreviewMerge says what MergeContacts would do, without doing it.
func PreviewMerge(r store.Reader, account chat.Account, firstID, secondID string) (p MergePreview, err error) {
	first, second, err := mergeable(r, account, firstID, secondID)
	if _, refused := errors.AsType[*chat.Error](err); refused && second.ID != "" {
		return MergePreview{First: first, Second: second, Contradict: true}, nil
	}
	if err != nil {
		return p, err
	}
	if first.ID == second.ID {
		return p, chat.Invalid("with", "The two are one contact already.")
	}
	p = MergePreview{First: first, Second: second, Now: first.Absorb(second)}
	p.Now.Consent = first.Consent.Stricter(second.Consent)
	var parties [2]party
	for i, contact := range []chat.Contact{first, second} {
		if parties[i], err = partyOf(r, contact); err != nil {
			return p, err
		}
		if parties[i].conversation != nil {
			p.Conversations++
		}
		notes, err := r.ContactNotes(account.OrgID, contact.ID)
		if err != nil {
			return p, err
		}
		p.Notes += len(notes)
	}
	stays, _ := elder(parties[0], parties[1])
	p.Now.ID, p.Now.CreatedAt = stays.contact.ID, stays.contact.CreatedAt
	p.Labels, err = labelsOfBoth(r, first, second)
	return p, err
}

func labelsOfBoth(r store.Reader, first, second chat.Contact) (labels []chat.Label, err error) {
	of, err := r.LabelsOfContacts(first.OrgID, []string{first.ID, second.ID})
	for _, label := range append(of[first.ID], of[second.ID]...) {
		if !slices.ContainsFunc(labels, func(l chat.Label) bool { return l.ID == label.ID }) {
			labels = append(labels, label)
		}
	}
	return labels, err
}
