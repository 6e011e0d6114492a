//go:build browser

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Helpers for browser tests of the inbox: users' sessions, the data that the server has stored, and the content of a
// phone.

const (
	demoNumber = "100200300400500"
	dewi       = "6281255500142"
	jonas      = "4915155500123"
	adaPhone   = "12025550100"
)

// signInAs signs in as one of the demo's people, who all have the same password.
func signInAs(t *testing.T, s *Screen, srv *Server, email string) {
	t.Helper()
	signInThere(t, s, srv, srv, email)
}

// Tab opens another tab of the same browser, with the same session.
func (s *Screen) Tab() *Screen {
	s.t.Helper()
	return &Screen{openTab(s.t, s.ctx, chromedp.EmulateViewport(1440, 900))}
}

// run evaluates a promise in the page and returns its result as JSON.
func (s *Screen) run(script string) (json.RawMessage, error) {
	result, err := chromedp.Call(s.ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "(async () => JSON.stringify((await (async () => {" + script + "})()) ?? null))()", AwaitPromise: new(true), ReturnByValue: new(true),
	})
	if err != nil {
		return nil, err
	}
	if result.ExceptionDetails != nil {
		return nil, fmt.Errorf("%s", result.ExceptionDetails.Exception.Description)
	}
	var text string
	err = json.Unmarshal(result.Result.Value, &text)
	return json.RawMessage(text), err
}

// answer is the server's answer to a request of the page.
type answer struct {
	Status int
	Body   struct {
		Data  json.RawMessage
		Error struct{ Code string }
	}
}

// ask makes the page call an operation as the signed-in user.
func (s *Screen) ask(method, path string, body any) (a answer) {
	s.t.Helper()
	sent := "undefined"
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		sent = fmt.Sprintf("%q", text)
	}
	got, err := s.run(fmt.Sprintf(`const r = await fetch(%q, {method: %q, headers: {"Content-Type": "application/json"}, body: %s})
		return {Status: r.status, Body: await r.json().catch(() => ({}))}`, "/app/api"+path, method, sent))
	if err == nil {
		err = json.Unmarshal(got, &a)
	}
	if err != nil {
		s.t.Fatalf("%s %s: %v: %s", method, path, err, got)
	}
	return a
}

// stored is the data that the server has under a path.
func stored[T any](s *Screen, path string) (data T) {
	s.t.Helper()
	a := s.ask("GET", path, nil)
	if a.Status != 200 {
		s.t.Fatalf("GET %s: %d %s", path, a.Status, a.Body.Error.Code)
	}
	if err := json.Unmarshal(a.Body.Data, &data); err != nil {
		s.t.Fatalf("GET %s: %v: %s", path, err, a.Body.Data)
	}
	return data
}

// becomes waits until the stored data under a path meets a condition.
func becomes[T any](s *Screen, path string, holds func(T) bool) (data T) {
	s.t.Helper()
	if !eventually(func() bool { data = stored[T](s, path); return holds(data) }) {
		s.fail("%s stays %+v", path, data)
	}
	return data
}

type storedName struct{ ID, Name string }

// storedConversation is a conversation as the dashboard's operations show it.
type storedConversation struct {
	ID, Status   string
	Contact      struct{ ID, Name, Phone string }
	Assignee     *storedName
	Labels       []storedName
	Draft        bool
	SnoozedUntil *string `json:"snoozed_until"`
	UnreadCount  int     `json:"unread_count"`
}

// storedItem is an item of a timeline.
type storedItem struct {
	ID, Kind string
	Message  *struct {
		ID, Direction, Type, Status string
		MessageID                   string `json:"message_id"`
		Text                        struct{ Body string }
		Media                       *struct {
			MimeType, Filename string
			Size               int
		}
		Context   struct{ MessageID string }
		Quoted    *struct{ ID string }
		Reactions []struct{ Emoji, Direction string }
	}
	Note *struct {
		Body     string
		Author   storedName
		EditedAt *string `json:"edited_at"`
	}
}

// phoneLine is a message as a handset shows it.
type phoneLine struct {
	ID, From, Type, Header, Text, Footer, List string
	File                                       *struct {
		ID, Filename string
		MimeType     string `json:"mime_type"`
		Size         int
	}
	Buttons   []struct{ ID, Title, Kind string }
	Quoted    *struct{ ID, Text string }
	Reactions []struct{ Emoji, From string }
}

