package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
)

// makeLabels makes n labels in a team, a few of them in each millisecond, and returns their ids,
// newest first.
func makeLabels(t *testing.T, s *apitest.Server, orgID, teamID string, n int) []string {
	t.Helper()
	var ids []string
	for i := range n {
		if i%3 == 0 {
			s.Clock.Advance(time.Millisecond)
		}
		s.InTx(t, func(tx *store.Tx) error {
			label, err := core.CreateLabel(tx, orgID, chat.NewLabel{Name: fmt.Sprint("label ", i), TeamID: teamID})
			ids = append(ids, label.ID)
			return err
		})
	}
	slices.Reverse(ids)
	return ids
}

// labelPage is a page as a client reads it.
type labelPage struct {
	Data       []struct{ ID string }
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

func (p labelPage) ids() []string {
	ids := []string{}
	for _, label := range p.Data {
		ids = append(ids, label.ID)
	}
	return ids
}

func getPage(t *testing.T, s *apitest.Server, key, query string) (p labelPage) {
	t.Helper()
	r := s.Do(t, apitest.Request{Path: "/v1/labels?" + query, Key: key}).RequireStatus(t, http.StatusOK)
	must(t, json.Unmarshal(r.Body, &p))
	if p.HasMore != (p.NextCursor != nil) {
		t.Fatalf("has_more and next_cursor disagree: %s", r.Body)
	}
	return p
}

// walkPages follows the cursors to the end and returns the ids of each page.
func walkPages(t *testing.T, s *apitest.Server, key, query string) (pages [][]string) {
	t.Helper()
	p := getPage(t, s, key, query)
	for {
		pages = append(pages, p.ids())
		if !p.HasMore {
			return pages
		}
		p = getPage(t, s, key, query+"&cursor="+*p.NextCursor)
	}
}

func TestPagesHoldEverythingOnce(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		second := s.NewTeam(t, org.ID, "Second")
		theirs := makeLabels(t, s, org.ID, second.ID, 4)
		ours := makeLabels(t, s, org.ID, org.Team.ID, 101)
		stranger := s.NewOrg(t)
		makeLabels(t, s, stranger.ID, stranger.Team.ID, 2)
		everything := slices.Concat(ours, theirs)
		for _, test := range []struct {
			name, query string
			want        []string
			size        int
		}{
			{"default size", "", everything, api.DefaultLimit},
			{"one", "limit=1&team_id=" + second.ID, theirs, 1},
			{"a divisor", "limit=2&team_id=" + second.ID, theirs, 2},
			{"no divisor", "limit=3&team_id=" + second.ID, theirs, 3},
			{"exactly all", "limit=4&team_id=" + second.ID, theirs, 4},
			{"more than all", "limit=5&team_id=" + second.ID, theirs, 5},
			{"the largest", "limit=100&team_id=" + org.Team.ID, ours, 100},
			{"over both teams", "limit=52", everything, 52},
		} {
			t.Run(test.name, func(t *testing.T) {
				want := slices.Collect(slices.Chunk(test.want, test.size))
				if d := cmp.Diff(want, walkPages(t, s, org.Key, test.query)); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		}
	})
}

func TestPagesStandWhileTheListChanges(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		ids := makeLabels(t, s, org.ID, org.Team.ID, 6)
		first := getPage(t, s, org.Key, "limit=2")
		s.InTx(t, func(tx *store.Tx) error { // one new row in front; the cursor's row and one after it are gone
			_, err := core.CreateLabel(tx, org.ID, chat.NewLabel{Name: "new"})
			for _, gone := range []string{ids[1], ids[2]} {
				if err == nil {
					err = core.DeleteLabel(tx, org.ID, gone)
				}
			}
			return err
		})
		second := getPage(t, s, org.Key, "limit=2&cursor="+*first.NextCursor)
		if d := cmp.Diff(ids[3:5], second.ids()); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		other := getPage(t, s.Another(t), org.Key, "limit=3&cursor="+*first.NextCursor) // another node, another size
		if d := cmp.Diff(ids[3:6], other.ids()); d != "" || other.HasMore {
			t.Errorf("has more: %v (-want +got)\n%s", other.HasMore, d)
		}
	})
}

