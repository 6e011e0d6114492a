package core_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// standing are the fields of an account that an update can change.
type standing struct {
	Status      chat.AccountStatus
	Restriction chat.Restriction
	Until       time.Duration // from the beginning; 0: until lifted
	Then        chat.Restriction
	ThenUntil   time.Duration
}

func (w *world) standing(begin time.Time) standing {
	w.T.Helper()
	a := w.Reload()
	s := standing{Status: a.Status}
	if a.Restriction != nil {
		s.Restriction = *a.Restriction
	}
	if a.RestrictedUntil != nil {
		s.Until = a.RestrictedUntil.Sub(begin)
	}
	if a.RestrictedThen != nil {
		s.Then = *a.RestrictedThen
	}
	if a.RestrictedThenUntil != nil {
		s.ThenUntil = a.RestrictedThenUntil.Sub(begin)
	}
	return s
}

func TestAccountUpdates(t *testing.T) {
	const (
		up, down, weak, young = chat.AccountConnected, chat.AccountDisconnected, chat.AccountDegraded, chat.AccountOnboarding
		opening               = "RESTRICTED_BIZ_INITIATED_MESSAGING"
		answering             = "RESTRICTED_CUSTOMER_INITIATED_MESSAGING"
	)
	// until are restrictions with their lengths; 0 is for good.
	type until map[string]time.Duration
	restrict := func(begin time.Time, u until) provider.AccountUpdate {
		update := provider.AccountUpdate{Event: "ACCOUNT_RESTRICTION"}
		for _, kind := range []string{opening, answering, "RESTRICTED_BUSINESS_INITIATED_CALLING", "RESTRICTED_ADD_PHONE_NUMBER_ACTION"} {
			if d, ok := u[kind]; ok {
				r := provider.Restriction{Type: kind}
				if d != 0 {
					r.Until = begin.Add(d)
				}
				update.Restrictions = append(update.Restrictions, r)
			}
		}
		return update
	}
	event := func(name string) provider.AccountUpdate { return provider.AccountUpdate{Event: name} }
	ban := func(state string) provider.AccountUpdate {
		return provider.AccountUpdate{Event: "DISABLED_UPDATE", BanState: state}
	}
	type change struct {
		from    standing
		wait    time.Duration
		updates func(begin time.Time) []provider.AccountUpdate
		want    standing
	}
	eachCase(t, map[string]change{
		"partner removed":               {updates: one(event("PARTNER_REMOVED")), want: standing{Status: down}},
		"app uninstalled":               {updates: one(event("PARTNER_APP_UNINSTALLED")), want: standing{Status: down}},
		"deleted":                       {updates: one(event("ACCOUNT_DELETED")), want: standing{Status: down}},
		"offboarded":                    {from: standing{Status: weak}, updates: one(event("ACCOUNT_OFFBOARDED")), want: standing{Status: down}},
		"reconnected":                   {from: standing{Status: down}, updates: one(event("ACCOUNT_RECONNECTED")), want: standing{Status: up}},
		"reconnected, still restricted": {from: standing{Status: down, Restriction: chat.RestrictAll}, updates: one(event("ACCOUNT_RECONNECTED")), want: standing{Status: up, Restriction: chat.RestrictAll}},
		"disabled":                      {updates: one(ban("DISABLE")), want: standing{Status: down, Restriction: chat.RestrictAll}},
		"to be disabled":                {updates: one(ban("SCHEDULE_FOR_DISABLE")), want: standing{Status: up}},
		"reinstated":                    {from: standing{Status: down, Restriction: chat.RestrictAll}, updates: one(ban("REINSTATE")), want: standing{Status: up}},
		"disabled, then reinstated": {updates: func(time.Time) []provider.AccountUpdate {
			return []provider.AccountUpdate{ban("DISABLE"), ban("REINSTATE")}
		}, want: standing{Status: up}},
		"violation":             {updates: one(event("ACCOUNT_VIOLATION")), want: standing{Status: up}},
		"reviewed":              {from: standing{Status: young}, updates: one(event(provider.EventAccountReview)), want: standing{Status: young}},
		"a word we do not know": {from: standing{Status: weak}, updates: one(event("SOMETHING_NEW")), want: standing{Status: weak}},

		"may not open conversations": {updates: func(b time.Time) []provider.AccountUpdate { return list(restrict(b, until{opening: time.Hour})) },
			want: standing{Status: up, Restriction: chat.RestrictBusiness, Until: time.Hour}},
		"may not answer, for good": {updates: func(b time.Time) []provider.AccountUpdate { return list(restrict(b, until{answering: 0})) },
			want: standing{Status: up, Restriction: chat.RestrictCustomer, Until: 0}},
		"may do neither": {updates: func(b time.Time) []provider.AccountUpdate {
			return list(restrict(b, until{opening: time.Hour, answering: time.Hour}))
		}, want: standing{Status: up, Restriction: chat.RestrictAll, Until: time.Hour}},
		"first the one, then the other": {updates: func(b time.Time) []provider.AccountUpdate {
			return list(restrict(b, until{answering: time.Hour}), restrict(b, until{opening: time.Hour}))
		}, want: standing{Status: up, Restriction: chat.RestrictAll, Until: time.Hour}},
		"the same again": {updates: func(b time.Time) []provider.AccountUpdate {
			return list(restrict(b, until{opening: time.Hour}), restrict(b, until{opening: time.Hour}))
		}, want: standing{Status: up, Restriction: chat.RestrictBusiness, Until: time.Hour}},
		"the same for longer": {from: standing{Status: up, Restriction: chat.RestrictBusiness, Until: time.Hour}, updates: func(b time.Time) []provider.AccountUpdate { return list(restrict(b, until{opening: 2 * time.Hour})) },
			want: standing{Status: up, Restriction: chat.RestrictBusiness, Until: 2 * time.Hour}},
		"neither for the other's time": {updates: func(b time.Time) []provider.AccountUpdate {
			return list(restrict(b, until{opening: 2 * time.Hour, answering: time.Hour}))
		}, want: standing{Status: up, Restriction: chat.RestrictAll, Until: time.Hour, Then: chat.RestrictBusiness, ThenUntil: 2 * time.Hour}},
		"one for good, one for an hour": {updates: func(b time.Time) []provider.AccountUpdate {
			return list(restrict(b, until{opening: time.Hour}), restrict(b, until{answering: 0}))
		}, want: standing{Status: up, Restriction: chat.RestrictAll, Until: time.Hour, Then: chat.RestrictCustomer}},
		"the rest of two for longer": {from: standing{Status: up, Restriction: chat.RestrictAll, Until: time.Hour, Then: chat.RestrictBusiness, ThenUntil: 2 * time.Hour}, wait: time.Hour,
			updates: func(b time.Time) []provider.AccountUpdate { return list(restrict(b, until{opening: 3 * time.Hour})) },
			want:    standing{Status: up, Restriction: chat.RestrictBusiness, Until: 3 * time.Hour}},
		"the shorter of two for the longest": {from: standing{Status: up, Restriction: chat.RestrictAll, Until: time.Hour, Then: chat.RestrictBusiness, ThenUntil: 2 * time.Hour},
			updates: func(b time.Time) []provider.AccountUpdate { return list(restrict(b, until{answering: 3 * time.Hour})) },
			want:    standing{Status: up, Restriction: chat.RestrictAll, Until: 2 * time.Hour, Then: chat.RestrictCustomer, ThenUntil: 3 * time.Hour}},
		"both for good, one of them before": {from: standing{Status: up, Restriction: chat.RestrictAll, Until: time.Hour, Then: chat.RestrictBusiness},
			updates: func(b time.Time) []provider.AccountUpdate { return list(restrict(b, until{answering: 0})) },
			want:    standing{Status: up, Restriction: chat.RestrictAll}},
		"reinstated from two": {from: standing{Status: down, Restriction: chat.RestrictAll, Until: time.Hour, Then: chat.RestrictBusiness}, updates: one(ban("REINSTATE")), want: standing{Status: up}},
		"the other when the first is over": {from: standing{Status: up, Restriction: chat.RestrictBusiness, Until: time.Hour}, wait: time.Hour,
			updates: func(b time.Time) []provider.AccountUpdate { return list(restrict(b, until{answering: 3 * time.Hour})) },
			want:    standing{Status: up, Restriction: chat.RestrictCustomer, Until: 3 * time.Hour}},
		"of calls and numbers only": {updates: func(b time.Time) []provider.AccountUpdate {
			return list(restrict(b, until{"RESTRICTED_BUSINESS_INITIATED_CALLING": time.Hour, "RESTRICTED_ADD_PHONE_NUMBER_ACTION": 0}))
		}, want: standing{Status: up}},
	}, func(t *testing.T, w *world, test change) {
		begin := w.Clock.Now()
		beside := newWorld(t, w.Store, w.Clock) // a number of another business
		w.stand(begin, test.from)
		w.Clock.Advance(test.wait)
		for range 2 { // callbacks are repeated
			for _, u := range test.updates(begin) {
				u.Origin = provider.Origin{WABAID: w.Account.WABAID}
				w.Apply(u)
			}
		}
		if d := cmp.Diff(test.want, w.standing(begin)); d != "" {
			t.Errorf("it stands otherwise (-want +got):\n%s", d)
		}
		if got := beside.standing(begin); got != (standing{Status: up}) {
			t.Errorf("another business stands at %+v", got)
		}
		w.Expect()
	})
}

