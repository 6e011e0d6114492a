package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/pgtest"
)

func TestStoreThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		flag, value string
		want        []string
	}{
		"nobody listens": {"--database-url", "postgres://u:hunter2@" + deadAddress(t) + "/db",
			[]string{"connection refused", "check --database-url (PARLEY_DATABASE_URL)"}},
		"wrong password": {"--database-url", "postgres://u:hunter2@" + refusingPostgres(t) + "/db?sslmode=disable",
			[]string{"password authentication failed", "check --database-url"}},
		"a file for a folder": {"--data", file, []string{"not a directory", "the data folder is " + file, "--data"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, command := range [][]string{{"org", "list"}, {"migrate"}, {"serve", "--listen=127.0.0.1:0", "--ops-listen=127.0.0.1:0", "--secret-key", testKey}} {
				o := parley(t, append(command, test.flag, test.value)...)
				o.refused(t, exitFailed, test.want...)
				if strings.Contains(o.stderr, "hunter2") {
					t.Errorf("the password is shown: %s", o.stderr)
				}
			}
		})
	}
}

// Whoever may not use the server's folder is told whose it is, and nothing of it where another file is meant. Root may use
// all folders, so that the errors are made up.
func TestFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	where := config.Store{Data: "/var/lib/parley"}
	for path, want := range map[string]bool{
		"/var/lib/parley/parley.db": true, "/var/lib/parley": true, "/var/backups/copy.tar": false, "/var/lib/parley-old/parley.db": false,
	} {
		err := fmt.Errorf("open the store: %w", &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES})
		got := explainFolder(err, where)
		if strings.Contains(got.Error(), "sudo -u parley") != want || !errors.Is(got, fs.ErrPermission) {
			t.Errorf("%s: %v", path, got)
		}
		if want && explainStore(err, where).Error() != got.Error() {
			t.Errorf("%s: %v", path, explainStore(err, where))
		}
	}
}

// A folder without a store is probably a mistake. Only serve and migrate make a store.
func TestCommandsMakeNoStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "typo")
	for _, args := range []string{
		"org create --name x", "plan list", "team list --org " + absentOrg, "key create --org " + absentOrg,
		strings.Join(connect(absentOrg, "--token", "x"), " "), "account pin 100200300400500 --org " + absentOrg,
		"customer list --org " + absentOrg, "events tail", "user create --org " + absentOrg + " --email a@b.example --name A --password longenough",
	} {
		parley(t, append(strings.Fields(args), "--data", dir)...).
			refused(t, exitFailed, "there is no store in the data folder "+dir, "--data (PARLEY_DATA)", "`parley serve`")
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s made the folder (%v)", args, err)
		}
	}
	requireMigrated(t, "--data", dir)
}

// requireMigrated requires that migrate makes a store, which commands take.
func requireMigrated(t *testing.T, place ...string) {
	t.Helper()
	for _, command := range []string{"migrate", "org list"} {
		if o := parley(t, append(strings.Fields(command), place...)...); o.code != exitOK {
			t.Errorf("%s: %+v", command, o)
		}
	}
}

// The same holds for a database, in which a command for another service could be the mistake.
func TestCommandsMakeNoTables(t *testing.T) {
	t.Parallel()
	url := pgtest.NewDatabase(t)
	for _, command := range []string{"org create --name x", "check", "held hold", "org list"} {
		parley(t, append(strings.Fields(command), "--database-url", url)...).
			refused(t, exitFailed, "there is no store in the database", "--database-url (PARLEY_DATABASE_URL)", "`parley serve`")
	}
	requireMigrated(t, "--database-url", url)
}

// What a check has mended is told, also if it cannot go on.
func TestCheckThatCannotReadAFile(t *testing.T) {
	t.Parallel()
	url, dir := pgtest.NewDatabase(t), t.TempDir()
	if o := parley(t, "migrate", "--database-url", url); o.code != exitOK {
		t.Fatalf("migrate: %+v", o)
	}
	execute(t, url, "INSERT INTO held_sends (org_id, message_id, category, held_at) VALUES ('o', 'msg_gone', '', 1)",
		`INSERT INTO media (org_id, id, account_id, team_id, origin, mime_type, size, sha256, token, blob_key, created_at)
			VALUES ('o', 'm', 'a', 't', 'library', 'text/plain', 1, '', '', 'some-file', 1)`)
	err := errors.Join(os.Mkdir(filepath.Join(dir, "media"), 0o700), os.WriteFile(filepath.Join(dir, "media", "le"), nil, 0o600)) // the file's folder
	if err != nil {
		t.Fatal(err)
	}
	o := parley(t, "check", "--repair", "--database-url", url, "--data", dir)
	if o.code != exitFailed || !strings.Contains(o.stdout, "msg_gone") || !strings.Contains(o.stderr, "not a directory") {
		t.Errorf("check: %+v", o)
	}
}

// Who names the database alone reads that all files are missing, and where they were looked for.
func TestCheckSaysWhereItLookedForFiles(t *testing.T) {
	t.Parallel()
	url, dir := pgtest.NewDatabase(t), t.TempDir()
	if o := parley(t, "migrate", "--database-url", url); o.code != exitOK {
		t.Fatalf("migrate: %+v", o)
	}
	execute(t, url, `INSERT INTO media (org_id, id, account_id, team_id, origin, mime_type, size, sha256, token, blob_key, created_at)
			VALUES ('o', 'm', 'a', 't', 'library', 'text/plain', 1, '', '', 'some-file', 1)`)
	o := parley(t, "check", "--database-url", url, "--data", dir)
	if o.code != exitFailed || !strings.Contains(o.stdout, "some-file") || !strings.Contains(o.stderr, "looked for in "+filepath.Join(dir, "media")) {
		t.Errorf("check: %+v", o)
	}
}

func TestDatabaseOfAnotherOwner(t *testing.T) {
	t.Parallel()
	url := pgtest.NewDatabase(t)
	stranger := "parley_test_" + strings.ToLower(rand.Text()) // roles belong to the whole server
	execute(t, url, "CREATE ROLE "+stranger+" LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	t.Cleanup(func() { execute(t, url, "DROP ROLE "+stranger) })
	parley(t, "migrate", "--database-url", asUser(t, url, stranger)).
		refused(t, exitFailed, "permission denied for schema public", "must be the database's owner")
}

// deadAddress is one that nothing listens on.
func deadAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// refusingPostgres answers as PostgreSQL does to a wrong password.
func refusingPostgres(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			refusePassword(conn)
		}
	}()
	return l.Addr().String()
}

func refusePassword(conn net.Conn) {
	defer conn.Close()
	backend := pgproto3.NewBackend(conn, conn)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.AuthenticationCleartextPassword{})
	if backend.Flush() != nil || backend.SetAuthType(pgproto3.AuthTypeCleartextPassword) != nil {
		return
	}
	if _, err := backend.Receive(); err != nil {
		return
	}
	backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "u"`})
	_ = backend.Flush() // the client may have gone
}