func TestBadLimits(t *testing.T) {
	var scenarios []apitest.Scenario
	for _, limit := range []string{
		"0", "-1", "101", "1000", "abc", "", "1.5", "1.0", "1e1", "0x10", "1_0", "%205", "5%20", "%31%00", "null", "true",
		"99999999999999999999", "-99999999999999999999", "%EF%BC%95", "%FF",
	} {
		scenarios = append(scenarios, apitest.Scenario{
			Name: limit, Request: apitest.Request{Path: "/v1/labels?limit=" + limit}, Code: "invalid_limit", Param: "limit",
		})
	}
	for _, limit := range []string{"1", "25", "100", "007"} {
		scenarios = append(scenarios, apitest.Scenario{
			Name: limit, Request: apitest.Request{Path: "/v1/labels?limit=" + limit}, Status: http.StatusOK, Want: emptyPage,
		})
	}
	apitest.RunEach(t, scenarios)
}

func TestBadCursors(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org, stranger := s.NewOrg(t), s.NewOrg(t)
		makeLabels(t, s, org.ID, org.Team.ID, 3)
		makeLabels(t, s, stranger.ID, stranger.Team.ID, 3)
		own := *getPage(t, s, org.Key, "limit=1").NextCursor
		filtered := *getPage(t, s, org.Key, "limit=1&team_id="+org.Team.ID).NextCursor
		foreign := *getPage(t, s, stranger.Key, "limit=1").NextCursor
		getPage(t, s, org.Key, "cursor="+own)

		queries := map[string]string{
			"empty": "cursor=", "a word": "cursor=abc", "an id": "cursor=" + org.Team.ID, "not base64": "cursor=!!!!",
			"another organization's": "cursor=" + foreign,
			"of a filtered list":     "cursor=" + filtered,
			"of the whole list":      "team_id=" + org.Team.ID + "&cursor=" + own,
			"padded":                 "cursor=" + own + "%3D",
			"with a blank":           "cursor=" + own + "%20",
			"with a line break":      "cursor=" + own[:8] + "%0A" + own[8:],
			"twice":                  "cursor=" + own + own,
			"zeros":                  "cursor=" + strings.Repeat("A", len(own)),
			"very long":              "cursor=" + strings.Repeat("A", 7000),
		}
		for i := range own {
			changed := []byte(own)
			changed[i] = map[bool]byte{true: 'B', false: 'A'}[changed[i] == 'A']
			queries[fmt.Sprint("changed at ", i)] = "cursor=" + string(changed)
			queries[fmt.Sprint("cut at ", i)] = "cursor=" + own[:i]
		}
		for name, query := range queries {
			r := s.Do(t, apitest.Request{Path: "/v1/labels?" + query, Key: org.Key})
			if f := r.Failure(t); f.Code != "invalid_cursor" || f.Param != "cursor" || r.Status != http.StatusBadRequest {
				t.Errorf("%s: got %d %s", name, r.Status, r.Body)
			}
		}
	})
}

// The spelling of a filter does not matter, and unknown parameters are not filters.
func TestCursorsIgnoreWhatIsNoFilter(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		org := s.NewOrg(t)
		ids := makeLabels(t, s, org.ID, org.Team.ID, 3)
		first := getPage(t, s, org.Key, "limit=1&x=1&team_id="+org.Team.ID)
		escaped := strings.Replace(url.QueryEscape(org.Team.ID), "team", "te%61m", 1)
		second := getPage(t, s, org.Key, "cursor="+*first.NextCursor+"&y=2&team_id="+escaped)
		if d := cmp.Diff(ids[1:], second.ids()); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}
