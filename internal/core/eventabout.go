package core

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// maxAbout is the number of characters that a list shows of what an event says.
const maxAbout = 80

// told is what of the payloads of all types says whom and what an event is about.
type told struct {
	Entry []struct {
		Changes []struct {
			Value struct {
				Contacts []struct {
					Profile struct{ Name string }
				}
				Messages []struct {
					Type string
					Text struct{ Body string }
				}
				Statuses []struct {
					RecipientID string `json:"recipient_id"`
					Status      string
				}
			}
		}
	}
	Svc  struct{ Contact toldContact }
	Data struct {
		Contact       toldContact
		ContactNumber string `json:"contact_phone_number"`
		Message       struct{ Type, Body string }
		NewContent    string `json:"new_content"`
		Conversation  struct{ Status string }
		Customer      struct{ Name, Status string }
		ChangedFields []string                `json:"changed_fields"`
		SetupLink     struct{ Status string } `json:"setup_link"`
		PhoneNumber   string                  `json:"phone_number"`
		CustomerID    string                  `json:"customer_id"`
	}
}

type toldContact struct {
	Name        string
	PhoneNumber string `json:"phone_number"`
}

// AboutEvent returns whom an event is about, and what it says of them, in a few words. Both are empty where its payload
// was removed.
func AboutEvent(e chat.Event) (who, what string) {
	var p told
	if len(e.Payload) == 0 || json.Unmarshal(e.Payload, &p) != nil {
		return "", ""
	}
	who, what = aboutProvider(p)
	d := p.Data
	who = cmp.Or(p.Svc.Contact.Name, p.Svc.Contact.PhoneNumber, who, d.Contact.Name, d.Contact.PhoneNumber, d.ContactNumber, d.Customer.Name, d.PhoneNumber, d.CustomerID, e.Subject)
	what = cmp.Or(what, d.Message.Body, d.Message.Type, d.NewContent, strings.Join(d.ChangedFields, ", "), d.Conversation.Status, d.SetupLink.Status, d.Customer.Status)
	return who, firstRunes(what, maxAbout)
}

// aboutProvider looks into what the provider said, where the event passes that on.
func aboutProvider(p told) (who, what string) {
	for _, entry := range p.Entry {
		for _, change := range entry.Changes {
			v := change.Value
			for _, c := range v.Contacts {
				who = cmp.Or(who, c.Profile.Name)
			}
			for _, m := range v.Messages {
				what = cmp.Or(what, m.Text.Body, m.Type)
			}
			for _, s := range v.Statuses {
				if s.RecipientID != "" { // people without a number have none
					who = cmp.Or(who, "+"+s.RecipientID)
				}
				what = cmp.Or(what, s.Status)
			}
		}
	}
	return who, what
}
