package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerOrganization(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/organization", ID: "getOrganization", Tag: "Organization", Role: chat.RoleAdmin,
		Summary: "Get the organization's settings", Description: "What the organization has chosen for everybody in it.",
	}, getOrganization)

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/organization", ID: "updateOrganization", Tag: "Organization", Role: chat.RoleAdmin,
		Summary: "Change the organization's settings", Description: "Fields that are left out stay as they are. They count from the next message on.",
	}, updateOrganization)
}

type organizationView struct {
	ID          string           `json:"id"`
	Name        string           `json:"name"`
	TimeZone    string           `json:"time_zone" doc:"That of the opening hours."`
	MaskNumbers bool             `json:"mask_numbers" doc:"Agents see only the beginning and the end of people's numbers."`
	RoundRobin  bool             `json:"round_robin" doc:"Conversations of nobody are given to the members of the number's team who are there, in turn."`
	Hours       []openHours      `json:"opening_hours" doc:"When somebody is there. On days that are left out nobody is."`
	Away        awayMessageShown `json:"away_message"`
	SecondStep  bool             `json:"second_step" doc:"Everybody has to sign in with two steps."`
	BrandColor  string           `json:"brand_color" doc:"On the page on which customers connect their numbers; empty where it is the default."`
	LogoPath    string           `json:"logo_path" doc:"Where the logo is, on this host; empty where there is none."`
}

type openHours struct {
	Day    string `json:"day" enum:"sunday,monday,tuesday,wednesday,thursday,friday,saturday"`
	Opens  string `json:"opens" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
	Closes string `json:"closes" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"Not after opens: on the next day."`
}

type awayMessageShown struct {
	On   bool   `json:"on"`
	Text string `json:"text" maxLength:"1000" doc:"What people are told who write outside of the opening hours."`
}

func viewOrganization(o chat.Organization) organizationView {
	s := o.Settings
	view := organizationView{
		ID: o.ID, Name: o.Name, TimeZone: s.Zone(), MaskNumbers: s.MaskNumbers, RoundRobin: s.RoundRobin,
		Hours: []openHours{}, Away: awayMessageShown(s.Away), SecondStep: s.SecondStep, BrandColor: s.Brand.Color,
	}
	if s.Brand.LogoToken != "" {
		view.LogoPath = core.MediaPath(chat.Media{Token: s.Brand.LogoToken})
	}
	for _, h := range s.Hours {
		view.Hours = append(view.Hours, openHours(h))
	}
	return view
}

func getOrganization(c *rest.Call, _ *noInput) (organizationView, error) {
	return viewOrganization(c.Caller.Organization), nil
}

type updateOrganizationBody struct {
	Name        *string           `json:"name,omitempty" minLength:"1" maxLength:"200" trimmed:"true"`
	TimeZone    *string           `json:"time_zone,omitempty" minLength:"1" maxLength:"64" doc:"As Asia/Jakarta."`
	MaskNumbers *bool             `json:"mask_numbers,omitempty"`
	RoundRobin  *bool             `json:"round_robin,omitempty"`
	Hours       *[]openHours      `json:"opening_hours,omitempty" maxItems:"7"`
	Away        *awayMessageShown `json:"away_message,omitempty"`
	BrandColor  *string           `json:"brand_color,omitempty" pattern:"^(#[0-9a-f]{6})?$" doc:"As #0a7c5a; empty: the default."`
	SecondStep  *bool             `json:"second_step,omitempty" doc:"Only an owner who signs in with two steps can change it. true: whoever does not is led through the set-up before anything else."`
}

func (b updateOrganizationBody) apply(s *chat.Settings) {
	if b.TimeZone != nil {
		s.TimeZone = *b.TimeZone
	}
	if b.MaskNumbers != nil {
		s.MaskNumbers = *b.MaskNumbers
	}
	if b.RoundRobin != nil {
		s.RoundRobin = *b.RoundRobin
	}
	if b.Hours != nil {
		s.Hours = nil
		for _, h := range *b.Hours {
			s.Hours = append(s.Hours, chat.OpenHours(h))
		}
	}
	if b.BrandColor != nil {
		s.Brand.Color = *b.BrandColor
	}
	if b.SecondStep != nil {
		s.SecondStep = *b.SecondStep
	}
	if b.Away != nil {
		s.Away = chat.AwayMessage(*b.Away)
	}
}

func updateOrganization(tx *store.Tx, c *rest.Call, in *rest.Sent[updateOrganizationBody]) (organizationView, error) {
	if in.Body.SecondStep != nil {
		if err := mayRequireSecondStep(*c.Caller.User, *in.Body.SecondStep); err != nil {
			return organizationView{}, err
		}
	}
	org, err := core.ChangeSettings(tx, c.OrgID(), in.Body.Name, in.Body.apply)
	return viewOrganization(org), err
}

// mayRequireSecondStep refuses a user who may not decide for everybody, or who would lock themselves out.
func mayRequireSecondStep(u chat.User, required bool) error {
	if !u.Role.Covers(chat.RoleOwner) {
		return chat.Fail(chat.CodeForbidden, "Only an owner can decide this.")
	}
	if required && !u.SecondStep {
		return chat.Invalid("second_step", "Turn on two-step sign-in for yourself first, in your profile.")
	}
	return nil
}
