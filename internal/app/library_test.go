package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type libraryFile struct {
	ID       string
	Filename string
	MimeType string `json:"mime_type"`
	Path     string
}

// store puts a file into the library of a number's team.
func (o *office) store(t testing.TB, account chat.Account, name, mimeType string) (m chat.Media) {
	t.Helper()
	storetest.InTx(t, o.Store, func(tx *store.Tx) (err error) {
		m, err = core.AddMedia(tx, account, chat.MediaLibrary, core.StoredFile{
			BlobKey: "blob " + name, MimeType: mimeType, Size: 3, SHA256: fmt.Sprintf("%064d", 1), Filename: name,
		})
		return err
	})
	return m
}

func library(t testing.TB, b *apptest.Browser, account chat.Account, query string) (names []string) {
	t.Helper()
	names = []string{}
	for cursor := ""; ; {
		var page struct {
			Data       []libraryFile
			NextCursor *string `json:"next_cursor"`
		}
		b.Get(t, "/"+*account.PhoneNumberID+"/media?limit=2&"+query+cursor).RequireStatus(t, http.StatusOK).Decode(t, &page)
		for _, f := range page.Data {
			names = append(names, f.Filename)
		}
		if page.NextCursor == nil {
			return names
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

func TestLibrary(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		for _, f := range [][2]string{{"Price_list.pdf", "application/pdf"}, {"shop.jpg", "image/jpeg"}, {"hello.ogg", "audio/ogg; codecs=opus"}, {"tour.mp4", "video/mp4"}} {
			d.store(t, d.account, f[0], f[1])
		}
		elsewhere := storetest.Org(t, d.Store)
		theirs := newNumber(t, d.Store, elsewhere)
		d.store(t, theirs, "secret.pdf", "application/pdf")
		storetest.InTx(t, d.Store, func(tx *store.Tx) error {
			_, err := core.AddMedia(tx, d.account, chat.MediaInbound, core.StoredFile{BlobKey: "in", MimeType: "image/png", Filename: "in.png"})
			return err
		})
		storetest.InTx(t, d.Store, func(tx *store.Tx) error {
			_, err := core.AddMedia(tx, d.account, chat.MediaAttachment, core.StoredFile{BlobKey: "sent", MimeType: "image/png", Filename: "sent.png"})
			return err
		})
		for query, want := range map[string][]string{
			"":                      {"tour.mp4", "hello.ogg", "shop.jpg", "Price_list.pdf"},
			"kind=image":            {"shop.jpg"},
			"kind=audio":            {"hello.ogg"},
			"kind=video":            {"tour.mp4"},
			"kind=document":         {"Price_list.pdf"},
			"search=LIST":           {"Price_list.pdf"},
			"search=o&kind=image":   {"shop.jpg"},
			"search=_":              {"Price_list.pdf"},
			"search=secret":         {},
			"kind=video&search=jpg": {},
		} {
			same(t, "the library with "+query, library(t, d.as, d.account, query), want)
		}
		d.boss.Get(t, "/"+*theirs.PhoneNumberID+"/media").RequireFailure(t, "resource_not_found", "")
	})
}

// A file that an agent attaches is sent, and is no part of the library: it can be neither listed, nor used by a canned
// reply, nor deleted there.
func TestAttachmentsAreNotListed(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		number := "/" + *d.account.PhoneNumberID
		d.receive(t, d.account, "+4915100000000", "wamid.1", "Hello")
		const kind = "multipart/form-data; boundary=b"
		const form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"receipt.png\"\r\nContent-Type: image/png\r\n\r\nPNG\r\n--b--\r\n"
		var file struct{ ID string }
		d.as.Do(t, "POST", number+"/attachments", form, "Content-Type", kind).RequireStatus(t, http.StatusCreated).Data(t, &file)
		d.as.Do(t, "POST", number+"/messages", `{"messaging_product":"chat","to":"+4915100000000","type":"image","image":{"id":"`+file.ID+`"}}`).
			RequireStatus(t, http.StatusOK)
		same(t, "the library", library(t, d.as, d.account, ""), []string{})
		for _, path := range []string{"", "/uses"} {
			d.as.Get(t, number+"/media/"+file.ID+path).RequireFailure(t, "resource_not_found", "")
		}
		d.boss.Do(t, "DELETE", number+"/media/"+file.ID, "").RequireFailure(t, "resource_not_found", "")
		d.as.Do(t, "POST", "/replies", `{"name":"Mine","body":"Here","media_id":"`+file.ID+`"}`).RequireFailure(t, "invalid_field_value", "media_id")

		d.as.Do(t, "POST", number+"/media", form, "Content-Type", kind).RequireStatus(t, http.StatusCreated)
		same(t, "the library", library(t, d.as, d.account, ""), []string{"receipt.png"})
	})
}

// uses is where a file is used.
type uses struct {
	Replies      []string
	OtherReplies int `json:"other_replies"`
	Templates    []struct{ Name, Language string }
	Drafts       []string `json:"template_drafts"`
	Broadcasts   []string
	Messages     int
}

