package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
)

// atOnce sends requests side by side and counts the answers by status.
func atOnce(t *testing.T, c *apitest.Case, requests []apitest.Request) map[int]int {
	t.Helper()
	statuses := make([]int, len(requests))
	var group sync.WaitGroup
	for i, r := range requests {
		group.Go(func() { statuses[i] = c.Call(t, r).Status })
	}
	group.Wait()
	counts := map[int]int{}
	for _, status := range statuses {
		counts[status]++
	}
	return counts
}

func TestOneOfManyCreatesTheContact(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		var requests []apitest.Request
		for range 8 {
			requests = append(requests, newContact(`{"phone_number":"+4915112345678"}`))
		}
		got := atOnce(t, c, requests)
		if got[http.StatusCreated] != 1 || got[http.StatusConflict] != 7 {
			t.Errorf("got %v", got)
		}
		if n := len(c.Events(t, "")); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
	})
}

// Contacts that are made at the same time, which may share a transaction, are refused one by one: who is there twice, and
// whose username is taken.
func TestContactsMadeTogether(t *testing.T) {
	const people = 24
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		c.Call(t, newContact(`{"phone_number":"+4915119999999","username":"ada"}`)).RequireStatus(t, http.StatusCreated)
		requests := []apitest.Request{newContact(`{"phone_number":"+4915118888888","username":"Ada"}`)}
		for i := range 2 * people {
			requests = append(requests, newContact(fmt.Sprintf(`{"phone_number":"+49151123456%02d"}`, i%people)))
		}
		got := atOnce(t, c, requests)
		if got[http.StatusCreated] != people || got[http.StatusConflict] != people || got[http.StatusBadRequest] != 1 {
			t.Errorf("got %v", got)
		}
		for table, want := range map[string]int{"contacts": people + 1, "events": people + 1} {
			if got := c.Count(t, table, c.Org.ID); got != want {
				t.Errorf("%d rows in %s, want %d", got, table, want)
			}
		}
	})
}

// Labels that are attached in bulk and one by one while they are deleted leave no link behind.
func TestLabellingWhileTheLabelGoes(t *testing.T) {
	apitest.EachCase(t, connected, func(t *testing.T, c *apitest.Case) {
		account := accountOf(t, c)
		hasLabel(`{"name":"VIP"}`)(t, c)
		var ids string
		var requests []apitest.Request
		for i := range 6 {
			contact := c.NewContact(t, account, chat.NewContact{PhoneNumber: new(fmt.Sprint("491511234567", i))})
			conversation := c.NewConversation(t, account, contact.ID, nil)
			ids = `"` + contact.ID + `",` + ids // each list starts with another contact
			for _, path := range []string{contacts + "/" + contact.ID, conversations + "/" + conversation.ID} {
				requests = append(requests, apitest.Request{Method: http.MethodPost, Path: path + "/labels", Body: `{"label_id":"${label}"}`})
			}
			requests = append(requests, apitest.Request{Method: http.MethodPost, Path: contacts + "/bulk_label",
				Body: `{"contact_ids":[` + ids[:len(ids)-1] + `],"label_id":"${label}","operation":"attach"}`})
		}
		requests = append(requests, apitest.Request{Method: http.MethodDelete, Path: "/v1/labels/${label}"})
		got := atOnce(t, c, requests)
		if got[http.StatusOK]+got[http.StatusNotFound] != len(requests) {
			t.Errorf("got %v", got)
		}
		for _, table := range []string{"labels", "contact_labels", "conversation_labels"} {
			if n := c.Count(t, table, c.Org.ID); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	})
}
