package app

import (
	"net/http"

	"github.com/parleyhq/parley/internal/api"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerBroadcasts(a *App) {
	rest.List(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/broadcasts", ID: "listAllBroadcasts", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "List the broadcasts of all numbers, newest first", Description: "Of the numbers that the user may see.",
	}, listAllBroadcasts)

	rest.Read(a.surface, rest.Operation{
		Method: http.MethodGet, Path: "/broadcasts/{id}", ID: "findBroadcast", Tag: "Broadcasts", Role: chat.RoleAdmin, Everybody: true,
		Summary: "Get a broadcast by its id alone", Description: "For those who do not know which number it goes out from.",
	}, findBroadcast)
}

type allBroadcastsInput struct {
	Status chat.BroadcastStatus `query:"status" doc:"Only those."`
}

func listAllBroadcasts(c *rest.Call, in *allBroadcastsInput, p store.Page) (none store.Slice[api.BroadcastView], err error) {
	found, err := c.Read().BroadcastsFor(*c.Caller.User, store.BroadcastFilter{Status: in.Status}, p)
	if err != nil {
		return none, err
	}
	counts, err := c.Read().Tallies(rest.IDsOf(found.Rows, func(b store.NumberedBroadcast) string { return b.ID })...)
	return rest.ViewEach(found, func(b store.NumberedBroadcast) api.BroadcastView {
		return api.ViewBroadcast(b.PhoneNumberID, b.Broadcast, chat.CountsOf(counts[b.ID]))
	}), err
}

func findBroadcast(c *rest.Call, in *rest.ByID[rest.BroadcastID]) (view api.BroadcastView, err error) {
	b, err := core.BroadcastFor(c.Read(), *c.Caller.User, string(in.ID))
	if err != nil {
		return view, err
	}
	n, err := core.Counts(c.Read(), b.ID)
	return api.ViewBroadcast(b.PhoneNumberID, b.Broadcast, n), err
}
