package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// A conversation's day: it arrives, is answered, snoozed, woken by an answer, labelled and resolved. The list,
// the counts and the timeline show it.
func TestInboxDay(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		came := o.Clock.Now()
		id := o.receive(t, o.account, "+4915112345678", "wamid.1", "Hello\nthere")
		other := o.receive(t, newNumber(t, o.Store, o.org), "+4915112345679", "wamid.2", "Hi")
		o.Clock.Advance(time.Minute)
		o.receive(t, o.account, "+4915112345678", "wamid.3", "Anybody?")
		same(t, "the list", list(t, o.as, ""), []string{id, other})
		same(t, "the oldest first", list(t, o.as, "sort=oldest"), []string{other, id})
		same(t, "of one number", list(t, o.as, "number="+*o.account.PhoneNumberID), []string{id})
		same(t, "of a number that is not there", list(t, o.as, "number=999999999"), []string{})
		c := o.conversation(t, id)
		if c.UnreadCount != 2 || *c.WaitingSince != chat.FormatTime(came) || *c.Window != chat.FormatTime(came.Add(time.Minute+24*time.Hour)) || c.LastMessage.Preview != "Anybody?" {
			t.Errorf("the conversation is %+v", c)
		}
		same(t, "the counts", counts(t, o.as), map[string]count{"mine": {}, "unassigned": {2, 2}, "all": {2, 2}, "snoozed": {}, "mentions": {}})

		o.Clock.Advance(time.Minute)
		o.as.Do(t, "POST", "/"+*o.account.PhoneNumberID+"/messages",
			`{"messaging_product":"chat","to":"+4915112345678","type":"text","text":{"body":"Yes"}}`).RequireStatus(t, http.StatusOK)
		c = o.conversation(t, id)
		if c.WaitingSince != nil || c.Assignee == nil || c.Assignee.ID != o.agent.ID || c.LastMessage.Direction != "outbound" {
			t.Errorf("after the answer the conversation is %+v", c)
		}
		same(t, "mine", list(t, o.as, "view=mine"), []string{id})
		same(t, "unassigned", list(t, o.as, "view=unassigned"), []string{other})
		same(t, "who waits", list(t, o.as, "sort=waiting"), []string{other})

		o.Clock.Advance(time.Minute)
		o.as.Do(t, "PATCH", "/conversations/"+id, `{"until_reply":true}`).RequireStatus(t, http.StatusOK).Data(t, &c)
		if c.Status != "pending" || *c.SnoozedUntil != "9999-12-31T00:00:00.000Z" {
			t.Errorf("snoozed, it is %+v", c)
		}
		same(t, "snoozed", list(t, o.as, "view=snoozed"), []string{id})
		same(t, "open", list(t, o.as, ""), []string{other})
		o.Clock.Advance(time.Minute)
		o.receive(t, o.account, "+4915112345678", "wamid.4", "Thanks")
		label := storetest.Label(t, o.Store, o.org, "VIP")
		o.Clock.Advance(time.Minute)
		o.as.Do(t, "POST", "/conversations/"+id+"/labels", `{"label_id":"`+label.ID+`"}`).RequireStatus(t, http.StatusOK)
		same(t, "with the label", list(t, o.as, "label_id="+label.ID), []string{id})
		o.Clock.Advance(time.Minute)
		o.as.Do(t, "PATCH", "/conversations/"+id, `{"status":"resolved","unread":false}`).RequireStatus(t, http.StatusOK).Data(t, &c)
		if c.Status != "resolved" || c.WaitingSince != nil || c.UnreadCount != 0 {
			t.Errorf("resolved, it is %+v", c)
		}
		same(t, "resolved", list(t, o.as, "status=resolved"), []string{id})
		same(t, "any", list(t, o.as, "status=any"), []string{id, other})
		same(t, "the timeline", names(timeline(t, o.as, id, "")), []string{
			"resolved", "labelled", "woken", "inbound", "snoozed", "assigned", "outbound", "inbound", "inbound",
		})
	})
}

