package core

import (
	"context"
	"errors"
	"strconv"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// AuditLife is how many days the audit log is kept: a year, and a little more to compare with the year before.
const AuditLife = 400

// audit notes for administrators what a transaction does, if it has a known doer. The note commits with the change.
// Details are pairs of a name and a value. They are short, and contain neither secrets nor messages between people.
func audit(tx *store.Tx, orgID string, action chat.AuditAction, on chat.AuditObject, details ...string) error {
	doer, ok := tx.Doer()
	if !ok {
		return nil
	}
	return auditAs(tx, doer, orgID, action, on, details...)
}

// auditPeople is audit for actions that programs do by the thousand. An action of an API key is not noted, because the
// API log has it.
func auditPeople(tx *store.Tx, orgID string, action chat.AuditAction, on chat.AuditObject, details ...string) error {
	if doer, ok := tx.Doer(); !ok || doer.Kind != chat.DoerUser {
		return nil
	}
	return audit(tx, orgID, action, on, details...)
}

func auditAs(tx *store.Tx, doer chat.Doer, orgID string, action chat.AuditAction, on chat.AuditObject, details ...string) error {
	entry := chat.AuditEntry{ID: tx.NewID(chat.KindAudit), OrgID: orgID, By: doer, Action: action, Object: on, Details: map[string]string{}}
	for i := 0; i+1 < len(details); i += 2 {
		if details[i+1] != "" {
			entry.Details[details[i]] = firstRunes(details[i+1], maxAuditDetail)
		}
	}
	return tx.InsertAudit(entry)
}

const maxAuditDetail = 300

// AuditNow is audit for a change that is already made, or for a read that matters. It runs in its own transaction.
func AuditNow(ctx context.Context, st *store.Store, orgID string, action chat.AuditAction, details ...string) error {
	return st.InTx(ctx, func(tx *store.Tx) error { return audit(tx, orgID, action, chat.AuditObject{}, details...) })
}

// AuditReveal notes that a signing secret was shown.
func AuditReveal(tx *store.Tx, s chat.WebhookSubscription, secretID string) error {
	return audit(tx, s.OrgID, chat.AuditSecretRevealed, ofWebhook(s), "secret", secretID)
}

// doerOf is a user who signs in, or fails to, from a browser.
func doerOf(u chat.User, b Browser) chat.Doer {
	return chat.Doer{Kind: chat.DoerUser, ID: u.ID, Name: u.Name, Address: b.Address}
}

// AuditRefusal notes a failed sign-in, if the address belongs to a user. The caller calls it after the answer, because
// the time of the answer would tell whether the address exists.
func AuditRefusal(ctx context.Context, st *store.Store, email, why string, b Browser) error {
	return st.InTx(ctx, func(tx *store.Tx) error {
		u, err := tx.UserByEmail(email)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return auditAs(tx, doerOf(u, b), u.OrgID, chat.AuditRefused, ofUser(u), "reason", why)
	})
}

func ofUser(u chat.User) chat.AuditObject { return chat.AuditObject{ID: u.ID, Name: u.Name} }

func ofWebhook(s chat.WebhookSubscription) chat.AuditObject {
	return chat.AuditObject{ID: s.ID, Name: s.URL}
}

func ofNumber(a chat.Account) chat.AuditObject {
	name := deref(a.Name)
	if name == "" {
		name = deref(a.PhoneNumber)
	}
	return chat.AuditObject{ID: deref(a.PhoneNumberID), Name: name}
}

func ofCustomer(c chat.Customer) chat.AuditObject { return chat.AuditObject{ID: c.ID, Name: c.Name} }

func ofBroadcast(b chat.Broadcast) chat.AuditObject { return chat.AuditObject{ID: b.ID, Name: b.Name} }

func ofTemplate(t chat.Template) chat.AuditObject {
	return chat.AuditObject{ID: t.ID, Name: t.Name + " (" + t.Language + ")"}
}

// fromTo describes a changed value; empty if it has not changed.
func fromTo[T ~string](before, after T) string {
	if before == after {
		return ""
	}
	return string(before) + " → " + string(after)
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

func ofContact(c chat.Contact) chat.AuditObject {
	return chat.AuditObject{ID: c.ID, Name: deref(c.Name)}
}
