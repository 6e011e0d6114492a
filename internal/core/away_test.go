package core_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// nightly are the settings of an organization that is there on weekdays from nine to five.
func nightly() chat.Settings {
	s := chat.Settings{TimeZone: "UTC", Away: chat.AwayMessage{On: true, Text: "We are closed."}}
	for _, day := range chat.Weekdays[1:6] {
		s.Hours = append(s.Hours, chat.OpenHours{Day: day, Opens: "09:00", Closes: "17:00"})
	}
	return s
}

// Times of a week in which the first day is a Monday.
var (
	mondayNoon     = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	mondayNight    = time.Date(2027, 3, 1, 22, 0, 0, 0, time.UTC)
	tuesdayMorning = time.Date(2027, 3, 2, 6, 0, 0, 0, time.UTC)
	tuesdayNight   = time.Date(2027, 3, 2, 22, 0, 0, 0, time.UTC)
)

// awayMessages counts the texts that were sent automatically.
func (w *world) awayMessages() (n int) {
	w.T.Helper()
	for _, m := range w.Messages() {
		if m.Source == chat.SourceAutomatic {
			if m.Direction != chat.Outbound || m.Status != chat.StatusQueued || m.Type != chat.TypeText || string(m.Content) != `{"body":"We are closed."}` {
				w.T.Errorf("what went out is %s %s %s: %s", m.Status, m.Direction, m.Type, m.Content)
			}
			n++
		}
	}
	return n
}

// A person who writes while nobody is there gets the away message, once per absence, and waits for an answer as
// before.
func TestAwayMessageOncePerClosedTime(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.choose(nightly())
		for i, step := range []struct {
			at   time.Time
			want int
		}{
			{mondayNoon, 0}, {mondayNight, 1}, {mondayNight.Add(time.Minute), 1}, {tuesdayMorning, 1}, {tuesdayNight, 2}, {tuesdayNight.Add(time.Hour), 2},
		} {
			w.Clock.Set(step.at)
			w.Apply(w.Text(fmt.Sprint("wamid.", i), "hello"))
			if got := w.awayMessages(); got != step.want {
				w.T.Errorf("on %s there are %d away messages, want %d", step.at, got, step.want)
			}
		}
		if c := w.Conversations()[0]; c.WaitingSince == nil || !c.WaitingSince.Equal(mondayNoon) {
			w.T.Errorf("the person waits since %v", c.WaitingSince)
		}
	})
}

// No program answers these people and messages.
func TestNoAwayMessage(t *testing.T) {
	with := func(change func(*provider.InboundMessage)) func(w *world) {
		return func(w *world) {
			m := w.Text("wamid.1", "hello")
			change(&m)
			w.Apply(m)
		}
	}
	plain := with(func(*provider.InboundMessage) {})
	eachCase(t, map[string]func(w *world){
		"off": func(w *world) {
			s := nightly()
			s.Away.On = false
			w.choose(s)
			plain(w)
		},
		"a reaction":                   with(func(m *provider.InboundMessage) { m.Type = chat.TypeReaction }),
		"a message that is a day late": with(func(m *provider.InboundMessage) { m.Timestamp = m.Timestamp.Add(-25 * time.Hour) }),
		"what the business wrote itself": func(w *world) {
			w.Apply(provider.Echo{Origin: w.Origin(), Message: w.Text("wamid.1", "x").Message})
		},
		"somebody who does not want to hear": func(w *world) {
			w.Clock.Set(mondayNoon)
			plain(w)
			w.InTx(func(tx *store.Tx) error {
				_, err := core.UpdateContact(tx, w.Account, w.Contacts()[0].ID, chat.ContactPatch{Consent: new(chat.ConsentOptedOut)}, chat.Actor{})
				return err
			})
			w.Clock.Set(mondayNight)
			w.Apply(w.Text("wamid.2", "stop"))
		},
		"a plan whose messages are used up": func(w *world) {
			w.limit(0)
			plain(w)
		},
	}, func(t *testing.T, w *world, act func(w *world)) {
		w.choose(nightly())
		w.Clock.Set(mondayNight)
		act(w)
		if n := w.awayMessages(); n != 0 {
			t.Errorf("%d away messages", n)
		}
	})
}

// limit gives the world a plan with this many messages.
func (w *world) limit(messages int64) {
	w.InTx(func(tx *store.Tx) error {
		plan, err := core.CreatePlan(tx, "small "+w.Org.ID, core.PlanPatch{MonthlyMessages: &messages})
		if err == nil {
			_, err = core.UpdateOrganization(tx, w.Org.ID, core.OrganizationPatch{Plan: &plan.Name})
		}
		return err
	})
}

// A refused away message is not counted, and the person's message is stored all the same.
func TestRefusedAwayMessageLeavesNoTrace(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.choose(nightly())
		w.limit(1)
		w.Clock.Set(mondayNight)
		w.Apply(w.Text("wamid.1", "hello"), w.writes(1, "wamid.2"), w.writes(2, "wamid.3"))
		if n := w.awayMessages(); n != 1 {
			w.T.Errorf("%d away messages", n)
		}
		used, err := w.Read().MessagesCounted(w.Org.ID, "2027-03")
		w.Must(err)
		if used != 1 || len(w.Messages()) != 4 {
			w.T.Errorf("%d are counted, and there are %d messages", used, len(w.Messages()))
		}
	})
}

// Two programs that answer each other stop after one message.
func TestAwayMessagesMakeNoLoop(t *testing.T) {
	eachWorld(t, func(w *world) {
		w.choose(nightly())
		w.Clock.Set(mondayNight)
		for i := range 5 {
			m := w.Text(fmt.Sprint("wamid.", i), "I am a bot")
			m.Content = json.RawMessage(`{"body":"We are closed."}`)
			w.Apply(m)
			w.Clock.Advance(time.Second)
		}
		if n := w.awayMessages(); n != 1 {
			w.T.Errorf("%d away messages", n)
		}
	})
}
