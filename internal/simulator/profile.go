package simulator

import (
	"fmt"
	"net/mail"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// profile is what people see of a business when they open its number.
type profile struct {
	about, address, description, email, vertical, picture string
	websites                                              []string
}

var profileFields = []string{"messaging_product", "about", "address", "description", "email", "profile_picture_url", "websites", "vertical"}

// node shows the fields that are set. The upstream leaves the others out.
func (p profile) node() node {
	fields := map[string]any{"messaging_product": "whatsapp", "websites": nil}
	for name, text := range map[string]string{
		"about": p.about, "address": p.address, "description": p.description, "email": p.email, "vertical": p.vertical, "profile_picture_url": p.picture,
	} {
		fields[name] = nil
		if text != "" {
			fields[name] = text
		}
	}
	if len(p.websites) > 0 {
		fields["websites"] = p.websites
	}
	return node{kind: "WhatsAppBusinessProfile", anonymous: true, defaults: profileFields, fields: fields}
}

func (s *Simulator) getProfile(c *call, n *number) (answer, *wire.Error) {
	n.mu.Lock()
	shown := n.profile.node()
	n.mu.Unlock()
	out, err := shown.pick(c.param("fields"))
	if err != nil {
		return answer{}, err
	}
	out["messaging_product"] = "whatsapp" // always included, even if not requested
	return ok(map[string]any{"data": []any{out}}), nil
}

// profileChange has the fields to change; the others stay as they are.
type profileChange struct {
	Product     string    `json:"messaging_product"`
	About       *string   `json:"about"`
	Address     *string   `json:"address"`
	Description *string   `json:"description"`
	Email       *string   `json:"email"`
	Vertical    *string   `json:"vertical"`
	Websites    *[]string `json:"websites"`
	Picture     *string   `json:"profile_picture_handle"`
}

func (s *Simulator) setProfile(c *call, n *number) (answer, *wire.Error) {
	var in profileChange
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if err := in.check(); err != nil {
		return answer{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	in.apply(&n.profile)
	return success, nil
}

// profileVerticals are the kinds of business that a profile can name.
var profileVerticals = []string{
	"ALCOHOL", "APPAREL", "AUTO", "BEAUTY", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GOVT", "GROCERY", "HEALTH", "HOTEL", "NONPROFIT", "NOT_A_BIZ",
	"ONLINE_GAMBLING", "OTC_DRUGS", "OTHER", "PHYSICAL_GAMBLING", "PROF_SERVICES", "RESTAURANT", "RETAIL", "TRAVEL", "UNDEFINED",
}

const (
	maxAbout       = 139
	maxAddress     = 256
	maxDescription = 512
	maxEmail       = 128
	maxWebsite     = 256
	maxWebsites    = 2
)

func (in profileChange) check() *wire.Error {
	if in.About != nil && *in.About == "" {
		return wire.BadParam("Param about must be at least 1 characters long.")
	}
	if in.Vertical != nil && *in.Vertical != "" {
		if err := wire.OneOf("vertical", profileVerticals, *in.Vertical); err != nil {
			return err
		}
	}
	if in.Picture != nil && !names.IsUploadHandle(*in.Picture) {
		return wire.BadParam("Param profile_picture_handle must be a handle of the Resumable Upload API.")
	}
	return wire.FirstError(checkProduct(in.Product), in.checkLengths(), in.checkAddresses())
}

func (in profileChange) checkLengths() *wire.Error {
	for _, limit := range []struct {
		name  string
		value *string
		most  int
	}{{"about", in.About, maxAbout}, {"address", in.Address, maxAddress}, {"description", in.Description, maxDescription}, {"email", in.Email, maxEmail}} {
		if limit.value == nil {
			continue
		}
		if err := wire.TooLong(limit.name, *limit.value, limit.most); err != nil {
			return err
		}
	}
	return nil
}

func (in profileChange) checkAddresses() *wire.Error {
	if in.Email != nil && *in.Email != "" {
		if a, err := mail.ParseAddress(*in.Email); err != nil || a.Address != *in.Email {
			return wire.BadParam("Param email must be a valid email address.")
		}
	}
	if in.Websites == nil {
		return nil
	}
	if len(*in.Websites) > maxWebsites {
		return wire.BadParam("Param websites must have at most %d items.", maxWebsites)
	}
	for i, site := range *in.Websites {
		name := fmt.Sprintf("websites[%d]", i)
		if !wire.IsWebURL(site) {
			return wire.BadParam("Param %s must be a valid URL that starts with http:// or https://.", name)
		}
		if err := wire.TooLong(name, site, maxWebsite); err != nil {
			return err
		}
	}
	return nil
}

func (in profileChange) apply(p *profile) {
	for _, set := range []struct{ to, from *string }{
		{&p.about, in.About}, {&p.address, in.Address}, {&p.description, in.Description}, {&p.email, in.Email}, {&p.vertical, in.Vertical},
	} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	if in.Websites != nil {
		p.websites = *in.Websites
	}
	if in.Picture != nil {
		p.picture = fmt.Sprintf("https://pps.whatsapp.net/v/t61.24694-24/%d_n.jpg", names.HashString(*in.Picture))
	}
}
