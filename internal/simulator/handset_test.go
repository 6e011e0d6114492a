package simulator

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const dewi = "6281255500142"

// handsetRig is a rig with a handset whose window is open.
func handsetRig(t *testing.T) (*rig, *Phones) {
	t.Helper()
	r := newRig(t)
	p := r.sim.Phones()
	r.write(Writing{Type: "text", Text: "Halo"})
	r.recv.clear()
	return r, p
}

// write makes Dewi write to the usual number.
func (r *rig) write(w Writing) string {
	r.t.Helper()
	w.PhoneNumberID = testNumber
	id, err := r.sim.Phones().Write(dewi, w)
	if err != nil {
		r.t.Fatalf("write %+v: %v", w, err)
	}
	r.settle(0)
	return id
}

func (r *rig) chat() []ChatMessage {
	r.t.Helper()
	list, err := r.sim.Phones().Chat(dewi, testNumber)
	must(r.t, err)
	return list
}

func (r *rig) last() ChatMessage { c := r.chat(); return c[len(c)-1] }

// heard is the last message that the business was told about.
func (r *rig) heard() map[string]any {
	r.t.Helper()
	all := r.recv.all()
	return at[map[string]any](r.t, all[len(all)-1].value, "messages", 0)
}

func unreadOf(p *Phones, id string) int {
	list := p.List([]string{testNumber})
	return list[slices.IndexFunc(list, func(h Handset) bool { return h.ID == id })].Unread
}

func TestHandsetWrites(t *testing.T) {
	t.Parallel()
	r, _ := handsetRig(t)
	sent := r.send(text("+"+dewi, "Where to?"))
	r.settle(time.Minute)
	for _, c := range []struct {
		w    Writing
		path []any
		want any
	}{
		{Writing{Type: "text", Text: "Ini *penting*", Quote: sent}, []any{"context", "id"}, sent},
		{Writing{Type: "image", Text: "look"}, []any{"image", "caption"}, "look"},
		{Writing{Type: "image", File: &InboundFile{MimeType: "image/jpeg", Data: []byte("jpeg")}}, []any{"image", "mime_type"}, "image/jpeg"},
		{Writing{Type: "audio"}, []any{"audio", "voice"}, true},
		{Writing{Type: "location", Location: &ChatLocation{Latitude: -6.2, Longitude: 106.8, Name: "Monas"}}, []any{"location", "name"}, "Monas"},
		{Writing{Type: "reaction", MessageID: sent, Emoji: "👍"}, []any{"reaction", "emoji"}, "👍"},
	} {
		r.write(c.w)
		if got := dig(r.heard(), c.path...); got != c.want {
			t.Errorf("%+v: heard %v", c.w, r.heard())
		}
	}
	chat := r.chat()
	if len(chat) != 7 || chat[1].Mark != "👍" || chat[2].Quoted == nil || chat[2].Quoted.Text != "Where to?" || chat[6].Location.Name != "Monas" {
		t.Errorf("the chat: %+v", chat)
	}
	r.do("POST", "/"+testNumber+"/messages", map[string]any{"messaging_product": "whatsapp", "status": "read", "message_id": chat[4].ID})
	for i, want := range map[int]string{0: "read", 4: "read", 5: "delivered"} {
		if got := r.chat()[i].Ticks; got != want {
			t.Errorf("line %d has %s ticks, want %s", i, got, want)
		}
	}
}

func TestHandsetMistakes(t *testing.T) {
	t.Parallel()
	r, p := handsetRig(t)
	for _, w := range []Writing{
		{Type: "text", Text: "  "}, {Type: "text", Text: strings.Repeat("x", maxWritten+1)}, {Type: "poll"}, {},
		{Type: "location"}, {Type: "location", Location: &ChatLocation{Latitude: 91}},
		{Type: "reaction", MessageID: "wamid.unknown", Emoji: "👍"}, {Type: "button", MessageID: "wamid.unknown"},
		{Type: "image", File: &InboundFile{MimeType: "text/html", Data: []byte("<b>")}},
		{Type: "image", File: &InboundFile{MimeType: "image/png", Data: make([]byte, maxHandsetFile+1)}},
	} {
		w.PhoneNumberID = testNumber
		if _, err := p.Write(dewi, w); !errors.As(err, new(*HandsetError)) {
			t.Errorf("%.100v: %v", fmt.Sprint(w), err)
		}
	}
	if _, err := p.Write("49000", Writing{Type: "text", Text: "x"}); !errors.Is(err, ErrNoHandset) {
		t.Errorf("unknown handset: %v", err)
	}
	digits, _ := r.sim.accounts.number(testNumber).snapshot()
	for name, phone := range map[string]string{"": "+4915155500124", "Eve": "123", "Twin": "+" + dewi, "Business": digits} {
		if _, err := p.Add(name, phone); !errors.As(err, new(*HandsetError)) {
			t.Errorf("add %q %q: %v", name, phone, err)
		}
	}
	if len(r.recv.all()) != 0 {
		t.Errorf("the business has heard: %v", r.recv.all())
	}
}

