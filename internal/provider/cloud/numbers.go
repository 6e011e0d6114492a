package cloud

import (
	"context"
	"net/url"

	"github.com/parleyhq/parley/internal/provider"
)

// Register registers a verified number, so that it can send. pin becomes its two-step PIN, or must match it.
func (c *Client) Register(ctx context.Context, n provider.Number, pin string) error {
	body := appendMember([]byte(`{"messaging_product":"whatsapp"`), "pin", pin)
	return c.command(ctx, n.Token, url.PathEscape(n.PhoneNumberID)+"/register", append(body, '}'))
}

const phoneNumberFields = "id,display_phone_number,verified_name,status,quality_rating,platform_type,is_on_biz_app,whatsapp_business_manager_messaging_limit"

// PhoneNumber reads the upstream's data about a number.
func (c *Client) PhoneNumber(ctx context.Context, n provider.Number) (provider.PhoneNumber, error) {
	answer, err := c.get(ctx, n.Token, url.PathEscape(n.PhoneNumberID)+"?fields="+phoneNumberFields)
	if err != nil {
		return provider.PhoneNumber{}, err
	}
	return phoneNumber(answer), nil
}

func phoneNumber(n node) provider.PhoneNumber {
	return provider.PhoneNumber{
		ID:            n.text("id"),
		Display:       n.text("display_phone_number"),
		VerifiedName:  n.text("verified_name"),
		Status:        n.text("status"),
		Quality:       n.text("quality_rating"),
		Limit:         n.text("whatsapp_business_manager_messaging_limit", "messaging_limit_tier"),
		OnBusinessApp: n.flag("is_on_biz_app") && n.text("platform_type") == "CLOUD_API",
	}
}
