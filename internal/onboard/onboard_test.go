package onboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/onboard"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

var pair = []string{"customer.onboarded", "customer.setup_link.consumed"}

func TestSignup(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		link, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		b.get(address).says(t, http.StatusOK, "Acme &amp; Söhne", "Toko Maju", `href="`+address[len(r.url):]+`/start"`)
		back := b.decide(b.begin(address), "approve", newNumber("+62 812 5550 100"))
		first := b.get(back)
		first.says(t, http.StatusOK, "Your number is connected", "Connected for", "Toko Maju", "62 812 555 0100")

		accounts := r.accounts()
		if len(accounts) != 1 {
			t.Fatalf("there are %d accounts", len(accounts))
		}
		account := accounts[0]
		if account.Status != chat.AccountConnected || *account.PhoneNumber != "+628125550100" || *account.CustomerID != r.customer.ID ||
			*account.Name != "Shop +62 812 5550 100" || *account.ProviderStatus != "CONNECTED" || account.TeamID != r.customer.TeamID {
			t.Errorf("the account is %+v", account)
		}
		if token, err := openToken(account); err != nil || !strings.HasPrefix(token, "EAASIM") {
			t.Errorf("the token is %q, %v", token, err)
		}
		consumed := r.stored(link)
		if consumed.Status != chat.LinkConsumed || consumed.ConsumedAt == nil || *consumed.AccountID != account.ID {
			t.Errorf("the link is %+v", consumed)
		}
		customer, err := r.Read().Customer(r.Org.ID, r.customer.ID)
		if err != nil || customer.Status != chat.CustomerActive || customer.OnboardedAt == nil {
			t.Errorf("the customer is %+v, %v", customer, err)
		}
		if d := cmp.Diff(pair, r.events()); d != "" {
			t.Error(d)
		}
		r.checkPair(consumed, account)

		// The browser loads the page again: it worked, and nothing happens twice.
		if d := cmp.Diff(first, b.get(back), cmp.AllowUnexported(seen{}), cmpopts.IgnoreFields(seen{}, "header")); d != "" {
			t.Error(d)
		}
		// The browser has lost its cookie, or it is another browser.
		newBrowser(t).get(back).says(t, http.StatusGone, "This link has been used")
		// Somebody else opens the link.
		newBrowser(t).get(address).says(t, http.StatusGone, "This link has been used", "link_consumed")
		if len(r.accounts()) != 1 || len(r.events()) != 2 || r.provider.count("exchange") != 1 {
			t.Errorf("there are %d accounts and %v after %d exchanges", len(r.accounts()), r.events(), r.provider.count("exchange"))
		}
	})
}

// checkPair checks the contents of the two events.
func (r *rig) checkPair(link chat.SetupLink, account chat.Account) {
	r.t.Helper()
	events, err := r.Read().EventsAfter(r.Org.ID, "", 1000)
	r.Must(err)
	now, data := chat.FormatTime(*link.ConsumedAt), map[string]any{}
	for _, e := range events[len(events)-2:] {
		var envelope map[string]any
		r.Must(json.Unmarshal(e.Payload, &envelope))
		if len(envelope) != 4 || envelope["id"] != e.EventID || envelope["created_at"] != now || e.Subject != r.customer.ID || e.PhoneNumberID != *account.PhoneNumberID {
			r.t.Errorf("the event is %s", e.Payload)
		}
		data[envelope["type"].(string)] = envelope["data"]
	}
	want := map[string]any{
		"customer.onboarded": map[string]any{
			"customer_id": r.customer.ID, "account_id": account.ID, "phone_number_id": *account.PhoneNumberID, "phone_number": "+62 812 5550100",
		},
		"customer.setup_link.consumed": map[string]any{"customer_id": r.customer.ID, "account_id": account.ID, "setup_link": map[string]any{
			"id": link.ID, "object": "customer_setup_link", "customer_id": r.customer.ID, "status": "consumed", "token_last4": link.TokenLast4,
			"expires_at": chat.FormatTime(link.ExpiresAt), "consumed_at": now, "success_redirect_url": nil, "failure_redirect_url": nil,
			"created_at": chat.FormatTime(link.CreatedAt),
		}},
	}
	if d := cmp.Diff(want, data); d != "" {
		r.t.Error(d)
	}
}

