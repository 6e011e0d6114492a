package broadcast_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// somebody is a person to whom a broadcast may go, by labels, by a list, or by both.
type somebody struct {
	Known    bool // a contact
	NoNumber bool // only a business-scoped id is known of the contact
	Labels   int  // how many of the two labels the contact has
	Consent  chat.Consent
	Name     int // lengths; 0: none
	Variable int
	Link     string
	Listed   int  // how often it is in the list
	ByBSUID  bool // the list names it by its business-scoped id
}

var somebodies = rapid.Custom(func(t *rapid.T) somebody {
	length := rapid.SampledFrom([]int{0, 1, 5, 57, 61, 500, 1005, 1100})
	s := somebody{
		Known: rapid.Bool().Draw(t, "known"), NoNumber: rapid.IntRange(0, 4).Draw(t, "number") == 0, Labels: rapid.IntRange(0, 2).Draw(t, "labels"),
		Consent: rapid.SampledFrom([]chat.Consent{chat.ConsentUnknown, chat.ConsentOptedIn, chat.ConsentOptedOut}).Draw(t, "consent"),
		Name:    length.Draw(t, "name"), Variable: length.Draw(t, "variable"),
		Link:   rapid.SampledFrom([]string{"", "https://example.com/a.png", "http://example.com/" + strings.Repeat("b", 60), "no link"}).Draw(t, "link"),
		Listed: rapid.IntRange(0, 2).Draw(t, "listed"), ByBSUID: rapid.IntRange(0, 2).Draw(t, "by") == 0,
	}
	return s
})

// plot is a broadcast whose preview is compared with what it comes to.
type plot struct {
	People    []somebody
	Header    string // of the template
	Body      string // the variable in it
	Category  string
	OptIn     bool // the number requires consent
	MatchAll  bool
	Filter    bool
	Suspended bool
}

var plots = rapid.Custom(func(t *rapid.T) plot {
	return plot{
		People:   rapid.SliceOfN(somebodies, 1, 12).Draw(t, "people"),
		Header:   rapid.SampledFrom([]string{"", "TEXT", "IMAGE", "FILE"}).Draw(t, "header"),
		Body:     rapid.SampledFrom([]string{"hello", "{{contact.name}}", "{{contact.name|friend}}", "{{recipient.x}}", "{{recipient.x|}} {{contact.phone_number}}"}).Draw(t, "body"),
		Category: rapid.SampledFrom([]string{chat.CategoryMarketing, chat.CategoryUtility, chat.CategoryAuthentication}).Draw(t, "category"),
		OptIn:    rapid.Bool().Draw(t, "opt in"), MatchAll: rapid.Bool().Draw(t, "match all"), Filter: rapid.Bool().Draw(t, "filter"),
		Suspended: rapid.IntRange(0, 7).Draw(t, "suspended") == 0,
	}
})

// A preview promises what the broadcast then does: as many messages, and the same reasons for the others.
func TestPreviewProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := plots.Draw(rt, "plot")
		var wrong string
		runRig(t, storetest.NewConfig(t, storetest.SQLite), 1, func(r *rig) { wrong = r.preview(p) })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

// The same on each engine, with people of every kind.
func TestPreview(t *testing.T) {
	people := []somebody{
		{Known: true, Labels: 1, Name: 5, Consent: chat.ConsentUnknown}, {Known: true, Labels: 2, Name: 1100, Consent: chat.ConsentUnknown},
		{Known: true, Labels: 2, Name: 5, Consent: chat.ConsentUnknown, Listed: 1}, {Known: true, Labels: 1, Name: 5, Consent: chat.ConsentOptedOut},
		{Known: true, Labels: 1, Name: 5, Consent: chat.ConsentUnknown, Listed: 1, ByBSUID: true}, {Listed: 1}, {Listed: 2, Variable: 61},
		{Known: true, NoNumber: true, Name: 5, Consent: chat.ConsentOptedOut, Listed: 1, ByBSUID: true}, {Known: true, Labels: 1, Consent: chat.ConsentUnknown},
	}
	inBubble(t, func(r *rig) {
		if wrong := r.preview(plot{People: people, Body: "{{contact.name}}", Header: "TEXT", Category: chat.CategoryMarketing}); wrong != "" {
			t.Error(wrong)
		}
	})
}

