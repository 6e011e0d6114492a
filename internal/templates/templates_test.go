package templates_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/provider/providertest"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/templates"
	"github.com/parleyhq/parley/internal/worldtest"
)

// shelf is a provider with a list of templates, a hundred per page.
type shelf struct {
	providertest.Client
	list  []provider.Template
	pages atomic.Int64
}

func newShelf(n int) *shelf {
	s := &shelf{}
	for i := range n {
		s.list = append(s.list, provider.Template{
			ID: strconv.Itoa(800_000 + i), Name: fmt.Sprint("template_", i/2), Language: []string{"de", "en_US"}[i%2], Status: "APPROVED",
			Category: chat.CategoryUtility, Format: chat.FormatPositional, Quality: "GREEN",
			Components: json.RawMessage(fmt.Sprintf(`[{"type":"BODY","text":"This is number %d."}]`, i)),
		})
	}
	s.OnTemplates = func(_ provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error) {
		s.pages.Add(1)
		from, _ := strconv.Atoi(q.After) // empty: from the start
		to := min(from+100, len(s.list))
		page := provider.TemplatePage{Templates: s.list[from:to]}
		if to < len(s.list) {
			page.Next = strconv.Itoa(to)
		}
		return page, nil
	}
	return s
}

func (s *shelf) templates(st *store.Store) *templates.Service {
	return &templates.Service{Store: st, Provider: s, Token: func(chat.Account) (string, error) { return "token", nil }}
}

// ticking is a clock that advances with every reading, so that every transaction has its own time.
func ticking() func() time.Time {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var ticks atomic.Int64
	return func() time.Time { return start.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
}

// allTemplates are the templates of an account by name and language.
func allTemplates(t testing.TB, st *store.Store, a chat.Account) map[string]chat.Template {
	t.Helper()
	all := map[string]chat.Template{}
	page := store.Page{Limit: 1000}
	for {
		slice, err := st.Read(context.Background()).Templates(a.OrgID, a.WABAID, store.TemplateFilter{}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range slice.Rows {
			all[one.Name+" "+one.Language] = one
		}
		if slice.Next == nil {
			return all
		}
		page.After = slice.Next
	}
}

// TestSyncOfManyTemplates: as many templates as an account can have, in pages, with one transaction each. Unchanged
// templates are not written.
func TestSyncOfManyTemplates(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		place := storetest.NewConfig(t, engine)
		place.Now = ticking()
		st := storetest.OpenAt(t, place)
		account := worldtest.New(t, st, nil).Account
		shelf := newShelf(6000)
		sync := func(want core.TemplateSyncResult) map[string]chat.Template {
			t.Helper()
			shelf.pages.Store(0)
			got, err := shelf.templates(st).Sync(t.Context(), account)
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Fatalf("%v, (-want +got)\n%s", err, d)
			}
			return allTemplates(t, st, account)
		}

		first := sync(core.TemplateSyncResult{Created: 6000, Synced: 6000})
		instants := map[time.Time]int{}
		for _, one := range first {
			instants[one.CreatedAt]++
		}
		if pages := shelf.pages.Load(); pages != 60 || len(instants) != 60 {
			t.Errorf("%d pages were written in %d transactions", pages, len(instants))
		}

		if d := cmp.Diff(first, sync(core.TemplateSyncResult{Synced: 6000})); d != "" {
			t.Errorf("a second synchronization changed (-want +got)\n%s", d)
		}

		shelf.list[17].Status = "PAUSED"
		shelf.list[4321].Components = json.RawMessage(`[{"type":"BODY","text":"Another text."}]`)
		shelf.list = append(shelf.list[:5990], provider.Template{ID: "1", Name: "fresh", Language: "fr", Status: "PENDING", Category: chat.CategoryMarketing})
		third := sync(core.TemplateSyncResult{Created: 1, Updated: 2, Removed: 10, Synced: 5991})
		changed := 0
		for name, one := range third {
			if before, known := first[name]; known && !before.UpdatedAt.Equal(one.UpdatedAt) {
				changed++
				if one.ID != before.ID || !one.CreatedAt.Equal(before.CreatedAt) {
					t.Errorf("%s became another one", name)
				}
			}
		}
		if changed != 2 || len(third) != 5991 {
			t.Errorf("%d of %d rows were written", changed, len(third))
		}
		if one := third["template_8 en_US"]; one.Status != chat.TemplatePending || one.ProviderStatus != chat.ProviderPaused {
			t.Errorf("the paused one is %s, %s", one.Status, one.ProviderStatus)
		}
	})
}