// TestOwnNumber connects a number of the organization itself, which emits no customer event.
func TestOwnNumber(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		var token string
		target := "https://acme.example/done?x=1"
		r.InTx(func(tx *store.Tx) (err error) {
			_, token, err = core.CreateOwnSetupLink(tx, r.Org.ID, "", chat.NewSetupLink{SuccessRedirectURL: &target})
			return err
		})
		b := newBrowser(t)
		page := b.get(r.url + core.OnboardPath + token)
		page.says(t, http.StatusOK, "Acme &amp; Söhne")
		if strings.Contains(page.body, "onnected for") {
			t.Error("the page tells of a customer")
		}
		got := b.signUp(r.url+core.OnboardPath+token, "+62 812 5550 101")
		accounts := r.accounts()
		if len(accounts) != 1 || accounts[0].CustomerID != nil {
			t.Fatalf("the accounts are %+v", accounts)
		}
		if want := target + "&account_id=" + accounts[0].ID + "&status=success"; got.location != want {
			t.Errorf("it leads to %s, want %s", got.location, want)
		}
		if len(r.events()) > 0 {
			t.Errorf("it told of %v", r.events())
		}
	})
}

func TestRedirects(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		success, failure := "https://shop.example/done?next=%2Fhome&x=1", "http://localhost:3000/oops"
		urls := chat.NewSetupLink{SuccessRedirectURL: &success, FailureRedirectURL: &failure, ExpiresInHours: 1}
		failed := func(reason string) string {
			return failure + "?customer_id=" + r.customer.ID + "&status=failed&reason=" + reason
		}
		leads := func(got seen, want string) {
			t.Helper()
			if got.status != http.StatusSeeOther || got.location != want {
				t.Errorf("got %d %s, want %s", got.status, got.location, want)
			}
		}
		_, address := r.link(urls)
		b := newBrowser(t)
		leads(b.get(b.decide(b.begin(address), "cancel", nil)), failed("signup_cancelled"))
		r.provider.spoil("exchange", &provider.Error{HTTPStatus: 500})
		leads(b.signUp(address, "+62 812 5550 102"), failed("signup_failed"))
		r.provider.spoil("exchange", nil)
		done := b.signUp(address, "+62 812 5550 102")
		leads(done, success+"&customer_id="+r.customer.ID+"&account_id="+r.accounts()[0].ID+"&status=success")
		leads(newBrowser(t).get(address), failed("link_consumed"))

		revoked, address := r.link(urls)
		r.InTx(func(tx *store.Tx) error { return core.RevokeSetupLink(tx, r.Org.ID, r.customer.ID, revoked.ID) })
		leads(b.get(address), failed("link_revoked"))
		_, address = r.link(urls)
		r.Clock.Advance(time.Hour)
		leads(b.get(address), failed("link_expired"))
		leads(b.get(address+"/start"), failed("link_expired"))
	})
}

func TestFailuresSayWhy(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		link, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		begin := func() url.Values {
			u, err := url.Parse(b.decide(b.begin(address), "approve", newNumber("+62 812 5550 103")))
			if err != nil {
				t.Fatal(err)
			}
			return u.Query()
		}
		comeBack := func(query url.Values) seen { return b.get(r.url + "/onboard/callback?" + query.Encode()) }

		b.get(b.decide(b.begin(address), "cancel", nil)).says(t, http.StatusOK, "Nothing was connected")
		denied := begin()
		denied.Del("code")
		denied.Set("error", "server_error")
		comeBack(denied).says(t, http.StatusBadGateway, "signup_failed", "Try again")
		empty := begin()
		empty.Del("code")
		comeBack(empty).says(t, http.StatusBadGateway, "signup_failed")
		unknown := begin()
		unknown.Set("code", "AQunknown")
		comeBack(unknown).says(t, http.StatusBadGateway, "signup_failed")
		late := begin()
		r.Clock.Advance(31 * time.Second)
		comeBack(late).says(t, http.StatusBadGateway, "signup_failed") // the provider's code is too old
		slow := begin()
		r.Clock.Advance(time.Hour)
		comeBack(slow).says(t, http.StatusBadGateway, "signup_failed")
		for _, part := range []string{
			`msg="signup not made"`, "reason=signup_cancelled", `msg="signup failed"`, "server_error", "neither a code nor an error came back",
			"the code could not be exchanged", "the state is too old",
		} {
			if !strings.Contains(r.log.String(), part) {
				t.Errorf("the log does not say %s: %s", part, r.log)
			}
		}
		r.untouched(link)
		b.signUp(address, "+62 812 5550 103").says(t, http.StatusOK, "Your number is connected") // the link is still good
	})
}