// With any page size, the pages together are the whole timeline; a page around an item contains it, and the
// page after it begins with the next.
func TestTimelinePages(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		var id string
		for i, text := range []string{"a", "b", "c", "d"} {
			id = o.receive(t, o.account, "+4915112345678", "wamid."+text, text)
			o.Clock.Advance(time.Second)
			o.as.Do(t, "POST", "/conversations/"+id+"/notes", `{"body":"`+text+`"}`).RequireStatus(t, http.StatusCreated)
			o.Clock.Advance(time.Second)
			o.as.Do(t, "PATCH", "/conversations/"+id, []string{`{"status":"resolved"}`, `{"status":"pending"}`}[i%2]).RequireStatus(t, http.StatusOK)
			o.Clock.Advance(time.Second)
		}
		whole := timeline(t, o.as, id, "limit=100")
		ids := func(items []item) (all []string) {
			for _, i := range items {
				all = append(all, i.ID)
			}
			return all
		}
		for _, limit := range []string{"1", "2", "3", "5"} {
			var paged []item
			for cursor := ""; ; {
				var page struct {
					Data       []item
					NextCursor *string `json:"next_cursor"`
				}
				o.as.Get(t, "/conversations/"+id+"/timeline?limit="+limit+cursor).RequireStatus(t, http.StatusOK).Decode(t, &page)
				paged = append(paged, page.Data...)
				if page.NextCursor == nil {
					break
				}
				cursor = "&cursor=" + *page.NextCursor
			}
			same(t, "pages of "+limit, ids(paged), ids(whole))
		}
		var newest struct {
			Data       []item
			NextCursor string `json:"next_cursor"`
		}
		o.as.Get(t, "/conversations/"+id+"/timeline?newer="+whole[0].ID).RequireStatus(t, http.StatusOK).Decode(t, &newest)
		same(t, "what is older than nothing newer", ids(timeline(t, o.as, id, "newer="+whole[0].ID+"&cursor="+newest.NextCursor)), ids(whole))
		for at, i := range whole {
			around := timeline(t, o.as, id, "limit=5&around="+i.ID)
			from := max(0, at-2)
			same(t, "around "+i.name(), ids(around), ids(whole[from:min(len(whole), from+5)]))
			newer := timeline(t, o.as, id, "limit=5&newer="+i.ID)
			same(t, "newer than "+i.name(), ids(newer), ids(whole[max(0, at-5):at]))
		}
	})
}

// Replies show the message they answer, reactions are on their message, and each message names its author.
func TestTimelineMessages(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		id := o.receive(t, o.account, "+4915112345678", "wamid.1", "When do you open?")
		send := func(body string) {
			o.Clock.Advance(time.Second)
			o.as.Do(t, "POST", "/"+*o.account.PhoneNumberID+"/messages", `{"messaging_product":"chat","to":"+4915112345678",`+body+`}`).RequireStatus(t, http.StatusOK)
		}
		send(`"context":{"message_id":"wamid.1"},"type":"text","text":{"body":"At nine"}`)
		send(`"type":"reaction","reaction":{"message_id":"wamid.1","emoji":"👍"}`)
		send(`"type":"reaction","reaction":{"message_id":"wamid.1","emoji":"🎉"}`)
		items := timeline(t, o.as, id, "")
		same(t, "the items", names(items), []string{"assigned", "outbound", "inbound"})
		reply, question := items[1].Message, items[2].Message
		if reply.Quoted == nil || reply.Quoted.Preview != "When do you open?" || reply.SentBy == nil || reply.SentBy.ID != o.agent.ID || *reply.Source != "dashboard" {
			t.Errorf("the reply is %+v", reply)
		}
		if len(question.Reactions) != 1 || question.Reactions[0].Emoji != "🎉" || question.Reactions[0].From != o.agent.Name {
			t.Errorf("the reactions are %+v", question.Reactions)
		}
		send(`"type":"reaction","reaction":{"message_id":"wamid.1","emoji":""}`)
		if after := timeline(t, o.as, id, "")[2].Message.Reactions; len(after) != 0 {
			t.Errorf("a reaction that was taken back is shown: %+v", after)
		}
	})
}