// TestSyncLeavesWhatIsNewer: a change that is stored while the list is being read is not undone by it, nor is a deletion.
func TestSyncLeavesWhatIsNewer(t *testing.T) {
	eachWorld(t, func(w *world) {
		shelf := newShelf(3)
		service := shelf.templates(w.Store)
		if _, err := service.Sync(context.Background(), w.Account); err != nil {
			w.t.Fatal(err)
		}
		list := shelf.OnTemplates
		shelf.OnTemplates = func(n provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error) {
			page, err := list(n, q)
			page.Templates = []provider.Template{page.Templates[0], page.Templates[2]}
			page.Templates[0].Quality = "RED"
			w.Clock.Advance(time.Second) // meanwhile one is edited, one is deleted, and one is created
			if _, err := service.Delete(context.Background(), w.Account, "template_1", ""); err != nil {
				w.t.Fatal(err)
			}
			if _, err := service.Edit(context.Background(), w.Account, "template_0", templates.Patch{Language: "de", Components: []chat.TemplatePart{{Type: "BODY", Text: "Edited."}}}); err != nil {
				w.t.Fatal(err)
			}
			if _, err := service.Create(context.Background(), w.Account, chat.NewTemplate{Name: "made", Language: "de", Category: chat.CategoryUtility,
				Components: []chat.TemplatePart{{Type: "BODY", Text: "Made."}}}); err != nil {
				w.t.Fatal(err)
			}
			return page, err
		}
		w.Clock.Advance(time.Second)
		got, err := service.Sync(context.Background(), w.Account)
		if want := (core.TemplateSyncResult{Removed: 1, Synced: 2}); err != nil || got != want {
			w.t.Fatalf("%+v, %v", got, err)
		}
		var contents []string
		for _, name := range []string{"template_0 de", "template_0 en_US", "template_1 de", "made de"} {
			content, _ := allTemplates(w.t, w.Store, w.Account)[name].Content()
			contents = append(contents, content)
		}
		if d := cmp.Diff([]string{"Edited.", "", "", "Made."}, contents); d != "" {
			w.t.Errorf("(-want +got)\n%s", d)
		}
	})
}

// A list that goes round in circles does not show what stands behind it: nothing is taken for gone, and it is read again.
func TestAListThatRepeatsItself(t *testing.T) {
	for name, next := range map[string]func(after string) string{
		"one page": func(string) string { return "100" },
		"two pages": func(after string) string {
			if after == "100" {
				return "0"
			}
			return "100"
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachSchedule(t, func(s schedule) {
				s.shelf.list = newShelf(250).list
				s.Must(s.sync())
				s.Clock.Advance(24 * time.Hour)
				listed := s.shelf.OnTemplates
				s.shelf.OnTemplates = func(n provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error) {
					page, err := listed(n, q)
					page.Next = next(q.After)
					return page, err
				}
				before := s.shelf.pages.Load()
				if err := s.sync(); err == nil {
					t.Error("the list passed for a whole one")
				}
				if asked, left := s.shelf.pages.Load()-before, len(allTemplates(s.t, s.Store, s.Account)); asked > 3 || left != 250 {
					t.Errorf("%d pages were read, and %d templates are left", asked, left)
				}
			})
		})
	}
}

// schedule is a world and the synchronizations that are due in it.
type schedule struct {
	*world
	shelf   *shelf
	service *templates.Service
}

// eachSchedule begins when a number has been connected.
func eachSchedule(t *testing.T, run func(s schedule)) {
	eachWorld(t, func(w *world) {
		shelf := newShelf(3)
		run(schedule{w, shelf, shelf.templates(w.Store)})
	})
}

func (s schedule) due() (mine []store.TemplateSync) {
	s.t.Helper()
	list, err := s.service.Due(s.t.Context(), 100)
	s.Must(err)
	for _, d := range list {
		if d.OrgID == s.Org.ID {
			mine = append(mine, d)
		}
	}
	return mine
}

func (s schedule) expect(when string, n int) {
	s.t.Helper()
	if got := s.due(); len(got) != n {
		s.t.Fatalf("%s: %d are due, want %d", when, len(got), n)
	}
}

// sync does the first one that is due.
func (s schedule) sync() error { return s.service.SyncDue(s.t.Context(), s.due()[0]) }

func TestSyncIsScheduled(t *testing.T) {
	eachSchedule(t, func(s schedule) {
		s.expect("a number was connected", 1)
		stale := s.due()[0]
		s.Must(s.sync())
		if err := s.service.SyncDue(t.Context(), stale); err != nil || s.shelf.pages.Load() != 1 {
			s.t.Errorf("another node read the same again: %v", err)
		}
		s.expect("it was done", 0)
		s.Clock.Advance(6*time.Hour - time.Second)
		s.expect("before its time", 0)
		s.Clock.Advance(time.Second)
		s.expect("six hours later", 1)
	})
}

