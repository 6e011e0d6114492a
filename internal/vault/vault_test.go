package vault_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/vault"
)

func newVault(t testing.TB, seed byte) *vault.Vault {
	t.Helper()
	v, err := vault.New(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	v := newVault(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		plaintext, context := rapid.String().Draw(t, "plaintext"), rapid.String().Draw(t, "context")
		sealed := v.Seal(plaintext, context)
		if len(plaintext) > 3 && strings.Contains(sealed, plaintext) {
			t.Fatalf("%q shows %q", sealed, plaintext)
		}
		if again := v.Seal(plaintext, context); again == sealed {
			t.Fatalf("sealed twice the same: %q", sealed)
		}
		if got, err := v.Open(sealed, context); err != nil || got != plaintext {
			t.Fatalf("opened %q, %v", got, err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	v := newVault(t, 1)
	sealed := v.Seal("secret", "webhook org_1")
	id, data, _ := strings.Cut(sealed, ".")
	for _, test := range []struct {
		name    string
		vault   *vault.Vault
		sealed  string
		context string
		hint    string
	}{
		{"another context", v, sealed, "webhook org_2", "belongs elsewhere"},
		{"no context", v, sealed, "", "belongs elsewhere"},
		{"another key", newVault(t, 2), sealed, "webhook org_1", "PARLEY_SECRET_KEY"},
		{"another key that claims to be the one", newVault(t, 2), newVault(t, 2).ID() + "." + data, "webhook org_1", "damaged"},
		{"nothing behind the id", v, id + ".", "webhook org_1", "damaged"},
		{"not base64", v, id + ".%%%", "webhook org_1", "damaged"},
		{"no id", v, data, "webhook org_1", "PARLEY_SECRET_KEY"},
		{"empty", v, "", "webhook org_1", "PARLEY_SECRET_KEY"},
	} {
		got, err := test.vault.Open(test.sealed, test.context)
		if err == nil || got != "" || !strings.Contains(err.Error(), test.hint) {
			t.Errorf("%s: opened %q, %v", test.name, got, err)
		}
	}
}

func TestOpenRefusesWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	v := newVault(t, 1)
	id, text, _ := strings.Cut(v.Seal("secret", "context"), ".")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for bit := range 8 {
			changed := bytes.Clone(data)
			changed[i] ^= 1 << bit
			if got, err := v.Open(id+"."+base64.RawStdEncoding.EncodeToString(changed), "context"); err == nil {
				t.Fatalf("with bit %d of byte %d turned it opens as %q", bit, i, got)
			}
		}
		if got, err := v.Open(id+"."+base64.RawStdEncoding.EncodeToString(data[:i]), "context"); err == nil {
			t.Fatalf("cut to %d bytes it opens as %q", i, got)
		}
	}
}

func TestDerive(t *testing.T) {
	t.Parallel()
	v := newVault(t, 1)
	key := v.Derive("cursor")
	if len(key) != 32 || !bytes.Equal(key, newVault(t, 1).Derive("cursor")) {
		t.Errorf("got %x", key)
	}
	if bytes.Equal(key, v.Derive("other")) || bytes.Equal(key, newVault(t, 2).Derive("cursor")) {
		t.Error("another purpose or another master key gives the same key")
	}
	if v.ID() == newVault(t, 2).ID() || v.ID() != newVault(t, 1).ID() {
		t.Error("the id does not name the master key")
	}
}

func TestMasterKeyMustHave32Bytes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 16, 31, 33, 64} {
		if _, err := vault.New(make([]byte, n)); err == nil {
			t.Errorf("took %d bytes", n)
		}
		text := base64.StdEncoding.EncodeToString(make([]byte, n))
		if _, err := vault.Load(text, t.TempDir()); n > 0 && (err == nil || !strings.Contains(err.Error(), "openssl rand -base64 32")) {
			t.Errorf("took the text of %d bytes: %v", n, err)
		}
	}
	if _, err := vault.Load("not base64", ""); err == nil {
		t.Error("took a text that is not base64")
	}
}

func TestLoadFromText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32))
	v, err := vault.Load(text, dir)
	if err != nil || v.ID() != newVault(t, 1).ID() {
		t.Fatalf("got %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("it left %v (%v)", files, err)
	}
}

// Processes that start together on an empty folder share one key, which only its owner can read.
func TestLoadMakesOneKeyFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	ids := make([]string, 16)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			v, err := vault.Load("", dir)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = v.ID()
		})
	}
	group.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("the keys are %v", ids)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "secret.key" {
		t.Fatalf("the folder holds %v (%v)", files, err)
	}
	info, err := files[0].Info()
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file's mode is %v (%v)", info.Mode(), err)
	}
	if v, err := vault.Load("", dir); err != nil || v.ID() != ids[0] {
		t.Errorf("loaded again: %v", err)
	}
}

func TestLoadClosesAKeyFileToOtherUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, vault.KeyFile)
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32))
	if err := os.WriteFile(path, []byte(key), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.Load("", dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file's mode is %v (%v)", info.Mode(), err)
	}
}

func TestLoadRefusesABrokenKeyFile(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "short\n", strings.Repeat("A", 100)} {
		dir := t.TempDir()
		path := filepath.Join(dir, "secret.key")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := vault.Load("", dir); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got %v", content, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != content {
			t.Errorf("%q became %q (%v)", content, now, err)
		}
	}
}

// Root changes the key of a server that is not root. Who runs the test cannot give files away unless it is root; then the
// old file's owner is the one who runs it.
func TestAReplacedKeyFileKeepsItsOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), vault.KeyFile)
	for _, name := range []string{path, path + ".new"} {
		if _, err := vault.LoadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	const stranger = 12345
	if err := os.Chown(path, stranger, stranger); err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	before := ownerOf(t, path)
	if _, err := vault.ReplaceFile(path, path+".new"); err != nil {
		t.Fatal(err)
	}
	if after := ownerOf(t, path); after != before {
		t.Errorf("the key belonged to %v, the new one belongs to %v", before, after)
	}
}

// ownerOf is the user and the group that a file belongs to.
func ownerOf(t *testing.T, path string) [2]uint32 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	return [2]uint32{owner.Uid, owner.Gid}
}
