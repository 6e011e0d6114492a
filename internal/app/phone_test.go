package app_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/app"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store/storetest"
)

const (
	firstNumber, secondNumber = "100000000001", "100000000002"
	dewi                      = "/phone/handsets/6281255500142"
)

// phoneWorld is a world with a simulator, whose callbacks go nowhere.
func phoneWorld(t *testing.T) (*apptest.World, cast) {
	t.Helper()
	sim := simulator.New(simulator.Config{Delays: &simulator.Delays{}})
	parttest.Start(t, sim)
	w := apptest.Start(t, storetest.SQLite, func(c *app.Config) { c.Phones = sim.Phones() })
	return w, newCast(t, w)
}

type phoneMessage struct {
	ID, From, Type, Text string
	File                 *struct {
		ID       string
		MimeType string `json:"mime_type"`
	}
	Quoted    *struct{ Text string }
	Reactions []struct{ Emoji, From string }
}

func TestPhone(t *testing.T) {
	t.Parallel()
	w, c := phoneWorld(t)
	b := w.As(t, c.all)
	write := func(body string) (written struct{ ID string }) {
		t.Helper()
		b.Do(t, "POST", dewi+"/messages", `{"number":"`+firstNumber+`",`+body+`}`).RequireStatus(t, http.StatusCreated).Data(t, &written)
		return written
	}
	first := write(`"type":"text","text":"<script>alert(1)</script>"`)
	write(`"type":"text","text":"Halo","quote":"` + first.ID + `"`)
	write(`"type":"reaction","message_id":"` + first.ID + `","emoji":"👍"`)
	picture := base64.StdEncoding.EncodeToString([]byte("a picture"))
	write(`"type":"image","file":{"mime_type":"image/png","filename":"a.png","data":"` + picture + `"}`)
	var lines []phoneMessage
	b.Get(t, dewi+"/messages?number="+firstNumber).RequireStatus(t, http.StatusOK).Data(t, &lines)
	if len(lines) != 3 || lines[0].Reactions[0].Emoji != "👍" || lines[1].Quoted.Text != lines[0].Text || lines[2].File.MimeType != "image/png" {
		t.Fatalf("the chat: %+v", lines)
	}
	if content, header := fileOf(t, w, b, lines[2].File.ID); content != "a picture" || header.Get("Content-Type") != "image/png" ||
		!strings.HasPrefix(header.Get("Content-Security-Policy"), "sandbox") || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the file: %q %v", content, header)
	}
	var handset struct{ Online, Blocked bool }
	b.Do(t, "PATCH", dewi, `{"online":false}`).RequireStatus(t, http.StatusOK).Data(t, &handset)
	if handset.Online || handset.Blocked {
		t.Errorf("the handset: %+v", handset)
	}
	b.Do(t, "POST", dewi+"/messages", `{"number":"`+firstNumber+`","type":"text","text":"x"}`).RequireFailure(t, "invalid_field_value", "online")
	b.Do(t, "POST", dewi+"/read", `{"number":"`+firstNumber+`"}`).RequireStatus(t, http.StatusOK)
	var added struct{ ID string }
	b.Do(t, "POST", "/phone/handsets", `{"name":"Eve","phone_number":"+49 151 5550 0199"}`).RequireStatus(t, http.StatusCreated).Data(t, &added)
	var all []struct{ ID string }
	b.Get(t, "/phone/handsets").RequireStatus(t, http.StatusOK).Data(t, &all)
	if last := all[len(all)-1].ID; last != added.ID || added.ID != "4915155500199" {
		t.Errorf("added %s, and listed last is %s", added.ID, last)
	}
}

// fileOf fetches a file, which is not JSON as all other answers are.
func fileOf(t *testing.T, w *apptest.World, b *apptest.Browser, id string) (content string, header http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+app.Base+"/phone/files/"+id, nil)
	must(t, err)
	request.AddCookie(&http.Cookie{Name: "parley", Value: b.Token})
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	return string(body), answer.Header
}

func TestPhoneMistakes(t *testing.T) {
	t.Parallel()
	w, c := phoneWorld(t)
	b := w.As(t, c.all)
	for body, param := range map[string]string{
		`"type":"poll"`:           "type",
		`"type":"text","text":""`: "text",
		`"type":"location"`:       "location",
		`"type":"button"`:         "message_id",
		`"type":"image","file":{"mime_type":"image/png","data":"%%"}`:       "file.data",
		`"type":"image","file":{"mime_type":"image/svg+xml","data":"AAAA"}`: "file",
	} {
		b.Do(t, "POST", dewi+"/messages", `{"number":"`+firstNumber+`",`+body+`}`).RequireFailure(t, "invalid_field_value", param)
	}
	b.Do(t, "POST", "/phone/handsets", `{"name":"Eve","phone_number":"12"}`).RequireFailure(t, "invalid_field_value", "phone_number")
	b.Do(t, "PATCH", "/phone/handsets/49000000", `{"online":false}`).RequireFailure(t, "resource_not_found", "")
	b.Get(t, "/phone/files/9").RequireFailure(t, "resource_not_found", "")
}

// TestPhoneShowsOwnNumbersOnly hides chats and files of numbers that a user may not see.
func TestPhoneShowsOwnNumbersOnly(t *testing.T) {
	t.Parallel()
	w, c := phoneWorld(t)
	b := w.As(t, c.all)
	b.Do(t, "POST", dewi+"/messages", `{"number":"`+secondNumber+`","type":"image"}`).RequireStatus(t, http.StatusCreated)
	var lines []phoneMessage
	b.Get(t, dewi+"/messages?number="+secondNumber).Data(t, &lines)
	stranger := storetest.Org(t, w.Store)
	for _, u := range []chat.User{c.teams, w.User(t, stranger, chat.RoleOwner, chat.SeesAll, stranger.TeamID)} {
		b := w.As(t, u)
		b.Get(t, dewi+"/messages?number="+secondNumber).RequireFailure(t, "resource_not_found", "")
		b.Get(t, "/phone/files/"+lines[0].File.ID).RequireFailure(t, "resource_not_found", "")
		for _, path := range []string{"/read", "/messages"} {
			b.Do(t, "POST", dewi+path, fmt.Sprintf(`{"number":%q%s}`, secondNumber, map[string]string{"/messages": `,"type":"stop"`}[path])).RequireFailure(t, "resource_not_found", "")
		}
	}
	b.Do(t, "POST", dewi+"/messages", `{"number":"`+firstNumber+`","type":"text","text":"Hello"}`).RequireStatus(t, http.StatusCreated)
	assigned := w.As(t, c.me) // whose conversation it is not
	assigned.Get(t, dewi+"/messages?number="+firstNumber).RequireFailure(t, "forbidden", "")
	assigned.Do(t, "POST", dewi+"/messages", `{"number":"`+firstNumber+`","type":"text","text":"x"}`).RequireFailure(t, "forbidden", "")
	for who, want := range map[*apptest.Browser]bool{b: true, assigned: false} {
		var me struct{ Simulator bool }
		who.Get(t, "/me").Data(t, &me)
		if me.Simulator != want {
			t.Errorf("there is a phone: %t, want %t", me.Simulator, want)
		}
	}
}

// TestNoPhoneWithARealProvider checks that the operations do not exist.
func TestNoPhoneWithARealProvider(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	org := storetest.Org(t, w.Store)
	w.As(t, w.User(t, org, chat.RoleOwner, chat.SeesAll, org.TeamID)).Get(t, "/phone/handsets").RequireFailure(t, "resource_not_found", "")
}
