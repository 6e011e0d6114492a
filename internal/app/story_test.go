package app_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type storyTold struct {
	Kind     string
	Contacts []struct{ ID string }
	Steps    []struct {
		Kind     string
		Request  *struct{ ID string }
		Message  *struct{ ID string }
		Event    *struct{ ID, Type string }
		Delivery *struct{ ID string }
		Attempt  *struct {
			DeliveryID string `json:"delivery_id"`
		}
	}
}

func (s storyTold) kinds() (all []string) {
	for _, step := range s.Steps {
		all = append(all, step.Kind)
	}
	return all
}

// The story is the same by any of its ids: from the request over the message and its events to the last
// attempt. For everybody else it does not exist.
func TestStories(t *testing.T) {
	each(t, newConsole, func(t *testing.T, k *console) {
		k.endpoint(t)
		conversation := k.receive(t, k.account, "+12025550123", "wamid.in", "hello")
		m := k.send(t, "+12025550123")
		request := k.log(t, store.APICall{Method: "POST", Path: "/v1/x/messages", Status: 200, Made: m.ID})
		received := ids(t, k.admin, "/events?type=message.received")[0]
		told := func(id string) (s storyTold) {
			t.Helper()
			k.admin.Get(t, "/story?id="+url.QueryEscape(id)).RequireStatus(t, http.StatusOK).Data(t, &s)
			return s
		}
		in := told("wamid.in")
		if want := []string{"message", "event", "delivery"}; in.Kind != "message" || !slices.Equal(in.kinds(), want) {
			t.Fatalf("the story of what came in has %v, want %v", in.kinds(), want)
		}
		for _, id := range []string{in.Steps[0].Message.ID, received, in.Steps[2].Delivery.ID, " wamid.in "} {
			if got := told(id); !slices.Equal(got.kinds(), in.kinds()) || got.Steps[0].Message.ID != in.Steps[0].Message.ID {
				t.Errorf("the story of %s has %v", id, got.kinds())
			}
		}
		for _, id := range []string{m.ID, request} {
			if got := told(id); !slices.Contains(got.kinds(), "request") || !slices.Contains(got.kinds(), "message") {
				t.Errorf("the story of %s has %v", id, got.kinds())
			}
		}
		for _, id := range []string{"+1 (202) 555-0123", "12025550123", conversation, in.Contacts[0].ID} {
			if got := told(id); !slices.Equal(got.kinds(), []string{"message", "message"}) || len(got.Contacts) != 1 {
				t.Errorf("the story of %s has %v", id, got.kinds())
			}
		}
		for _, id := range []string{m.ID, "wamid.in", "+12025550123", request, received, in.Steps[2].Delivery.ID, conversation, in.Contacts[0].ID} {
			k.stranger.Get(t, "/story?id="+url.QueryEscape(id)).RequireFailure(t, "resource_not_found", "")
		}
		k.admin.Get(t, "/story?id=nothing").RequireFailure(t, "resource_not_found", "")
		k.admin.Get(t, "/story").RequireFailure(t, "missing_required_field", "id")
	})
}

// send accepts a message as the public API does.
func (k *console) send(t testing.TB, to string) (m chat.Message) {
	t.Helper()
	storetest.InTx(t, k.Store, func(tx *store.Tx) error {
		accepted, err := core.AcceptSend(tx, k.account, chat.Plan{}, core.NewMessage{
			Type: chat.TypeText, Source: chat.SourceAPI, To: to, Content: []byte(`{"body":"hi"}`),
		})
		m = accepted.Message
		return err
	})
	return m
}
