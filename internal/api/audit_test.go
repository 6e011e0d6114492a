package api_test

import (
	"net/http"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// Changes by a key are in the audit log under the key's name: each change once, and no refused change.
func TestAuditOfKeys(t *testing.T) {
	_, option := simulated(t)
	apitest.RunEach(t, []apitest.Scenario{{
		Name: "a template is made and removed", Given: having(aNew("instant_y", "de")),
		Request: templates(http.MethodDelete, "/instant_y", ""), Status: http.StatusOK, Change: apitest.Changes{"templates": "-1", "template_changes": "-1"},
		Then: func(t *testing.T, c *apitest.Case, _ *apitest.Response) {
			c.Call(t, templates(http.MethodDelete, "/instant_y", "")).RequireStatus(t, http.StatusNotFound)
			log, err := c.Store.Read(t.Context()).AuditLog(c.Org.ID, store.AuditFilter{DoerID: c.Org.KeyID}, store.Page{Limit: 10})
			if err != nil || len(log.Rows) != 2 || log.Rows[0].Action != chat.AuditTemplateDeleted || log.Rows[1].Action != chat.AuditTemplateCreated ||
				log.Rows[0].Object.Name != "instant_y" || log.Rows[0].By.Kind != chat.DoerKey || log.Rows[0].By.Address != "127.0.0.1" {
				t.Errorf("the log is %+v, %v", log.Rows, err)
			}
		},
	}}, option)
}
