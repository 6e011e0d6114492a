package media_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/media"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

const (
	node      = "node_a"
	publicURL = "https://parley.example"
	content   = "the bytes of a file"
)

// TestMain runs fewer cases of a property than usual, because each simulates a minute second by second.
func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "25")
	os.Exit(m.Run())
}

// rig is a mover with a scripted provider, in a synctest bubble with its own time.
type rig struct {
	*worldtest.World
	blobs blob.Store
	mover *media.Mover

	mu     sync.Mutex
	lookUp func(ctx context.Context, id string) (provider.MediaInfo, error)
	fetch  func(ctx context.Context) (io.ReadCloser, error)
}

// inBubble runs a test with a mover on a store of each engine. By default the provider has every file.
func inBubble(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		place := storetest.NewConfig(t, engine)
		dir := t.TempDir()
		worldtest.Bubble(t, place, func(t *testing.T, w *worldtest.World) {
			r := &rig{World: w}
			blobs, err := blob.OpenFolder(dir)
			r.Must(err)
			r.blobs = blobs
			r.Alive(node)
			r.answer(found, whole)
			r.start()
			test(t, r)
			r.mover.Stop(context.Background())
		})
	})
}

// answer sets the provider's answers to a lookup and to a download.
func (r *rig) answer(lookUp func(context.Context, string) (provider.MediaInfo, error), fetch func(context.Context) (io.ReadCloser, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lookUp, r.fetch = lookUp, fetch
}

func found(_ context.Context, id string) (provider.MediaInfo, error) {
	return provider.MediaInfo{URL: "https://files.example/" + id, Size: int64(len(content))}, nil
}

func refused(e provider.Error) func(context.Context, string) (provider.MediaInfo, error) {
	return func(context.Context, string) (provider.MediaInfo, error) { return provider.MediaInfo{}, &e }
}

// silent does not answer until the caller gives up.
func silent(ctx context.Context, _ string) (provider.MediaInfo, error) {
	<-ctx.Done()
	return provider.MediaInfo{}, ctx.Err()
}

func whole(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(content)), nil
}

// start starts the mover, as after a restart of the process.
func (r *rig) start() {
	r.mover = media.New(media.Config{
		Store: r.Store, Lease: func() store.Lease { return store.LeaseForGood(node) }, Blobs: r.blobs, PublicURL: publicURL, Log: slog.New(slog.DiscardHandler),
		Token: func(chat.Account) (string, error) { return "token", nil },
		Provider: &providertest.Client{
			OnMedia: func(ctx context.Context, id string) (provider.MediaInfo, error) {
				r.mu.Lock()
				lookUp := r.lookUp
				r.mu.Unlock()
				return lookUp(ctx, id)
			},
			OnDownload: func(ctx context.Context, _ string) (io.ReadCloser, error) {
				r.mu.Lock()
				fetch := r.fetch
				r.mu.Unlock()
				return fetch(ctx)
			},
		},
	})
	r.Must(r.mover.Start(context.Background()))
}

var pass = worldtest.Pass

// image is a message with a file.
func (r *rig) image(id string) provider.Message {
	sum := sha256.Sum256([]byte(content))
	return provider.Message{
		ProviderID: id, Contact: provider.Person{Phone: "+4915510000001"}, Type: chat.TypeImage, Content: json.RawMessage(`{"caption":"c"}`),
		Media: &provider.Media{ID: "9001", MimeType: "image/jpeg", SHA256: sum[:]}, Raw: provider.Raw{Item: json.RawMessage(`{"id":"` + id + `"}`)},
	}
}

// receive receives a message with a file, from a person or, as an echo, from the phone app.
func (r *rig) receive(id string, echo bool) {
	r.T.Helper()
	r.Store.HandTo(func(h *store.Hands) { h.Node, h.Fetch = func() string { return node }, r.mover.Fetch })
	if echo {
		r.Receive(provider.Echo{Origin: r.Origin(), Message: r.image(id)})
	} else {
		r.Receive(provider.InboundMessage{Origin: r.Origin(), Message: r.image(id)})
	}
	synctest.Wait()
}

// receiveFile receives a message with that file, which is handed to fetch.
func (r *rig) receiveFile(id, file string, fetch func(store.MediaJob)) {
	r.T.Helper()
	r.Store.HandTo(func(h *store.Hands) { h.Node, h.Fetch = func() string { return node }, fetch })
	message := r.image(id)
	message.Media.ID = file
	r.Receive(provider.InboundMessage{Origin: r.Origin(), Message: message})
	synctest.Wait()
}

// told lists the files in the events about messages, oldest first: "wamid ready" or "wamid null".
func (r *rig) told() (all []string) {
	r.T.Helper()
	events, err := r.Read().EventsAfter(r.Org.ID, "", 10_000)
	r.Must(err)
	for _, e := range events {
		switch e.Type {
		case chat.EventMessageReceived:
			var payload struct{ Svc fileNews }
			r.Must(json.Unmarshal(e.Payload, &payload))
			all = append(all, e.EventID+" "+payload.Svc.String())
		case chat.EventMessageSent:
			var payload struct {
				Data struct {
					Message struct {
						fileNews
						ProviderID string `json:"provider_id"`
					}
				}
			}
			r.Must(json.Unmarshal(e.Payload, &payload))
			all = append(all, payload.Data.Message.ProviderID+" "+payload.Data.Message.String())
		}
	}
	return all
}

// fileNews is the part of an event about its file.
type fileNews struct {
	MediaURL    *string `json:"media_url"`
	MediaStatus *string `json:"media_status"`
}

func (f fileNews) String() string {
	if f.MediaURL == nil && f.MediaStatus == nil {
		return "null"
	}
	if f.MediaURL == nil || f.MediaStatus == nil || !strings.HasPrefix(*f.MediaURL, publicURL+"/media/") {
		return fmt.Sprintf("broken: %v %v", f.MediaURL, f.MediaStatus)
	}
	return *f.MediaStatus
}

// require fails the test unless the events are these, and the named messages have their file.
func (r *rig) require(told string, withFile ...string) {
	r.T.Helper()
	if got := strings.Join(r.told(), ", "); got != told {
		r.T.Errorf("after %v the events say %q, want %q", time.Since(bubbleStart), got, told)
	}
	if got := r.withFile(); strings.Join(got, " ") != strings.Join(withFile, " ") {
		r.T.Errorf("%q have their file, want %q", got, withFile)
	}
}

// bubbleStart is the time at which every bubble starts.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// withFile are the messages whose file is stored and readable, oldest first.
func (r *rig) withFile() (ids []string) {
	r.T.Helper()
	page, err := r.Read().Messages(r.Org.ID, r.Account.ID, store.MessageFilter{}, store.Page{Limit: 1000})
	r.Must(err)
	for i := range page.Rows {
		m := page.Rows[len(page.Rows)-1-i]
		if m.MediaID == "" {
			continue
		}
		file, err := core.MessageFile(r.Read(), r.Account, m.ID)
		r.Must(err)
		body, err := r.blobs.Get(context.Background(), file.BlobKey)
		r.Must(err)
		text, err := io.ReadAll(body)
		body.Close()
		if err != nil || string(text) != content {
			r.T.Errorf("the file of %s is %q, %v", m.ProviderID, text, err)
		}
		ids = append(ids, m.ProviderID)
	}
	return ids
}
