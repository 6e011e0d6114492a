package media_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/worldtest"
)

// A file that cannot be fetched delays nothing: its event goes out at once without it, and the file is not
// asked for again.
func TestFilesThatCannotBeHad(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		other := func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("other bytes")), nil
		}
		gone := provider.Error{HTTPStatus: 400, Code: 100, Subcode: 33}
		huge := func(context.Context, string) (provider.MediaInfo, error) {
			return provider.MediaInfo{URL: "https://files.example/1", Size: 100<<20 + 1}, nil
		}
		var told []string
		for name, answer := range map[string]func(){
			"unknown":      func() { r.answer(refused(gone), whole) },
			"not-provided": func() { r.answer(refused(provider.Error{HTTPStatus: 400, Code: 131052}), whole) },
			"gone":         func() { r.answer(refused(provider.Error{HTTPStatus: 410}), whole) },
			"not-found":    func() { r.answer(refused(provider.Error{HTTPStatus: 404, Code: 803}), whole) },
			"wrong-hash":   func() { r.answer(found, other) },
			"too-large":    func() { r.answer(huge, whole) },
		} {
			for _, echo := range []bool{false, true} {
				id := fmt.Sprintf("%s-%t", name, echo)
				answer()
				r.receive(id, echo)
				told = append(told, id+" null")
				r.require(strings.Join(told, ", "))
			}
		}
		r.answer(found, whole)
		pass(time.Minute)
		r.require(strings.Join(told, ", "))
	})
}

// A token that the provider refuses for a file takes the number out of service, as it does for a message.
func TestTokenIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer(refused(provider.Error{HTTPStatus: 401, Code: 190}), whole)
		r.receive("wamid.1", false)
		pass(time.Second)
		account, err := r.Read().Account(r.Org.ID, r.Account.ID)
		if err != nil || account.Status != chat.AccountDegraded {
			t.Errorf("the number is %s, %v", account.Status, err)
		}
	})
}

// While a file is retried, its event waits at most ten seconds. The file appears on the message when it
// arrives, and there is no second event.
func TestEventsWaitTenSecondsAtMost(t *testing.T) {
	t.Parallel()
	down := refused(provider.Error{HTTPStatus: 503, Transient: true})
	stalled := func(ctx context.Context) (io.ReadCloser, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	expired := func(context.Context) (io.ReadCloser, error) { return nil, &provider.Error{HTTPStatus: 404} }
	for name, answer := range map[string]func(*rig){
		"down":    func(r *rig) { r.answer(down, whole) },
		"silent":  func(r *rig) { r.answer(silent, whole) },
		"stalled": func(r *rig) { r.answer(found, stalled) },
		"expired": func(r *rig) { r.answer(found, expired) },
		"denied":  func(r *rig) { r.answer(refused(provider.Error{HTTPStatus: 401, Code: 190}), whole) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *rig) {
				answer(r)
				pass(300 * time.Millisecond) // so that it arrives between two sweeps
				r.receive("wamid.in", false)
				r.receive("wamid.echo", true)
				pass(8900 * time.Millisecond)
				r.require("")
				pass(1100 * time.Millisecond)
				r.require("wamid.in null, wamid.echo null")
				r.answer(found, whole)
				pass(10 * time.Minute)
				r.require("wamid.in null, wamid.echo null", "wamid.in", "wamid.echo")
			})
		})
	}
}

// Files of one organization that hang, however many, hold up neither those of another nor their events, whether these are
// fetched at once or found in the table.
func TestFilesOfOthersThatHang(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer(func(ctx context.Context, id string) (provider.MediaInfo, error) {
			if id == "hangs" {
				return silent(ctx, id)
			}
			return found(ctx, id)
		}, whole)
		for i := range 300 {
			r.receiveFile(fmt.Sprint("wamid.hangs", i), "hangs", r.mover.Fetch)
		}
		r.Org = storetest.Org(t, r.Store)
		r.Account = r.Number()
		r.receiveFile("wamid.1", "9001", r.mover.Fetch)
		r.require("wamid.1 ready", "wamid.1")
		r.receiveFile("wamid.2", "9001", func(store.MediaJob) {})
		pass(2 * time.Second)
		r.require("wamid.1 ready, wamid.2 ready", "wamid.1", "wamid.2")
	})
}

// A file that arrives in time is in the event, however many attempts it took.
func TestFilesInTime(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.receive("wamid.1", false)
		r.receive("wamid.2", true)
		r.require("wamid.1 ready, wamid.2 ready", "wamid.1", "wamid.2")
		r.answer(refused(provider.Error{HTTPStatus: 503, Transient: true}), whole)
		r.receive("wamid.3", false)
		pass(4 * time.Second)
		r.answer(found, whole)
		pass(3 * time.Second)
		r.require("wamid.1 ready, wamid.2 ready, wamid.3 ready", "wamid.1", "wamid.2", "wamid.3")
		pass(time.Minute)
		r.require("wamid.1 ready, wamid.2 ready, wamid.3 ready", "wamid.1", "wamid.2", "wamid.3")
	})
}

// The ten seconds start when the message arrives, and a restart does not extend them.
func TestTheWaitOutlivesTheProcess(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer(silent, whole)
		r.receive("wamid.1", false)
		pass(4 * time.Second)
		r.mover.Stop(context.Background())
		pass(3 * time.Second)
		r.start()
		pass(time.Second)
		r.require("")
		pass(2 * time.Second)
		r.require("wamid.1 null")

		r.receive("wamid.2", true)
		pass(time.Second)
		r.mover.Stop(context.Background())
		pass(time.Minute)
		r.require("wamid.1 null")
		r.start()
		pass(0)
		r.require("wamid.1 null, wamid.2 null")
	})
}

