package store_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func TestPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		var labels []chat.Label
		for i := range 3 {
			labels = append(labels, storetest.Label(t, st, org, fmt.Sprint("label ", i)))
		}
		slices.Reverse(labels)
		for _, test := range []struct {
			name    string
			limit   int
			after   *store.Position
			want    []chat.Label
			hasMore bool
		}{
			{"more than there are", 4, nil, labels, false},
			{"exactly all", 3, nil, labels, false},
			{"one less", 2, nil, labels[:2], true},
			{"behind the first", 1, position(labels[0]), labels[1:2], true},
			{"the last", 1, position(labels[1]), labels[2:], false},
			{"behind the last", 1, position(labels[2]), nil, false},
			{"behind a row that is gone", 5, &store.Position{At: labels[0].CreatedAt.Add(time.Hour), ID: labels[2].ID}, labels, false},
		} {
			page, err := st.Read(t.Context()).Labels(org.ID, store.LabelFilter{}, store.Page{Limit: test.limit, After: test.after})
			if err != nil || !slices.Equal(page.Rows, test.want) || (page.Next != nil) != test.hasMore {
				t.Errorf("%s: got %v (%v)", test.name, page, err)
			}
		}
	})
}

func position(l chat.Label) *store.Position {
	return &store.Position{At: l.CreatedAt, ID: l.ID}
}

// A walk over all pages of any size meets every initial row once and in order, although many share an instant
// and new rows arrive meanwhile.
func TestPageWalk(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		rapid.Check(t, func(rt *rapid.T) { checkPageWalk(rt, st) })
	})
}

func checkPageWalk(t *rapid.T, st *store.Store) {
	org := newOrganization(st, "Walk", chat.SubscriptionActive)
	teams := []chat.Team{
		{ID: st.NewID(chat.KindTeam), OrgID: org.ID, Name: "one", CreatedAt: st.Now()},
		{ID: st.NewID(chat.KindTeam), OrgID: org.ID, Name: "two", CreatedAt: st.Now()},
	}
	labels := drawLabels(t, st, teams, "at the start", 0, 12)
	write(t, st, func(tx *store.Tx) error {
		if err := tx.InsertOrganization(org); err != nil {
			return err
		}
		for _, team := range teams {
			if err := tx.InsertTeam(team); err != nil {
				return err
			}
		}
		return insertLabels(tx, labels)
	})
	filter := store.LabelFilter{TeamID: rapid.SampledFrom([]string{"", teams[0].ID}).Draw(t, "team")}
	limit := rapid.IntRange(1, len(labels)+1).Draw(t, "limit")
	w := walker{st: st, orgID: org.ID, filter: filter, limit: limit}
	for w.next(t) {
		if late := drawLabels(t, st, teams, "meanwhile", 0, 2); len(late) > 0 {
			write(t, st, func(tx *store.Tx) error { return insertLabels(tx, late) })
			w.late = append(w.late, late...)
		}
	}
	w.check(t, labels)
}

type walker struct {
	st     *store.Store
	orgID  string
	filter store.LabelFilter
	limit  int
	seen   []chat.Label
	late   []chat.Label
}

// next reads the next page and reports whether another follows.
func (w *walker) next(t *rapid.T) bool {
	p := store.Page{Limit: w.limit}
	if n := len(w.seen); n > 0 {
		p.After = position(w.seen[n-1])
	}
	page, err := w.st.Read(context.Background()).Labels(w.orgID, w.filter, p)
	requireNoError(t, err)
	if len(page.Rows) > w.limit || page.Next != nil && len(page.Rows) < w.limit {
		t.Fatalf("a page of %d for the limit %d, more to come: %v", len(page.Rows), w.limit, page.Next)
	}
	w.seen = append(w.seen, page.Rows...)
	return page.Next != nil
}

func (w *walker) check(t *rapid.T, atStart []chat.Label) {
	for i := range len(w.seen) - 1 {
		if newestFirst(w.seen[i], w.seen[i+1]) >= 0 {
			t.Fatalf("out of order or twice: %v before %v", w.seen[i], w.seen[i+1])
		}
	}
	var want []chat.Label
	for _, l := range atStart {
		if w.filter.TeamID == "" || w.filter.TeamID == l.TeamID {
			want = append(want, l)
		}
	}
	slices.SortFunc(want, newestFirst)
	got := slices.DeleteFunc(slices.Clone(w.seen), func(l chat.Label) bool { return slices.Contains(w.late, l) })
	if !slices.Equal(got, want) {
		t.Fatalf("got %v\nwant %v", got, want)
	}
}

func newestFirst(a, b chat.Label) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
}

// drawLabels makes labels with few different times, and ids that do not follow them.
func drawLabels(t *rapid.T, st *store.Store, teams []chat.Team, what string, least, most int) []chat.Label {
	start := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) chat.Label {
		team := rapid.SampledFrom(teams).Draw(t, "team")
		id := st.NewID(chat.KindLabel)
		at := start.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "at")) * time.Millisecond)
		return chat.Label{ID: id, OrgID: team.OrgID, TeamID: team.ID, Name: id, Color: "red", CreatedAt: at, UpdatedAt: at}
	}), least, most).Draw(t, what)
}

func insertLabels(tx *store.Tx, labels []chat.Label) error {
	for _, l := range labels {
		if err := tx.InsertLabel(l); err != nil {
			return err
		}
	}
	return nil
}

// write is storetest.InTx for a rapid test.
func write(t *rapid.T, st *store.Store, fn func(*store.Tx) error) {
	requireNoError(t, st.InTx(context.Background(), fn))
}
