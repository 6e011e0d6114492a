package demo

import (
	"encoding/json"
	"maps"

	"github.com/parleyhq/parley/internal/simulator"
)

// arrive sends a person's late lines. past are the ids of the past lines. It returns the ids of all lines of
// the talk.
func (w *week) arrive(number string, t talk, past []string) ([]string, error) {
	ids := past
	for _, l := range t.late {
		fields, err := l.object(ids)
		if err != nil {
			return nil, err
		}
		own, err := w.Simulator.Receive(simulator.Inbound{
			PhoneNumberID: number, From: simulator.From(t.phone, t.name), Type: l.kind, File: l.file, Fields: fields,
			Timestamp: w.now.Add(-l.ago).Unix(),
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, own[0])
		if l.kind != "reaction" {
			w.last[t.phone] = own[0]
		}
	}
	if t.fails != 0 {
		return ids, w.Simulator.Unreachable(t.phone, t.fails)
	}
	return ids, nil
}

// object is the message in the provider's form.
func (l line) object(ids []string) (map[string]json.RawMessage, error) {
	object := map[string]any{}
	maps.Copy(object, l.fields)
	switch {
	case l.reacts > 0:
		object["reaction"] = map[string]any{"message_id": ids[l.reacts-1], "emoji": l.content}
	case l.content != nil:
		object[l.kind] = l.content
	}
	if l.quotes > 0 {
		object["context"] = map[string]string{"id": ids[l.quotes-1]}
	}
	fields := make(map[string]json.RawMessage, len(object))
	for key, value := range object {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fields[key] = raw
	}
	return fields, nil
}
