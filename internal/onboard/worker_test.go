package onboard_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/onboard"
	"github.com/parleyhq/parley/internal/part/parttest"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
)

// connected signs a number up and returns its account.
func (r *rig) connected(phone string, more url.Values) chat.Account {
	r.t.Helper()
	_, address := r.link(chat.NewSetupLink{})
	b := newBrowser(r.t)
	fields := newNumber(phone)
	maps.Copy(fields, more)
	b.get(b.decide(b.begin(address), "approve", fields)).says(r.t, http.StatusOK)
	r.Clock.Advance(time.Second)
	return r.accounts()[0]
}

// left are the remaining jobs.
func (r *rig) left() []store.AccountJob {
	r.t.Helper()
	jobs, err := r.Read().AccountJobs(r.Org.ID)
	r.Must(err)
	return jobs
}

func (r *rig) settled() bool { r.t.Helper(); return len(r.left()) == 0 }

// TestPhoneAppIsImported requests contacts and history once each, and only for numbers that have them.
func TestPhoneAppIsImported(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.connected("+62 812 5550 400", nil)
		r.connected("+62 812 5550 401", url.Values{"on_business_app": {"1"}})
		r.worker(nil).Wake()
		eventually(t, "the follow-ups are done", r.settled)
		if n, m := r.provider.count("sync smb_app_state_sync"), r.provider.count("sync history"); n != 1 || m != 1 {
			t.Errorf("contacts were asked for %d times, history %d times", n, m)
		}
		if r.provider.count("register") != 1 {
			t.Errorf("%d numbers were registered", r.provider.count("register"))
		}
	})
}

// withToken connects a number of the simulator as the command does.
func (r *rig) withToken(id, pin string) (account chat.Account) {
	r.t.Helper()
	_, err := r.sim.AddNumber(simulator.NumberSpec{ID: id, WABAID: "5551", Phone: "+628125550" + id, Status: "PENDING", PIN: pin, Unsubscribed: true})
	r.Must(err)
	in := chat.NewAccount{OrgID: r.Org.ID, PhoneNumberID: id, PhoneNumber: "+628125550" + id, WABAID: "5551", Status: chat.AccountConnected}
	r.InTx(func(tx *store.Tx) (err error) {
		account, err = core.ConnectWithToken(tx, in, func(id string) string { return "sealed for " + id + ": permanent" })
		return err
	})
	r.Clock.Advance(time.Second)
	return account
}

// TestNumberWithAToken does for a number that a command connects what the page does for its numbers.
func TestNumberWithAToken(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		allow := httptest.NewRequest(http.MethodPost, "/_sim/tokens", strings.NewReader(`{"token":"permanent","valid":true}`))
		r.sim.ServeHTTP(httptest.NewRecorder(), allow)
		fresh, own := r.withToken("700001", ""), r.withToken("700002", "999999")
		w := r.worker(nil)
		w.Wake()
		eventually(t, "the follow-ups are done", r.settled)
		w.Wake()
		for id, want := range map[string]chat.AccountStatus{fresh.ID: chat.AccountConnected, own.ID: chat.AccountDegraded} {
			account, err := r.Read().Account(r.Org.ID, id)
			r.Must(err)
			if account.Status != want || account.ProviderStatus == nil || (account.StatusReason == nil) != (want == chat.AccountConnected) {
				t.Errorf("the number %s is %s (%v), want %s", *account.PhoneNumberID, account.Status, account.Reason(), want)
			}
		}
		if subscribed, registered := r.provider.count("subscribe"), r.provider.count("register"); subscribed != 2 || registered != 2 {
			t.Errorf("callbacks were turned on %d times, numbers registered %d times", subscribed, registered)
		}
		if text := r.log.String(); !strings.Contains(text, "register it through the API") || !strings.Contains(text, "700002") {
			t.Errorf("logged %s", text)
		}
	})
}

