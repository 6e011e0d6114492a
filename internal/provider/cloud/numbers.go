package cloud

import (
	"context"
	"net/url"

	"github.com/parleyhq/parley/internal/provider"
)

// Register makes a verified number able to send. pin becomes its two-step code, or must match it.
func (c *Client) Register(ctx context.Context, n provider.Number, pin string) error {
	body := appendMember([]byte(`{"messaging_product":"whatsapp"`), "pin", pin)
	return c.command(ctx, n.Token, url.PathEscape(n.PhoneNumberID)+"/register", append(body, '}'))
}

const phoneNumberFields = "id,display_phone_number,verified_name,status,quality_rating,platform_type,is_on_biz_app"

// PhoneNumber reads what the upstream knows of a number.
func (c *Client) PhoneNumber(ctx context.Context, n provider.Number) (provider.PhoneNumber, error) {
	answer, err := c.get(ctx, n.Token, url.PathEscape(n.PhoneNumberID)+"?fields="+phoneNumberFields)
	if err != nil {
		return provider.PhoneNumber{}, err
	}
	return provider.PhoneNumber{
		ID:            answer.text("id"),
		Display:       answer.text("display_phone_number"),
		VerifiedName:  answer.text("verified_name"),
		Status:        answer.text("status"),
		Quality:       answer.text("quality_rating"),
		OnBusinessApp: answer.flag("is_on_biz_app") && answer.text("platform_type") == "CLOUD_API",
	}, nil
}
