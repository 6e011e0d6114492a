package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/recent"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

const syncWithin = 24 * time.Hour

// syncAppData starts the synchronization of contacts or history for a number that is also used in the phone app. Each
// can be requested once, within a day.
func (s *Simulator) syncAppData(c *call, n *number) (answer, *wire.Error) {
	var in struct {
		Product string `json:"messaging_product"`
		Type    string `json:"sync_type"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if err := checkProduct(in.Product); err != nil {
		return answer{}, err
	}
	if in.Type != "history" && in.Type != "smb_app_state_sync" {
		return answer{}, wire.BadParam("Param sync_type must be one of {HISTORY, SMB_APP_STATE_SYNC} - got %q.", in.Type)
	}
	if err := n.maySync(in.Type, s.now()); err != nil {
		return answer{}, err
	}
	s.sync(n, in.Type)
	return ok(map[string]string{"messaging_product": "whatsapp", "request_id": fmt.Sprintf("%016x", s.ids.Next())}), nil
}

func (n *number) maySync(kind string, now time.Time) *wire.Error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case !n.onApp:
		return wire.Refuse(100, "This number is not used with the business app")
	case n.synced[kind]:
		return wire.Refuse(2593107, "This synchronization was requested before")
	case now.Sub(n.onboarded) >= syncWithin:
		return wire.Refuse(2593108, "Synchronization can be requested within 24 hours of onboarding")
	}
	n.synced[kind] = true
	return nil
}

// sync queues the data that the phone app would hand over.
func (s *Simulator) sync(n *number, kind string) {
	delay := s.plans.Load().delays.Delivered
	s.sched.after(delay, func(at time.Time) {
		if kind == "smb_app_state_sync" {
			s.sendAppContacts(n, at)
			return
		}
		s.sendHistory(n, at)
	})
}

// appContacts are the contacts of a simulated phone app.
var appContacts = []string{"4915510000101", "4915510000102", "4915510000103"}

// sendValue queues a change whose value starts with the number's metadata.
func (s *Simulator) sendValue(n *number, person, field string, fields map[string]any) {
	digits, _ := n.snapshot()
	value := map[string]any{
		"messaging_product": "whatsapp", "metadata": map[string]string{"display_phone_number": digits, "phone_number_id": n.id},
	}
	maps.Copy(value, fields)
	s.callbacks.about(n, person, update{number: n, field: field, value: wire.JSON(value), at: s.now().Unix()})
}

func (s *Simulator) sendAppContacts(n *number, at time.Time) {
	var list []any
	for _, phone := range appContacts {
		who := s.withPhone(n.waba.Load(), phone)
		list = append(list, map[string]any{
			"type": "contact", "action": "add", "metadata": map[string]string{"timestamp": strconv.FormatInt(at.Unix(), 10)},
			"contact": map[string]string{
				"full_name": who.person.Name + " Example", "first_name": who.person.Name, "phone_number": phone, "user_id": who.userID,
			},
		})
	}
	s.sendValue(n, "", "smb_app_state_sync", map[string]any{"state_sync": list})
}

// sendHistory sends three phases, of which the last completes the history, and a file that the first one mentioned. A
// business can decline to share.
func (s *Simulator) sendHistory(n *number, at time.Time) {
	n.mu.Lock()
	declined := n.historyDeclined
	n.mu.Unlock()
	if declined {
		w := &wire.Writer{}
		appendWebhookError(w, 2593109)
		s.sendValue(n, "", "history", map[string]any{"history": []any{map[string]any{"errors": []any{json.RawMessage(w.B)}}}})
		return
	}
	for phase, progress := range []int{55, 80, 100} {
		var threads []any
		for i, phone := range appContacts {
			threads = append(threads, s.historyThread(n, phone, at.Add(-time.Duration(phase*30+i+1)*24*time.Hour), phase))
		}
		s.sendValue(n, "", "history", map[string]any{"history": []any{map[string]any{
			"metadata": map[string]int{"phase": phase, "chunk_order": 1, "progress": progress}, "threads": threads,
		}}})
	}
}

func (s *Simulator) historyThread(n *number, phone string, at time.Time, phase int) map[string]any {
	digits, _ := n.snapshot()
	who := s.withPhone(n.waba.Load(), phone)
	stamp := func(d time.Duration) string { return strconv.FormatInt(at.Add(d).Unix(), 10) }
	messages := []any{
		map[string]any{
			"from": phone, "id": s.ids.Wamid(phone, names.Inbound), "timestamp": stamp(0), "type": "text",
			"text": map[string]string{"body": "Are you open tomorrow?"}, "history_context": map[string]string{"status": "READ"},
		},
		map[string]any{
			"from": digits, "to": phone, "id": s.ids.Wamid(phone, names.Outbound), "timestamp": stamp(time.Minute), "type": "text",
			"text": map[string]string{"body": "Yes, from nine."}, "history_context": map[string]string{"status": "READ"},
		},
	}
	if phase == 0 {
		messages = append(messages, s.historyPicture(n, who, stamp(2*time.Minute)))
	}
	return map[string]any{"id": phone, "context": map[string]string{"wa_id": phone, "user_id": who.userID}, "messages": messages}
}

// historyPicture is a placeholder in the thread; the file follows in its own callback.
func (s *Simulator) historyPicture(n *number, who recipient, timestamp string) map[string]any {
	id := s.ids.Wamid(who.phone, names.Inbound)
	f := s.storeInbound(n, who, nil, files.Samples["image"])
	s.sendValue(n, "", "history", map[string]any{
		"contacts": []any{map[string]any{"wa_id": who.phone, "user_id": who.userID}},
		"messages": []any{map[string]any{
			"from": who.phone, "id": id, "timestamp": timestamp, "type": "image",
			"image": map[string]string{"id": f.ID, "mime_type": f.MimeType, "sha256": fmt.Sprintf("%x", f.Sum), "caption": "A picture"},
		}},
	})
	return map[string]any{
		"from": who.phone, "id": id, "timestamp": timestamp, "type": "media_placeholder", "history_context": map[string]string{"status": "PLAYED"},
	}
}

// echo tells the app about a message that the business sent from its phone. The message opens no window.
func (s *Simulator) echo(n *number, to recipient, kind string, fields map[string]json.RawMessage) string {
	digits, _ := n.snapshot()
	id := s.ids.Wamid(to.key(), names.Outbound)
	object := map[string]any{"from": digits, "id": id, "timestamp": strconv.FormatInt(s.now().Unix(), 10), "type": kind, "to_user_id": to.userID}
	if phone := to.shownPhone(); phone != "" {
		object["to"] = phone
	}
	if to.parentID != "" {
		object["to_parent_user_id"] = to.parentID
	}
	for k, v := range fields {
		object[k] = v
	}
	now := s.now()
	m := &message{id: id, number: n, to: to, kind: kind, created: now, changed: now, state: "echoed", body: wire.MustJSON(object)}
	s.messages.Put(recent.Key(id), m)
	s.phones.show(m, false)
	w := &wire.Writer{}
	to.byUser = to.person.HidePhone
	to.appendContact(w, true)
	s.sendValue(n, to.key(), "smb_message_echoes", map[string]any{"contacts": []any{json.RawMessage(w.B)}, "message_echoes": []any{object}})
	return id
}
