package chat

import (
	"net/mail"
	"net/url"
	"slices"
	"unicode/utf8"
)

// BusinessProfile is the public profile of a business number. Fields that are not set are empty.
type BusinessProfile struct {
	About       string
	Address     string
	Description string
	Email       string
	Vertical    string // the kind of business, one of verticals
	Websites    []string
	PictureURL  string
}

// ProfileChange has the fields to change; nil leaves a field as it is.
type ProfileChange struct {
	About       *string
	Address     *string
	Description *string
	Email       *string
	Vertical    *string
	Websites    *[]string
	// PictureHandle is the provider's handle of an uploaded picture.
	PictureHandle *string
}

// Fields are the names of the changed fields.
func (p ProfileChange) Fields() (names []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"about", p.About != nil}, {"address", p.Address != nil}, {"description", p.Description != nil}, {"email", p.Email != nil},
		{"vertical", p.Vertical != nil}, {"websites", p.Websites != nil}, {"picture", p.PictureHandle != nil},
	} {
		if f.given {
			names = append(names, f.name)
		}
	}
	return names
}

// verticals are the kinds of business of a profile, in the provider's words.
var verticals = []string{
	"ALCOHOL", "APPAREL", "AUTO", "BEAUTY", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GOVT", "GROCERY", "HEALTH", "HOTEL", "NONPROFIT", "NOT_A_BIZ",
	"ONLINE_GAMBLING", "OTC_DRUGS", "OTHER", "PHYSICAL_GAMBLING", "PROF_SERVICES", "RESTAURANT", "RETAIL", "TRAVEL",
}

// The provider's limits of a profile.
const (
	maxAbout          = 139
	maxAddress        = 256
	maxProfileText    = 512
	maxProfileEmail   = 128
	maxWebsite        = 256
	maxWebsites       = 2
	MaxProfilePicture = 5 << 20
)

// Check refuses a change that the provider would refuse, before it is asked.
func (p ProfileChange) Check() error {
	if p.About != nil && *p.About == "" {
		return Invalid("about", "Write something: the provider takes no empty text here.")
	}
	for _, limit := range []struct {
		name  string
		value *string
		most  int
	}{{"about", p.About, maxAbout}, {"address", p.Address, maxAddress}, {"description", p.Description, maxProfileText}, {"email", p.Email, maxProfileEmail}} {
		if limit.value != nil && utf8.RuneCountInString(*limit.value) > limit.most {
			return Invalid(limit.name, "Must have at most %d characters.", limit.most)
		}
	}
	if p.Email != nil && *p.Email != "" {
		if a, err := mail.ParseAddress(*p.Email); err != nil || a.Address != *p.Email {
			return Invalid("email", "Must be an e-mail address.")
		}
	}
	if p.Vertical != nil && !slices.Contains(verticals, *p.Vertical) {
		return Invalid("vertical", "Must be one of the provider's kinds of business.")
	}
	return p.checkWebsites()
}

func (p ProfileChange) checkWebsites() error {
	if p.Websites == nil {
		return nil
	}
	if len(*p.Websites) > maxWebsites {
		return Invalid("websites", "There is room for %d.", maxWebsites)
	}
	for _, site := range *p.Websites {
		u, err := url.Parse(site)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || utf8.RuneCountInString(site) > maxWebsite {
			return Invalid("websites", "Must be addresses that begin with https:// or http://, of at most %d characters.", maxWebsite)
		}
	}
	return nil
}