// TestAnyStepMayFail breaks each step in turn: nothing is half done, and the next attempt succeeds.
func TestAnyStepMayFail(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		link, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		for _, step := range []string{"exchange", "exchanged", "numbers", "subscribe"} {
			r.provider.spoil(step, &provider.Error{Message: "no answer", OutcomeUnknown: true})
			b.signUp(address, "+62 812 5550 104").says(t, http.StatusBadGateway, "signup_failed")
			r.provider.spoil(step, nil)
			r.untouched(link)
		}
		b.signUp(address, "+62 812 5550 104").says(t, http.StatusOK, "Your number is connected")
		if d := cmp.Diff(pair, r.events()); d != "" {
			t.Error(d)
		}
		if strings.Contains(r.log.String(), "EAASIM") {
			t.Error("the log has a token")
		}
	})
}

// TestNumberWithAPIN connects a number with an unknown PIN, and leaves it to be registered.
func TestNumberWithAPIN(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		spec, err := r.sim.AddNumber(simulator.NumberSpec{ID: "445566", Phone: "+628125550105", Status: "PENDING", PIN: "999999"})
		if err != nil {
			t.Fatal(err)
		}
		_, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		b.get(b.decide(b.begin(address), "approve", url.Values{"number": {spec.ID}})).says(t, http.StatusOK, "Almost done", "register")
		accounts := r.accounts()
		if len(accounts) != 1 || accounts[0].Status != chat.AccountOnboarding || *accounts[0].ProviderStatus != "PENDING" {
			t.Errorf("the accounts are %+v", accounts)
		}
		if d := cmp.Diff(pair, r.events()); d != "" {
			t.Error(d)
		}
	})
}

func TestNumberOfSomebodyElse(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		var other chat.Customer
		r.InTx(func(tx *store.Tx) (err error) {
			other, err = core.CreateCustomer(tx, r.Org.ID, chat.NewCustomer{Name: "Other"})
			return err
		})
		_, first := r.linkFor(other, chat.NewSetupLink{})
		newBrowser(t).signUp(first, "+62 812 5550 106").says(t, http.StatusOK, "Your number is connected")
		link, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		b.signUp(address, "+62 812 5550 106").says(t, http.StatusConflict, "This number is in use", "number_already_connected")
		if r.stored(link).Status != chat.LinkActive || len(r.accounts()) != 1 || r.provider.count("subscribe") != 1 {
			t.Errorf("the link is %s, with %d accounts after %d subscriptions", r.stored(link).Status, len(r.accounts()), r.provider.count("subscribe"))
		}
		b.signUp(address, "+62 812 5550 107").says(t, http.StatusOK, "Your number is connected")
	})
}

// TestNumberComesAgain lets the owner connect a number again, which repairs it.
func TestNumberComesAgain(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		_, address := r.link(chat.NewSetupLink{})
		newBrowser(t).signUp(address, "+62 812 5550 108").says(t, http.StatusOK)
		before := r.accounts()[0]
		r.InTx(func(tx *store.Tx) error {
			_, err := core.DemoteAccount(tx, before, chat.AccountDisconnected, "gone")
			return err
		})
		r.Clock.Advance(time.Minute)
		_, address = r.link(chat.NewSetupLink{})
		newBrowser(t).signUp(address, "+62 812 5550 108").says(t, http.StatusOK, "Your number is connected")
		after := r.accounts()
		if len(after) != 1 || after[0].ID != before.ID || after[0].Status != chat.AccountConnected || after[0].Token == before.Token {
			t.Errorf("the accounts are %+v", after)
		}
		if d := cmp.Diff(append(pair, pair...), r.events()); d != "" {
			t.Error(d)
		}
	})
}

