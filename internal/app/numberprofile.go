package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerNumberProfile(a *App) {
	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/{phone_number_id}/number/profile", ID: "getNumberProfile", Tag: "Numbers", Role: chat.RoleAdmin,
		Summary: "Read a number's business profile", Description: "As the provider has it at this moment.",
		Errors: []chat.Code{chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.getNumberProfile)

	rest.Flow(a.surface, rest.Operation{
		Method: http.MethodPatch, Path: "/{phone_number_id}/number/profile", ID: "updateNumberProfile", Tag: "Numbers", Role: chat.RoleAdmin,
		Summary: "Change a number's business profile", Description: "Fields that are left out stay as they are; an empty text clears one.",
		Errors: []chat.Code{chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.updateNumberProfile)

	rest.Receive[numberInput](a.surface, rest.Operation{
		Method: http.MethodPost, Path: "/{phone_number_id}/number/profile/picture", ID: "setNumberPicture", Tag: "Numbers", Role: chat.RoleAdmin,
		Summary: "Change the picture of a number's business profile", Description: "A JPEG or PNG of at most 5 MiB, best square and 640 pixels wide.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"image/jpeg": {Schema: &huma.Schema{Type: huma.TypeString}}, "image/png": {Schema: &huma.Schema{Type: huma.TypeString}},
		}},
		Errors: []chat.Code{chat.CodeUnsupportedMediaType, chat.CodeUpstreamError, chat.CodeProviderFailure},
	}, a.receivePicture, func(_ *store.Tx, _ *rest.Call, p chat.BusinessProfile) (profileView, error) {
		return viewProfile(p), nil
	})
}

type profileView struct {
	About       string   `json:"about"`
	Address     string   `json:"address"`
	Description string   `json:"description"`
	Email       string   `json:"email"`
	Vertical    string   `json:"vertical" doc:"The kind of business, in the provider's words; empty where none is chosen."`
	Websites    []string `json:"websites"`
	PictureURL  string   `json:"picture_url" doc:"Empty where there is none."`
}

func viewProfile(p chat.BusinessProfile) profileView {
	if p.Websites == nil {
		p.Websites = []string{}
	}
	return profileView(p)
}

func (a *App) getNumberProfile(c *rest.Call, _ *numberInput) (profileView, error) {
	p, err := a.cfg.Numbers.Profile(c.Ctx, c.Account)
	return viewProfile(p), err
}

type updateProfileBody struct {
	About       *string   `json:"about,omitempty" maxLength:"139"`
	Address     *string   `json:"address,omitempty" maxLength:"256"`
	Description *string   `json:"description,omitempty" maxLength:"512"`
	Email       *string   `json:"email,omitempty" maxLength:"128"`
	Vertical    *string   `json:"vertical,omitempty" maxLength:"40"`
	Websites    *[]string `json:"websites,omitempty" maxItems:"2"`
}

func (a *App) updateNumberProfile(c *rest.Call, in *rest.NumberSent[updateProfileBody]) (profileView, error) {
	b := in.Body
	p, err := a.cfg.Numbers.UpdateProfile(c.Ctx, c.Account, chat.ProfileChange{
		About: b.About, Address: b.Address, Description: b.Description, Email: b.Email, Vertical: b.Vertical, Websites: b.Websites,
	})
	return viewProfile(p), err
}

// receivePicture uploads a picture to the provider as it arrives. Nothing has to be undone.
func (a *App) receivePicture(c *rest.Call) (got rest.Received[chat.BusinessProfile], err error) {
	var picture []byte
	err = c.Upload(func(body io.Reader) (err error) {
		picture, err = io.ReadAll(http.MaxBytesReader(c.W, io.NopCloser(body), chat.MaxProfilePicture))
		if errors.As(err, new(*http.MaxBytesError)) {
			return chat.Fail(chat.CodePayloadTooLarge, "A picture can have at most %d MiB. Make it smaller.", chat.MaxProfilePicture>>20)
		}
		return err
	})
	if err != nil {
		return got, err
	}
	profile, err := a.cfg.Numbers.SetPicture(c.Ctx, c.Account, picture)
	sum := sha256.Sum256(picture)
	return rest.Received[chat.BusinessProfile]{Value: profile, Fingerprint: hex.EncodeToString(sum[:]), Discard: func() {}}, err
}
