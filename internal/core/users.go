package core

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// NewUser is what makes a dashboard user. Without TeamID the user joins the only team.
type NewUser struct {
	OrgID    string
	Email    string
	Name     string
	Password PasswordHash
	Role     chat.Role
	TeamID   string
}

// CreateUser makes a dashboard user and puts it into a team.
func CreateUser(tx *store.Tx, in NewUser) (chat.User, error) {
	if err := in.clean(); err != nil {
		return chat.User{}, err
	}
	if _, err := organization(tx.Reader, in.OrgID); err != nil {
		return chat.User{}, err
	}
	teamID, err := pickTeam(tx.Reader, in.OrgID, in.TeamID)
	if err != nil {
		return chat.User{}, err
	}
	user := chat.User{
		ID: tx.NewID(chat.KindUser), OrgID: in.OrgID, Email: in.Email, Name: in.Name,
		PasswordHash: string(in.Password), CreatedAt: tx.Now(),
	}
	err = tx.InsertUser(user)
	if errors.Is(err, store.ErrDuplicate) {
		return chat.User{}, chat.Invalid("email", "A user with this address exists already.")
	}
	if err != nil {
		return chat.User{}, err
	}
	return user, tx.PutMember(user.OrgID, teamID, user.ID, in.Role)
}

func (in *NewUser) clean() (err error) {
	if in.Email, err = chat.CleanEmail("email", in.Email); err != nil {
		return err
	}
	if in.Name, err = chat.CleanName("name", in.Name); err != nil {
		return err
	}
	if !slices.Contains([]chat.Role{chat.RoleOwner, chat.RoleAdmin, chat.RoleAgent}, in.Role) {
		return chat.Invalid("role", "Must be owner, admin or agent.")
	}
	return nil
}

// PasswordHash is a password as it is stored. It is made before the transaction begins, because
// making it is slow on purpose.
type PasswordHash string

// HashPassword is argon2id with the parameters that RFC 9106 recommends where memory is scarce.
// They are written into the hash, so that they can be raised later.
func HashPassword(password string) (PasswordHash, error) {
	const time, memoryKiB, threads, length = 3, 64 * 1024, 4, 32
	if n := utf8.RuneCountInString(password); n < chat.MinPasswordLength || n > 1024 {
		return "", chat.Invalid("password", "Must be %d to 1024 characters long.", chat.MinPasswordLength)
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	sum := argon2.IDKey([]byte(password), salt, time, memoryKiB, threads, length)
	b64 := base64.RawStdEncoding
	return PasswordHash(fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memoryKiB, time, threads,
		b64.EncodeToString(salt), b64.EncodeToString(sum))), nil
}