func TestNotes(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		id := o.receive(t, o.account, "+4915112345678", "wamid.1", "Hi")
		colleague := o.User(t, o.org, chat.RoleAgent, chat.SeesAll, o.org.TeamID)
		theirs := o.As(t, colleague)
		at := "/conversations/" + id + "/notes"
		var note item
		o.as.Do(t, "POST", at, `{"body":"Ask Uma","mentions":["`+colleague.ID+`"]}`).RequireStatus(t, http.StatusCreated).Data(t, &note)
		same(t, "mentions", list(t, theirs, "view=mentions"), []string{id})
		same(t, "the author's mentions", list(t, o.as, "view=mentions"), []string{})
		same(t, "mentions counted", counts(t, theirs)["mentions"], count{1, 1})
		theirs.Do(t, "PATCH", at+"/"+note.ID, `{"body":"mine"}`).RequireFailure(t, "forbidden", "")
		theirs.Do(t, "DELETE", at+"/"+note.ID, "").RequireFailure(t, "forbidden", "")
		o.as.Do(t, "POST", at, `{"body":"x","mentions":["usr_00000000000000000000000000"]}`).RequireFailure(t, "invalid_field_value", "mentions")
		o.as.Do(t, "POST", at, `{"body":"  "}`).RequireFailure(t, "invalid_field_value", "body")
		o.as.Do(t, "PATCH", at+"/"+note.ID, `{"body":"Ask nobody","mentions":[]}`).RequireStatus(t, http.StatusOK)
		same(t, "mentions after the edit", list(t, theirs, "view=mentions"), []string{})
		same(t, "the timeline", names(timeline(t, theirs, id, "")), []string{"note: Ask nobody", "inbound"})
		o.as.Do(t, "DELETE", at+"/"+note.ID, "").RequireStatus(t, http.StatusOK)
		same(t, "the timeline after all", names(timeline(t, theirs, id, "")), []string{"inbound"})
	})
}

// A user who sees a conversation may answer it, even an assignee who has left the team of its number. Other
// people of that number stay out of reach.
func TestAssigneeOutsideTheTeamReplies(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		mine := o.receive(t, o.account, "+4915112345678", "wamid.1", "Hi")
		o.receive(t, o.account, "+4915112345679", "wamid.2", "Hello")
		to := func(b *apptest.Browser, number string) *apitest.Response {
			return b.Do(t, "POST", "/"+*o.account.PhoneNumberID+"/messages", `{"messaging_product":"chat","to":"`+number+`","type":"text","text":{"body":"Yes"}}`)
		}
		for sees, status := range map[chat.Visibility]int{chat.SeesAssigned: http.StatusOK, chat.SeesTeams: http.StatusNotFound} {
			u := o.User(t, o.org, chat.RoleAgent, sees, o.org.TeamID)
			o.as.Do(t, "PATCH", "/conversations/"+mine, `{"assigned_to":"`+u.ID+`"}`).RequireStatus(t, http.StatusOK)
			storetest.InTx(t, o.Store, func(tx *store.Tx) error { return tx.DeleteMember(o.org.ID, o.org.TeamID, u.ID) })
			as := o.As(t, u)
			as.Get(t, "/conversations/"+mine).RequireStatus(t, status)
			to(as, "+4915112345678").RequireStatus(t, status)
			to(as, "+4915112345679").RequireFailure(t, "resource_not_found", "")
			to(as, "+4915112345670").RequireFailure(t, "resource_not_found", "")
		}
	})
}

// A snoozed conversation comes back at its time, and not before.
func TestSnoozedWakes(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		id := o.receive(t, o.account, "+4915112345678", "wamid.1", "Hi")
		until := o.Clock.Now().Add(time.Hour)
		at := "/conversations/" + id
		o.as.Do(t, "PATCH", at, `{"snoozed_until":"`+chat.FormatTime(o.Clock.Now())+`"}`).RequireFailure(t, "invalid_field_value", "snoozed_until")
		o.as.Do(t, "PATCH", at, `{"status":"open","snoozed_until":"`+chat.FormatTime(until)+`"}`).RequireFailure(t, "invalid_field_value", "snoozed_until")
		o.as.Do(t, "PATCH", at, `{"snoozed_until":"`+chat.FormatTime(until)+`"}`).RequireStatus(t, http.StatusOK)
		wake := func() (n int64) {
			storetest.InTx(t, o.Store, func(tx *store.Tx) (err error) {
				n, err = core.Wake(tx, 10)
				return err
			})
			return n
		}
		o.Clock.Advance(time.Hour - time.Millisecond)
		if n := wake(); n != 0 {
			t.Errorf("%d woke too early", n)
		}
		o.Clock.Advance(time.Millisecond)
		if n := wake(); n != 1 {
			t.Errorf("%d woke", n)
		}
		if c := o.conversation(t, id); c.Status != "open" || c.SnoozedUntil != nil || c.WaitingSince == nil {
			t.Errorf("awake, it is %+v", c)
		}
		same(t, "the timeline", names(timeline(t, o.as, id, "")), []string{"woken", "snoozed", "inbound"})
	})
}