func TestFailedSyncComesAgain(t *testing.T) {
	eachSchedule(t, func(s schedule) {
		s.shelf.OnTemplates = func(provider.Number, provider.TemplateQuery) (provider.TemplatePage, error) {
			return provider.TemplatePage{}, &provider.Error{HTTPStatus: 503, Transient: true}
		}
		for _, wait := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			if s.sync() == nil {
				s.t.Fatal("it did not fail")
			}
			s.Clock.Advance(wait - time.Second)
			s.expect("before the retry", 0)
			s.Clock.Advance(time.Second)
			s.expect("the retry", 1)
		}
	})
}

// A token that the provider refuses for the list takes the number out of service, as it does for a message.
func TestTokenIsLost(t *testing.T) {
	eachSchedule(t, func(s schedule) {
		s.shelf.OnTemplates = func(provider.Number, provider.TemplateQuery) (provider.TemplatePage, error) {
			return provider.TemplatePage{}, &provider.Error{HTTPStatus: 401, Code: 190}
		}
		if s.sync() == nil {
			s.t.Error("it did not fail")
		}
		account, err := s.Read().Account(s.Org.ID, s.Account.ID)
		if err != nil || account.Status != chat.AccountDegraded {
			s.t.Errorf("the number is %s, %v", account.Status, err)
		}
	})
}

func TestNewsMakeASyncDue(t *testing.T) {
	eachSchedule(t, func(s schedule) {
		listed := s.shelf.OnTemplates
		s.shelf.OnTemplates = func(n provider.Number, q provider.TemplateQuery) (provider.TemplatePage, error) {
			s.news(provider.TemplateUpdate{Aspect: provider.TemplateStatus, Name: "unknown", Language: "de", Event: "APPROVED"}) // while the list is being read
			return listed(n, q)
		}
		s.Must(s.sync())
		s.expect("something unknown was approved meanwhile", 1)
		s.shelf.OnTemplates = listed
		s.Must(s.sync())
		s.expect("that was read too", 0)
		s.news(provider.TemplateUpdate{Aspect: provider.TemplateStatus, Name: "unknown", Language: "de", Event: "DELETED"})
		s.expect("something unknown was deleted", 0)
		s.news(provider.TemplateUpdate{Aspect: provider.TemplateComponents, Name: "template_0", Language: "de"})
		s.expect("components were changed", 1)
		s.Must(s.sync())
		s.expect("they were read", 0)
	})
}

// The outcome of a review may arrive before the edit that was reviewed is stored.
// What the provider said before an edit is not about it, however late it comes. Where only the clocks may differ, the
// provider is asked.
func TestLateNewsAfterAnEdit(t *testing.T) {
	eachSchedule(t, func(s schedule) {
		s.Must(s.sync())
		s.Clock.Advance(time.Hour)
		row, err := s.Read().Template(s.Org.ID, s.Account.WABAID, "template_0", "de")
		s.Must(err)
		s.InTx(func(tx *store.Tx) error {
			_, err := core.KeepTemplateEdit(tx, row, provider.TemplateEdit{Category: "UTILITY"}, nil)
			return err
		})
		edited := s.Clock.Now()
		s.Clock.Advance(2 * time.Second)
		for _, c := range []struct {
			age  time.Duration
			due  int
			want string
		}{{2 * time.Minute, 0, "PENDING"}, {30 * time.Second, 1, "PENDING"}, {0, 1, "APPROVED"}, {-time.Second, 1, "APPROVED"}} {
			at := edited.Add(-c.age).Truncate(time.Second)
			s.news(provider.TemplateUpdate{Origin: provider.Origin{ReportedAt: at}, Aspect: provider.TemplateStatus, Name: "template_0", Language: "de", Event: "APPROVED"})
			now, err := s.Read().Template(s.Org.ID, s.Account.WABAID, "template_0", "de")
			if s.Must(err); now.ProviderStatus != c.want {
				s.t.Errorf("said %s before the edit: it is %s, want %s", c.age, now.ProviderStatus, c.want)
			}
			s.expect(c.age.String()+" before the edit", c.due)
		}
	})
}

func TestNewsBeforeAnEditIsKept(t *testing.T) {
	eachSchedule(t, func(s schedule) {
		s.Must(s.sync())
		edit := func(meanwhile func()) {
			row, err := s.Read().Template(s.Org.ID, s.Account.WABAID, "template_0", "de")
			s.Must(err)
			meanwhile()
			s.InTx(func(tx *store.Tx) error {
				_, err := core.KeepTemplateEdit(tx, row, provider.TemplateEdit{Category: "UTILITY"}, nil)
				return err
			})
		}
		edit(func() {})
		s.expect("an edit", 0)
		s.Clock.Advance(time.Second)
		edit(func() {
			s.news(provider.TemplateUpdate{Origin: provider.Origin{ReportedAt: s.Clock.Now()}, Aspect: provider.TemplateStatus, Name: "template_0", Language: "de", Event: "APPROVED"})
		})
		s.expect("an edit that may be approved already", 1)
	})
}

