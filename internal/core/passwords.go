package core

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/parleyhq/parley/internal/chat"
)

// PasswordHash is a password as it is stored. It is computed before the transaction begins, because hashing is slow on
// purpose.
type PasswordHash string

// HashMemory is the memory that a hash takes, in KiB: the value of RFC 9106 for scarce memory. It is written into the
// hash, so that it can be raised later. Tests lower it.
var HashMemory uint32 = 64 * 1024

const (
	hashTime    = 3
	hashThreads = 4
	hashLength  = 32
)

// nobody is a hash that belongs to no user. Checking against it takes as long as against a user's, so that the time
// does not tell which addresses exist. It is computed on first use, because it costs time and memory.
var nobody = sync.OnceValue(func() PasswordHash { return hash("", make([]byte, 16)) })

// HashPassword hashes a password for the store.
func HashPassword(password string) (PasswordHash, error) {
	if n := utf8.RuneCountInString(password); n < chat.MinPasswordLength || n > maxPassword {
		return "", chat.Invalid("password", "Must be %d to %d characters long.", chat.MinPasswordLength, maxPassword)
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	return hash(password, salt), nil
}

const maxPassword = 1024

func hash(password string, salt []byte) PasswordHash {
	sum := argon2.IDKey([]byte(password), salt, hashTime, HashMemory, hashThreads, hashLength)
	b64 := base64.RawStdEncoding
	return PasswordHash(fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, HashMemory, hashTime, hashThreads,
		b64.EncodeToString(salt), b64.EncodeToString(sum)))
}

// matches reports whether a password is the hashed one, with the cost that the hash names.
func (h PasswordHash) matches(password string) bool {
	var version, memory, time uint32
	var threads uint8
	fields := strings.Split(string(h), "$")
	if len(fields) != 6 || fields[1] != "argon2id" || len(password) > 4*maxPassword {
		return false
	}
	if _, err := fmt.Sscanf(fields[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false
	}
	if _, err := fmt.Sscanf(fields[3], "m=%d,t=%d,p=%d", &memory, &time, &threads); err != nil || time == 0 || threads == 0 {
		return false
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(fields[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(fields[5])
	if saltErr != nil || sumErr != nil || len(sum) == 0 {
		return false
	}
	return subtle.ConstantTimeCompare(sum, argon2.IDKey([]byte(password), salt, time, memory, threads, uint32(len(sum)))) == 1
}
