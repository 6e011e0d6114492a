package core_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

func createUser(in core.NewUser) func(*store.Tx) (chat.User, error) {
	return func(tx *store.Tx) (chat.User, error) { return core.CreateUser(tx, in) }
}

func TestCreateUser(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		user, err := run(st, createUser(core.NewUser{
			OrgID: org.ID, Email: " Ann@example.com ", Name: " Ann ", Password: "$hash$", Role: chat.RoleAdmin,
		}))
		requireEqual(t, user, err, chat.User{
			ID: user.ID, OrgID: org.ID, Email: "Ann@example.com", Name: "Ann", PasswordHash: "$hash$", Role: chat.RoleAdmin, Sees: chat.SeesAll,
			CreatedAt: clock.Now(), UpdatedAt: clock.Now(),
		})
		stored, err := st.Read(t.Context()).UserByEmail("ann@EXAMPLE.com")
		requireEqual(t, stored, err, user)

		second := storetest.Team(t, st, org.ID, "Second")
		_, err = run(st, createUser(core.NewUser{OrgID: org.ID, Email: "bob@example.com", Name: "Bob", Role: chat.RoleAgent, TeamID: second.ID}))
		requireNoError(t, err)
	})
}

func TestCreateUserErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		org, other, several := storetest.Org(t, st), storetest.Org(t, st), storetest.Org(t, st)
		storetest.Team(t, st, several.ID, "Second")
		good := core.NewUser{OrgID: org.ID, Email: "ann@example.com", Name: "Ann", Password: "$hash$", Role: chat.RoleOwner}
		_, err := run(st, createUser(good))
		requireNoError(t, err)
		for _, test := range []struct {
			name   string
			change func(*core.NewUser)
			code   chat.Code
			param  string
		}{
			{"no address", func(u *core.NewUser) { u.Email = "ann" }, chat.CodeInvalidFieldValue, "email"},
			{"address taken", func(u *core.NewUser) { u.Email = "ANN@example.com" }, chat.CodeInvalidFieldValue, "email"},
			{"address taken elsewhere", func(u *core.NewUser) { u.OrgID, u.Email = other.ID, "ann@example.com" }, chat.CodeInvalidFieldValue, "email"},
			{"no name", func(u *core.NewUser) { u.Name = " " }, chat.CodeInvalidFieldValue, "name"},
			{"no role", func(u *core.NewUser) { u.Role = "" }, chat.CodeInvalidFieldValue, "role"},
			{"unknown role", func(u *core.NewUser) { u.Role = "king" }, chat.CodeInvalidFieldValue, "role"},
			{"no organization", func(u *core.NewUser) { u.OrgID = st.NewID(chat.KindOrganization) }, chat.CodeResourceNotFound, ""},
			{"other organization's team", func(u *core.NewUser) { u.TeamID = other.TeamID }, chat.CodeInvalidFieldValue, "team_id"},
			{"one of several teams", func(u *core.NewUser) { u.OrgID = several.ID }, chat.CodeMissingRequiredField, "team_id"},
		} {
			t.Run(test.name, func(t *testing.T) {
				in := good
				in.Email = "new@example.com"
				test.change(&in)
				_, err := run(st, createUser(in))
				requireCode(t, err, test.code, test.param)
			})
		}
		if _, err := st.Read(t.Context()).UserByEmail("new@example.com"); err == nil {
			t.Error("a user that was refused is stored")
		}
	})
}

func TestHashPassword(t *testing.T) {
	t.Parallel()
	const password = "correct horse 🔋"
	hash, err := core.HashPassword(password)
	requireNoError(t, err)
	fields := strings.Split(string(hash), "$")
	if len(fields) != 6 || strings.Join(fields[:4], "$") != "$argon2id$v=19$m=65536,t=3,p=4" {
		t.Fatalf("the hash is %s", hash)
	}
	salt, sum := fields[4], fields[5]
	raw, err := base64.RawStdEncoding.DecodeString(salt)
	requireNoError(t, err)
	if len(raw) != 16 {
		t.Errorf("the salt has %d bytes", len(raw))
	}
	want := base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), raw, 3, 65536, 4, 32))
	requireEqual(t, sum, nil, want)

	again, err := core.HashPassword(password)
	requireNoError(t, err)
	if again == hash {
		t.Error("two hashes of one password have the same salt")
	}
}

func TestHashPasswordLength(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "1234567", strings.Repeat("é", 7), strings.Repeat("x", 1025)} {
		_, err := core.HashPassword(password)
		requireCode(t, err, chat.CodeInvalidFieldValue, "password")
	}
	if _, err := core.HashPassword(strings.Repeat("é", 8)); err != nil {
		t.Errorf("8 characters: %v", err)
	}
}

// A member of one team sees its numbers, however many newer ones the other teams have.
func TestNumbersOfTheOwnTeam(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		member, err := run(st, createUser(core.NewUser{OrgID: org.ID, Email: "ann@example.com", Name: "Ann", Role: chat.RoleAgent, Sees: chat.SeesTeams}))
		if err != nil {
			t.Fatal(err)
		}
		own, other := storetest.Account(t, st, org, "100000000000"), storetest.Team(t, st, org.ID, "Other")
		clock.Advance(time.Second)
		storetest.InTx(t, st, func(tx *store.Tx) error {
			for i := range 500 {
				account := own
				account.ID, account.TeamID, account.PhoneNumberID = tx.NewID(chat.KindAccount), other.ID, new(strconv.Itoa(200000000000+i))
				account.CreatedAt = tx.Now()
				if err := tx.InsertAccount(account); err != nil {
					return err
				}
			}
			return nil
		})
		numbers, err := core.NumbersFor(st.Read(t.Context()), member)
		if err != nil || len(numbers.Rows) != 1 || numbers.Rows[0].ID != own.ID || numbers.Next != nil {
			t.Errorf("%d numbers are shown, %v", len(numbers.Rows), err)
		}
	})
}

// Whoever asks for links in another's name, again and again, ends none that was just made, and learns nothing.
func TestForgottenLinksStay(t *testing.T) {
	storetest.EachWithClock(t, func(t *testing.T, st *store.Store, clock *storetest.Clock) {
		org := storetest.Org(t, st)
		_, err := run(st, createUser(core.NewUser{OrgID: org.ID, Email: "ann@example.com", Name: "Ann", Password: "$hash$", Role: chat.RoleAdmin}))
		requireNoError(t, err)
		ask := func(email string) string {
			token, err := run(st, func(tx *store.Tx) (string, error) {
				token, _, _, err := core.LinkForgotten(tx, email)
				return token, err
			})
			requireNoError(t, err)
			return token
		}
		if token := ask("nobody@example.com"); token != "" {
			t.Errorf("nobody gets the link %s", token)
		}
		first := ask("Ann@example.com")
		clock.Advance(10*time.Minute - time.Millisecond)
		if second := ask("ann@example.com"); first == "" || second != "" {
			t.Errorf("the links are %q and %q", first, second)
		}
		if _, _, err := core.Linked(st.Read(t.Context()), st, first); err != nil {
			t.Errorf("the first link: %v", err)
		}
		clock.Advance(time.Millisecond)
		if third := ask("ann@example.com"); third == "" || third == first {
			t.Errorf("after ten minutes the link is %q", third)
		}
	})
}