// onPhone waits for a line of a handset's chat with the demo's number.
func (s *Screen) onPhone(handset string, wanted func(phoneLine) bool) phoneLine {
	s.t.Helper()
	var found phoneLine
	becomes(s, "/phone/handsets/"+handset+"/messages?number="+demoNumber, func(chat []phoneLine) bool {
		i := slices.IndexFunc(chat, wanted)
		if i >= 0 {
			found = chat[i]
		}
		return i >= 0
	})
	return found
}

// wrote matches a line by its text and by who wrote it.
func wrote(from, text string) func(phoneLine) bool {
	return func(l phoneLine) bool { return l.From == from && l.Text == text }
}

// countOnPhone is how many lines of a handset's chat meet a condition.
func (s *Screen) countOnPhone(handset string, wanted func(phoneLine) bool) (n int) {
	s.t.Helper()
	for _, line := range stored[[]phoneLine](s, "/phone/handsets/"+handset+"/messages?number="+demoNumber) {
		if wanted(line) {
			n++
		}
	}
	return n
}

// phoneWrites makes a handset write to the demo's number, and returns the provider's id of the message.
func (s *Screen) phoneWrites(handset string, fields map[string]any) string {
	s.t.Helper()
	fields["number"] = demoNumber
	a := s.ask("POST", "/phone/handsets/"+handset+"/messages", fields)
	var data struct{ ID string }
	if a.Status != 201 || json.Unmarshal(a.Body.Data, &data) != nil {
		s.t.Fatalf("the phone cannot write %v: %d %+v", fields, a.Status, a.Body.Error)
	}
	return data.ID
}

// conversationOf waits for the conversation with a person, whatever its state.
func (s *Screen) conversationOf(name string) string {
	s.t.Helper()
	var id string
	becomes(s, "/conversations?view=all&status=any&limit=100", func(list []storedConversation) bool {
		i := slices.IndexFunc(list, func(c storedConversation) bool { return c.Contact.Name == name })
		if i >= 0 {
			id = list[i].ID
		}
		return i >= 0
	})
	return id
}

// openConversation shows a person's conversation with the demo's number.
func (s *Screen) openConversation(srv *Server, name string) (id string) {
	s.t.Helper()
	id = s.conversationOf(name)
	s.Open(srv.URL() + "/inbox/all/" + id)
	s.Has("log", "Messages")
	return id
}

// timeline waits for an item of a conversation.
func (s *Screen) timeline(conversation string, wanted func(storedItem) bool) storedItem {
	s.t.Helper()
	var found storedItem
	becomes(s, "/conversations/"+conversation+"/timeline?limit=100", func(items []storedItem) bool {
		i := slices.IndexFunc(items, wanted)
		if i >= 0 {
			found = items[i]
		}
		return i >= 0
	})
	return found
}

// chooseFiles puts files into a hidden file input, as the browser's dialog does.
func (s *Screen) chooseFiles(label string, paths ...string) {
	s.t.Helper()
	result, err := chromedp.Call(s.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: `document.querySelector('input[type=file][aria-label="` + label + `"]')`})
	if err != nil || result.Result.ObjectID == "" {
		s.fail("there is no field for files named %q: %v", label, err)
	}
	call(s.Browser, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: result.Result.ObjectID})
}

// does runs a script that must not fail.
func (s *Screen) does(script string) {
	s.t.Helper()
	if _, err := s.run(script); err != nil {
		s.fail("%v", err)
	}
}

// Until waits for a JavaScript condition.
func (s *Screen) Until(condition string) {
	s.t.Helper()
	if !eventually(func() bool { return s.holds(condition) }) {
		s.fail("it does not come to hold that %s", condition)
	}
}

// quote writes a text as a JavaScript string.
func quote(text string) string {
	b, _ := json.Marshal(text) // a string can always be marshalled
	return strings.ReplaceAll(string(b), "`", "\\u0060")
}

// enter presses the Enter key as a keyboard does: a handler that takes the key keeps its character out of the field.
func (s *Screen) enter() {
	s.t.Helper()
	key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13}
	call(s.Browser, input.DispatchKeyEvent, key)
	key.Type, key.Text = input.DispatchKeyEventTypeKeyUp, ""
	call(s.Browser, input.DispatchKeyEvent, key)
}

// comesBack makes the page fetch everything again, as after a lost connection, and waits until one thing was.
func (s *Screen) comesBack(path string) {
	s.t.Helper()
	fetched := `performance.getEntriesByType("resource").filter(e => e.name.endsWith(` + quote(path) + `)).length`
	s.does(`window.fetchedBefore = ` + fetched + `; window.dispatchEvent(new Event("online"))`)
	s.Until(fetched + ` > window.fetchedBefore`)
}
