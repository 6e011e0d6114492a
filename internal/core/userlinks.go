package core

import (
	"context"
	"errors"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// UserLinkPath is the path at which people open a link.
const UserLinkPath = "/invite/"

// LinkUser makes a link with which a user chooses a password. For a user without a password it is an invitation.
// Earlier links stop working. Only an owner can make one for an owner, because the link can change the owner's
// password. The operator is no user, and has no id.
func LinkUser(tx *store.Tx, by chat.User, orgID, userID string) (token string, link chat.UserLink, err error) {
	if userID == by.ID { // a session alone would do, without the password
		return "", chat.UserLink{}, chat.Fail(chat.CodeForbidden, "Change your own password in your profile. If you have forgotten it, ask a colleague for a link.")
	}
	u, err := user(tx.Reader, orgID, userID)
	if err != nil {
		return "", chat.UserLink{}, err
	}
	if token, link, err = linkUser(tx, by, u); err != nil {
		return "", chat.UserLink{}, err
	}
	return token, link, audit(tx, orgID, chat.AuditUserLinked, ofUser(u), "kind", string(link.Kind))
}

// forgottenAgain is how long a link stays that was just made, whoever asks for another, and how long no other is mailed.
const forgottenAgain = 10 * time.Minute

// hasFreshLink reports whether a user has a link that was just made.
func hasFreshLink(tx *store.Tx, orgID, userID string) (bool, error) {
	link, err := tx.LinkOf(orgID, userID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && tx.Now().Sub(link.CreatedAt) < forgottenAgain, err
}

// LinkedLately reports whether a link was just made for a user, so that another should not be mailed: nobody, admins
// included, should be able to fill somebody's mailbox. A link that was used counts too, because whoever made it can use
// it.
func LinkedLately(tx *store.Tx, orgID, userID string) (bool, error) {
	if fresh, err := hasFreshLink(tx, orgID, userID); err != nil || fresh {
		return fresh, err
	}
	since := tx.Now().Add(time.Millisecond - forgottenAgain)
	made, err := tx.AuditLog(orgID, store.AuditFilter{Action: chat.AuditUserLinked, ObjectID: userID, From: &since}, store.Page{Limit: 1})
	return len(made.Rows) > 0, err
}

// LinkForgotten makes a link for the user with an address, for somebody who says that they have forgotten the password. It
// makes none, and returns no token, where there is no such user, or where a link was just made: anybody can ask, and
// nobody should be able to end the links of others, or to fill their mailbox.
func LinkForgotten(tx *store.Tx, email string) (token string, u chat.User, link chat.UserLink, err error) {
	u, err = tx.UserByEmail(email)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.DisabledAt != nil {
		return "", u, link, nil
	}
	if err != nil {
		return "", u, link, err
	}
	if fresh, err := hasFreshLink(tx, u.OrgID, u.ID); err != nil || fresh {
		return "", u, link, err
	}
	token, link, err = LinkUser(tx, chat.User{Role: chat.RoleOwner}, u.OrgID, u.ID)
	return token, u, link, err
}

// InviteUser makes a user who chooses a password with the link.
func InviteUser(tx *store.Tx, by chat.User, in NewUser) (u chat.User, token string, link chat.UserLink, err error) {
	if in.Role == chat.RoleOwner && !by.Role.Covers(chat.RoleOwner) {
		return u, "", link, chat.Fail(chat.CodeForbidden, "Only an owner can make an owner.")
	}
	if u, err = CreateUser(tx, in); err != nil {
		return u, "", link, err
	}
	token, link, err = linkUser(tx, by, u)
	return u, token, link, err
}

func linkUser(tx *store.Tx, by chat.User, u chat.User) (token string, link chat.UserLink, err error) {
	if by.ID != "" { // locked: whoever is losing the right meanwhile would keep this link
		if by, err = user(tx.Reader, by.OrgID, by.ID); err != nil {
			return "", chat.UserLink{}, err
		}
	}
	if by.DisabledAt != nil || !by.Role.Covers(chat.RoleAdmin) {
		return "", chat.UserLink{}, chat.Fail(chat.CodeForbidden, "Only an admin can do this.")
	}
	if u.Role == chat.RoleOwner && !by.Role.Covers(chat.RoleOwner) {
		return "", chat.UserLink{}, chat.Fail(chat.CodeForbidden, "Only an owner can do this to an owner.")
	}
	if u.DisabledAt != nil {
		return "", chat.UserLink{}, chat.Invalid("user_id", "This user has left. Let the user in again first.")
	}
	kind := chat.LinkReset
	if u.PasswordHash == "" {
		kind = chat.LinkInvitation
	}
	token = chat.NewToken()
	link = chat.UserLink{
		OrgID: u.OrgID, UserID: u.ID, Kind: kind, Hash: chat.HashToken(token), MadeBy: by.ID,
		CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(kind.Lasts()),
	}
	return token, link, tx.PutUserLink(link)
}

// Linked finds the user of a link.
func Linked(r store.Reader, st *store.Store, token string) (chat.UserLink, chat.User, error) {
	useless := chat.Fail(chat.CodeLinkInactive, "This link does not exist, was used, or is too old. Ask for another one.")
	link, err := r.UserLink(chat.HashToken(token))
	if errors.Is(err, store.ErrNotFound) || err == nil && !st.Now().Before(link.ExpiresAt) {
		return chat.UserLink{}, chat.User{}, useless
	}
	if err != nil {
		return chat.UserLink{}, chat.User{}, err
	}
	u, err := user(r, link.OrgID, link.UserID)
	if err == nil && u.DisabledAt != nil {
		return chat.UserLink{}, chat.User{}, useless
	}
	return link, u, err
}

// UseLink sets the password of the user of a link, and signs the user in. A user with a second step needs a code,
// because other people may read a link. An invited user may change their name.
func UseLink(ctx context.Context, st *store.Store, seals Seals, token string, p Proof, name *string, b Browser) (session string, u chat.User, err error) {
	if _, _, err := Linked(st.Read(ctx), st, token); err != nil { // checked before the expensive hashing
		return "", chat.User{}, err
	}
	hash, err := HashPassword(p.Password)
	if err != nil {
		return "", chat.User{}, err
	}
	err = st.InTx(ctx, func(tx *store.Tx) (err error) {
		link, found, err := Linked(tx.Reader, st, token)
		if err != nil {
			return err
		}
		u = found
		if err := takeSecondStep(tx, seals, u, p.Code); err != nil {
			return err
		}
		if name != nil && link.Kind == chat.LinkInvitation {
			if u, err = UpdateUser(tx, u.Role, u.OrgID, u.ID, UserPatch{Name: name}); err != nil {
				return err
			}
		}
		if err := SetPassword(tx, u.OrgID, u.ID, hash); err != nil {
			return err
		}
		if err := auditAs(tx, doerOf(u, b), u.OrgID, chat.AuditPassword, ofUser(u), "by", string(link.Kind)); err != nil {
			return err
		}
		session, err = OpenSession(tx, u, b)
		return err
	})
	return session, u, err
}