// The uses of a file are shown before it is deleted. Afterwards only sent messages have it.
func TestUsedFiles(t *testing.T) {
	each(t, newDesk, func(t *testing.T, d *desk) {
		file, other := d.store(t, d.account, "prices.png", "image/png"), d.store(t, d.account, "other.png", "image/png")
		path := "/" + *d.account.PhoneNumberID + "/media/" + file.ID
		var reply struct{ ID string }
		d.boss.Do(t, "POST", "/replies", `{"name":"Prices","body":"Here","team_id":"`+d.org.TeamID+`","media_id":"`+file.ID+`"}`).RequireStatus(t, http.StatusCreated).Data(t, &reply)
		d.as.Do(t, "POST", "/replies", `{"name":"My own","body":"Here","media_id":"`+file.ID+`"}`).RequireStatus(t, http.StatusCreated)
		d.boss.Do(t, "POST", "/"+*d.account.PhoneNumberID+"/template-drafts",
			`{"name":"sale","language":"en","category":"MARKETING","content":{"header":{"media":"`+file.ID+`"}}}`).RequireStatus(t, http.StatusCreated)
		d.receive(t, d.account, "+4915100000000", "wamid.1", "Hello")
		d.as.Do(t, "POST", "/"+*d.account.PhoneNumberID+"/messages",
			`{"messaging_product":"chat","to":"+4915100000000","type":"image","image":{"id":"`+file.ID+`"}}`).RequireStatus(t, http.StatusOK)
		storetest.InTx(t, d.Store, func(tx *store.Tx) error {
			return tx.PutTemplateSamples(chat.Template{OrgID: d.org.ID, WABAID: d.account.WABAID, Name: "promo", Language: "en"},
				map[string]string{"components[0]": file.ID, "components[1]": other.ID})
		})
		var found uses
		d.boss.Get(t, path+"/uses").RequireStatus(t, http.StatusOK).Data(t, &found)
		same(t, "its uses", found, uses{
			Replies: []string{"Prices"}, OtherReplies: 1, Templates: []struct{ Name, Language string }{{"promo", "en"}}, Drafts: []string{"sale"},
			Broadcasts: []string{}, Messages: 1,
		})
		d.broadcast(t, file.ID)
		for who, want := range map[*apptest.Browser]int{
			d.boss: 1, d.as: 0, d.As(t, d.User(t, d.org, chat.RoleAdmin, chat.SeesTeams, d.org.TeamID)): 1,
			d.As(t, d.User(t, d.org, chat.RoleAgent, chat.SeesAll, d.org.TeamID)): 0,
		} {
			if who.Get(t, path+"/uses").RequireStatus(t, http.StatusOK).Data(t, &found); len(found.Broadcasts) != want {
				t.Errorf("somebody sees the broadcasts %q, want %d", found.Broadcasts, want)
			}
		}
		d.as.Do(t, "DELETE", path, "").RequireFailure(t, "forbidden", "")
		d.boss.Do(t, "DELETE", path, "").RequireStatus(t, http.StatusOK)
		d.boss.Get(t, path+"/uses").RequireFailure(t, "resource_not_found", "")
		var replies []struct {
			Name    string
			MediaID *string `json:"media_id"`
		}
		if d.boss.Get(t, "/replies").Data(t, &replies); len(replies) != 1 || replies[0].MediaID != nil {
			t.Errorf("the replies are %+v", replies)
		}
		same(t, "the library", library(t, d.as, d.account, ""), []string{"other.png"})
	})
}

// broadcast stores a draft with a file.
func (d *desk) broadcast(t *testing.T, mediaID string) {
	t.Helper()
	storetest.InTx(t, d.Store, func(tx *store.Tx) error {
		_, err := core.CreateBroadcast(tx, d.account, core.NewBroadcast{
			Name: "Sale", Recipients: []core.NewRecipient{{To: "+4915510000001"}},
			Template: chat.BroadcastTemplate{Name: "sale", Language: "en",
				Components: json.RawMessage(`[{"type":"header","parameters":[{"type":"image","image":{"id":"` + mediaID + `"}}]}]`)},
		})
		return err
	})
}

// A number cannot see the files of a team to which it does not belong.
func TestLibrariesOfTeams(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	d := newDesk(t, w)
	team := storetest.Team(t, w.Store, d.org.ID, "Sales")
	account := newNumber(t, w.Store, d.org)
	account.TeamID = team.ID
	file := d.store(t, account, "sales.pdf", "application/pdf")
	same(t, "the library", library(t, d.boss, d.account, ""), []string{})
	d.boss.Get(t, "/"+*d.account.PhoneNumberID+"/media/"+file.ID+"/uses").RequireFailure(t, "resource_not_found", "")
	d.boss.Do(t, "DELETE", "/"+*d.account.PhoneNumberID+"/media/"+file.ID, "").RequireFailure(t, "resource_not_found", "")
}
