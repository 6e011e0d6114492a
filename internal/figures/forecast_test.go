package figures_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/figures"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// steady is an organization that has sent a constant number of messages an hour since an instant.
func steady(t *testing.T, st *store.Store, from, until time.Time, hourly int64) string {
	t.Helper()
	org := storetest.Org(t, st)
	storetest.InTx(t, st, func(tx *store.Tx) error {
		for at := from; at.Before(until); at = at.Add(time.Hour) {
			slot := store.SlotOf(org.ID, at)
			if _, err := tx.PutMessageCounts(slot, 0, []store.MessageCount{{AccountID: "acc", Direction: chat.Outbound, Status: chat.StatusSent, Count: hourly}}); err != nil {
				return err
			}
		}
		return nil
	})
	return org.ID
}

// A constant rate ends the month where the forecast said, on whatever day it was made.
func TestForecast(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		march := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
		for _, test := range []struct {
			name       string
			now        time.Time
			from       time.Time
			used, want int64
			days       int
		}{
			{"in the middle", march.AddDate(0, 0, 15), march.AddDate(0, 0, -20), 15 * 24, 31 * 24, 15},
			{"on the first day, from the week before", march.Add(6 * time.Hour), march.AddDate(0, 0, -20), 6, 31 * 24, 1},
			{"begun this month", march.AddDate(0, 0, 10), march.AddDate(0, 0, 5), 5 * 24, 5*24 + 5*24*21/10, 10},
			{"nothing yet", march.AddDate(0, 0, 3), march.AddDate(0, 0, 3), 0, 0, 3},
			{"at the last moment", march.AddDate(0, 0, 31).Add(-time.Millisecond), march, 31 * 24, 31 * 24, 31},
		} {
			t.Run(test.name, func(t *testing.T) {
				org := steady(t, st, test.from, test.now, 1)
				m, err := figures.ThisMonth(st.Read(t.Context()), org, test.now)
				if err != nil || m.Outbound != test.used || m.Forecast != test.want || len(m.Days) != test.days || !m.From.Equal(march) {
					t.Errorf("used %d, want %d; forecast %d, want %d; %d days, %v", m.Outbound, test.used, m.Forecast, test.want, len(m.Days), err)
				}
			})
		}
	})
}
