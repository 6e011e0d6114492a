package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/live"
	"github.com/parleyhq/parley/internal/store"
)

// TestDashboardsOnThreeNodes: what one node accepts, and what another is told by the provider, is seen on the dashboards
// of all three. A dashboard whose node is killed goes to another, and in the end shows what all show.
func TestDashboardsOnThreeNodes(t *testing.T) {
	t.Parallel()
	const everything = "api,worker,dashboard"
	_, nodes, n := nodesOn(t, everything, everything, everything)
	person := newPerson()
	n.send(person, "text", text("m-0"))
	token, conversation := n.signIn(), n.conversation(person).str("id")
	var windows []*window
	for i := range nodes {
		windows = append(windows, openWindow(t, nodes, i, token, conversation))
	}
	everybodySees := func(text string) {
		t.Helper()
		begin := time.Now()
		for i, w := range windows {
			if !eventually(func() bool { return w.shows(text) }) {
				t.Fatalf("dashboard %d does not show %s: %s", i, text, w)
			}
		}
		t.Logf("%s is on all dashboards after %v", text, time.Since(begin).Round(time.Millisecond))
	}
	everybodySees("m-0")

	for i, node := range nodes {
		expect(t, node.Post(n.org.Key, n.path("/messages"), sendBody(person, "text", text(fmt.Sprintf("m-1%d", i)))), http.StatusOK, "")
		everybodySees(fmt.Sprintf("m-1%d", i))
		node.CallBack(textCallback(n, person, fmt.Sprintf("wamid.live%s%d", n.ID, i), fmt.Sprintf("m-2%d", i)))
		everybodySees(fmt.Sprintf("m-2%d", i))
	}
	for i, w := range windows {
		if w.hellos() != 1 {
			t.Errorf("dashboard %d did not hear by its one stream: %s", i, w)
		}
	}

	for i := range 12 { // the third node dies in the middle
		if i == 6 {
			nodes[2].Kill()
		}
		expect(t, nodes[i%2].Post(n.org.Key, n.path("/messages"), sendBody(person, "text", text(fmt.Sprintf("m-3%02d", i)))), http.StatusOK, "")
	}
	for i := range 12 {
		everybodySees(fmt.Sprintf("m-3%02d", i))
	}
	if windows[2].hellos() < 2 {
		t.Errorf("the dashboard of the dead node is at no other: %s", windows[2])
	}
}

// signIn makes a user of the number's organization with a session, and returns its token.
func (n *Number) signIn() (token string) {
	n.t.Helper()
	token = chat.NewToken()
	err := n.log.InTx(n.t.Context(), func(tx *store.Tx) error {
		id := tx.NewID(chat.KindUser)
		return errors.Join(tx.InsertUser(chat.User{
			ID: id, OrgID: n.org.ID, Email: strings.ToLower(id) + "@example.com", Name: "Ana", Role: chat.RoleAdmin, Sees: chat.SeesAll,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}), tx.InsertSession(chat.Session{
			ID: tx.NewID(chat.KindSession), OrgID: n.org.ID, UserID: id, Hash: chat.HashToken(token), CreatedAt: tx.Now(), SeenAt: tx.Now(),
		}))
	})
	must(n.t, err)
	return token
}

// window is an open dashboard without a browser. It shows one conversation, which it fetches when its stream begins
// and when the stream says so, and at no other time. When the stream ends, it goes to the next node, as behind a
// load balancer.
type window struct {
	nodes               []*Server
	token, conversation string

	mu    sync.Mutex
	shown map[string]bool
	hints map[string]int
	last  error
}

func openWindow(t *testing.T, nodes []*Server, at int, token, conversation string) *window {
	t.Helper()
	w := &window{nodes: nodes, token: token, conversation: conversation, shown: map[string]bool{}, hints: map[string]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ; ctx.Err() == nil; at++ {
			err := w.read(ctx, nodes[at%len(nodes)])
			w.mu.Lock()
			w.last = err
			w.mu.Unlock()
		}
	})
	t.Cleanup(func() { cancel(); done.Wait() })
	return w
}

// read follows the stream of one node to its end.
func (w *window) read(ctx context.Context, node *Server) error {
	if !node.proc.Load().running() { // another process may have its port by now
		return errors.New("the node is down")
	}
	body, err := w.get(ctx, node, "/stream")
	if err != nil {
		return err
	}
	defer body.Close()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var hint live.Hint
		if err := json.Unmarshal([]byte(text), &hint); err != nil {
			return err
		}
		w.mu.Lock()
		w.hints[hint.Kind]++
		w.mu.Unlock()
		if hint.ID == w.conversation || hint.Kind == live.KindAll || hint.Kind == "hello" {
			if err := w.fetch(ctx, node); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

var liveText = regexp.MustCompile(`m-\d+`)

func (w *window) fetch(ctx context.Context, node *Server) error {
	body, err := w.get(ctx, node, "/conversations/"+w.conversation+"/timeline")
	if err != nil {
		return err
	}
	defer body.Close()
	page, err := io.ReadAll(body)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range liveText.FindAllString(string(page), -1) {
		w.shown[text] = true
	}
	return err
}

func (w *window) get(ctx context.Context, node *Server, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, node.URL()+"/app/api"+path, nil)
	if err != nil {
		return nil, err
	}
	request.AddCookie(&http.Cookie{Name: "parley", Value: w.token})
	answer, err := (&http.Client{}).Do(request) // without a time limit: a stream has none
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("%s answers %s", path, answer.Status)
	}
	return answer.Body, nil
}

func (w *window) shows(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown[text]
}

// hellos is how many streams have begun.
func (w *window) hellos() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hints["hello"]
}

func (w *window) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("it shows %v, heard %v, and its last stream ended with %v", w.shown, w.hints, w.last)
}