// TestHandsetReads shows that messages stay delivered until their chat is opened. A person with a script reads at once.
func TestHandsetReads(t *testing.T) {
	t.Parallel()
	r, p := handsetRig(t)
	id := r.send(text("+"+dewi, "one"))
	ada := r.send(text(DemoPhone, "two"))
	r.settle(time.Minute)
	if got := fmt.Sprint(r.recv.statuses(id), r.recv.statuses(ada), unreadOf(p, dewi), unreadOf(p, DemoPhone[1:])); got != "[sent delivered] [sent delivered read] 1 0" {
		t.Errorf("before: %s", got)
	}
	for range 2 {
		must(t, p.Read(dewi, testNumber))
		r.settle(0)
		if got := fmt.Sprint(r.recv.statuses(id), unreadOf(p, dewi)); got != "[sent delivered read] 0" {
			t.Errorf("after: %s", got)
		}
	}
}

// TestHandsetOffline shows that messages to a handset that is off wait in the network.
func TestHandsetOffline(t *testing.T) {
	t.Parallel()
	r, p := handsetRig(t)
	on, off := true, false
	if _, err := p.Change(dewi, HandsetChange{Online: &off}, nil); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range 3 {
		ids = append(ids, r.send(text("+"+dewi, fmt.Sprint(i))))
	}
	r.settle(time.Hour)
	if got := fmt.Sprint(r.recv.statuses(ids[0]), len(r.chat())); got != "[sent] 1" {
		t.Errorf("offline: %s", got)
	}
	if _, err := p.Write(dewi, Writing{PhoneNumberID: testNumber, Type: "text", Text: "x"}); !errors.As(err, new(*HandsetError)) {
		t.Errorf("wrote while offline: %v", err)
	}
	if _, err := p.Change(dewi, HandsetChange{Online: &on}, nil); err != nil {
		t.Fatal(err)
	}
	r.settle(0)
	for i, id := range ids {
		if got := fmt.Sprint(r.recv.statuses(id)) + " " + r.chat()[i+1].Text; got != fmt.Sprintf("[sent delivered] %d", i) {
			t.Errorf("back online: %s", got)
		}
	}
}

func TestHandsetBlocksAndStops(t *testing.T) {
	t.Parallel()
	r, p := handsetRig(t)
	yes, no := true, false
	_, _ = p.Change(dewi, HandsetChange{Blocked: &yes}, nil)
	id := r.send(text("+"+dewi, "one"))
	r.settle(time.Minute)
	if r.recv.failureOf(t, id) != 131026 || len(r.chat()) != 1 {
		t.Errorf("blocked: %v", r.recv.statuses(id))
	}
	if _, err := p.Write(dewi, Writing{PhoneNumberID: testNumber, Type: "text", Text: "x"}); !errors.As(err, new(*HandsetError)) {
		t.Errorf("wrote to whom it blocks: %v", err)
	}
	_, _ = p.Change(dewi, HandsetChange{Blocked: &no}, nil)
	promo := map[string]any{"messaging_product": "whatsapp", "to": "+" + dewi, "type": "template", "template": map[string]any{
		"name": "new_arrivals", "language": map[string]any{"code": "en_US"}, "components": []any{
			map[string]any{"type": "header", "parameters": []any{map[string]any{"type": "image", "image": map[string]any{"link": "https://shop.example.com/a.png"}}}}},
	}}
	for _, c := range []struct {
		kind string
		code int
	}{{"stop", 131050}, {"resume", 0}} {
		r.write(Writing{Type: c.kind})
		if last := r.recv.all()[len(r.recv.all())-1]; last.field != "user_preferences" || dig(last.value, "user_preferences", 0, "value") != c.kind {
			t.Errorf("%s: %v", c.kind, last)
		}
		id := r.send(promo)
		r.settle(time.Minute)
		if got := r.recv.failureOf(t, id); got != c.code {
			t.Errorf("after %s: %d", c.kind, got)
		}
	}
}

