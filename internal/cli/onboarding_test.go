package cli

import (
	"crypto/rand"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

func TestCustomers(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		first := s.fields(t, "customer", "create", "--org", org, "--name", "  Toko  Maju ", "--email", "a@toko.example")
		id := first["id"].(string)
		if !chat.KindCustomer.Valid(id) || first["name"] != "Toko Maju" || first["status"] != "pending" || first["email"] != "a@toko.example" {
			t.Errorf("made %v", first)
		}
		s.fields(t, "customer", "create", "--org", org, "--name", "Warung")
		if got := s.fields(t, "customer", "update", id, "--org", org, "--status", "suspended", "--name", "Toko"); got["status"] != "suspended" || got["name"] != "Toko" {
			t.Errorf("updated to %v", got)
		}
		if got := s.rows(t, "customer", "list", "--org", org, "--status", "suspended"); len(got) != 1 || got[0]["id"] != id {
			t.Errorf("listed %v", got)
		}
		if got := s.rows(t, "customer", "list", "--org", org, "--search", "warung"); len(got) != 1 || got[0]["name"] != "Warung" {
			t.Errorf("found %v", got)
		}
		if got := s.fields(t, "customer", "archive", id, "--org", org); got["status"] != "archived" || got["archived_at"] == nil {
			t.Errorf("archived as %v", got)
		}
		if got := s.fields(t, "customer", "restore", id, "--org", org); got["status"] != "suspended" || got["archived_at"] != nil {
			t.Errorf("restored as %v", got)
		}
		for _, args := range [][]string{
			{"customer", "create", "--org", absentOrg, "--name", "x"}, {"customer", "update", id, "--org", absentOrg, "--name", "x"},
			{"customer", "archive", "cus_00000000000000000000000000", "--org", org}, {"customer", "create", "--org", org, "--name", " "},
		} {
			if o := s.run(t, args...); o.code != exitFailed || o.stdout != "" {
				t.Errorf("%v: %+v", args, o)
			}
		}
	})
}

// The links that commands print lead to the address with which the server was last started.
func TestLinksOfTheServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	org := s.newOrg(t)
	if o := s.run(t, "account", "link", "--org", org); o.code != 0 || !strings.Contains(o.stdout, "http://localhost:8080/onboard/") || !strings.Contains(o.stderr, "--public-url") {
		t.Errorf("before any server: %+v", o)
	}
	d := newDemoSite(t)
	theirs := d.rows(t, "org", "list")[0]["id"].(string)
	if link := d.fields(t, "account", "link", "--org", theirs); !strings.HasPrefix(link["setup_url"].(string), d.url+"/onboard/") {
		t.Errorf("made %v, the server is at %s", link, d.url)
	}
	d.fields(t, "user", "create", "--org", theirs, "--name", "Ada", "--email", "ada@acme.example", "--role", "agent")
	if link := d.fields(t, "user", "link", "ada@acme.example"); !strings.HasPrefix(link["url"].(string), d.url+"/invite/") {
		t.Errorf("made %v, the server is at %s", link, d.url)
	}
}

// An organization whose plan has no customers gets none from the command line either.
func TestCustomersOfThePlan(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	org := s.fields(t, "org", "create", "--name", "Acme", "--plan", "pro")["id"].(string)
	s.run(t, "customer", "create", "--org", org, "--name", "Toko").refused(t, exitFailed, "pro plan does not include customers", "parley org update")
}

func TestAccountLinks(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		own := s.fields(t, "account", "link", "--org", org, "--public-url", "https://chat.example.com/", "--success-redirect-url", "https://acme.example/ok")
		if !regexp.MustCompile(`^https://chat\.example\.com/onboard/csl_[\w-]{24}$`).MatchString(own["setup_url"].(string)) || own["customer_id"] != nil {
			t.Errorf("made %v", own)
		}
		customer := s.fields(t, "customer", "create", "--org", org, "--name", "Toko")["id"].(string)
		theirs := s.fields(t, "account", "link", "--org", org, "--customer", customer, "--expires-in-hours", "1", "--public-url", "http://localhost:8080")
		if theirs["customer_id"] != customer || !strings.HasPrefix(theirs["setup_url"].(string), "http://localhost:8080/onboard/csl_") {
			t.Errorf("made %v", theirs)
		}
		for want, args := range map[string][]string{
			"No such organization":         {"--org", absentOrg},
			"No such customer":             {"--org", org, "--customer", "cus_00000000000000000000000000"},
			"--expires-in-hours: Must":     {"--org", org, "--expires-in-hours", "0"},
			"--failure-redirect-url: Must": {"--org", org, "--failure-redirect-url", "http://acme.example"},
			"The organization has no such": {"--org", org, "--team", "team_00000000000000000000000000"},
		} {
			if o := s.run(t, append([]string{"account", "link"}, args...)...); o.code != exitFailed || !strings.Contains(o.stderr, want) {
				t.Errorf("%v: %+v, want %s", args, o, want)
			}
		}
	})
}

func TestAccountDisconnectAndPIN(t *testing.T) {
	onEachEngine(t, func(t *testing.T, s site) {
		org := s.newOrg(t)
		key := "--secret-key=" + base64.StdEncoding.EncodeToString([]byte(rand.Text()+"123456"))
		s.change(t, func(tx *store.Tx) error {
			_, err := core.ConnectAccount(tx, chat.NewAccount{OrgID: org, PhoneNumberID: "123456", PhoneNumber: "+15550001", WABAID: "1"}, func(string) string { return "sealed" })
			return err
		})
		pin := s.fields(t, "account", "pin", "123456", "--org", org, key)["pin"].(string)
		if again := s.fields(t, "account", "pin", "123456", "--org", org, key)["pin"]; !regexp.MustCompile(`^[0-9]{6}$`).MatchString(pin) || again != pin {
			t.Errorf("the PIN is %s, then %v", pin, again)
		}
		if got := s.fields(t, "account", "disconnect", "123456", "--org", org); got["disconnected"] != true {
			t.Errorf("got %v", got)
		}
		if got := s.rows(t, "account", "list", "--org", org); len(got) != 0 {
			t.Errorf("listed %v", got)
		}
		for _, command := range [][]string{{"disconnect"}, {"pin", key}} {
			if o := s.run(t, append(append([]string{"account"}, command...), "123456", "--org", org)...); o.code != exitFailed || !strings.Contains(o.stderr, "No such business number") {
				t.Errorf("%s: %+v", command, o)
			}
		}
	})
}