// TestNumberComesFromAnotherAccount connects a restricted number again, first as it is and then from another business
// account, where it has to be registered with a PIN of its own. The restriction was the first account's, and so was the
// reason why it was out of service.
func TestNumberComesFromAnotherAccount(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		spec := simulator.NumberSpec{ID: "445567", Phone: "+628125550112", WABAID: "5551"}
		again := func() chat.Account {
			_, err := r.sim.AddNumber(spec)
			r.Must(err)
			r.Clock.Advance(time.Minute)
			_, address := r.link(chat.NewSetupLink{})
			b := newBrowser(t)
			b.get(b.decide(b.begin(address), "approve", url.Values{"number": {spec.ID}})).says(t, http.StatusOK)
			return r.accounts()[0]
		}
		account := again()
		r.InTx(func(tx *store.Tx) error {
			account.Restriction, account.RestrictedUntil = new(chat.RestrictAll), new(r.Clock.Now().Add(30*24*time.Hour))
			account.Status, account.StatusReason = chat.AccountDisconnected, new("the provider reports DISABLED_UPDATE")
			return tx.UpdateAccount(account)
		})
		if same := again(); same.Status != chat.AccountConnected || same.Restriction == nil || same.RestrictedUntil == nil {
			t.Errorf("in the same business account it is %+v", same)
		}
		r.InTx(func(tx *store.Tx) error { return tx.UpdateAccount(account) })
		spec.WABAID, spec.Status, spec.PIN = "5552", "PENDING", "999999"
		if moved := again(); moved.WABAID != "5552" || moved.Status != chat.AccountOnboarding || moved.Reason() != nil || moved.Restriction != nil || moved.RestrictedUntil != nil {
			t.Errorf("in another business account it is %+v", moved)
		}
	})
}

// TestOneLinkOneNumber has many browsers follow one link at once, each with its own number.
func TestOneLinkOneNumber(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		link, address := r.link(chat.NewSetupLink{})
		var back []func() seen
		for i := range 8 {
			b := newBrowser(t)
			callback := b.decide(b.begin(address), "approve", newNumber(fmt.Sprint("+62 812 5550 20", i)))
			back = append(back, func() seen { return b.get(callback) })
		}
		statuses := map[int]int{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for _, comeBack := range back {
			all.Go(func() {
				got := comeBack()
				mu.Lock()
				defer mu.Unlock()
				statuses[got.status]++
			})
		}
		all.Wait()
		if statuses[http.StatusOK] != 1 || statuses[http.StatusGone] != 7 {
			t.Errorf("the answers are %v", statuses)
		}
		if r.stored(link).Status != chat.LinkConsumed || len(r.accounts()) != 1 {
			t.Errorf("the link is %s, with %d accounts", r.stored(link).Status, len(r.accounts()))
		}
		if d := cmp.Diff(pair, r.events()); d != "" {
			t.Error(d)
		}
		if left := r.provider.count("subscribe") - 1; r.provider.count("unsubscribe") != left {
			t.Errorf("%d of %d subscriptions were taken back", r.provider.count("unsubscribe"), left)
		}
	})
}

// TestTwoNodes lets browsers return to any node, several at once.
func TestTwoNodes(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		other := r.serve(r.url)
		link, address := r.link(chat.NewSetupLink{})
		var back []func() seen
		for i := range 6 {
			b := newBrowser(t)
			callback := b.decide(b.begin(address), "approve", newNumber(fmt.Sprint("+62 812 5550 21", i)))
			if i%2 == 1 { // cookies know no ports
				callback = other + strings.TrimPrefix(callback, r.url)
			}
			back = append(back, func() seen { return b.get(callback) })
		}
		var all sync.WaitGroup
		var connected atomic.Int64
		for _, comeBack := range back {
			all.Go(func() {
				if comeBack().status == http.StatusOK {
					connected.Add(1)
				}
			})
		}
		all.Wait()
		if connected.Load() != 1 || r.stored(link).Status != chat.LinkConsumed || len(r.accounts()) != 1 {
			t.Errorf("%d succeeded; the link is %s, with %d accounts", connected.Load(), r.stored(link).Status, len(r.accounts()))
		}
		if d := cmp.Diff(pair, r.events()); d != "" {
			t.Error(d)
		}
	})
}

