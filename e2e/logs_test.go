package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/pgtest"
)

// TestLogs: the log is lines of JSON, only a few, and no secret is in any.
func TestLogs(t *testing.T) {
	t.Parallel()
	database, err := url.Parse(pgtest.NewDatabase(t))
	must(t, err)
	database.User = url.UserPassword(database.User.Username(), databasePassword(database))
	for engine, store := range map[string]Option{"sqlite": OnFolder(filepath.Join(t.TempDir(), "data")), "postgres": OnDatabase(database.String())} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			srv := Start(t, store, masterKey(3), WithFlags("--demo", "--demo-empty"))
			secrets := []string{demoKey(t, srv), databasePassword(database), "AwMDAwMD", "correct horse"}
			org := srv.NewOrg()
			secrets = append(secrets, org.Key)
			srv.CLIObject("user", "create", "--org", org.ID, "--email", "a@acme.example", "--name", "Ada", "--password", "correct horse")
			for range 50 {
				expect(t, srv.Get(org.Key, "/v1/labels"), http.StatusOK, "")
				expect(t, srv.Get(org.Key+"x", "/v1/labels"), http.StatusUnauthorized, "invalid_api_key")
				expect(t, srv.Post(org.Key, "/v1/labels", "{"), http.StatusBadRequest, "invalid_json")
			}
			srv.Stop()
			checkLog(t, srv.Log(), secrets)
		})
	}
}

// databasePassword is the password in the URL, or a made-up one that a server without passwords ignores.
func databasePassword(database *url.URL) string {
	if password, ok := database.User.Password(); ok {
		return password
	}
	return "hunter2hunter2"
}

func checkLog(t *testing.T, log string, secrets []string) {
	t.Helper()
	var messages []string
	for line := range strings.Lines(log) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time == "" || entry.Level != "INFO" {
			t.Errorf("the line %q: %v", line, err)
		}
		messages = append(messages, entry.Msg)
	}
	messages = slices.DeleteFunc(messages, func(m string) bool { return strings.HasPrefix(m, "stored files are in a folder") }) // on PostgreSQL
	if len(messages) != 3 || !strings.HasPrefix(messages[0], "a new store was made") || messages[1] != "serving" || messages[2] != "stopping" {
		t.Errorf("logged %v", messages)
	}
	for _, secret := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %s:\n%s", secret, log)
		}
	}
}
