package simulator

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// again stops the simulator and starts another one with the same folder, as a restart of the program does.
func (r *rig) again(dir string) *rig {
	r.t.Helper()
	r.sim.Stop(context.Background())
	next := newRig(r.t, func(c *Config) { c.Folder, c.Seed, c.Now = dir, 8, r.clock.now })
	next.clock = r.clock
	return next
}

// sampleTemplate is a template that no account has from the start.
func sampleTemplate(name string) map[string]any {
	return map[string]any{"name": name, "language": "en_US", "category": "UTILITY", "components": []any{
		map[string]any{"type": "BODY", "text": "Your table is ready."},
		map[string]any{"type": "BUTTONS", "buttons": []any{map[string]any{"type": "QUICK_REPLY", "text": "Coming"}}},
	}}
}

// TestKeptOverARestart shows that everything a handset shows, and everyone who can be written to, is as before.
func TestKeptOverARestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "simulator")
	r := newRig(t, func(c *Config) { c.Folder = dir })
	account := r.sim.provisionNumber(testNumber, token{}).waba.Load().id
	if got := r.do("POST", "/"+account+"/message_templates", sampleTemplate("table_instant")); got.status != 200 {
		t.Fatalf("create a template: %s", got.raw)
	}
	first := r.write(Writing{Type: "text", Text: "Halo"})
	r.write(Writing{Type: "image", Text: "look", File: &InboundFile{MimeType: "image/png", Data: []byte("picture")}})
	answer := r.send(map[string]any{"messaging_product": "whatsapp", "to": "+" + dewi, "type": "text", "text": map[string]any{"body": "Hi"}, "context": map[string]any{"message_id": first}})
	r.send(map[string]any{"messaging_product": "whatsapp", "to": "+" + dewi, "type": "template", "template": map[string]any{"name": "table_instant", "language": map[string]any{"code": "en_US"}}})
	r.send(map[string]any{"messaging_product": "whatsapp", "to": "+" + dewi, "type": "reaction", "reaction": map[string]any{"message_id": first, "emoji": "❤️"}})
	r.settle(time.Minute)
	r.write(Writing{Type: "reaction", MessageID: answer, Emoji: "👍"})
	off := false
	if _, err := r.sim.Phones().Change(dewi, HandsetChange{Online: &off}, nil); err != nil {
		t.Fatal(err)
	}
	held := r.send(text("+"+dewi, "while you were off"))
	r.settle(time.Minute)
	before := r.chat()

	r = r.again(dir)
	if after := r.chat(); !reflect.DeepEqual(plain(before), plain(after)) {
		t.Errorf("the chat was\n%+v\nand is\n%+v", before, after)
	}
	if _, _, data, _ := r.sim.Phones().File(before[1].File.ID, []string{testNumber}); string(data) != "picture" {
		t.Errorf("the picture is %q", data)
	}
	on := true
	if _, err := r.sim.Phones().Change(dewi, HandsetChange{Online: &on}, nil); err != nil {
		t.Fatal(err)
	}
	r.settle(time.Minute)
	if got := r.recv.statuses(held); !slices.Equal(got, []string{"delivered"}) || r.last().Text != "while you were off" {
		t.Errorf("what was held back has %v; the chat ends with %q", got, r.last().Text)
	}
	r.write(Writing{Type: "button", MessageID: before[3].ID, ButtonID: before[3].Buttons[0].ID})
	id := r.send(text("+"+dewi, "still open?"))
	r.settle(time.Minute)
	if got := r.recv.statuses(id); !slices.Equal(got, []string{"sent", "delivered"}) {
		t.Errorf("a message in the open window has %v", got)
	}
}

// plain makes times comparable: those read from a file have no time zone of their own.
func plain(list []ChatMessage) []ChatMessage {
	list = slices.Clone(list)
	for i := range list {
		list[i].Created = list[i].Created.UTC()
	}
	return list
}

// TestKeptFilesGo shows that a file that no chat shows any more is deleted.
func TestKeptFilesGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := newRig(t, func(c *Config) { c.Folder = dir })
	r.write(Writing{Type: "image"})
	r = r.again(dir)
	if files, _ := filepath.Glob(filepath.Join(dir, "*"+fileEnd)); len(files) != 1 {
		t.Fatalf("there are %v", files)
	}
	for range maxLines {
		if _, err := r.sim.Phones().Write(dewi, Writing{PhoneNumberID: testNumber, Type: "text", Text: "more"}); err != nil {
			t.Fatal(err)
		}
	}
	r.settle(0)
	r.sim.Stop(context.Background())
	if files, _ := filepath.Glob(filepath.Join(dir, "*"+fileEnd)); len(files) != 0 {
		t.Errorf("there are still %v", files)
	}
}

// TestKeptCannotBeRead shows that a broken state is reported, and the simulator starts without it.
func TestKeptCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"cut off": `{"version":1,"handsets":[{"id"`, "of another version": `{"version":99}`} {
		var log bytes.Buffer
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, keptName), []byte(text), 0o600))
		sim := New(Config{Folder: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if len(sim.Phones().List(nil)) != 1+len(readyHandsets) || !bytes.Contains(log.Bytes(), []byte("cannot be read")) {
			t.Errorf("%s: %v, logged %s", name, sim.Phones().List(nil), &log)
		}
	}
}
