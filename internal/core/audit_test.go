package core_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

var boss = chat.Doer{Kind: chat.DoerKey, ID: "key_1", Name: "Script", Address: "127.0.0.1"}

// audited is the audit log of a world's organization, newest first.
func (w *world) audited() []chat.AuditEntry {
	w.T.Helper()
	all, err := w.Read().AuditLog(w.Org.ID, store.AuditFilter{}, store.Page{Limit: 1000})
	w.Must(err)
	return all.Rows
}

// deed is a change that the audit log records.
type deed struct {
	want chat.AuditAction
	do   func(tx *store.Tx) error
}

// errGivenUp makes a transaction fail when everything in it is done.
var errGivenUp = errors.New("given up")

// Everything that matters to an administrator writes one entry, in the transaction of the change. A failed transaction
// leaves none, and a change without a doer writes none.
func TestAudit(t *testing.T) {
	eachWorld(t, func(w *world) {
		v := newVault(t, 1)
		secrets := map[string]bool{}
		for i, d := range deeds(w, v, secrets) {
			before := len(w.audited())
			ctx := store.WithDoer(t.Context(), boss)
			err := w.Store.InTx(ctx, func(tx *store.Tx) error { return errors.Join(d.do(tx), errGivenUp) })
			if !errors.Is(err, errGivenUp) || len(w.audited()) != before {
				t.Fatalf("%d %s: %v, and the log has %d more", i, d.want, err, len(w.audited())-before)
			}
			w.Clock.Advance(1)
			w.Must(w.Store.InTx(ctx, d.do))
			after := w.audited()
			if len(after) != before+1 || after[0].Action != d.want || after[0].By != boss || !after[0].At.Equal(w.Store.Now()) {
				t.Fatalf("%d %s: the log has %d more, the last is %+v", i, d.want, len(after)-before, after[0])
			}
		}
		log := fmt.Sprintf("%+v", w.audited())
		for secret := range secrets {
			if strings.Contains(log, secret) {
				t.Errorf("the log has the secret %q", secret)
			}
		}
		before := len(w.audited())
		w.InTx(func(tx *store.Tx) error { _, err := core.CreateTeam(tx, w.Org.ID, "By nobody"); return err })
		if len(w.audited()) != before {
			t.Error("a worker's change is in the log")
		}
		other, err := w.Read().AuditLog(storetest.Org(t, w.Store).ID, store.AuditFilter{}, store.Page{Limit: 10})
		if err != nil || len(other.Rows) != 0 {
			t.Errorf("another organization sees %v, %v", other.Rows, err)
		}
	})
}