// TestFollowUpIsRepeated repeats a failed job at growing intervals, and gives it up after a day.
func TestFollowUpIsRepeated(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		account := r.connected("+62 812 5550 402", url.Values{"on_business_app": {"1"}})
		var called atomic.Int64
		refuse := errors.New("the templates could not be read")
		w := r.worker(func(cfg *onboard.WorkerConfig) {
			cfg.Connected = func(_ context.Context, a chat.Account) error {
				if a.ID != account.ID {
					t.Errorf("called for %s", a.ID)
				}
				if called.Add(1) < 3 {
					return refuse
				}
				return nil
			}
		})
		for i := range int64(3) {
			w.Wake()
			eventually(t, "the part is called", func() bool { return called.Load() == i+1 })
			eventually(t, "the outcome is written", func() bool {
				left := r.left()
				return len(left) == 0 || left[0].Attempts == int(i+1)
			})
			r.Clock.Advance(20 * time.Second)
		}
		eventually(t, "it is done", r.settled)

		r.provider.spoil("subscribe", nil)
		second := r.connected("+62 812 5550 403", nil)
		r.provider.spoil("subscribe", &provider.Error{HTTPStatus: 500, Message: "down"})
		r.Clock.Advance(25 * time.Hour)
		w.Wake()
		eventually(t, "it is given up", r.settled)
		if text := r.log.String(); !strings.Contains(text, "could not be completed") || !strings.Contains(text, second.ID) {
			t.Errorf("logged %s", text)
		}
	})
}

// TestSlowFollowUpIsNotRepeated keeps a job that takes longer than a hold lasts. It would otherwise be begun anew again and
// again, and never end.
func TestSlowFollowUpIsNotRepeated(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.connected("+62 812 5550 404", nil)
		before := r.provider.count("subscribe") // by the page
		letGo := r.provider.hang("subscribe")
		defer letGo()
		w := parttest.Start(t, onboard.RenewOften(r.newWorker(nil)))
		w.Wake()
		eventually(t, "the provider is called", func() bool { return r.provider.count("subscribe") == before+1 })
		for range 3 {
			r.Clock.Advance(20 * time.Second)
			renewed := r.Clock.Now().Add(20 * time.Second)
			eventually(t, "the hold is renewed", func() bool { return r.left()[0].DueAt.After(renewed) })
		}
		r.Must(w.Sweep(t.Context()))
		letGo()
		eventually(t, "it is done", r.settled)
		if n := r.provider.count("subscribe"); n != before+1 {
			t.Errorf("the provider was called %d times", n-before)
		}
	})
}

// TestPurgesLeaveRoom connects a number while as many purges as may run at once do not come to an end.
func TestPurgesLeaveRoom(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		letGo := r.provider.hang("unsubscribe")
		defer letGo()
		const purges = 4
		for i := range purges {
			r.disconnect(r.connected(fmt.Sprint("+62 812 5550 46", i), nil))
		}
		w := r.worker(nil)
		w.Wake()
		eventually(t, "the purges run", func() bool { return r.provider.count("unsubscribe") == purges })
		r.connected("+62 812 5550 470", nil)
		eventually(t, "the number is followed up", func() bool {
			w.Wake()
			return len(r.left()) == purges
		})
	})
}