func TestHandsetShowsWhatItGets(t *testing.T) {
	t.Parallel()
	r, p := handsetRig(t)
	show := func(kind string, content any) ChatMessage {
		t.Helper()
		r.send(map[string]any{"messaging_product": "whatsapp", "to": "+" + dewi, "type": kind, kind: content})
		r.settle(time.Minute)
		return r.last()
	}
	template := show("template", map[string]any{"name": "promo", "language": map[string]any{"code": "en_US"}, "components": []any{
		map[string]any{"type": "body", "parameters": []any{map[string]any{"type": "text", "text": "30"}}},
		map[string]any{"type": "button", "sub_type": "url", "index": "1", "parameters": []any{map[string]any{"type": "text", "text": "sale"}}},
	}})
	if template.Text != "Only this week: 30 percent off everything." || template.Footer != "Reply STOP to opt out" || len(template.Buttons) != 2 ||
		template.Buttons[1] != (ChatButton{Kind: "url", Title: "Shop now", URL: "https://shop.example.com/sale"}) {
		t.Errorf("template: %+v", template)
	}
	r.write(Writing{Type: "button", MessageID: template.ID, ButtonID: "Tell me more"})
	if got := r.heard(); dig(got, "button", "text") != "Tell me more" || dig(got, "context", "id") != template.ID {
		t.Errorf("pressed: %v", got)
	}
	list := show("interactive", map[string]any{"type": "list", "body": map[string]any{"text": "When?"}, "action": map[string]any{
		"button": "Choose", "sections": []any{map[string]any{"title": "Days", "rows": []any{map[string]any{"id": "mon", "title": "Monday", "description": "noon"}}}},
	}})
	if list.List != "Choose" || list.Buttons[0] != (ChatButton{Kind: "row", ID: "mon", Title: "Monday", Description: "noon", Section: "Days"}) {
		t.Errorf("list: %+v", list)
	}
	r.write(Writing{Type: "list", MessageID: list.ID, ButtonID: "mon"})
	if dig(r.heard(), "interactive", "list_reply", "id") != "mon" || r.last().Text != "Monday" {
		t.Errorf("chosen: %v", r.heard())
	}
	mine := r.last().ID
	r.send(map[string]any{"messaging_product": "whatsapp", "to": "+" + dewi, "type": "reaction", "reaction": map[string]any{"message_id": mine, "emoji": "🙏"}})
	r.settle(time.Minute)
	if got := r.last(); got.ID != mine || got.TheirMark != "🙏" {
		t.Errorf("the business's reaction: %+v", got)
	}
	if _, _, _, found := p.File("1", []string{testNumber}); found {
		t.Error("a file that is not there")
	}
}

func TestHandsetFiles(t *testing.T) {
	t.Parallel()
	r, p := handsetRig(t)
	r.write(Writing{Type: "image", File: &InboundFile{MimeType: "image/png", Data: []byte("png")}})
	id := r.last().File.ID
	if kind, _, data, found := p.File(id, []string{testNumber}); !found || kind != "image/png" || string(data) != "png" {
		t.Errorf("the file: %s %q %v", kind, data, found)
	}
	if _, _, _, found := p.File(id, []string{"100200300400501"}); found {
		t.Error("another number's file is shown")
	}
}

// TestHandsetsAreBoundedAndWatched shows that memory does not grow with use, and that watchers are told.
func TestHandsetsAreBoundedAndWatched(t *testing.T) {
	t.Parallel()
	r, p := handsetRig(t)
	var told atomic.Int64
	p.Watch(func(number string) { told.Add(1) })
	for i := range maxLines + 50 {
		r.sim.Phones().show(&message{id: fmt.Sprint(i), number: r.sim.accounts.number(testNumber), to: recipient{phone: dewi}}, false)
	}
	if n := len(r.chat()); n != maxLines || told.Load() != maxLines+50 {
		t.Errorf("%d lines, told %d times", n, told.Load())
	}
	for i := range maxHandsets + 10 {
		_, _ = p.Add("Eve", fmt.Sprintf("+49151660%05d", i))
	}
	if n := len(p.List(nil)); n != maxHandsets {
		t.Errorf("%d handsets", n)
	}
	if got := r.do(http.MethodPost, "/_sim/reset", nil); got.status != http.StatusOK || len(p.List(nil)) != 1+len(readyHandsets) || len(r.chat()) != 0 {
		t.Errorf("after a reset: %d handsets", len(p.List(nil)))
	}
}