func deeds(w *world, v core.Seals, secrets map[string]bool) []deed {
	var team chat.Team
	var user chat.User
	var key chat.APIKey
	var number, connected chat.Account
	hash := core.PasswordHash("$hash$")
	secrets[string(hash)] = true
	return append(append([]deed{
		{chat.AuditTeamCreated, func(tx *store.Tx) (err error) { team, err = core.CreateTeam(tx, w.Org.ID, "Sales"); return err }},
		{chat.AuditTeamUpdated, func(tx *store.Tx) error { _, err := core.RenameTeam(tx, w.Org.ID, team.ID, "Selling"); return err }},
		{chat.AuditUserCreated, func(tx *store.Tx) (err error) {
			var token string
			user, token, _, err = core.InviteUser(tx, chat.User{Role: chat.RoleOwner}, core.NewUser{OrgID: w.Org.ID, Email: "ann@example.com", Name: "Ann", Role: chat.RoleAgent, TeamID: team.ID})
			secrets[token] = true
			return err
		}},
		{chat.AuditUserUpdated, func(tx *store.Tx) error {
			_, err := core.UpdateUser(tx, chat.RoleOwner, w.Org.ID, user.ID, core.UserPatch{Role: new(chat.RoleAdmin), Disabled: new(false)})
			return err
		}},
		{chat.AuditUserLinked, func(tx *store.Tx) error {
			token, _, err := core.LinkUser(tx, chat.User{Role: chat.RoleOwner}, w.Org.ID, user.ID)
			secrets[token] = true
			return err
		}},
		{chat.AuditPassword, func(tx *store.Tx) error { return core.SetPassword(tx, w.Org.ID, user.ID, hash) }},
		{chat.AuditUserSignedOut, func(tx *store.Tx) error { return core.SignOutUser(tx, chat.RoleOwner, w.Org.ID, user.ID) }},
		{chat.AuditSecondStepOff, func(tx *store.Tx) error {
			_, err := core.TakeOffSecondStep(tx, chat.User{Role: chat.RoleOwner}, w.Org.ID, user.ID)
			return err
		}},
		{chat.AuditKeyCreated, func(tx *store.Tx) (err error) {
			var text string
			key, text, err = core.CreateKey(tx, w.Org.ID, "Shop", nil)
			secrets[text] = true
			return err
		}},
		{chat.AuditKeyRevoked, func(tx *store.Tx) error { _, err := core.RevokeKeyOf(tx, w.Org.ID, key.ID); return err }},
		{chat.AuditSettings, func(tx *store.Tx) error {
			_, err := core.ChangeSettings(tx, w.Org.ID, nil, func(s *chat.Settings) { s.RoundRobin = !s.RoundRobin })
			return err
		}},
		{chat.AuditSettings, func(tx *store.Tx) error {
			_, err := core.UpdateOrganization(tx, w.Org.ID, core.OrganizationPatch{Suspended: new(false)})
			return err
		}},
		{chat.AuditNumberConnected, func(tx *store.Tx) (err error) {
			connected, err = core.ConnectAccount(tx, chat.NewAccount{
				OrgID: w.Org.ID, TeamID: w.Org.TeamID, PhoneNumberID: "9" + *w.Account.PhoneNumberID, PhoneNumber: "+4930555001", WABAID: w.Account.WABAID,
			}, func(string) string { return "sealed-token" })
			secrets["sealed-token"] = true
			return err
		}},
		{chat.AuditNumberUpdated, func(tx *store.Tx) (err error) {
			number, err = core.UpdateAccount(tx, *connected.PhoneNumberID, chat.AccountPatch{}, nil)
			return err
		}},
		{chat.AuditNumberGone, func(tx *store.Tx) error {
			_, err := core.DisconnectAccount(tx, w.Org.ID, *number.PhoneNumberID)
			return err
		}},
	}, webhookDeeds(w, v, secrets)...), otherDeeds(w, secrets, &team)...)
}

func webhookDeeds(w *world, v core.Seals, secrets map[string]bool) []deed {
	var hook chat.WebhookSubscription
	var secret core.NewSecret
	return []deed{
		{chat.AuditWebhookCreated, func(tx *store.Tx) (err error) {
			hook, secret, err = core.CreateWebhookSubscription(tx, v, w.Org.ID, chat.NewWebhookSubscription{URL: "https://hooks.example/x", Events: []string{"*"}})
			secrets[secret.Plaintext] = true
			return err
		}},
		{chat.AuditWebhookUpdated, func(tx *store.Tx) error {
			_, err := core.UpdateWebhookSubscription(tx, w.Org.ID, hook.ID, chat.WebhookSubscriptionPatch{URL: new("https://hooks.example/y")})
			return err
		}},
		{chat.AuditSecretCreated, func(tx *store.Tx) (err error) {
			secret, err = core.MintWebhookSecret(tx, v, w.Org.ID, hook.ID, core.SecretTerms{})
			secrets[secret.Plaintext] = true
			return err
		}},
		{chat.AuditSecretRevealed, func(tx *store.Tx) error { return core.AuditReveal(tx, hook, secret.ID) }},
		{chat.AuditSecretRevoked, func(tx *store.Tx) error { return core.RevokeWebhookSecret(tx, w.Org.ID, hook.ID, secret.ID) }},
		{chat.AuditWebhookDeleted, func(tx *store.Tx) error { return core.DeleteWebhookSubscription(tx, w.Org.ID, hook.ID) }},
	}
}