// A user's draft of an answer and of a note are separate; either marks the conversation, for that user only.
func TestDrafts(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		id := o.receive(t, o.account, "+4915112345678", "wamid.1", "Hi")
		at := "/conversations/" + id + "/draft"
		drafts := func(b *apptest.Browser) [2]string {
			var d struct{ Reply, Note struct{ Body string } }
			b.Get(t, at).RequireStatus(t, http.StatusOK).Data(t, &d)
			return [2]string{d.Reply.Body, d.Note.Body}
		}
		put := func(body string) { o.as.Do(t, "PUT", at, body).RequireStatus(t, http.StatusOK) }
		expect := func(what, reply, note string) {
			t.Helper()
			same(t, what, drafts(o.as), [2]string{reply, note})
			same(t, what+": the mark", o.conversation(t, id).Draft, reply+note != "")
		}
		put(`{"body":"Dear","note":false}`)
		put(`{"body":"Ask Uma","note":true}`)
		expect("both", "Dear", "Ask Uma")
		same(t, "a colleague's", drafts(o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesAll, o.org.TeamID))), [2]string{})
		put(`{"body":"Dear Ada"}`)
		expect("the answer changed", "Dear Ada", "Ask Uma")
		put(`{"body":""}`)
		expect("the note alone", "", "Ask Uma")
		put(`{"body":"","note":true}`)
		expect("neither", "", "")
	})
}

func TestCannedReplies(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		team := storetest.Team(t, o.Store, o.org.ID, "Others")
		colleague := o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesAll, o.org.TeamID))
		outside := o.As(t, o.User(t, o.org, chat.RoleAdmin, chat.SeesAll, team.ID))
		var own, shared struct{ ID string }
		o.as.Do(t, "POST", "/replies", `{"name":"Bye","body":"Bye, {{contact.name}}"}`).RequireStatus(t, http.StatusCreated).Data(t, &own)
		o.as.Do(t, "POST", "/replies", `{"name":"Hours","body":"9 to 5","team_id":"`+o.org.TeamID+`"}`).RequireStatus(t, http.StatusCreated).Data(t, &shared)
		o.as.Do(t, "POST", "/replies", `{"name":"No","body":"x","team_id":"`+team.ID+`"}`).RequireFailure(t, "invalid_field_value", "team_id")
		usable := func(b *apptest.Browser) (ids []string) {
			var all []struct{ ID string }
			b.Get(t, "/replies").RequireStatus(t, http.StatusOK).Data(t, &all)
			for _, r := range all {
				ids = append(ids, r.ID)
			}
			return ids
		}
		same(t, "one's own and the team's", usable(o.as), []string{own.ID, shared.ID})
		same(t, "the team's", usable(colleague), []string{shared.ID})
		if got := usable(outside); len(got) > 0 {
			t.Errorf("another team has %v", got)
		}
		colleague.Do(t, "PATCH", "/replies/"+own.ID, `{"name":"x"}`).RequireFailure(t, "resource_not_found", "")
		colleague.Do(t, "DELETE", "/replies/"+own.ID, "").RequireFailure(t, "resource_not_found", "")
		outside.Do(t, "PATCH", "/replies/"+shared.ID, `{"name":"x"}`).RequireFailure(t, "resource_not_found", "")
		colleague.Do(t, "PATCH", "/replies/"+shared.ID, `{"body":"10 to 6"}`).RequireStatus(t, http.StatusOK)
		colleague.Do(t, "DELETE", "/replies/"+shared.ID, "").RequireStatus(t, http.StatusOK)
		same(t, "what is left", usable(o.as), []string{own.ID})
	})
}

