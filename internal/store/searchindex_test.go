package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// However many texts a search scans at a time, its pages together are all matching texts, newest first.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	for _, trigrams := range []bool{true, false} {
		t.Run(fmt.Sprintf("trigrams %v", trigrams), func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, st *store.Store) { searchPages(t, st, trigrams) })
		})
	}
}

func searchPages(t *testing.T, st *store.Store, trigrams bool) {
	index, err := st.OpenSearch(t.Context())
	requireNoError(t, err)
	defer index.Close()
	store.LimitSearch(index, trigrams, 5, 7)
	texts := searchTexts(st)
	_, err = index.Update(t.Context(), func(u store.SearchUpdate) error {
		if err := u.Put("org_b", []store.SearchText{{ID: st.NewID(chat.KindMessage), AccountID: "acc_a", Text: "common rare"}}); err != nil {
			return err
		}
		return u.Put("org_a", texts)
	})
	requireNoError(t, err)
	for _, q := range []store.SearchQuery{
		{Words: []string{"common"}},
		{Words: []string{"rare"}},
		{Words: []string{"common", "rare"}},
		{Words: []string{"nowhere"}},
		{Words: []string{"rare"}, Or: "12345"},
		{Or: "12345"},
		{Words: []string{"кофе"}}, // no trigram on servers whose locale is C
		{Words: []string{"common"}, Within: &[]string{"acc_a"}},
		{Words: []string{"common"}, Within: &[]string{}},
		{Words: []string{"common"}, From: firstText.Add(10 * time.Second), Until: firstText.Add(20 * time.Second)},
	} {
		for _, limit := range []int{1, 3, 100} {
			q.Kind, q.OrgID, q.Limit = chat.KindMessage, "org_a", limit
			if d := cmp.Diff(searchWant(texts, q), searchAll(t, index, q)); d != "" {
				t.Errorf("%v or %q, %d at a time (-want +got):\n%s", q.Words, q.Or, limit, d)
			}
		}
	}
}

var firstText = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// searchTexts are sixty texts, a second apart.
func searchTexts(st *store.Store) (texts []store.SearchText) {
	for i := range 60 {
		text := store.SearchText{ID: st.NewIDAt(chat.KindMessage, firstText.Add(time.Duration(i)*time.Second)), AccountID: "acc_b", Text: "common words"}
		switch {
		case i == 17 || i == 43:
			text.Text += " rare"
		case i%10 == 3:
			text.Text, text.AccountID = "кофе common", "acc_a"
		case i == 9:
			text.Text = "number\n612345678"
		}
		texts = append(texts, text)
	}
	return texts
}

// searchWant are the texts that a query should find.
func searchWant(texts []store.SearchText, q store.SearchQuery) []string {
	ids := []string{}
	for i, text := range texts {
		all := len(q.Words) > 0
		for _, word := range q.Words {
			all = all && strings.Contains(text.Text, word)
		}
		at := firstText.Add(time.Duration(i) * time.Second)
		within := q.Within == nil || slices.Contains(*q.Within, text.AccountID)
		if (all || q.Or != "" && strings.Contains(text.Text, q.Or)) && within && !at.Before(q.From) && (q.Until.IsZero() || at.Before(q.Until)) {
			ids = append(ids, text.ID)
		}
	}
	slices.Reverse(ids)
	return ids
}

func searchAll(t *testing.T, index *store.SearchIndex, q store.SearchQuery) []string {
	t.Helper()
	ids := []string{}
	for range 200 {
		found, err := index.Find(t.Context(), q)
		requireNoError(t, err)
		for _, hit := range found.Hits {
			ids = append(ids, hit.ID)
		}
		if q.After = found.Next; q.After == "" {
			return ids
		}
	}
	t.Fatal("the search does not end")
	return nil
}
