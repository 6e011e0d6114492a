package rest

import (
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/store"
)

func TestCursorsAreBoundToTheirList(t *testing.T) {
	t.Parallel()
	codec := cursorCodec{[]byte("key")}
	at := store.Position{At: time.UnixMilli(1_700_000_000_123).UTC(), ID: "lbl_1"}
	scope := cursorScope{orgID: "org_1", list: "listLabels", filters: "team_id=a"}
	text := codec.encode(scope, at)
	if got, err := codec.decode(scope, text); err != nil || got != at {
		t.Fatalf("got %v, %v", got, err)
	}
	for name, other := range map[string]cursorScope{
		"another organization": {orgID: "org_2", list: scope.list, filters: scope.filters},
		"another list":         {orgID: scope.orgID, list: "listContacts", filters: scope.filters},
		"another filter":       {orgID: scope.orgID, list: scope.list, filters: "team_id=b"},
		"parts moved":          {orgID: scope.orgID + scope.list[:1], list: scope.list[1:], filters: scope.filters},
	} {
		if _, err := codec.decode(other, text); err == nil {
			t.Errorf("it opens in %s", name)
		}
	}
	if _, err := (cursorCodec{[]byte("another")}).decode(scope, text); err == nil {
		t.Error("it opens with another key")
	}
}