// fill gives an account people, conversations, messages and files.
func (r *rig) fill(account chat.Account, people int) {
	r.t.Helper()
	r.InTx(func(tx *store.Tx) error {
		label, err := core.CreateLabel(tx, account.OrgID, chat.NewLabel{Name: rand.Text()})
		if err != nil {
			return err
		}
		for i := range people {
			accepted, err := core.AcceptSend(tx, account, chat.Plan{}, core.NewMessage{
				To: fmt.Sprint("+49151", 10_000_000+i), Type: chat.TypeText, Content: []byte(`{"body":"x"}`), Source: chat.SourceAPI,
			})
			if err != nil {
				return err
			}
			if err := core.LabelContact(tx, account, accepted.Contact.ID, label.ID); err != nil {
				return err
			}
			if _, err := tx.AttachToConversation(account.OrgID, accepted.Conversation.ID, label.ID); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range 3 {
		r.InTx(func(tx *store.Tx) error {
			_, err := core.AddMedia(tx, account, []chat.MediaOrigin{chat.MediaLibrary, chat.MediaInbound}[i%2], core.StoredFile{BlobKey: rand.Text()})
			return err
		})
	}
}

// holdings counts an account's contacts, conversations, messages, jobs, labels and files.
func (r *rig) holdings(account chat.Account) (counts [5]int) {
	r.t.Helper()
	read := r.Read()
	page := store.Page{Limit: 10_000}
	contacts, err := read.Contacts(account.OrgID, account.ID, store.ContactFilter{}, page)
	conversations, err2 := read.Conversations(account.OrgID, account.ID, store.ConversationFilter{}, page)
	messages, err3 := read.Messages(account.OrgID, account.ID, store.MessageFilter{}, page)
	files, err4 := read.MediaOfAccount(account.OrgID, account.ID, 1000)
	r.Must(errors.Join(err, err2, err3, err4))
	jobs := 0
	for _, m := range messages.Rows {
		if _, err := read.SendJobOwner(account.OrgID, m.ID); err == nil {
			jobs++
		}
	}
	return [5]int{len(contacts.Rows), len(conversations.Rows), len(messages.Rows), len(files), jobs}
}

func (r *rig) disconnect(account chat.Account) {
	r.t.Helper()
	r.InTx(func(tx *store.Tx) error {
		_, err := core.DisconnectCustomerAccount(tx, account.OrgID, *account.CustomerID, *account.PhoneNumberID)
		return err
	})
}

// awaitGone lets the clock pass now and then: a step that failed, as a call can on a busy machine, is repeated later by it.
func (r *rig) awaitGone(w *onboard.Worker, account chat.Account) {
	r.t.Helper()
	looks := 0
	eventually(r.t, "it is gone", func() bool {
		if looks%500 == 0 {
			r.Clock.Advance(time.Minute)
			w.Wake()
		}
		looks++
		return r.gone(account)
	})
}

func (r *rig) gone(account chat.Account) bool {
	_, err := r.Read().DeletedAccount(account.OrgID, account.ID)
	return errors.Is(err, store.ErrNotFound)
}

// TestDisconnectionWhileTheClockIsTurnedBack deletes the number at once, then its data, then its callbacks;
// other numbers keep theirs. A clock that is turned back meanwhile delays it only a little.
func TestDisconnectionWhileTheClockIsTurnedBack(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		left := r.connected("+62 812 5550 412", nil)
		r.disconnect(left)
		r.Clock.Step(-time.Hour)
		w := r.worker(nil)
		w.Wake()
		eventually(t, "the first pass is over", func() bool {
			jobs, err := r.Read().AccountJobs(left.OrgID)
			return err == nil && len(jobs) == 1 && jobs[0].Attempts == 1
		})
		if r.gone(left) {
			t.Error("the row did not wait for stragglers")
		}
		r.Clock.Advance(time.Minute)
		w.Wake()
		eventually(t, "the number is gone", func() bool { return r.gone(left) && r.settled() })
	})
}

func TestDisconnection(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		kept := r.connected("+62 812 5550 410", nil)
		left := r.connected("+62 812 5550 411", nil)
		r.fill(kept, 3)
		r.fill(left, 450)
		w := r.worker(nil)
		w.Wake()
		eventually(t, "the numbers are settled", r.settled)
		file, err := r.Read().MediaOfAccount(left.OrgID, left.ID, 1)
		if err != nil {
			t.Fatal(err)
		}

		r.disconnect(left)
		if _, err := r.Read().AccountByNumber(r.Org.ID, *left.PhoneNumberID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the number is still there: %v", err)
		}
		if _, err := r.Read().MediaByToken(file[0].Token); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("its file is still there: %v", err)
		}
		w.Wake()
		eventually(t, "the data is purged", func() bool { return r.holdings(left) == [5]int{} })
		if bytes, err := r.Read().RemovedFiles("", 100); err != nil || len(bytes) != 3 || !slices.Contains(bytes, file[0].BlobKey) {
			t.Errorf("bytes that are to be removed: %v, %v", bytes, err)
		}
		if r.gone(left) {
			t.Error("the row did not wait for stragglers")
		}
		r.fill(left, 2) // by somebody who had read the account before
		eventually(t, "the first pass is over", func() bool {
			jobs, err := r.Read().AccountJobs(left.OrgID)
			return err == nil && len(jobs) == 1 && jobs[0].Attempts == 1 // it waits for stragglers
		})
		r.Clock.Advance(time.Minute)
		w.Wake()
		eventually(t, "the rest is purged", func() bool { return r.gone(left) && r.settled() })
		if got := r.holdings(left); got != [5]int{} {
			t.Errorf("it still has %v", got)
		}
		if got := r.holdings(kept); got != [5]int{3, 3, 3, 3, 3} {
			t.Errorf("the other number has %v", got)
		}
		if r.provider.count("unsubscribe") == 0 {
			t.Error("callbacks were not turned off")
		}
	})
}