func one(u provider.AccountUpdate) func(time.Time) []provider.AccountUpdate {
	return func(time.Time) []provider.AccountUpdate { return list(u) }
}

func list(updates ...provider.AccountUpdate) []provider.AccountUpdate { return updates }

// stand sets the account's state at the start of a test; the zero value leaves it.
func (w *world) stand(begin time.Time, s standing) {
	w.T.Helper()
	if s.Status == "" {
		return
	}
	a := w.Reload()
	a.Status = s.Status
	if s.Restriction != "" {
		a.Restriction = &s.Restriction
	}
	if s.Until != 0 {
		a.RestrictedUntil = new(begin.Add(s.Until))
	}
	if s.Then != "" {
		a.RestrictedThen = &s.Then
	}
	if s.ThenUntil != 0 {
		a.RestrictedThenUntil = new(begin.Add(s.ThenUntil))
	}
	w.InTx(func(tx *store.Tx) error { return tx.UpdateAccount(a) })
}

// An update names a whole business account or one of its numbers. An update that changes nothing is not recorded as a
// change.
func TestAccountUpdateOfOneNumber(t *testing.T) {
	eachWorld(t, func(w *world) {
		second, err := connect(w.Store, chat.NewAccount{
			OrgID: w.Org.ID, PhoneNumberID: *w.Account.PhoneNumberID + "1", PhoneNumber: "+4930555111", WABAID: w.Account.WABAID,
		})
		w.Must(err)
		origin := provider.Origin{WABAID: w.Account.WABAID}
		w.Clock.Advance(time.Minute)
		w.Apply(provider.AccountUpdate{Origin: origin, Event: "PARTNER_REMOVED", Phone: *second.PhoneNumber})
		w.Apply(provider.AccountUpdate{Origin: origin, Event: "PARTNER_REMOVED", Phone: "+499999999"})
		status := func() (both [2]chat.AccountStatus) {
			other, err := w.Read().Account(w.Org.ID, second.ID)
			w.Must(err)
			return [2]chat.AccountStatus{w.Reload().Status, other.Status}
		}
		if got := status(); got != [2]chat.AccountStatus{chat.AccountConnected, chat.AccountDisconnected} {
			t.Errorf("one of two: got %v", got)
		}
		if a := w.Reload(); !a.UpdatedAt.Equal(w.Account.UpdatedAt) {
			t.Error("the number that was not meant counts as changed")
		}
		w.Apply(provider.AccountUpdate{Origin: origin, Event: "PARTNER_REMOVED"})
		if got := status(); got != [2]chat.AccountStatus{chat.AccountDisconnected, chat.AccountDisconnected} {
			t.Errorf("both: got %v", got)
		}
		changed := w.Reload().UpdatedAt
		until := w.Clock.Advance(time.Minute).Add(time.Hour)
		w.Apply(provider.AccountUpdate{Origin: origin, Event: "PARTNER_REMOVED"})
		if a := w.Reload(); !a.UpdatedAt.Equal(changed) {
			t.Error("the same again counts as a change")
		}
		restriction := provider.AccountUpdate{Origin: origin, Event: "ACCOUNT_RESTRICTION", Restrictions: []provider.Restriction{{Type: "RESTRICTED_BIZ_INITIATED_MESSAGING", Until: until}}}
		w.Apply(restriction)
		changed = w.Reload().UpdatedAt
		w.Clock.Advance(time.Minute)
		w.Apply(restriction)
		if a := w.Reload(); !a.UpdatedAt.Equal(changed) || a.RestrictedUntil == nil || !a.RestrictedUntil.Equal(until) {
			t.Errorf("the same restriction again leaves %+v", a)
		}
	})
}

