package simulator

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/simulator/files"
	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// Past is a chat that a number had before it was connected. The network hands such chats over if the number's phone app
// agrees. That is the only way in which old messages of both sides arrive.
type Past struct {
	Phone string
	Name  string
	Lines []PastLine
}

// PastLine is a message of a past chat.
type PastLine struct {
	At       time.Time
	Outbound bool
	Status   string // as the network writes it: READ, DELIVERED, SENT, ERROR; empty means READ
	Type     string
	Content  any // the object of the type, without its file
	File     *InboundFile
	Quotes   int // the position of an earlier line that this one answers, counted from 1; 0 means none
	Reacts   int // likewise, of the line that is reacted to
}

// HandOver sends past chats of a number, as after it was connected together with its phone app: the names of the
// people, the messages, then their files. It returns the ids of each chat's messages.
func (s *Simulator) HandOver(phoneNumberID string, chats []Past) (ids [][]string, err error) {
	n, err := s.target(phoneNumberID, "")
	if err != nil {
		return nil, err
	}
	if err := s.introduce(n, chats); err != nil {
		return nil, err
	}
	var threads []any
	var files []map[string]any
	for _, chat := range chats {
		who := s.withPhone(n.waba.Load(), chat.Phone)
		own, messages, withFiles := s.pastMessages(n, who, chat.Lines)
		ids = append(ids, own)
		threads = append(threads, map[string]any{
			"id": chat.Phone, "context": map[string]string{"wa_id": chat.Phone, "user_id": who.userID}, "messages": messages,
		})
		files = append(files, withFiles...)
	}
	s.sendValue(n, "", "history", map[string]any{"history": []any{map[string]any{
		"metadata": map[string]int{"phase": 0, "chunk_order": 1, "progress": 100}, "threads": threads,
	}}})
	for _, file := range files {
		s.sendValue(n, "", "history", file)
	}
	return ids, nil
}

// introduce sends the names of people, which their chats do not contain.
func (s *Simulator) introduce(n *number, chats []Past) error {
	var list []any
	for i := range chats {
		chat := &chats[i]
		digits, valid := names.NormalizePhone(chat.Phone)
		if !valid {
			return fmt.Errorf("phone %q must be 7 to 15 digits", chat.Phone)
		}
		chat.Phone = names.CanonicalPhone(digits)
		if err := s.rename(chat.Phone, chat.Name); err != nil {
			return err
		}
		who := s.withPhone(n.waba.Load(), chat.Phone)
		list = append(list, map[string]any{
			"type": "contact", "action": "add", "metadata": map[string]string{"timestamp": strconv.FormatInt(s.now().Unix(), 10)},
			"contact": map[string]string{"full_name": chat.Name, "phone_number": chat.Phone, "user_id": who.userID},
		})
	}
	s.sendValue(n, "", "smb_app_state_sync", map[string]any{"state_sync": list})
	return nil
}

// pastMessages builds the messages of a chat. A file leaves a placeholder in the chat and is sent separately.
func (s *Simulator) pastMessages(n *number, who recipient, lines []PastLine) (ids []string, messages []any, files []map[string]any) {
	ids = make([]string, len(lines))
	for i, line := range lines {
		direction := byte(names.Inbound)
		if line.Outbound {
			direction = names.Outbound
		}
		ids[i] = s.ids.Wamid(who.key(), direction)
		object := s.pastObject(n, who, line, ids, i)
		if line.File == nil {
			messages = append(messages, object)
			continue
		}
		list := map[bool]string{false: "messages", true: "message_echoes"}[line.Outbound]
		files = append(files, map[string]any{
			"contacts": []any{map[string]any{"wa_id": who.phone, "user_id": who.userID}}, list: []any{object},
		})
		placeholder := map[string]any{"type": "media_placeholder"}
		for _, key := range []string{"from", "to", "id", "timestamp", "history_context"} {
			if object[key] != nil {
				placeholder[key] = object[key]
			}
		}
		messages = append(messages, placeholder)
	}
	return ids, messages, files
}

func (s *Simulator) pastObject(n *number, who recipient, line PastLine, ids []string, i int) map[string]any {
	digits, _ := n.snapshot()
	status := line.Status
	if status == "" {
		status = "READ"
	}
	object := map[string]any{
		"from": who.phone, "id": ids[i], "timestamp": strconv.FormatInt(line.At.Unix(), 10), "type": line.Type,
		line.Type: s.pastContent(n, who, line, ids), "history_context": map[string]string{"status": status},
	}
	if line.Outbound {
		object["from"], object["to"] = digits, who.phone
	}
	if line.Quotes > 0 {
		object["context"] = map[string]string{"id": ids[line.Quotes-1]}
	}
	s.phones.show(&message{
		id: ids[i], number: n, to: who, inbound: !line.Outbound, kind: line.Type, created: line.At, changed: line.At,
		state: "past", read: true, body: wire.MustJSON(object),
	}, true)
	return object
}

func (s *Simulator) pastContent(n *number, who recipient, line PastLine, ids []string) any {
	if line.Reacts > 0 {
		return map[string]any{"message_id": ids[line.Reacts-1], "emoji": line.Content}
	}
	if line.File == nil {
		return line.Content
	}
	f := s.storeInbound(n, who, line.File, files.Samples[line.Type])
	object := map[string]any{}
	if line.Content != nil {
		_ = json.Unmarshal(wire.MustJSON(line.Content), &object) // content that is not an object cannot be added to a file
	}
	object["id"], object["mime_type"], object["sha256"] = f.ID, f.MimeType, fmt.Sprintf("%x", f.Sum)
	if f.Name != "" {
		object["filename"] = f.Name
	}
	return object
}
