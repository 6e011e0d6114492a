package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// The variables tell this program that a test has started it as a child.
const (
	envRole   = "PARLEY_TEST_ROLE"
	envDir    = "PARLEY_TEST_DIR"
	envURL    = "PARLEY_TEST_URL"
	envOrgID  = "PARLEY_TEST_ORG"
	envTeamID = "PARLEY_TEST_TEAM"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(envRole); role {
	case "":
		os.Exit(m.Run())
	case "open":
		exitWith(openAndClose())
	case "private":
		exitWith(keepPrivate())
	case "insert":
		exitWith(insertLabelsForEver())
	case "read":
		exitWith(readUntilEnded())
	default:
		exitWith(fmt.Errorf("no role %q", role))
	}
}

func exitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func openInChild() (*store.Store, error) {
	return store.Open(context.Background(), store.Config{Dir: os.Getenv(envDir), URL: os.Getenv(envURL)})
}

func openAndClose() error {
	st, err := openInChild()
	if err != nil {
		return err
	}
	return st.Close()
}

// insertLabelsForEver prints the id of each label once its transaction has returned.
func insertLabelsForEver() error {
	st, err := openInChild()
	if err != nil {
		return err
	}
	org := storetest.Organization{ID: os.Getenv(envOrgID), TeamID: os.Getenv(envTeamID)}
	var printing sync.Mutex
	return together(4, func(int) error {
		for {
			var label chat.Label
			if err := st.InTx(context.Background(), func(tx *store.Tx) error {
				label = storetest.NewLabel(tx, org, tx.NewID(chat.KindLabel))
				return tx.InsertLabel(label)
			}); err != nil {
				return err
			}
			printing.Lock()
			fmt.Println(label.ID)
			printing.Unlock()
		}
	})[0]
}

// child prepares this program to run again in a role.
func child(role string, cfg store.Config, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envRole+"="+role, envDir+"="+cfg.Dir, envURL+"="+cfg.URL)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// Everything that a program was told is stored exists after it was killed.
func TestNothingCommittedIsLostByAKill(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		cfg := storetest.NewConfig(t, engine)
		org := storetest.Org(t, storetest.OpenAt(t, cfg))
		for _, after := range []int{1, 20, 100} {
			ids := insertUntilKilled(t, cfg, org, after)
			st := storetest.OpenAt(t, cfg)
			for _, id := range ids {
				if _, err := st.Read(t.Context()).Label(org.ID, id); err != nil {
					t.Fatalf("label %s of %d: %v", id, len(ids), err)
				}
			}
		}
	})
}

// insertUntilKilled kills a child after it has printed some ids and returns all it printed.
func insertUntilKilled(t *testing.T, cfg store.Config, org storetest.Organization, after int) []string {
	t.Helper()
	cmd := child("insert", cfg, envOrgID+"="+org.ID, envTeamID+"="+org.TeamID)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	requireNoError(t, err)
	requireNoError(t, cmd.Start())
	var ids []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if chat.KindLabel.Valid(lines.Text()) { // the last line may be cut
			ids = append(ids, lines.Text())
		}
		if len(ids) == after {
			requireNoError(t, cmd.Process.Kill())
		}
	}
	err = cmd.Wait()
	if len(ids) < after || !strings.Contains(fmt.Sprint(err), "killed") {
		t.Fatalf("the child printed %d ids and ended with %v: %s", len(ids), err, stderr.String())
	}
	return ids
}

// The migration lock works between processes.
func TestProcessesOpenAnEmptyFolderTogether(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewEmptyConfig(t, storetest.SQLite)
	requireAllNil(t, together(4, func(int) error {
		if out, err := child("open", cfg).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}))
	requireNoError(t, storetest.OpenAt(t, cfg).Writable(t.Context()))
}
