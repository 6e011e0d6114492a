package templates_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/templates"
)

// slowFailure is a network on which every request fails after some time.
type slowFailure struct {
	after time.Duration
	err   error
}

func (f slowFailure) RoundTrip(*http.Request) (*http.Response, error) {
	<-time.After(f.after) // takes no time in a bubble
	return nil, f.err
}

// Neither the text nor the time of a refusal reveals whether a host is inside our network or does not exist.
func TestRefusedSamplesAreAlike(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refuse := func(ctx context.Context, f slowFailure) (string, time.Duration) {
			service := &templates.Service{Fetch: &http.Client{Transport: f}, RefuseAfter: time.Second}
			begun := time.Now()
			_, err := service.FetchSample(ctx, chat.Sample{URL: "https://db.example/a.png", Format: "IMAGE", Param: "url"}, io.Discard)
			if err == nil {
				t.Fatal("there is a file")
			}
			return err.Error(), time.Since(begun)
		}
		first, took := refuse(t.Context(), slowFailure{0, netguard.ErrBlocked})
		if took != time.Second {
			t.Errorf("it took %v", took)
		}
		for _, f := range []slowFailure{{30 * time.Millisecond, netguard.ErrBlocked}, {0, netguard.ErrLookup}, {300 * time.Millisecond, netguard.ErrLookup}} {
			if text, after := refuse(t.Context(), f); text != first || after != took {
				t.Errorf("%v says %q after %v; another says %q after %v", f, text, after, first, took)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, after := refuse(gone, slowFailure{0, netguard.ErrBlocked}); after != 0 {
			t.Errorf("somebody who has gone is waited for: %v", after)
		}
	})
}

// A sample can be a file from the library of the number's team. Its type is detected from its bytes, and the template
// remembers the file.
func TestSamplesFromTheLibrary(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := storetest.Open(t, engine)
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		folder := t.TempDir()
		add := func(name, mimeType, content string) chat.Media {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			var m chat.Media
			storetest.InTx(t, st, func(tx *store.Tx) (err error) {
				m, err = core.AddMedia(tx, account, chat.MediaLibrary, core.StoredFile{BlobKey: name, MimeType: mimeType, Size: int64(len(content)), Filename: name})
				return err
			})
			return m
		}
		picture, text := add("a.png", "image/png", "\x89PNG\x0d\x0a\x1a\x0a rest"), add("b.png", "image/png", "no picture")
		service := newShelf(0).templates(st)
		service.Open = func(_ context.Context, key string) (io.ReadSeekCloser, error) {
			return os.Open(filepath.Join(folder, key))
		}
		create := func(name, mediaID string) (chat.Template, error) {
			return service.Create(t.Context(), account, chat.NewTemplate{Name: name, Language: "de", Category: chat.CategoryUtility, Components: []chat.TemplatePart{
				{Type: chat.PartHeader, Format: "IMAGE", Example: &chat.TemplateExample{HeaderHandle: chat.SampleList(mediaID)}},
				{Type: chat.PartBody, Text: "Look at this."},
			}})
		}
		made, err := create("good", picture.ID)
		if err != nil || strings.Contains(string(made.Components), picture.ID) {
			t.Fatalf("got %s, %v", made.Components, err)
		}
		_, samples, err := core.TemplateHistory(st.Read(t.Context()), account, "good", "de")
		if err != nil || len(samples) != 1 || samples[0].ID != picture.ID || samples[0].Place != "components[0]" {
			t.Errorf("the samples are %+v, %v", samples, err)
		}
		for name, id := range map[string]string{"no_picture": text.ID, "nothing": "med_" + strings.Repeat("0", 26)} {
			var refused *chat.Error
			if _, err := create(name, id); !errors.As(err, &refused) || refused.Param != "components[0].example.header_handle" {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}