func otherDeeds(w *world, secrets map[string]bool, team *chat.Team) []deed {
	var customer chat.Customer
	var link chat.SetupLink
	var broadcast chat.Broadcast
	var first, second chat.Contact
	contact := func(tx *store.Tx, number string) (chat.Contact, error) {
		return core.CreateContact(tx, w.Account, chat.NewContact{PhoneNumber: &number})
	}
	return []deed{
		{chat.AuditCustomerCreated, func(tx *store.Tx) (err error) {
			customer, err = core.CreateCustomer(tx, w.Org.ID, chat.NewCustomer{TeamID: team.ID, Name: "Bakery"})
			return err
		}},
		{chat.AuditLinkCreated, func(tx *store.Tx) (err error) {
			var token string
			link, token, err = core.CreateSetupLink(tx, w.Org.ID, customer.ID, chat.NewSetupLink{})
			secrets[token] = true
			return err
		}},
		{chat.AuditLinkRevoked, func(tx *store.Tx) error { return core.RevokeSetupLink(tx, w.Org.ID, customer.ID, link.ID) }},
		{chat.AuditCustomerUpdated, func(tx *store.Tx) error {
			_, err := core.UpdateCustomer(tx, w.Org.ID, customer.ID, chat.CustomerPatch{Status: new(chat.CustomerSuspended)})
			return err
		}},
		{chat.AuditCustomerUpdated, func(tx *store.Tx) error { _, err := core.ArchiveCustomer(tx, w.Org.ID, customer.ID); return err }},
		{chat.AuditCustomerUpdated, func(tx *store.Tx) error { _, err := core.RestoreCustomer(tx, w.Org.ID, customer.ID); return err }},
		{chat.AuditContactMerged, func(tx *store.Tx) (err error) {
			if first, err = contact(tx, "+4915510000011"); err != nil {
				return err
			}
			if second, err = core.CreateContact(tx, w.Account, chat.NewContact{BSUID: new("DE.someone")}); err != nil {
				return err
			}
			first, err = core.MergeContacts(tx, w.Account, first.ID, second.ID, "usr_1")
			return err
		}},
		{chat.AuditConsent, func(tx *store.Tx) error {
			_, err := core.UpdateContact(tx, w.Account, first.ID, chat.ContactPatch{Consent: new(chat.ConsentOptedIn)}, chat.Actor{Source: chat.ConsentByKey, ID: boss.ID})
			return err
		}},
		{chat.AuditConsent, func(tx *store.Tx) error {
			in := chat.NewContact{BSUID: new("DE.agrees"), Consent: chat.ConsentOptedIn}
			_, err := core.CreateContactBy(tx, w.Account, in, chat.Actor{Source: chat.ConsentByKey, ID: boss.ID})
			return err
		}},
		{chat.AuditNumberUpdated, func(tx *store.Tx) error {
			_, err := core.SetRequireOptIn(tx, w.Org.ID, w.Account.ID, true)
			return err
		}},
		{chat.AuditContactDeleted, func(tx *store.Tx) error { return core.DeleteContact(tx, w.Account, first.ID) }},
		{chat.AuditBroadcastGone, func(tx *store.Tx) (err error) {
			if broadcast, err = core.CreateBroadcast(tx, w.Account, core.NewBroadcast{Name: "News"}); err != nil {
				return err
			}
			return core.DeleteBroadcast(tx, w.Account, broadcast.ID)
		}},
		{chat.AuditBroadcastStart, func(tx *store.Tx) (err error) {
			if broadcast, err = newBroadcast(tx, w); err != nil {
				return err
			}
			_, err = core.StartBroadcast(tx, w.Account, broadcast.ID)
			return err
		}},
		{chat.AuditBroadcastPause, func(tx *store.Tx) error {
			_, err := core.PauseBroadcast(tx, w.Account, broadcast.ID, chat.ReasonByUser)
			return err
		}},
		{chat.AuditBroadcastResume, func(tx *store.Tx) error {
			_, err := core.ResumeBroadcast(tx, w.Account, broadcast.ID)
			return err
		}},
		{chat.AuditBroadcastStop, func(tx *store.Tx) error {
			_, err := core.StopBroadcast(tx, w.Account, broadcast.ID)
			return err
		}},
	}
}

// newBroadcast is a broadcast that can be started, with its template.
func newBroadcast(tx *store.Tx, w *world) (chat.Broadcast, error) {
	template := chat.Template{
		ID: tx.NewID(chat.KindTemplate), OrgID: w.Org.ID, WABAID: w.Account.WABAID, Name: "hello", Language: "en", Category: new(chat.CategoryMarketing),
		Format: chat.FormatPositional, Components: json.RawMessage(`[{"type":"BODY","text":"Hello."}]`), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	template.SetProviderStatus("APPROVED", nil)
	if err := tx.PutTemplate(template); err != nil {
		return chat.Broadcast{}, err
	}
	return core.CreateBroadcast(tx, w.Account, core.NewBroadcast{
		Name: "News", Template: chat.BroadcastTemplate{Name: "hello", Language: "en"}, Recipients: []core.NewRecipient{{To: "+4915510000012"}},
	})
}