func TestNumberUpdates(t *testing.T) {
	type news struct{ Name, Quality string }
	type change struct {
		update provider.NumberUpdate
		want   news
	}
	eachCase(t, map[string]change{
		"flagged":        {provider.NumberUpdate{Event: "FLAGGED"}, news{"Shop", "RED"}},
		"unflagged":      {provider.NumberUpdate{Event: "UNFLAGGED"}, news{"Shop", "GREEN"}},
		"named":          {provider.NumberUpdate{Event: provider.EventNameUpdate, Name: "New Shop", NameDecision: "APPROVED"}, news{"New Shop", ""}},
		"name refused":   {provider.NumberUpdate{Event: provider.EventNameUpdate, Name: "New Shop", NameDecision: "REJECTED"}, news{"Shop", ""}},
		"no name":        {provider.NumberUpdate{Event: provider.EventNameUpdate, NameDecision: "APPROVED"}, news{"Shop", ""}},
		"faster":         {provider.NumberUpdate{Event: "THROUGHPUT_UPGRADE", Limit: "TIER_UNLIMITED"}, news{"Shop", ""}},
		"another number": {provider.NumberUpdate{Event: "FLAGGED", Phone: "+499999999"}, news{"Shop", ""}},
	}, func(t *testing.T, w *world, test change) {
		u := test.update
		u.Origin = provider.Origin{WABAID: w.Account.WABAID}
		if u.Phone == "" {
			u.Phone = *w.Account.PhoneNumber
		}
		w.Apply(u)
		a := w.Reload()
		got := news{Name: *a.Name}
		if a.Quality != nil {
			got.Quality = *a.Quality
		}
		if got != test.want {
			t.Errorf("got %+v, want %+v", got, test.want)
		}
		w.Expect()
	})
}

// An older form of the news that a partner was removed carries the partner's id, and only its number tells which
// account is meant.
func TestAccountUpdateByNumberAlone(t *testing.T) {
	eachWorld(t, func(w *world) {
		update := provider.AccountUpdate{Origin: provider.Origin{WABAID: "666"}, Event: "PARTNER_REMOVED", Phone: "+4930555999"}
		w.Apply(update)
		if got := w.Reload().Status; got != chat.AccountConnected {
			t.Errorf("another number's removal made it %s", got)
		}
		update.Phone = *w.Account.PhoneNumber
		w.Apply(update)
		if got := w.Reload().Status; got != chat.AccountDisconnected {
			t.Errorf("it is %s", got)
		}
	})
}
