package core

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// NewUser is the input for a dashboard user. Without TeamID the user joins the only team. Without a password the user
// needs an invitation.
type NewUser struct {
	OrgID    string
	Email    string
	Name     string
	Password PasswordHash
	Role     chat.Role
	Sees     chat.Visibility // empty: all
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
		ID: tx.NewID(chat.KindUser), OrgID: in.OrgID, Email: in.Email, Name: in.Name, PasswordHash: string(in.Password),
		Role: in.Role, Sees: in.Sees, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	err = tx.InsertUser(user)
	if errors.Is(err, store.ErrDuplicate) {
		return chat.User{}, chat.Invalid("email", "A user with this address exists already.")
	}
	if err != nil {
		return chat.User{}, err
	}
	return user, errors.Join(tx.PutMember(user.OrgID, teamID, user.ID),
		audit(tx, user.OrgID, chat.AuditUserCreated, ofUser(user), "email", user.Email, "role", string(user.Role)))
}

func (in *NewUser) clean() (err error) {
	if in.Email, err = chat.CleanEmail(in.Email); err != nil {
		return err
	}
	if in.Name, err = chat.CleanName(in.Name); err != nil {
		return err
	}
	if in.Sees == "" {
		in.Sees = chat.SeesAll
	}
	return errors.Join(chat.CheckRole(in.Role), chat.CheckVisibility(in.Sees))
}

// UserPatch changes the fields that are given.
type UserPatch struct {
	Name     *string
	Role     *chat.Role
	Sees     *chat.Visibility
	Teams    *[]string
	Disabled *bool
	Away     *bool
}

// UpdateUser changes a user, as far as the role by allows. A user whose role changes has to sign in again.
func UpdateUser(tx *store.Tx, by chat.Role, orgID, id string, patch UserPatch) (chat.User, error) {
	before, err := user(tx.Reader, orgID, id)
	if err != nil {
		return chat.User{}, err
	}
	after, err := patch.apply(tx, before)
	if err != nil {
		return chat.User{}, err
	}
	if (before.Role == chat.RoleOwner || after.Role == chat.RoleOwner) && !by.Covers(chat.RoleOwner) {
		return chat.User{}, chat.Fail(chat.CodeForbidden, "Only an owner can change an owner, or make one.")
	}
	if err := keepAnOwner(tx, before, after); err != nil {
		return chat.User{}, err
	}
	if patch.Teams != nil {
		if err := putIntoTeams(tx, after, *patch.Teams); err != nil {
			return chat.User{}, err
		}
	}
	if after.Role != before.Role || after.DisabledAt != before.DisabledAt {
		if err := endAccess(tx, before, after); err != nil {
			return chat.User{}, err
		}
	}
	after.UpdatedAt = tx.Now()
	if err := errors.Join(tx.UpdateUser(after), auditUser(tx, before, after, patch)); err != nil || after.DisabledAt == nil || before.DisabledAt != nil {
		return after, err
	}
	_, err = Release(tx, orgID, id, releasedAtOnce)
	return after, err
}

// endAccess ends a user's sessions with a change of what the user may do, and the link, whose maker may not be allowed to
// make one for the new role. Whoever may do less keeps no links with which to open the accounts of others.
func endAccess(tx *store.Tx, before, after chat.User) error {
	err := errors.Join(tx.DeleteSessions(after.OrgID, after.ID, ""), tx.DeleteUserLink(after.OrgID, after.ID))
	if after.DisabledAt != nil || !after.Role.Covers(before.Role) {
		err = errors.Join(err, tx.DeleteUserLinksBy(after.OrgID, after.ID))
	}
	return err
}

// auditUser notes the changes of a user. A temporary absence concerns nobody, so it is left out.
func auditUser(tx *store.Tx, before, after chat.User, patch UserPatch) error {
	details := []string{
		"name", fromTo(before.Name, after.Name), "role", fromTo(before.Role, after.Role), "sees", fromTo(before.Sees, after.Sees),
		"disabled", fromTo(strconv.FormatBool(before.DisabledAt != nil), strconv.FormatBool(after.DisabledAt != nil)),
	}
	if patch.Teams != nil {
		names, err := teamNames(tx.Reader, after.OrgID, *patch.Teams)
		if err != nil {
			return err
		}
		details = append(details, "teams", names)
	}
	if !slices.ContainsFunc(details, func(s string) bool { return strings.Contains(s, "→") }) && patch.Teams == nil {
		return nil
	}
	return audit(tx, after.OrgID, chat.AuditUserUpdated, ofUser(after), details...)
}