// A reply can be given the files that its writer could send, and keeps them when the writer leaves the team.
func TestCannedRepliesTakeFilesThatOneMaySee(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		team := storetest.Team(t, o.Store, o.org.ID, "Others")
		file := o.store(t, o.account, "prices.pdf", "application/pdf")
		member := o.User(t, o.org, chat.RoleAgent, chat.SeesAssigned, o.org.TeamID)
		all := o.User(t, o.org, chat.RoleAgent, chat.SeesAll, team.ID)
		outside := o.User(t, o.org, chat.RoleAdmin, chat.SeesTeams, team.ID)
		withFile := `{"name":"Prices","body":"Here","media_id":"` + file.ID + `"}`
		missing := strings.Replace(withFile, file.ID, o.Store.NewID(chat.KindMedia), 1)
		replies := map[string]string{}
		for _, u := range []chat.User{member, all} {
			var reply struct{ ID string }
			o.As(t, u).Do(t, "POST", "/replies", withFile).RequireStatus(t, http.StatusCreated).Data(t, &reply)
			replies[u.ID] = reply.ID
		}
		stranger := o.As(t, outside)
		want := stranger.Do(t, "POST", "/replies", missing).RequireFailure(t, "invalid_field_value", "media_id").Failure(t)
		same(t, "with another team's file", stranger.Do(t, "POST", "/replies", withFile).Failure(t), want)
		var plain struct{ ID string }
		stranger.Do(t, "POST", "/replies", `{"name":"Plain","body":"x"}`).RequireStatus(t, http.StatusCreated).Data(t, &plain)
		same(t, "given another team's file", stranger.Do(t, "PATCH", "/replies/"+plain.ID, `{"media_id":"`+file.ID+`"}`).Failure(t), want)

		storetest.InTx(t, o.Store, func(tx *store.Tx) error { return tx.DeleteMember(o.org.ID, o.org.TeamID, member.ID) })
		o.As(t, member).Do(t, "PATCH", "/replies/"+replies[member.ID], strings.Replace(withFile, "Here", "Here they are", 1)).RequireStatus(t, http.StatusOK)
	})
}

func TestSavedViews(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		colleague := o.As(t, o.User(t, o.org, chat.RoleAgent, chat.SeesAll, o.org.TeamID))
		admin := o.As(t, o.User(t, o.org, chat.RoleAdmin, chat.SeesAll, o.org.TeamID))
		type view struct {
			ID     string
			Filter map[string]any
		}
		var own, shared view
		o.as.Do(t, "POST", "/views", `{"name":"Mine","filter":{"view":"mine","unread":true,"sort":"waiting"}}`).RequireStatus(t, http.StatusCreated).Data(t, &own)
		o.as.Do(t, "POST", "/views", `{"name":"Ours","filter":{},"shared":true}`).RequireStatus(t, http.StatusCreated).Data(t, &shared)
		same(t, "the filter", own.Filter, map[string]any{"view": "mine", "unread": true, "sort": "waiting"})
		o.as.Do(t, "POST", "/views", `{"name":"x","filter":{"view":"theirs"}}`).RequireFailure(t, "invalid_field_value", "filter.view")
		var all []view
		colleague.Get(t, "/views").RequireStatus(t, http.StatusOK).Data(t, &all)
		if len(all) != 1 || all[0].ID != shared.ID {
			t.Errorf("a colleague has %+v", all)
		}
		colleague.Do(t, "PATCH", "/views/"+own.ID, `{"name":"x"}`).RequireFailure(t, "resource_not_found", "")
		colleague.Do(t, "PATCH", "/views/"+shared.ID, `{"name":"x"}`).RequireFailure(t, "forbidden", "")
		colleague.Do(t, "DELETE", "/views/"+shared.ID, "").RequireFailure(t, "forbidden", "")
		admin.Do(t, "PATCH", "/views/"+shared.ID, `{"filter":{"status":"any"}}`).RequireStatus(t, http.StatusOK)
		o.as.Do(t, "DELETE", "/views/"+shared.ID, "").RequireStatus(t, http.StatusOK)
		o.as.Get(t, "/views").Data(t, &all)
		if !slices.EqualFunc(all, []view{own}, func(a, b view) bool { return a.ID == b.ID }) {
			t.Errorf("left are %+v", all)
		}
	})
}
