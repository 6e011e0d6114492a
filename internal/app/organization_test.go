package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// choose changes the settings of an office, as its admin does.
func (o *office) choose(t testing.TB, settings string) {
	t.Helper()
	o.admin(t).Do(t, "PATCH", "/organization", settings).RequireStatus(t, http.StatusOK)
}

func (o *office) admin(t testing.TB) *apptest.Browser {
	t.Helper()
	return o.As(t, o.User(t, o.org, chat.RoleAdmin, chat.SeesAll))
}

type settings struct {
	Name        string
	TimeZone    string `json:"time_zone"`
	MaskNumbers bool   `json:"mask_numbers"`
	RoundRobin  bool   `json:"round_robin"`
	Hours       []struct{ Day, Opens, Closes string }
	Away        struct {
		On   bool
		Text string
	} `json:"away_message"`
}

// Absent settings stay, senseless ones are refused with the field's name, and agents change nothing.
func TestOrganizationSettings(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		admin := o.admin(t)
		var s settings
		if admin.Get(t, "/organization").RequireStatus(t, http.StatusOK).Data(t, &s); s.TimeZone != "UTC" || s.RoundRobin || s.MaskNumbers || s.Away.On {
			t.Errorf("a new organization has %+v", s)
		}
		admin.Do(t, "PATCH", "/organization", `{"name":" Kopi Nusantara ","round_robin":true,"time_zone":"Asia/Jakarta"}`).RequireStatus(t, http.StatusOK)
		admin.Do(t, "PATCH", "/organization", `{"away_message":{"on":true,"text":"Closed"},"opening_hours":[{"day":"monday","opens":"09:00","closes":"17:00"}]}`).
			RequireStatus(t, http.StatusOK)
		admin.Get(t, "/organization").Data(t, &s)
		if s.Name != "Kopi Nusantara" || !s.RoundRobin || s.TimeZone != "Asia/Jakarta" || !s.Away.On || s.Away.Text != "Closed" {
			t.Errorf("after the changes it has %+v", s)
		}
		for param, body := range map[string]string{
			"time_zone":              `{"time_zone":"Mars/Olympus"}`,
			"away_message.text":      `{"away_message":{"on":true,"text":""}}`,
			"opening_hours":          `{"opening_hours":[{"day":"monday","opens":"09:00","closes":"10:00"},{"day":"monday","opens":"11:00","closes":"12:00"}]}`,
			"opening_hours[0].opens": `{"opening_hours":[{"day":"monday","opens":"9am","closes":"10:00"}]}`,
			"name":                   `{"name":""}`,
		} {
			admin.Do(t, "PATCH", "/organization", body).RequireFailure(t, "invalid_field_value", param)
		}
		o.as.Get(t, "/organization").RequireFailure(t, "forbidden", "")
		o.as.Do(t, "PATCH", "/organization", `{"round_robin":false}`).RequireFailure(t, "forbidden", "")
	})
}

// A user who is away gets no new conversations, and everybody sees the status.
func TestAvailability(t *testing.T) {
	each(t, newOffice, func(t *testing.T, o *office) {
		colleague := o.User(t, o.org, chat.RoleAgent, chat.SeesAssigned, o.org.TeamID)
		o.As(t, colleague)
		o.choose(t, `{"round_robin":true}`)
		o.as.Do(t, "PATCH", "/me", `{"away":true}`).RequireStatus(t, http.StatusOK)
		var me struct{ User struct{ Away bool } }
		if o.as.Get(t, "/me").Data(t, &me); !me.User.Away {
			t.Error("the agent is not away")
		}
		var people []struct {
			ID   string
			Away bool
		}
		o.as.Get(t, "/people").Data(t, &people)
		for _, p := range people {
			if p.Away != (p.ID == o.agent.ID) {
				t.Errorf("of %s colleagues see %v", p.ID, p.Away)
			}
		}
		for i := range 3 {
			c := o.conversation(t, o.receive(t, o.account, fmt.Sprintf("+49151123456%02d", i), fmt.Sprint("wamid.", i), "hello"))
			if c.Assignee == nil || c.Assignee.ID != colleague.ID {
				t.Errorf("the conversation is %+v's", c.Assignee)
			}
		}
	})
}

// A disabled user has no conversations left, and cannot be assigned any.
func TestDisabledColleague(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	o := newOffice(t, w)
	gone := w.User(t, o.org, chat.RoleAgent, chat.SeesAll, o.org.TeamID)
	id := o.receive(t, o.account, "+4915112345678", "wamid.1", "hello")
	o.as.Do(t, "PATCH", "/conversations/"+id, `{"assigned_to":"`+gone.ID+`"}`).RequireStatus(t, http.StatusOK)
	o.admin(t).Do(t, "PATCH", "/users/"+gone.ID, `{"disabled":true}`).RequireStatus(t, http.StatusOK)
	if c := o.conversation(t, id); c.Assignee != nil {
		t.Errorf("it is still %s's", c.Assignee.Name)
	}
	last := timeline(t, o.as, id, "limit=1")[0].Happening
	if last.What != "unassigned" || last.Why == nil || *last.Why != "left" || last.To == nil || last.To.ID != gone.ID {
		t.Errorf("the timeline says %+v", last)
	}
	o.as.Do(t, "PATCH", "/conversations/"+id, `{"assigned_to":"`+gone.ID+`"}`).RequireFailure(t, "invalid_field_value", "assigned_to")
	o.as.Do(t, "POST", "/conversations/bulk", `{"ids":["`+id+`"],"change":{"assigned_to":"`+gone.ID+`"}}`).RequireFailure(t, "invalid_field_value", "assigned_to")
}
