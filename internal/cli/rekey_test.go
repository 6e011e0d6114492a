package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/masterkey"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
	"github.com/parleyhq/parley/internal/vault"
)

// A change that was cut off before the file was replaced is finished by the next.
func TestRekeyThatWasCutOff(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	s, path := site{[]string{"--data", cfg.Dir}}, filepath.Join(cfg.Dir, vault.KeyFile)
	s.run(t, "rekey").refused(t, exitFailed, "the store has no master key yet")
	cfg.Exclusive = true
	st := storetest.OpenAt(t, cfg)
	old, err := masterkey.Load(t.Context(), st, "", cfg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := vault.LoadFile(path + ".new")
	if err == nil {
		_, err = masterkey.Change(t.Context(), st, old, fresh)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	o := s.run(t, "rekey")
	if o.code != exitOK || o.stdout != "resealed  0\n" || !strings.Contains(o.stderr, path+"."+old.ID()) {
		t.Errorf("rekey: %+v", o)
	}
	if now, err := vault.LoadFile(path); err != nil || now.ID() != fresh.ID() {
		t.Errorf("the key is %v, %v", now, err)
	}
	if kept, err := vault.LoadFile(path + "." + old.ID()); err != nil || kept.ID() != old.ID() {
		t.Errorf("kept is %v, %v", kept, err)
	}
	if _, err := os.Stat(path + ".new"); err == nil {
		t.Error("the new key's file is still there")
	}
}

// A change that is refused leaves no key that somebody could take for the present one.
func TestRekeyThatIsRefused(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	st := storetest.OpenAt(t, cfg)
	old, err := masterkey.Load(t.Context(), st, "", cfg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cfg.Dir, vault.KeyFile)
	s := site{[]string{"--data", cfg.Dir}}
	for _, c := range []struct {
		want string
		do   func() error
	}{
		{"moved: ", func() error {
			return st.InTx(t.Context(), func(tx *store.Tx) error { return tx.PutSetting("moved", old.Seal("of another", "elsewhere")) })
		}},
		{"is not here", func() error { return os.Remove(path) }},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		s.run(t, "rekey").refused(t, exitFailed, c.want)
		if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %q the new key's file is there (%v)", c.want, err)
		}
	}
}

func TestRekeyByVariables(t *testing.T) {
	t.Parallel()
	cfg := storetest.NewConfig(t, storetest.SQLite)
	const other = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="
	storetest.InTx(t, storetest.OpenAt(t, cfg), func(tx *store.Tx) error { return tx.PutSetting("master_key_id", masterKeyID(t, testKey)) })
	s := site{[]string{"--data", cfg.Dir}}
	s.run(t, "rekey", "--secret-key", testKey).refused(t, exitUsage, "PARLEY_NEW_SECRET_KEY", "openssl")
	s.run(t, "rekey", "--secret-key", testKey, "--new-secret-key", "hunter2").refused(t, exitFailed, "32 bytes in base64")
	if o := s.run(t, "rekey", "--secret-key", testKey, "--new-secret-key", other); o.code != exitOK || !strings.Contains(o.stderr, "PARLEY_SECRET_KEY") {
		t.Errorf("rekey: %+v", o)
	}
	s.run(t, "rekey", "--secret-key", testKey, "--new-secret-key", other).refused(t, exitFailed, "was set up with master key "+masterKeyID(t, other))
	if files, err := filepath.Glob(filepath.Join(cfg.Dir, "secret.key*")); err != nil || len(files) > 0 {
		t.Errorf("there are %v, %v", files, err)
	}
}

func masterKeyID(t *testing.T, text string) string {
	t.Helper()
	v, err := vault.Load(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return v.ID()
}
