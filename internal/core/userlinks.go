package core

import (
	"context"
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// UserLinkPath is where people open a link.
const UserLinkPath = "/invite/"

// LinkUser makes a link with which a user chooses a password: an invitation for one who has none yet. Any
// earlier one is useless from then on. Only an owner makes one for an owner, whose password it could change.
func LinkUser(tx *store.Tx, by chat.Role, orgID, userID string) (token string, link chat.UserLink, err error) {
	u, err := user(tx.Reader, orgID, userID)
	if err != nil {
		return "", chat.UserLink{}, err
	}
	if token, link, err = linkUser(tx, by, u); err != nil {
		return "", chat.UserLink{}, err
	}
	return token, link, audit(tx, orgID, chat.AuditUserLinked, ofUser(u), "kind", string(link.Kind))
}

// InviteUser makes a user who chooses a password with the link.
func InviteUser(tx *store.Tx, by chat.Role, in NewUser) (u chat.User, token string, link chat.UserLink, err error) {
	if in.Role == chat.RoleOwner && !by.Covers(chat.RoleOwner) {
		return u, "", link, chat.Fail(chat.CodeForbidden, "Only an owner can make an owner.")
	}
	if u, err = CreateUser(tx, in); err != nil {
		return u, "", link, err
	}
	token, link, err = linkUser(tx, by, u)
	return u, token, link, err
}

func linkUser(tx *store.Tx, by chat.Role, u chat.User) (token string, link chat.UserLink, err error) {
	if u.Role == chat.RoleOwner && !by.Covers(chat.RoleOwner) {
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
		OrgID: u.OrgID, UserID: u.ID, Kind: kind, Hash: chat.HashToken(token),
		CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(kind.Lasts()),
	}
	return token, link, tx.PutUserLink(link)
}

// Linked is whom a link is for.
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

// UseLink sets the password of the user that a link is for, and signs the user in: with a code, where the user
// has a second step, because a link may be read by others. Somebody who was invited may give another name.
func UseLink(ctx context.Context, st *store.Store, seals Seals, token string, p Proof, name *string, b Browser) (session string, u chat.User, err error) {
	if _, _, err := Linked(st.Read(ctx), st, token); err != nil { // before the work of hashing
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
