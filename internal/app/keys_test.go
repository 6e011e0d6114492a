package app_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/app/apptest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// newAdmin is a browser of an organization's admin.
func newAdmin(t testing.TB, w *apptest.World) (*apptest.Browser, storetest.Organization) {
	t.Helper()
	org := storetest.Org(t, w.Store)
	return w.As(t, w.User(t, org, chat.RoleAdmin, chat.SeesAll, org.TeamID)), org
}

type keyShown struct {
	ID, Name, Last4 string
	LastUsedAt      *time.Time `json:"last_used_at"`
	ExpiresAt       *time.Time `json:"expires_at"`
	RevokedAt       *time.Time `json:"revoked_at"`
}

// A key is shown once, works until it is revoked, and is refused from the next request on.
func TestKeys(t *testing.T) {
	apptest.Each(t, func(t *testing.T, w *apptest.World) {
		admin, org := newAdmin(t, w)
		stream := admin.Listen(t)
		end := w.Clock.Now().Add(24 * time.Hour).UTC().Truncate(time.Millisecond)
		var made struct {
			Key  keyShown
			Text string
		}
		admin.Do(t, "POST", "/keys", `{"name":" Shop ","expires_at":"`+end.Format(time.RFC3339Nano)+`"}`).RequireStatus(t, http.StatusCreated).Data(t, &made)
		stream.Await(t, "keys", "")
		if made.Key.Name != "Shop" || made.Text[len(made.Text)-4:] != made.Key.Last4 || !made.Key.ExpiresAt.Equal(end) {
			t.Errorf("the key is %+v", made)
		}
		check := func() error {
			found, err := w.Store.Read(t.Context()).KeyContext(chat.HashToken(made.Text))
			if err != nil || found.Organization.ID != org.ID {
				t.Fatalf("the key is of %q: %v", found.Organization.ID, err)
			}
			return found.Key.Check(w.Clock.Now())
		}
		if err := check(); err != nil {
			t.Errorf("the new key does not work: %v", err)
		}
		storetest.InTx(t, w.Store, func(tx *store.Tx) error {
			return tx.NoteKeyUses([]store.KeyUse{{OrgID: org.ID, KeyID: made.Key.ID, At: end}, {OrgID: org.ID, KeyID: made.Key.ID, At: end.Add(-time.Hour)}})
		})
		admin.Do(t, "DELETE", "/keys/"+made.Key.ID, "").RequireStatus(t, http.StatusOK)
		if check() == nil {
			t.Error("the revoked key works")
		}
		var keys []keyShown
		admin.Get(t, "/keys").RequireStatus(t, http.StatusOK).Data(t, &keys)
		if len(keys) != 1 || keys[0].RevokedAt == nil || keys[0].LastUsedAt == nil || !keys[0].LastUsedAt.Equal(end) {
			t.Errorf("the list shows %+v", keys)
		}
	})
}

func TestKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	w := apptest.Start(t, storetest.SQLite)
	admin, _ := newAdmin(t, w)
	other, _ := newAdmin(t, w)
	admin.Do(t, "POST", "/keys", `{"name":"  "}`).RequireFailure(t, "invalid_field_value", "name")
	admin.Do(t, "POST", "/keys", `{"name":"x","expires_at":"2001-01-01T00:00:00Z"}`).RequireFailure(t, "invalid_field_value", "expires_at")
	var made struct{ Key keyShown }
	other.Do(t, "POST", "/keys", `{"name":"theirs"}`).RequireStatus(t, http.StatusCreated).Data(t, &made)
	admin.Do(t, "DELETE", "/keys/"+made.Key.ID, "").RequireFailure(t, "resource_not_found", "")
	var keys []keyShown
	if other.Get(t, "/keys").Data(t, &keys); len(keys) != 1 || keys[0].RevokedAt != nil {
		t.Errorf("they have %+v", keys)
	}
	if admin.Get(t, "/keys").Data(t, &keys); len(keys) != 0 {
		t.Errorf("somebody else sees %+v", keys)
	}
}