// Turning the wall clock back does not delay an event.
func TestTheClockIsTurnedBack(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer(silent, whole)
		r.receive("wamid.1", false)
		r.mover.Stop(context.Background()) // nobody looks at the clock while it is turned
		r.Turn(-time.Hour)
		r.start()
		pass(2 * time.Second)
		r.require("wamid.1 null")
	})
}

// errBroken is the error of a broken download.
var errBroken = errors.New("broken off")

// Whatever the provider does and however often the process restarts, each message has one event, at most ten
// seconds after it arrived, which names the file if it was there by then. In the end the message has its file,
// unless it cannot be fetched.
func TestHeldEventsProperty(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		rapid.Check(struct{ *testing.T }{t}, func(rt *rapid.T) { // a synctest bubble has no deadline to ask for
			r.World = worldtest.New(t, r.Store, nil)
			r.T = rt
			defer func() { r.T = t }()
			playFiles(rt, r)
		})
	})
}

// moods are the ways in which the provider behaves.
var moods = map[string]func(*rig){
	"well":    func(r *rig) { r.answer(found, whole) },
	"down":    func(r *rig) { r.answer(refused(provider.Error{HTTPStatus: 503, Transient: true}), whole) },
	"silent":  func(r *rig) { r.answer(silent, whole) },
	"broken":  func(r *rig) { r.answer(found, func(context.Context) (io.ReadCloser, error) { return nil, errBroken }) },
	"limited": func(r *rig) { r.answer(refused(provider.Error{HTTPStatus: 429, Code: 4, Throttled: true}), whole) },
}

// playFiles receives messages with files while the provider changes its mood.
func playFiles(t *rapid.T, r *rig) {
	arrived, told := map[string]time.Time{}, map[string]time.Duration{}
	wait := func(seconds int) {
		for range seconds {
			pass(time.Second)
			for _, line := range r.told() {
				id, _, _ := strings.Cut(line, " ")
				if _, known := told[id]; !known {
					told[id] = time.Since(arrived[id])
				}
			}
		}
	}
	names := slices.Sorted(maps.Keys(moods))
	for i := range rapid.IntRange(1, 5).Draw(t, "steps") {
		moods[rapid.SampledFrom(names).Draw(t, "mood")](r)
		switch rapid.SampledFrom([]string{"receive", "receive", "restart", "wait"}).Draw(t, "step") {
		case "receive":
			id := fmt.Sprintf("wamid.%d", i)
			arrived[id] = time.Now()
			r.receive(id, rapid.Bool().Draw(t, "echo"))
		case "restart":
			r.mover.Stop(context.Background())
			r.start()
		}
		wait(rapid.IntRange(0, 6).Draw(t, "seconds"))
	}
	wait(10)
	moods["well"](r)
	checkFiles(t, r, arrived, told)
}

// checkFiles checks the messages that have arrived. told is the delay of each message's event.
func checkFiles(t *rapid.T, r *rig, arrived map[string]time.Time, told map[string]time.Duration) {
	missing := func() bool {
		have := r.withFile()
		return slices.ContainsFunc(slices.Collect(maps.Keys(arrived)), func(id string) bool { return !slices.Contains(have, id) })
	}
	for end := time.Now().Add(10 * time.Minute); missing(); pass(5 * time.Second) {
		if time.Now().After(end) {
			t.Fatalf("of %v only %v have their file", arrived, r.withFile())
		}
	}
	if events := r.told(); len(events) != len(arrived) || len(told) != len(arrived) {
		t.Fatalf("%d messages have the events %q", len(arrived), events)
	}
	for id, after := range told {
		if after > core.FileHold {
			t.Errorf("the event of %s came after %v", id, after)
		}
	}
}

// A file that the provider may have deleted is uploaded again, unless its upload is new.
func TestUploadsCanBeForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		info, err := r.blobs.Put(t.Context(), "file", strings.NewReader(content), 100)
		r.Must(err)
		var file chat.Media
		r.InTx(func(tx *store.Tx) (err error) {
			file, err = core.AddMedia(tx, r.Account, chat.MediaLibrary, core.StoredFile{BlobKey: "file", MimeType: "image/png", Size: info.Size, SHA256: info.SHA256})
			return err
		})
		upload := func() string {
			id, _, err := r.mover.Upload(t.Context(), provider.Number{}, r.Account, file.ID)
			r.Must(err)
			return id
		}
		requireForgotten := func(want bool) {
			t.Helper()
			got, err := r.mover.Forget(t.Context(), r.Account, []string{file.ID, r.Store.NewID(chat.KindMedia)})
			if err != nil || got != want {
				t.Errorf("forgotten: %t, %v, want %t", got, err, want)
			}
		}
		requireForgotten(false) // it was never uploaded
		first := upload()
		requireForgotten(false)
		if again := upload(); again != first {
			t.Errorf("it is uploaded as %s and as %s", first, again)
		}
		pass(10 * time.Minute)
		requireForgotten(true)
		requireForgotten(true) // by another message
		if again := upload(); again == first {
			t.Error("it is not uploaded again")
		}
		requireForgotten(false)
	})
}
