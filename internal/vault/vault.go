// Package vault protects secrets at rest. One 32-byte master key seals stored values (tokens, signing secrets)
// and derives keys for other uses (cursors).
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/parleyhq/parley/internal/durable"
)

const keySize = 32

// KeyFile is the name of the file with the master key.
const KeyFile = "secret.key"

// ErrMasterKey says that a text is no master key.
var ErrMasterKey = errors.New("the master key must be 32 bytes in base64: make one with `openssl rand -base64 32`")

// Vault seals and opens values. It is safe for concurrent use.
type Vault struct {
	master []byte
	id     string
	aead   cipher.AEAD
}

// HasKeyFile reports whether dir has a file with a master key.
func HasKeyFile(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, KeyFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// Load takes the master key from text (base64, 32 bytes) or, if that is empty, from the file secret.key in dir.
// It creates the file on first use.
func Load(text, dir string) (*Vault, error) {
	if text != "" {
		return parse(text)
	}
	return LoadFile(filepath.Join(dir, KeyFile))
}

// LoadFile takes the master key from a file, which it creates on first use.
func LoadFile(path string) (*Vault, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = createKeyFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the master key: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&0o077 != 0 {
		_ = os.Chmod(path, 0o600) // if this fails, the server warns that others can read it
	}
	v, err := parse(strings.TrimSpace(string(content)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// createKeyFile writes a new key and returns the file's content. If two processes start together, both get the
// key of the first.
func createKeyFile(path string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), KeyFile+".*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	key := make([]byte, keySize)
	rand.Read(key)
	_, err = tmp.WriteString(base64.StdEncoding.EncodeToString(key) + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := durable.SyncFolder(filepath.Dir(path)); err != nil { // before anything is sealed with it
		return nil, err
	}
	return os.ReadFile(path)
}

// ReplaceFile puts the key of one file in the place of another, which stays beside it under its id. Root gives it to the
// other's owner: the server, which is not root, could not read it otherwise.
func ReplaceFile(path, by string) (kept string, err error) {
	old, err := LoadFile(path)
	if err != nil {
		return "", err
	}
	if err := giveToOwnerOf(path, by); err != nil && os.Geteuid() == 0 {
		return "", err
	}
	kept = path + "." + old.ID()
	if err := os.Link(path, kept); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return kept, durable.Rename(by, path)
}

// giveToOwnerOf gives a file to the user and the group that another one belongs to.
func giveToOwnerOf(path, file string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return os.Chown(file, int(owner.Uid), int(owner.Gid))
}

func parse(text string) (*Vault, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrMasterKey
	}
	return New(key)
}

// New makes a vault from a 32-byte master key.
func New(master []byte) (*Vault, error) {
	if len(master) != keySize {
		return nil, ErrMasterKey
	}
	v := &Vault{master: master}
	v.id = hex.EncodeToString(v.Derive("key id")[:4])
	block, err := aes.NewCipher(v.Derive("seal"))
	if err != nil {
		return nil, err
	}
	v.aead, err = cipher.NewGCMWithRandomNonce(block)
	return v, err
}

// ID identifies the master key without revealing it; sealed values carry it.
func (v *Vault) ID() string { return v.id }

// Derive returns a 32-byte key for one purpose. The key of one purpose does not reveal that of another.
func (v *Vault) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, v.master, nil, "parley "+purpose, keySize)
	if err != nil {
		panic(err) // only for lengths far above ours
	}
	return key
}

// Seal encrypts plaintext with AES-256-GCM. context says what the value is and whose. Open needs the same
// context, so a sealed value that was moved to another row does not open.
func (v *Vault) Seal(plaintext, context string) string {
	sealed := v.aead.Seal(nil, nil, []byte(plaintext), []byte(context))
	return v.id + "." + base64.RawStdEncoding.EncodeToString(sealed)
}

// Open decrypts a sealed value.
func (v *Vault) Open(sealed, context string) (string, error) {
	id, text, _ := strings.Cut(sealed, ".")
	if id != v.id {
		return "", fmt.Errorf("sealed with master key %q, but this program has %q: set PARLEY_SECRET_KEY to the key it was sealed with", id, v.id)
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("sealed value is damaged: %w", err)
	}
	plaintext, err := v.aead.Open(nil, nil, data, []byte(context))
	if err != nil {
		return "", errors.New("sealed value is damaged or belongs elsewhere")
	}
	return string(plaintext), nil
}
