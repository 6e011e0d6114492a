package client_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
)

func TestCustomers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	customer := must(s.CreateCustomer(t.Context(), client.NewCustomer{Name: "Toko", Email: "a@toko.example", Metadata: map[string]any{"n": 1}}))(t)
	if customer.Status != client.CustomerPending || *customer.Email != "a@toko.example" || customer.Metadata["n"] != json.Number("1") || customer.Accounts != nil {
		t.Errorf("made %+v", customer)
	}
	second := must(s.CreateCustomer(t.Context(), client.NewCustomer{Name: "Warung", TeamID: s.org.Team.ID}))(t)
	var names []string
	for c, err := range s.Customers(t.Context(), client.CustomerFilter{PageOptions: client.PageOptions{Limit: 1}}) {
		names = append(names, must(c, err)(t).Name)
	}
	if diff := cmp.Diff([]string{"Warung", "Toko"}, names); diff != "" {
		t.Error(diff)
	}
	changed := must(s.UpdateCustomer(t.Context(), customer.ID, client.CustomerPatch{
		Name: client.Set("Toko Maju"), Email: client.Clear[string](), Metadata: client.Set(map[string]any{}), Status: client.Set(client.CustomerSuspended),
	}))(t)
	if changed.Name != "Toko Maju" || changed.Email != nil || len(changed.Metadata) != 0 || changed.Status != client.CustomerSuspended {
		t.Errorf("changed to %+v", changed)
	}
	if archived := must(s.ArchiveCustomer(t.Context(), second.ID))(t); archived.Status != client.CustomerArchived || archived.ArchivedAt == nil {
		t.Errorf("archived as %+v", archived)
	}
	found := must(s.ListCustomers(t.Context(), client.CustomerFilter{Status: client.CustomerSuspended, Search: "maju", TeamID: s.org.Team.ID}))(t)
	if len(found.Data) != 1 || found.Data[0].ID != customer.ID {
		t.Errorf("found %+v", found.Data)
	}
	_, err := s.GetCustomer(t.Context(), "cus_00000000000000000000000000")
	refused(t, err, client.CodeResourceNotFound, "")
}

func TestDisconnectAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	customer := must(s.CreateCustomer(t.Context(), client.NewCustomer{Name: "Toko"}))(t)
	account := s.rows.ConnectAccount(t, chat.NewAccount{OrgID: s.org.ID, CustomerID: &customer.ID, Name: new("Shop")})
	shown := must(s.GetCustomer(t.Context(), customer.ID))(t)
	if len(shown.Accounts) != 1 || *shown.Accounts[0].PhoneNumberID != *account.PhoneNumberID || shown.Accounts[0].Status != client.AccountConnected || *shown.Accounts[0].Name != "Shop" {
		t.Errorf("its numbers are %+v", shown.Accounts)
	}
	s.fail.coming(loseAnswer) // the repetition finds nothing, which is what was wanted
	if got := must(s.DisconnectAccount(t.Context(), customer.ID, *account.PhoneNumberID))(t); !got.Disconnected || got.PhoneNumberID != *account.PhoneNumberID {
		t.Errorf("got %+v", got)
	}
	_, err := s.DisconnectAccount(t.Context(), customer.ID, *account.PhoneNumberID)
	refused(t, err, client.CodeResourceNotFound, "")
}

func TestSetupLinks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	customer := must(s.CreateCustomer(t.Context(), client.NewCustomer{Name: "Toko"}))(t)
	s.fail.coming(loseAnswer) // the repetition gets the same link
	link := must(s.CreateSetupLink(t.Context(), customer.ID, client.NewSetupLink{ExpiresInHours: 2, SuccessRedirectURL: "https://toko.example/ok"}))(t)
	if !strings.HasPrefix(link.SetupURL, "https://chat.example.com/onboard/csl_") || link.Status != client.SetupLinkActive || *link.SuccessRedirectURL != "https://toko.example/ok" {
		t.Errorf("made %+v", link)
	}
	var ids []string
	for l, err := range s.SetupLinks(t.Context(), customer.ID, client.SetupLinkFilter{Status: client.SetupLinkActive}) {
		ids = append(ids, must(l, err)(t).ID)
	}
	if diff := cmp.Diff([]string{link.ID}, ids); diff != "" {
		t.Error(diff)
	}
	changed := must(s.UpdateSetupLink(t.Context(), customer.ID, link.ID, client.SetupLinkPatch{
		SuccessRedirectURL: client.Clear[string](), FailureRedirectURL: client.Set("https://toko.example/no"),
	}))(t)
	if changed.SuccessRedirectURL != nil || *changed.FailureRedirectURL != "https://toko.example/no" || changed.SetupURL != "" {
		t.Errorf("changed to %+v", changed)
	}
	s.fail.coming(loseAnswer)
	if got := must(s.RevokeSetupLink(t.Context(), customer.ID, link.ID))(t); !got.Revoked || got.Status != client.SetupLinkRevoked {
		t.Errorf("revoked as %+v", got)
	}
	_, err := s.RevokeSetupLink(t.Context(), customer.ID, link.ID)
	refused(t, err, client.CodeSetupLinkInactive, "")
	if got := must(s.GetSetupLink(t.Context(), customer.ID, link.ID))(t); got.Status != client.SetupLinkRevoked || got.ConsumedAt != nil {
		t.Errorf("got %+v", got)
	}
}
