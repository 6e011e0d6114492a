package app

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg" // logos can be JPEG
	_ "image/png"  // and PNG
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

// maxLogo and maxLogoSide are how large a logo may be: it is shown in the size of a thumb.
const (
	maxLogo     = 512 << 10
	maxLogoSide = 2048
)

func registerLogo(a *App) {
	rest.Receive[noInput](a.surface, rest.Operation{
		Method: http.MethodPut, Path: "/organization/logo", ID: "setLogo", Tag: "Organization", Role: chat.RoleAdmin,
		Summary: "Change the organization's logo", Description: "It is shown on the page on which customers connect their numbers. A PNG or JPEG of at most 512 KiB and 2048 pixels, best square.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"image/jpeg": {Schema: &huma.Schema{Type: huma.TypeString}}, "image/png": {Schema: &huma.Schema{Type: huma.TypeString}},
		}},
		Errors: []chat.Code{chat.CodePayloadTooLarge, chat.CodeUnsupportedMediaType},
	}, a.receiveLogo, func(tx *store.Tx, c *rest.Call, file core.StoredFile) (organizationView, error) {
		org, err := core.SetLogo(tx, c.OrgID(), &file)
		return viewOrganization(org), err
	})

	rest.Write(a.surface, rest.Operation{
		Method: http.MethodDelete, Path: "/organization/logo", ID: "removeLogo", Tag: "Organization", Role: chat.RoleAdmin,
		Summary: "Remove the organization's logo", Description: "The first letter of its name takes its place.",
	}, func(tx *store.Tx, c *rest.Call, _ *noInput) (organizationView, error) {
		org, err := core.SetLogo(tx, c.OrgID(), nil)
		return viewOrganization(org), err
	})
}

// receiveLogo stores a picture, once it is known to be one.
func (a *App) receiveLogo(c *rest.Call) (got rest.Received[core.StoredFile], err error) {
	var picture []byte
	err = c.Upload(func(body io.Reader) (err error) {
		picture, err = io.ReadAll(http.MaxBytesReader(c.W, io.NopCloser(body), maxLogo))
		if errors.As(err, new(*http.MaxBytesError)) {
			return chat.Fail(chat.CodePayloadTooLarge, "A logo can have at most %d KiB. Make it smaller.", maxLogo>>10)
		}
		return err
	})
	if err != nil {
		return got, err
	}
	size, kind, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return got, chat.Fail(chat.CodeUnsupportedMediaType, "This is no PNG or JPEG.")
	}
	if max(size.Width, size.Height) > maxLogoSide {
		return got, chat.Fail(chat.CodePayloadTooLarge, "A logo can have at most %d pixels on a side. Make it smaller.", maxLogoSide)
	}
	key := a.store.NewID(chat.KindMedia)
	info, err := a.cfg.Blobs.Put(c.R.Context(), key, bytes.NewReader(picture), maxLogo)
	if err != nil {
		return got, err
	}
	return rest.Received[core.StoredFile]{
		Value:       core.StoredFile{BlobKey: key, MimeType: "image/" + kind, Size: info.Size, SHA256: info.SHA256},
		Fingerprint: info.SHA256, Discard: func() { a.cfg.Blobs.Delete(context.WithoutCancel(c.R.Context()), key) },
	}, nil
}
