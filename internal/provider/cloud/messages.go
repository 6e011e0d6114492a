package cloud

import (
	"context"
	"net/http"
	"net/url"

	"github.com/parleyhq/parley/internal/provider"
)

// Send sends a message. An answer without a message id counts as lost.
func (c *Client) Send(ctx context.Context, from provider.Number, m provider.Outbound) (provider.Sent, error) {
	body, err := encode(m)
	if err != nil {
		return provider.Sent{}, unsendable(err)
	}
	answer, err := c.post(ctx, from.Token, url.PathEscape(from.PhoneNumberID)+"/messages", body)
	if err != nil {
		return provider.Sent{}, err
	}
	sent := provider.Sent{MessageID: answer.first("messages").text("id")}
	if sent.MessageID == "" {
		return provider.Sent{}, unreadable(http.StatusOK, nil)
	}
	return sent, nil
}

// MarkRead marks a message, and all before it, as read.
func (c *Client) MarkRead(ctx context.Context, from provider.Number, messageID string, typing bool) error {
	body := []byte(`{"messaging_product":"whatsapp","status":"read"`)
	body = appendMember(body, "message_id", messageID)
	if typing {
		body = append(body, `,"typing_indicator":{"type":"text"}`...)
	}
	return c.command(ctx, from.Token, url.PathEscape(from.PhoneNumberID)+"/messages", append(body, '}'))
}
