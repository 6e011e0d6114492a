package core_test

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

type issued struct {
	key  chat.APIKey
	text string
}

func createKey(orgID, name string, expiresAt *time.Time) func(*store.Tx) (issued, error) {
	return func(tx *store.Tx) (issued, error) {
		key, text, err := core.CreateKey(tx, orgID, name, expiresAt)
		return issued{key, text}, err
	}
}

func TestCreateKey(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		expires := clock.Now().Add(time.Millisecond)
		for _, expiresAt := range []*time.Time{nil, &expires} {
			got, err := run(st, createKey(org.ID, " ci ", expiresAt))
			requireEqual(t, got.key, err, chat.APIKey{
				ID: got.key.ID, OrgID: org.ID, Name: "ci", Hash: chat.HashToken(got.text),
				Last4: got.text[len(got.text)-4:], ExpiresAt: expiresAt, CreatedAt: clock.Now(),
			})
			if !chat.WellFormedKey(got.text) || !chat.KindKey.Valid(got.key.ID) {
				t.Errorf("issued %s as %s", got.text, got.key.ID)
			}
			found, err := st.Read(t.Context()).KeyContext(chat.HashToken(got.text))
			requireEqual(t, found.Key, err, got.key)
		}
	})
}

func TestCreateKeyErrors(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		_, err := run(st, createKey(org.ID, "", nil))
		requireCode(t, err, chat.CodeInvalidFieldValue, "name")
		_, err = run(st, createKey(org.ID, "ci", new(clock.Now())))
		requireCode(t, err, chat.CodeInvalidFieldValue, "expires_at")
		_, err = run(st, createKey(st.NewID(chat.KindOrganization), "ci", nil))
		requireCode(t, err, chat.CodeResourceNotFound, "")
		keys, err := st.Read(t.Context()).Keys(org.ID)
		requireEqual(t, keys, err, nil)
	})
}

func TestRevokeKey(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		key, text := storetest.Key(t, st, org.ID)
		revoke := func(id string) (chat.APIKey, error) {
			return run(st, func(tx *store.Tx) (chat.APIKey, error) { return core.RevokeKey(tx, id) })
		}
		key.RevokedAt = new(clock.Advance(time.Minute))
		got, err := revoke(key.ID)
		requireEqual(t, got, err, key)
		found, err := st.Read(t.Context()).KeyContext(chat.HashToken(text))
		requireEqual(t, found.Key, err, key)
		requireCode(t, found.Key.Check(clock.Now()), chat.CodeRevokedAPIKey, "")

		_, err = revoke(st.NewID(chat.KindKey))
		requireCode(t, err, chat.CodeResourceNotFound, "")
	})
}
