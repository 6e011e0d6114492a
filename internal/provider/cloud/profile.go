package cloud

import (
	"context"
	"net/url"

	"github.com/go-json-experiment/json"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
)

const (
	profilePath   = "/whatsapp_business_profile"
	profileFields = "about,address,description,email,profile_picture_url,websites,vertical"
)

// Profile reads a number's business profile. The upstream omits fields that are not set.
func (c *Client) Profile(ctx context.Context, n provider.Number) (chat.BusinessProfile, error) {
	answer, err := c.get(ctx, n.Token, url.PathEscape(n.PhoneNumberID)+profilePath+"?fields="+profileFields)
	if err != nil {
		return chat.BusinessProfile{}, err
	}
	shown := answer.first("data")
	p := chat.BusinessProfile{
		About: shown.text("about"), Address: shown.text("address"), Description: shown.text("description"), Email: shown.text("email"),
		Vertical: shown.text("vertical"), PictureURL: shown.text("profile_picture_url"),
	}
	for site := range shown.elements("websites") {
		if text := site.str(); text != "" {
			p.Websites = append(p.Websites, text)
		}
	}
	return p, nil
}

// wireProfile is a change of a profile in the upstream's form. Absent fields stay unchanged.
type wireProfile struct {
	Product     string    `json:"messaging_product"`
	About       *string   `json:"about,omitzero"`
	Address     *string   `json:"address,omitzero"`
	Description *string   `json:"description,omitzero"`
	Email       *string   `json:"email,omitzero"`
	Vertical    *string   `json:"vertical,omitzero"`
	Websites    *[]string `json:"websites,omitzero"`
	Picture     *string   `json:"profile_picture_handle,omitzero"`
}

// UpdateProfile changes a number's business profile.
func (c *Client) UpdateProfile(ctx context.Context, n provider.Number, p chat.ProfileChange) error {
	body, err := json.Marshal(wireProfile{upstreamProduct, p.About, p.Address, p.Description, p.Email, p.Vertical, p.Websites, p.PictureHandle})
	if err != nil {
		return unsendable(err)
	}
	return c.command(ctx, n.Token, url.PathEscape(n.PhoneNumberID)+profilePath, body)
}