// preview makes the broadcast of a plot and sends it. It returns how the preview differs from the outcome.
func (r *rig) preview(p plot) string {
	r.setting(p)
	in := r.guests(p)
	in.Name, in.Template = "x", chat.BroadcastTemplate{Name: "hello", Language: "en", Components: componentsOf(p)}
	var b chat.Broadcast
	r.InTx(func(tx *store.Tx) (err error) {
		b, err = core.CreateBroadcast(tx, r.Account, in)
		return err
	})
	promised, err := core.PreviewBroadcast(r.Read(), r.Account, b.ID, r.Store.Now)
	r.Must(err)
	named := map[string]int64{}
	r.Must(core.EachLeftOut(r.Read(), r.Account, b.ID, func(row chat.Recipient) error {
		named[row.Reason]++
		return nil
	}))
	if !maps.Equal(named, promised.Skipped) {
		return fmt.Sprintf("%v are counted, and %v listed", promised.Skipped, named)
	}
	r.do(b, core.StartBroadcast)
	r.untilOver(b)
	r.requireLedger(b)
	reasons, err := r.Read().ReasonCounts(b.ID)
	r.Must(err)
	skipped := map[string]int64{}
	for _, reason := range reasons {
		skipped[reason.Reason] += reason.N
	}
	if n := r.counts(b); n.Total != promised.Total || n.Sent != promised.Sendable() || !maps.Equal(skipped, promised.Skipped) || int(n.Sent) != r.called() {
		return fmt.Sprintf("promised %d of %d %v, and there were %d of %d %v with %d calls", promised.Sendable(), promised.Total, promised.Skipped, n.Sent, n.Total, skipped, r.called())
	}
	for to, n := range r.calls {
		if n != 1 {
			return fmt.Sprintf("%s got %d messages", to, n)
		}
	}
	return ""
}

// setting prepares the template, and what the number requires.
func (r *rig) setting(p plot) {
	parts := `{"type":"BODY","text":"Hi {{1}}, welcome here."}`
	switch p.Header {
	case "TEXT":
		parts += `,{"type":"HEADER","format":"TEXT","text":"To {{1}}"}`
	case "IMAGE", "FILE":
		parts += `,{"type":"HEADER","format":"IMAGE"}`
	}
	r.InTx(func(tx *store.Tx) error {
		t := chat.Template{ID: tx.NewID(chat.KindTemplate), OrgID: r.Org.ID, WABAID: r.Account.WABAID, Name: "hello", Language: "en", Category: &p.Category,
			Format: chat.FormatPositional, Components: json.RawMessage("[" + parts + "]"), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		t.SetProviderStatus("APPROVED", nil)
		if err := tx.PutTemplate(t); err != nil {
			return err
		}
		account := r.Account
		if account.RequireOptIn = p.OptIn; p.Suspended {
			customer := chat.Customer{ID: tx.NewID(chat.KindCustomer), OrgID: r.Org.ID, Name: "c", Status: chat.CustomerSuspended, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
			if err := tx.InsertCustomer(customer); err != nil {
				return err
			}
			account.CustomerID = &customer.ID
		}
		return tx.UpdateAccount(account)
	})
}

func componentsOf(p plot) json.RawMessage {
	parts := `{"type":"body","parameters":[{"type":"text","text":"` + p.Body + `"}]}`
	switch p.Header {
	case "TEXT":
		parts += `,{"type":"header","parameters":[{"type":"text","text":"{{recipient.x|all}}"}]}`
	case "IMAGE":
		parts += `,{"type":"header","parameters":[{"type":"image","image":{"link":"{{recipient.link|https://example.com/x.png}}"}}]}`
	case "FILE":
		parts += `,{"type":"header","parameters":[{"type":"image","image":{"id":"{{recipient.link}}"}}]}` // nobody has such a file
	}
	return json.RawMessage("[" + parts + "]")
}

// guests makes the people of a plot, and the audience and the list that they are in.
func (r *rig) guests(p plot) (in core.NewBroadcast) {
	labels := []chat.Label{storetest.Label(r.t, r.Store, r.Org, "one"), storetest.Label(r.t, r.Store, r.Org, "two")}
	in.Audience = chat.Audience{LabelIDs: []string{labels[0].ID, labels[1].ID}, MatchAll: p.MatchAll}
	if p.Filter {
		in.Audience = chat.Audience{Filter: &chat.ContactFilter{LabelIDs: []string{labels[1].ID}}}
	}
	for i, s := range p.People {
		bsuid := fmt.Sprint("DE.", i)
		if s.Known {
			r.InTx(func(tx *store.Tx) error {
				contact := storetest.NewContact(tx, r.Account, number(i))
				if contact.BSUID, contact.Consent = &bsuid, s.Consent; s.NoNumber {
					contact.PhoneNumber = nil
				}
				if s.Name > 0 {
					contact.Name = new(strings.Repeat("ü", s.Name))
				}
				err := tx.InsertContact(contact)
				for _, label := range labels[:s.Labels] {
					if err == nil {
						_, err = tx.AttachToContacts(r.Org.ID, label.ID, []string{contact.ID})
					}
				}
				return err
			})
		}
		row := core.NewRecipient{To: number(i), Variables: map[string]string{"x": strings.Repeat("y", s.Variable), "link": s.Link}}
		if s.Known && (s.ByBSUID || s.NoNumber) {
			row.To, row.Recipient = "", bsuid
		}
		for range s.Listed {
			in.Recipients = append(in.Recipients, row)
		}
	}
	return in
}
