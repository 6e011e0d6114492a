package app_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type broadcastShown struct {
	ID            string
	PhoneNumberID string `json:"phone_number_id"`
	Counts        struct{ Total int }
}

// The broadcasts of all numbers are one list, in pages, limited to the numbers that the user may see.
func TestBroadcastsOfAllNumbers(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		admin, org := newAdmin(t, w)
		stranger, _ := newAdmin(t, w)
		first := newNumber(t, w.Store, org)
		elsewhere := org
		elsewhere.TeamID = storetest.Team(t, w.Store, org.ID, "Elsewhere").ID
		second := newNumber(t, w.Store, elsewhere)
		made := []broadcastShown{}
		for _, account := range []chat.Account{first, second, first} {
			made = append([]broadcastShown{newBroadcast(t, w, account)}, made...)
		}

		var listed []broadcastShown
		admin.Get(t, "/broadcasts").RequireStatus(t, http.StatusOK).Data(t, &listed)
		if fmt.Sprint(listed) != fmt.Sprint(made) {
			t.Errorf("listed are %+v, made were %+v", listed, made)
		}
		var page struct {
			Data []broadcastShown
			Next string `json:"next_cursor"`
		}
		admin.Get(t, "/broadcasts?limit=2&status=draft").RequireStatus(t, http.StatusOK).Decode(t, &page)
		admin.Get(t, "/broadcasts?limit=2&status=draft&cursor="+page.Next).RequireStatus(t, http.StatusOK).Data(t, &listed)
		if len(page.Data) != 2 || len(listed) != 1 || listed[0].ID != made[2].ID {
			t.Errorf("the pages are %+v and %+v", page.Data, listed)
		}
		admin.Get(t, "/broadcasts?status=sending").RequireStatus(t, http.StatusOK).Data(t, &listed)
		if len(listed) != 0 {
			t.Errorf("being sent are %+v", listed)
		}

		ofTeam := w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesTeams, org.TeamID))
		ofTeam.Get(t, "/broadcasts").RequireStatus(t, http.StatusOK).Data(t, &listed)
		if len(listed) != 2 {
			t.Errorf("the team's are %+v", listed)
		}
		var one broadcastShown
		ofTeam.Get(t, "/broadcasts/"+made[0].ID).RequireStatus(t, http.StatusOK).Data(t, &one)
		if one != made[0] {
			t.Errorf("one is %+v, not %+v", one, made[0])
		}
		ofTeam.Get(t, "/broadcasts/"+made[1].ID).RequireFailure(t, "resource_not_found", "")
		stranger.Get(t, "/broadcasts/"+made[0].ID).RequireFailure(t, "resource_not_found", "")
		stranger.Get(t, "/broadcasts").RequireStatus(t, http.StatusOK).Data(t, &listed)
		if len(listed) != 0 {
			t.Errorf("a stranger sees %+v", listed)
		}
		agent := w.As(t, w.User(t, org, chat.RoleAgent, chat.SeesAll, org.TeamID))
		agent.Get(t, "/broadcasts").RequireFailure(t, "forbidden", "")
	})
}

// newBroadcast stores a draft to one person.
func newBroadcast(t *testing.T, w *apptest.World, account chat.Account) broadcastShown {
	t.Helper()
	shown := broadcastShown{PhoneNumberID: *account.PhoneNumberID}
	storetest.InTx(t, w.Store, func(tx *store.Tx) error {
		b, err := core.CreateBroadcast(tx, account, core.NewBroadcast{
			Name: "Sale", Template: chat.BroadcastTemplate{Name: "sale", Language: "en"}, Recipients: []core.NewRecipient{{To: "+4915510000001"}},
		})
		shown.ID, shown.Counts.Total = b.ID, 1
		return err
	})
	return shown
}

// Every failure of a message, every reason to skip a recipient and every reason to pause a broadcast has a text
// on the pages, in both languages.
func TestReasonsHaveWords(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"reasons.ts":    append(constants(t, "message.go", `Fail\w+ +MessageErrorCode = "(\w+)"`), constants(t, "broadcast.go", `(?:Skip|Fail)\w+ += "(\w+)"`)...),
		"broadcasts.ts": constants(t, "broadcast.go", `Reason\w+ +BroadcastReason = "(\w+)"`),
	} {
		for _, language := range []string{"en", "id"} {
			text := read(t, "../../web/src/i18n/"+language+"/"+file)
			for _, reason := range want {
				if !regexp.MustCompile(`(?m)^ +` + reason + `: ".+",$`).MatchString(text) {
					t.Errorf("%s/%s has no words for %s", language, file, reason)
				}
			}
		}
	}
}

// What the server refuses is said in each language. In English the server's own sentence is shown, or a page's instead of it.
func TestRefusalsHaveWords(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"invalid_phone_number", "missing_required_field", "invalid_field_value", "resource_not_found", "rate_limit_exceeded"} // see messages.ts
	text := read(t, "../../web/src/i18n/id/errors.ts")
	for _, code := range constants(t, "error.go", `Code\w+ +Code = "(\w+)"`) {
		if !slices.Contains(elsewhere, code) && !regexp.MustCompile(`(?m)^ +`+code+`: ".+",$`).MatchString(text) {
			t.Errorf("id/errors.ts has no words for %s", code)
		}
	}
}

// constants are the values of those constants of package chat that a pattern finds.
func constants(t *testing.T, file, pattern string) (values []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, "../chat/"+file), -1) {
		values = append(values, m[1])
	}
	if len(values) < 5 {
		t.Fatalf("%s has only %q", file, values)
	}
	return values
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// What was given as an address comes from whoever made the list: in a spreadsheet it must not become a formula.
func TestBroadcastExport(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		admin, org := newAdmin(t, w)
		b := newBroadcast(t, w, newNumber(t, w.Store, org))
		path := "/" + b.PhoneNumberID + "/broadcasts/" + b.ID + "/recipients"
		admin.Do(t, http.MethodPost, path, `{"recipients":[{"to":"+4915510000777"},{"to":"+cmd|'/c calc'!A1"}]}`).RequireStatus(t, http.StatusOK)
		file := admin.Download(t, path+".csv")
		for _, table := range [][]byte{file, admin.Download(t, strings.Replace(path, "recipients", "left_out.csv", 1))} {
			if !bytes.HasPrefix(table, []byte("\ufeffid,to,name,")) {
				t.Errorf("a spreadsheet does not see that this is UTF-8: %.60q", table)
			}
		}
		sheet := sheetOf(t, file)
		same(t, "a number and a formula", []string{sheet[2][1], sheet[3][1]}, []string{"+4915510000777", "'+cmd|'/c calc'!A1"})
	})
}
