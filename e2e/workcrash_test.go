package e2e

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// crashDuring does something that makes the server call the provider, and kills the server when the call is trapped.
func (p *trappedProvider) crashDuring(n *Number, at *trap, do func()) {
	n.t.Helper()
	at.sprung, at.open = make(chan struct{}), make(chan struct{})
	p.set.Store(at)
	do()
	select {
	case <-at.sprung:
	case <-time.After(patience):
		n.t.Fatalf("the provider was never called for %s", at.call)
	}
	n.srv.Kill()
	p.set.Store(nil)
	close(at.open)
	n.srv.Restart()
}

// TestWorkIsKilled kills the server while it exchanges files and templates with the provider. After the restart messages
// and their files go on, once, without anybody's help, and templates can be read again. On PostgreSQL the next process
// would wait half a minute each time, to be sure that the killed one is dead.
func TestWorkIsKilled(t *testing.T) {
	t.Parallel()
	p := startTrapped(t)
	srv := Start(t, WithProvider(p.url))
	p.server.Store(srv)
	n := plant(t, srv, p.Sim, srv.stored())
	n.srv = srv // it restarts
	for _, after := range []bool{false, true} {
		killFetch(t, p, n, after)
		killUpload(t, p, n, after)
		killTemplates(t, p, n, after)
	}
}

// killFetch kills the server while it fetches the file of a message.
func killFetch(t *testing.T, p *trappedProvider, n *Number, after bool) {
	t.Helper()
	var id string
	p.crashDuring(n, &trap{file: true, after: after}, func() {
		id = n.receive(newPerson(), "image", map[string]any{"image": map[string]any{}, "file": map[string]any{
			"mime_type": "image/jpeg", "data": base64.StdEncoding.EncodeToString([]byte("a picture")),
		}})
	})
	n.onlyEvent(chat.EventMessageReceived, id)
	path := n.path("/messages/" + n.find(id).str("id") + "/media")
	if !eventually(func() bool { return n.srv.Get(n.org.Key, path).Status != http.StatusNotFound }) {
		t.Error("killed while it was fetched, the file never came")
	}
}

// killUpload kills the server while it hands the provider the file of a message.
func killUpload(t *testing.T, p *trappedProvider, n *Number, after bool) {
	t.Helper()
	person := newPerson()
	n.open(person)
	file := n.upload("a.png", "image/png", []byte("a picture that goes out"+person))
	var id string
	p.crashDuring(n, &trap{call: "/media", after: after}, func() { id = n.send(person, "image", map[string]any{"id": file["id"]}) })
	n.awaitStatus(id, "read")
	if got := n.sim.accepted("biz_opaque_callback_data=" + id); len(got) != 1 {
		t.Errorf("the message was sent %d times", len(got))
	}
	n.onlyEvent(chat.EventMessageSent, id)
}

// killTemplates kills the server while it reads the templates.
func killTemplates(t *testing.T, p *trappedProvider, n *Number, after bool) {
	t.Helper()
	name := map[bool]string{false: "before_the_kill", true: "after_the_kill"}[after]
	p.crashDuring(n, &trap{call: "/message_templates", after: after}, func() {
		go func() {
			_, _ = n.srv.Try(Call{Method: http.MethodPost, Path: n.path("/templates/sync"), Key: n.org.Key})
		}()
	})
	reply := n.template(http.MethodPost, "/sync", "")
	if reply.Status != http.StatusOK {
		t.Errorf("after a kill the templates are %d %s", reply.Status, reply.Body)
	}
	n.newTemplate(oneText(name, "Hello {{1}}, welcome"))
	if list := n.template(http.MethodGet, "?status=all", "").Body; strings.Count(list, `"name":"`+name+`"`) != 1 {
		t.Errorf("the templates are %s", list)
	}
}