// TestOneBrowserTwice has a browser ask twice at once with the same code. Both requests get the same answer.
func TestOneBrowserTwice(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		_, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		callback := b.decide(b.begin(address), "approve", newNumber("+62 812 5550 109"))
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() { b.get(callback).says(t, http.StatusOK, "Your number is connected") })
		}
		all.Wait()
		if d := cmp.Diff(pair, r.events()); d != "" || len(r.accounts()) != 1 {
			t.Errorf("%d accounts, %s", len(r.accounts()), d)
		}
	})
}

// TestTwoTabs follows a link that is open in two tabs in either tab.
func TestTwoTabs(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		_, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		first := b.begin(address)
		b.begin(address)
		b.get(b.decide(first, "approve", newNumber("+62 812 5550 110"))).says(t, http.StatusOK, "Your number is connected")
	})
}

// TestWhoMayNotFollow refuses links of organizations and customers that may not connect numbers.
func TestWhoMayNotFollow(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		_, address := r.link(chat.NewSetupLink{})
		b := newBrowser(t)
		callback := b.decide(b.begin(address), "approve", newNumber("+62 812 5550 111"))
		for _, test := range []struct {
			name         string
			forbid, lift func(*store.Tx) error
			status       int
			reason       string
		}{
			{"archived", func(tx *store.Tx) error { _, err := core.ArchiveCustomer(tx, r.Org.ID, r.customer.ID); return err },
				func(tx *store.Tx) error { _, err := core.RestoreCustomer(tx, r.Org.ID, r.customer.ID); return err }, http.StatusGone, "link_revoked"},
			{"suspended organization", r.patch(core.OrganizationPatch{Suspended: new(true)}), r.patch(core.OrganizationPatch{Suspended: new(false)}),
				http.StatusNotFound, "link_invalid"},
			{"plan", r.patch(core.OrganizationPatch{Plan: new("pro")}), r.patch(core.OrganizationPatch{Plan: new("business")}), http.StatusNotFound, "link_invalid"},
		} {
			r.InTx(test.forbid)
			b.get(address).says(t, test.status, test.reason)
			b.get(address+"/start").says(t, test.status, test.reason)
			b.get(callback).says(t, test.status, test.reason)
			r.InTx(test.lift)
		}
		if len(r.accounts()) != 0 || r.provider.count("exchange") != 0 {
			t.Errorf("there are %d accounts after %d exchanges", len(r.accounts()), r.provider.count("exchange"))
		}
		b.get(callback).says(t, http.StatusOK, "Your number is connected")
	})
}

func (r *rig) patch(p core.OrganizationPatch) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		_, err := core.UpdateOrganization(tx, r.Org.ID, p)
		return err
	}
}

func TestWithoutAnApp(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	r.provider.Signup = noApp{r.provider.Signup}
	_, address := r.link(chat.NewSetupLink{})
	newBrowser(t).get(address+"/start").says(t, http.StatusInternalServerError, "internal_error")
	if !strings.Contains(r.log.String(), "no app") {
		t.Errorf("logged %s", r.log)
	}
}

type noApp struct{ provider.Signup }

func (noApp) SignupURL(string, string) (string, error) { return "", fmt.Errorf("no app is set up") }

func TestLanguages(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.SQLite)
	_, address := r.link(chat.NewSetupLink{})
	for accept, want := range map[string]string{
		"": "en", "fr": "en", "id": "id", "id-ID,id;q=0.9,en;q=0.8": "id", "in": "id", "en-GB,id;q=0.9": "en", "fr,id;q=0.4,en;q=0.3": "id",
		"id;q=0": "en", "*": "en", ";;q=x,,": "en", "de;q=1,ID-id;q=0.2": "id",
	} {
		b := newBrowser(t)
		b.accept = accept
		page := b.get(address)
		if got := page.header.Get("Content-Language"); got != want || !strings.Contains(page.body, `<html lang="`+want+`">`) {
			t.Errorf("%q gets %s", accept, got)
		}
	}
	if d := onboard.MissingTexts(); len(d) > 0 {
		t.Errorf("texts are missing: %v", d)
	}
}