func TestSyncOfANumberThatIsGone(t *testing.T) {
	eachSchedule(t, func(s schedule) {
		s.Must(s.sync())
		storetest.InTx(s.t, s.Store, func(tx *store.Tx) error { return tx.DeleteAccount(s.Org.ID, s.Account.ID, tx.Now()) })
		s.expect("the number is gone", 1)
		s.Must(s.sync())
		if _, err := s.Read().TemplateSync(s.Org.ID, s.Account.WABAID); !errors.Is(err, store.ErrNotFound) {
			s.t.Errorf("the schedule of a number that is gone: %v", err)
		}
		if left := allTemplates(s.t, s.Store, s.Account); len(left) != 0 {
			s.t.Errorf("%d templates are left of a number that is gone", len(left))
		}
	})
}

// TestTemplatesAreSharedByTheNumbersOfAnAccount: a template belongs to the business account, in each organization that
// has numbers of it.
func TestTemplatesAreSharedByTheNumbersOfAnAccount(t *testing.T) {
	eachWorld(t, func(w *world) {
		ctx := context.Background()
		second := w.Connect(w.Org, "+4930555001", w.Account.WABAID)
		foreign := w.Connect(storetest.Org(w.t, w.Store), "+4930555002", w.Account.WABAID)
		shelf := newShelf(1)
		for _, a := range []chat.Account{w.Account, foreign} {
			if _, err := shelf.templates(w.Store).Sync(ctx, a); err != nil {
				w.t.Fatal(err)
			}
		}
		w.news(provider.TemplateUpdate{Aspect: provider.TemplateStatus, Name: "template_0", Language: "de", Event: "PAUSED"})
		ids := map[string]bool{}
		for _, a := range []chat.Account{w.Account, second, foreign} {
			one, err := core.Template(w.Store.Read(ctx), a, "template_0", "de")
			if err != nil || one.ProviderStatus != "PAUSED" {
				w.t.Errorf("%+v, %v", one, err)
			}
			ids[one.ID] = true
		}
		if len(ids) != 2 {
			w.t.Errorf("%d rows for two organizations", len(ids))
		}
	})
}

// TestASyncEndsBetweenTwoLooks: a template that is missing at the first look and exists at the second is found. If it
// is missing, its language is not among those that the error names instead.
func TestASyncEndsBetweenTwoLooks(t *testing.T) {
	eachWorld(t, func(w *world) {
		ctx := context.Background()
		service := newShelf(2).templates(w.Store)
		wanted := &chat.TemplateContent{Name: "template_0", Language: chat.TemplateLanguage{Code: "en_US"}}
		if _, err := w.Read().TemplateToSend(w.Org.ID, w.Account.WABAID, "template_0", "en_US"); !errors.Is(err, store.ErrNotFound) {
			w.t.Fatalf("the first look: %v", err)
		}
		if _, err := service.Sync(ctx, w.Account); err != nil {
			w.t.Fatal(err)
		}
		found, err := templates.FindMissed(ctx, service, w.Account, wanted)
		if err != nil || found.Name != "template_0" || found.Language != "en_US" || found.Components == nil {
			w.t.Errorf("the second look: %+v, %v", found, err)
		}
		wanted.Language.Code = "fr"
		_, err = templates.FindMissed(ctx, service, w.Account, wanted)
		if e, ok := errors.AsType[*chat.Error](err); !ok || e.Message != "The template template_0 does not exist in fr, but in de, en_US." {
			w.t.Errorf("another language: %v", err)
		}
	})
}

// TestDraftsAreForgotten: a synchronization after a draft's time also removes the draft.
func TestDraftsAreForgotten(t *testing.T) {
	eachWorld(t, func(w *world) {
		begin := w.Store.Now()
		storetest.InTx(w.t, w.Store, func(tx *store.Tx) error {
			return tx.PutTemplateDraft(w.Org.ID, w.Account.WABAID, "x", "de", "fingerprint")
		})
		for _, step := range []struct {
			wait time.Duration
			want error
		}{{24 * time.Hour, nil}, {time.Millisecond, store.ErrNotFound}} {
			w.Clock.Advance(step.wait)
			if _, err := newShelf(0).templates(w.Store).Sync(context.Background(), w.Account); err != nil {
				w.t.Fatal(err)
			}
			if _, err := w.Read().TemplateDraft(w.Org.ID, w.Account.WABAID, "x", "de", begin); !errors.Is(err, step.want) {
				w.t.Errorf("%s later: %v", step.wait, err)
			}
		}
	})
}
