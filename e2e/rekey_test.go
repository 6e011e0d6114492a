package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRekey changes the master key of a store: messages go out with the number's token, deliveries are signed with the
// secret that their receiver knows, an answer with a secret is repeated, and the number's PIN stays.
func TestRekey(t *testing.T) {
	onEachEngine(t, func(t *testing.T, store Option) {
		p := StartProvider(t)
		srv := p.Serve(store, WithFlags("--allow-network=127.0.0.0/8"))
		n := connect(t, srv, p.Sim, srv.NewOrg(), srv.stored())
		n.srv = srv // it restarts
		receiver := newHookReceiver(t, http.StatusOK)
		s := n.subscribe(t, receiver, `["message.sent"]`)
		again := Call{
			Method: http.MethodPost, Path: "/v1/webhook_subscriptions", Key: n.org.Key, IdempotencyKey: "once",
			Body: fmt.Sprintf(`{"url":%q,"events":["customer.created"]}`, receiver.URL),
		}
		first := srv.Do(again)
		expect(t, first, http.StatusCreated, "")
		pin := srv.CLIObject("account", "pin", n.ID, "--org", n.org.ID)["pin"]

		if r := srv.CLI("rekey"); r.Code == 0 || !strings.Contains(r.Stderr, "server runs on") {
			t.Errorf("beside a server: %+v", r)
		}
		for i := range 2 { // the second change has a changed key to begin with
			srv.Stop()
			if resealed := srv.CLIObject("rekey")["resealed"].(float64); resealed < 5 { // token, two secrets, answer, key of PINs
				t.Errorf("%v values were sealed anew", resealed)
			}
			srv.Restart()
			person := newPerson()
			n.open(person)
			n.awaitStatus(n.send(person, "text", text("hello")), "read")
			s.check(t, receiver.await(t, i+1))
		}
		if r := srv.Do(again); r.Status != first.Status || r.Body != first.Body {
			t.Errorf("the answer is %s, and was %s", r.Body, first.Body)
		}
		if now := srv.CLIObject("account", "pin", n.ID, "--org", n.org.ID)["pin"]; now != pin {
			t.Errorf("the PIN is %v, and was %v", now, pin)
		}
		kept, err := filepath.Glob(filepath.Join(srv.setting("--data"), "secret.key.*"))
		must(t, err)
		if len(kept) != 2 {
			t.Errorf("kept are %v", kept)
		}
		srv.Stop()
		must(t, os.Rename(kept[0], filepath.Join(srv.setting("--data"), "secret.key")))
		if r := srv.Refused(); r.Code == 0 || !strings.Contains(r.Stderr, "was set up with master key") {
			t.Errorf("with an old key: %+v", r)
		}
	})
}