// TestSharedBusinessAccount keeps the callbacks of a business account while one of its numbers is connected.
func TestSharedBusinessAccount(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for i := range 2 {
			if _, err := r.sim.AddNumber(simulator.NumberSpec{ID: fmt.Sprint("88990", i), WABAID: "770000", Phone: fmt.Sprint("+62812555042", i), Unsubscribed: true}); err != nil {
				t.Fatal(err)
			}
		}
		first := r.connected("", url.Values{"number": {"889900"}})
		second := r.connected("", url.Values{"number": {"889901"}})
		if first.WABAID != second.WABAID || *second.PhoneNumberID != "889901" {
			t.Fatalf("the accounts are %+v and %+v", first, second)
		}
		w := r.worker(nil)
		for i, account := range []chat.Account{first, second} {
			r.disconnect(account)
			r.awaitGone(w, account)
			if n := r.provider.count("unsubscribe"); (n > 0) != (i == 1) { // the jump of the clock may make it two
				t.Errorf("after %d disconnections callbacks were turned off %d times", i+1, n)
			}
		}
	})
}

// TestUnsubscribingIsBestEffort deletes the data even if the provider refuses to unsubscribe.
func TestUnsubscribingIsBestEffort(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		account := r.connected("+62 812 5550 430", nil)
		r.provider.spoil("unsubscribe", &provider.Error{HTTPStatus: 401, Code: 190, Message: "The token is lost"})
		r.disconnect(account)
		r.awaitGone(r.worker(nil), account)
		if !strings.Contains(r.log.String(), "callbacks could not be turned off") {
			t.Errorf("logged %s", r.log)
		}
	})
}

// TestReconnectStartsClean connects a number again while its old data is still being purged.
func TestReconnectStartsClean(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		before := r.connected("+62 812 5550 440", nil)
		r.fill(before, 5)
		r.disconnect(before)
		after := r.connected("+62 812 5550 440", nil)
		if after.ID == before.ID || *after.PhoneNumberID != *before.PhoneNumberID || r.holdings(after) != [5]int{} {
			t.Errorf("the account is %+v with %v", after, r.holdings(after))
		}
		r.fill(after, 2)
		r.Clock.Advance(time.Minute)
		r.worker(nil).Wake()
		eventually(t, "the old data is gone", func() bool { return r.gone(before) && r.settled() })
		if got := r.holdings(after); got != [5]int{2, 2, 2, 3, 2} {
			t.Errorf("the new account has %v", got)
		}
		if r.provider.count("unsubscribe") != 0 {
			t.Error("the callbacks of the new account were turned off")
		}
	})
}

// TestPurgeGoesOn finishes a purge that was stopped several times.
func TestPurgeGoesOn(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		account := r.connected("+62 812 5550 450", nil)
		r.fill(account, 700)
		r.disconnect(account)
		r.Clock.Advance(time.Minute)
		for range 50 {
			w := r.worker(nil)
			before := r.holdings(account)
			eventually(t, "a batch is gone", func() bool { return r.holdings(account) != before || r.gone(account) })
			w.Stop(context.Background())
			if r.gone(account) {
				break
			}
		}
		if !r.gone(account) || r.holdings(account) != [5]int{} {
			t.Errorf("it still has %v", r.holdings(account))
		}
	})
}
