package core

import (
	"cmp"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// samples is how many recipients a preview shows.
const samples = 3

// previewTime is how long a preview looks at recipients, one by one: enough for hundreds of thousands. For as long again
// it counts contacts without looking. Both together are a part of the time that a request may take.
const previewTime = 8 * time.Second

// BroadcastPreview says what would happen if a broadcast started now.
type BroadcastPreview struct {
	Total   int64
	Skipped map[string]int64 // by reason
	// Unchecked is how many were counted and not looked at, because there was no time for it. They are taken for sendable.
	// There may be more contacts who were not even counted.
	Unchecked int64
	// DailyLimit is how many people the number may write to in 24 hours; nil: not known.
	DailyLimit *int64
	// MessagesLeft is how many messages of this month the plan has left; nil: there is no limit.
	MessagesLeft *int64
	Samples      []BroadcastSample
}

// Sendable is how many recipients would get a message.
func (p BroadcastPreview) Sendable() int64 {
	n := p.Total
	for _, skipped := range p.Skipped {
		n -= skipped
	}
	return n
}

// BroadcastSample is the message that one recipient would get, or why there is none.
type BroadcastSample struct {
	Address string
	Name    *string
	Preview *chat.TemplatePreview
	Reason  string
}

// PreviewBroadcast computes the preview of a broadcast, by a clock.
func PreviewBroadcast(r store.Reader, account chat.Account, id string, now func() time.Time) (p BroadcastPreview, err error) {
	begun := now()
	b, err := Broadcast(r, account, id)
	if err != nil {
		return p, err
	}
	s, err := ReadBroadcastState(r, b)
	if err != nil {
		return p, err
	}
	p.DailyLimit, p.Skipped = DailyLimit(s.Account), map[string]int64{}
	if err := p.count(r, s, b, func() time.Duration { return now().Sub(begun) }); err != nil {
		return p, err
	}
	if p.MessagesLeft, err = s.messagesLeft(r, now()); err != nil {
		return p, err
	}
	p.Samples, err = broadcastSamples(r, s, b)
	return p, err
}

// count counts the recipients that were added, and those that the start would add. It judges them until it is late.
func (p *BroadcastPreview) count(r store.Reader, s BroadcastState, b chat.Broadcast, taken func() time.Duration) error {
	reasons, err := r.ReasonCounts(b.ID)
	if err != nil {
		return err
	}
	p.Total = s.Counts.Total
	for _, reason := range reasons {
		if reason.Status == chat.RecipientSkipped {
			p.Skipped[reason.Reason] += reason.N
		}
	}
	mailing, refused := chat.NewMailing(b.Template.Components)
	if refused != nil {
		return refused
	}
	j := newJudge(r, s, b, mailing)
	j.taken = taken
	err = j.each(func(row chat.Recipient, skip string) error {
		if row.ID == "" {
			p.Total++
		}
		if skip != "" {
			p.Skipped[skip]++
		}
		return nil
	})
	p.Total += j.unjudged
	p.Unchecked = j.unjudged
	if j.cut {
		p.Unchecked += max(0, s.Counts.Waiting-j.looked)
	}
	return err
}

// broadcastSamples renders the message for the first recipients.
func broadcastSamples(r store.Reader, s BroadcastState, b chat.Broadcast) ([]BroadcastSample, error) {
	mailing, refused := chat.NewMailing(b.Template.Components)
	if refused != nil || s.Template == nil {
		return nil, nil
	}
	rows, err := firstRecipients(r, s.Account, b)
	if err != nil {
		return nil, err
	}
	contacts, err := peopleOf(r, s.Account, rows)
	if err != nil {
		return nil, err
	}
	twice, err := listedTwice(r, b, rows, contacts)
	if err != nil {
		return nil, err
	}
	l, shown := letter{BroadcastState: s, broadcast: b, mailing: mailing}, make([]BroadcastSample, 0, len(rows))
	for _, row := range rows {
		contact, isTwice := contacts.at(row.Address), twice[row.Address]
		row.Address = addressNow(contact, row.Address)
		_, choice, skip := l.fill(contact, row)
		if isTwice {
			skip = chat.SkipDuplicate
		}
		shown = append(shown, BroadcastSample{Address: row.Address, Name: contact.Name, Preview: choice.Preview, Reason: cmp.Or(skip, l.withoutConsent(contact))})
	}
	return shown, nil
}

// firstRecipients are the first who wait: those of the list, then contacts that the start would add.
func firstRecipients(r store.Reader, account chat.Account, b chat.Broadcast) ([]chat.Recipient, error) {
	rows, err := r.FirstRecipients(b.ID, chat.RecipientWaiting, "", samples)
	if err != nil || len(rows) == samples || b.Audience.Empty() || b.AudienceDone {
		return rows, err
	}
	members, err := r.AudienceAfter(account, b, b.AudienceAt, 2*samples) // some may be among the rows
	for _, m := range members {
		if m.Address != "" && !m.Listed && len(rows) < samples {
			rows = append(rows, chat.Recipient{Address: m.Address, ContactID: m.ContactID})
		}
	}
	return rows, err
}

// TestMessage is a broadcast's message for a person who wants to see it, filled in as for the first recipient.
func TestMessage(r store.Reader, account chat.Account, id, to string) (NewMessage, error) {
	b, err := Broadcast(r, account, id)
	if err != nil {
		return NewMessage{}, err
	}
	s, err := ReadBroadcastState(r, b)
	if err != nil {
		return NewMessage{}, err
	}
	if s.Template == nil {
		return NewMessage{}, chat.UnknownTemplate(b.Template.Name, b.Template.Language, nil)
	}
	mailing, refused := chat.NewMailing(b.Template.Components)
	if refused != nil {
		return NewMessage{}, refused
	}
	first, contact := chat.Recipient{Address: to}, chat.Contact{}
	rows, err := firstRecipients(r, account, b)
	if err != nil {
		return NewMessage{}, err
	}
	contacts, err := peopleOf(r, account, rows)
	if err != nil {
		return NewMessage{}, err
	}
	if len(rows) > 0 {
		first.Variables, contact = rows[0].Variables, contacts.at(rows[0].Address)
	}
	content, choice, skip := letter{BroadcastState: s, broadcast: b, mailing: mailing}.fill(contact, first)
	if skip != "" {
		return NewMessage{}, chat.Invalid("template.components", "The message cannot be filled in for the first recipient (%s).", skip)
	}
	return templateMessage(content, choice, to)
}
