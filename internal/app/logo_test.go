package app_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func logoOf(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.String()
}

// An organization's colour and logo are kept; a new logo takes the place of the old one, whose file is to be removed.
func TestBrand(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		org := storetest.Org(t, w.Store)
		admin, agent := newPerson(t, w, org, chat.RoleAdmin), newPerson(t, w, org, chat.RoleAgent)
		var shown struct {
			Color string `json:"brand_color"`
			Logo  string `json:"logo_path"`
		}
		admin.browser.Do(t, "PATCH", "/organization", `{"brand_color":"#1D4ED8"}`).RequireFailure(t, "invalid_field_value", "brand_color")
		admin.browser.Do(t, "PATCH", "/organization", `{"brand_color":"red; } body { display: none"}`).RequireFailure(t, "invalid_field_value", "brand_color")
		admin.browser.Do(t, "PATCH", "/organization", `{"brand_color":"#1d4ed8"}`).RequireStatus(t, http.StatusOK)

		put := func(body string) {
			t.Helper()
			admin.browser.Do(t, "PUT", "/organization/logo", body, "Content-Type", "image/png").RequireStatus(t, http.StatusOK).Data(t, &shown)
		}
		put(logoOf(t, 64, 64))
		first := shown.Logo
		put(logoOf(t, 32, 32))
		if !strings.HasPrefix(first, "/media/") || shown.Logo == first || shown.Color != "#1d4ed8" {
			t.Errorf("after %s it is shown as %+v", first, shown)
		}
		r := w.Store.Read(t.Context())
		if gone, err := r.RemovedFiles("", 10); err != nil || len(gone) != 1 {
			t.Errorf("to be removed are %v, %v", gone, err)
		}
		if _, err := r.MediaByToken(strings.TrimPrefix(first, "/media/")); err == nil {
			t.Error("the old logo is still there")
		}
		for body, code := range map[string]string{
			"no picture": "unsupported_media_type", logoOf(t, 2049, 1): "payload_too_large", strings.Repeat("x", 512<<10+1): "payload_too_large",
		} {
			admin.browser.Do(t, "PUT", "/organization/logo", body, "Content-Type", "image/png").RequireFailure(t, code, "")
		}
		agent.browser.Do(t, "PUT", "/organization/logo", logoOf(t, 8, 8), "Content-Type", "image/png").RequireFailure(t, "forbidden", "")
		agent.browser.Do(t, "DELETE", "/organization/logo", "").RequireFailure(t, "forbidden", "")
		admin.browser.Do(t, "DELETE", "/organization/logo", "").RequireStatus(t, http.StatusOK).Data(t, &shown)
		if shown.Logo != "" {
			t.Errorf("the logo is still %s", shown.Logo)
		}
	})
}
