package core

import (
	"encoding/json"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
)

// maxPreview is how many characters of a message are shown in lists.
const maxPreview = 160

// Preview is the text that a list shows for a message: its text in one line, or empty if its type says everything.
func Preview(m chat.Message) string {
	if m.Revoked {
		return ""
	}
	text := deref(bodyOf(m))
	if text == "" {
		text = otherText(m)
	}
	return firstRunes(strings.Join(strings.Fields(text), " "), maxPreview)
}

// otherText is the text of messages without a body.
func otherText(m chat.Message) string {
	switch m.Type {
	case chat.TypeContacts:
		var cards []struct {
			Name struct {
				Formatted string `json:"formatted_name"`
			} `json:"name"`
		}
		if json.Unmarshal(m.Content, &cards) == nil && len(cards) > 0 {
			return cards[0].Name.Formatted
		}
		return ""
	}
	var c struct {
		Text        string `json:"text"` // the text of a button
		Name        string `json:"name"` // the name of a place
		Address     string `json:"address"`
		Filename    string `json:"filename"`
		ButtonReply struct {
			Title string `json:"title"`
		} `json:"button_reply"`
		ListReply struct {
			Title string `json:"title"`
		} `json:"list_reply"`
	}
	if json.Unmarshal(m.Content, &c) != nil {
		return ""
	}
	for _, text := range []string{c.ButtonReply.Title, c.ListReply.Title, c.Text, c.Name, c.Address, c.Filename} {
		if text != "" {
			return text
		}
	}
	return ""
}
