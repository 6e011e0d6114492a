package store_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Merged statements have the same effect as the single ones, one after the other.
func TestMergedStatements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org := storetest.Org(t, st)
		run := 0
		rapid.Check(t, func(rt *rapid.T) {
			run++
			prefix := fmt.Sprintf("lbl_%06d_", run)
			want := map[string]string{} // names by id
			storetest.InTx(t, st, func(tx *store.Tx) error {
				clear(want)
				for i := range rapid.IntRange(1, 40).Draw(rt, "statements") {
					id := prefix + rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id")
					if err := change(tx, rt, want, org, id, fmt.Sprint(i)); err != nil {
						return err
					}
				}
				return nil
			})
			for _, id := range []string{"a", "b", "c", "d"} {
				name, known := want[prefix+id]
				label, err := st.Read(t.Context()).Label(org.ID, prefix+id)
				if known != (err == nil) || known && label.Name != name {
					rt.Fatalf("%s is %q (%v), want %q", id, label.Name, err, name)
				}
			}
		})
	})
}

func change(tx *store.Tx, rt *rapid.T, want map[string]string, org storetest.Organization, id, name string) error {
	const insert = "INSERT INTO labels (org_id, id, team_id, name, name_key, color, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 'red', $6, $6)"
	args := []any{org.ID, id, org.TeamID, name, id, tx.Now().UnixMilli()}
	_, known := want[id]
	switch rapid.IntRange(0, 5).Draw(rt, "kind") {
	case 0, 1:
		if known {
			return nil
		}
		want[id] = name
		return store.Later(tx, insert, args...)
	case 2:
		want[id] = name
		return store.Later(tx, insert+" ON CONFLICT (org_id, id) DO UPDATE SET name = excluded.name", args...)
	case 3:
		if known {
			want[id] = name
		}
		return store.Later(tx, "UPDATE labels SET name = $3 WHERE org_id = $1 AND id = $2", org.ID, id, name)
	case 4:
		if known {
			want[id] += "+"
		}
		return store.Later(tx, "UPDATE labels SET name = name || '+', updated_at = $3 WHERE org_id = $1 AND id = $2", org.ID, id, tx.Now().UnixMilli())
	default:
		delete(want, id)
		return store.Later(tx, "DELETE FROM labels WHERE org_id = $1 AND id = $2", org.ID, id)
	}
}