// teamNames lists what teams are called, for people who read it later.
func teamNames(r store.Reader, orgID string, ids []string) (string, error) {
	all, err := r.Teams(orgID)
	var names []string
	for _, team := range all {
		if slices.Contains(ids, team.ID) {
			names = append(names, team.Name)
		}
	}
	return strings.Join(names, ", "), err
}

func (p UserPatch) apply(tx *store.Tx, u chat.User) (chat.User, error) {
	if p.Name != nil {
		name, err := chat.CleanName(*p.Name)
		if err != nil {
			return u, err
		}
		u.Name = name
	}
	if p.Role != nil {
		u.Role = *p.Role
	}
	if p.Sees != nil {
		u.Sees = *p.Sees
	}
	if p.Away != nil {
		u.Away = *p.Away
	}
	switch {
	case p.Disabled == nil, *p.Disabled == (u.DisabledAt != nil):
	case *p.Disabled:
		u.DisabledAt = new(tx.Now())
	default:
		u.DisabledAt = nil
	}
	return u, errors.Join(chat.CheckRole(u.Role), chat.CheckVisibility(u.Sees))
}

// keepAnOwner refuses a change after which nobody could do everything.
func keepAnOwner(tx *store.Tx, before, after chat.User) error {
	owns := func(u chat.User) bool { return u.Role == chat.RoleOwner && u.DisabledAt == nil }
	if !owns(before) || owns(after) {
		return nil
	}
	if _, err := organization(tx.Reader, before.OrgID); err != nil { // locked: another owner may be leaving too
		return err
	}
	users, err := tx.Users(before.OrgID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(users, func(u chat.User) bool { return u.ID != before.ID && owns(u) }) {
		return chat.Invalid("role", "This is the only owner. Make somebody else an owner first.")
	}
	return nil
}

// putIntoTeams makes a user a member of exactly these teams.
func putIntoTeams(tx *store.Tx, u chat.User, teams []string) error {
	before, err := tx.TeamsOf(u.OrgID, u.ID)
	if err != nil {
		return err
	}
	for _, id := range teams {
		if _, err := pickTeam(tx.Reader, u.OrgID, id); err != nil {
			return err
		}
		if err := tx.PutMember(u.OrgID, id, u.ID); err != nil {
			return err
		}
	}
	for _, id := range before {
		if !slices.Contains(teams, id) {
			if err := tx.DeleteMember(u.OrgID, id, u.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func user(r store.Reader, orgID, id string) (chat.User, error) {
	u, err := r.User(orgID, id)
	if errors.Is(err, store.ErrNotFound) {
		return chat.User{}, chat.NotFound("user")
	}
	return u, err
}

// SignOutUser ends all sessions of a user, as far as the role by allows.
func SignOutUser(tx *store.Tx, by chat.Role, orgID, id string) error {
	u, err := user(tx.Reader, orgID, id)
	if err != nil {
		return err
	}
	if u.Role == chat.RoleOwner && !by.Covers(chat.RoleOwner) {
		return chat.Fail(chat.CodeForbidden, "Only an owner can do this to an owner.")
	}
	return errors.Join(SignOutEverywhere(tx, orgID, id, ""), audit(tx, orgID, chat.AuditUserSignedOut, ofUser(u)))
}

// maxNumbers bounds the numbers that a user's pages know from the start. Platforms have thousands, and search for them.
const maxNumbers = 500

// NumbersFor are the newest of the numbers of which a user may see all or some conversations.
func NumbersFor(r store.Reader, u chat.User) (store.Slice[chat.Account], error) {
	return ListNumbers(r, u, store.AccountFilter{}, store.Page{Limit: maxNumbers})
}

// ListNumbers returns one page of the numbers of NumbersFor that match a filter.
func ListNumbers(r store.Reader, u chat.User, f store.AccountFilter, p store.Page) (store.Slice[chat.Account], error) {
	f.MemberID = memberID(u)
	return r.Accounts(u.OrgID, f, p)
}

// PhoneNumberIDsFor are the ids at the provider of all numbers of NumbersFor.
func PhoneNumberIDsFor(r store.Reader, u chat.User) ([]string, error) {
	return r.PhoneNumberIDs(u.OrgID, memberID(u))
}

// memberID is the user whose teams' numbers a list is limited to; empty for one who sees all.
func memberID(u chat.User) string {
	if u.Sees == chat.SeesAll {
		return ""
	}
	return u.ID
}
