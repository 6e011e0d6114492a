package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// OnboardPath is the path of setup links, after the public URL.
const OnboardPath = "/onboard/"

// PublicURLSetting is the name of the setting in which servers leave the address at which others reach them.
const PublicURLSetting = "public_url"

// CreateSetupLink makes a link for a customer and returns its token, which exists nowhere else.
func CreateSetupLink(tx *store.Tx, orgID, customerID string, in chat.NewSetupLink) (chat.SetupLink, string, error) {
	customer, err := Customer(tx.Reader, orgID, customerID)
	if err != nil {
		return chat.SetupLink{}, "", err
	}
	link, err := in.Link(tx.Now())
	if err != nil {
		return chat.SetupLink{}, "", err
	}
	if customer.Status == chat.CustomerArchived {
		return chat.SetupLink{}, "", chat.Fail(chat.CodeCustomerSuspended, "The customer is archived. Restore it first, with PATCH and status active.")
	}
	link.OrgID, link.TeamID, link.CustomerID = orgID, customer.TeamID, &customer.ID
	token, err := insertSetupLink(tx, &link)
	if err != nil {
		return chat.SetupLink{}, "", err
	}
	return link, token, errors.Join(setupLinkCreated(tx, link), audit(tx, orgID, chat.AuditLinkCreated, chat.AuditObject{ID: link.ID, Name: customer.Name}))
}

// CreateOwnSetupLink makes a link for a number of the organization itself.
func CreateOwnSetupLink(tx *store.Tx, orgID, teamID string, in chat.NewSetupLink) (chat.SetupLink, string, error) {
	link, err := in.Link(tx.Now())
	if err != nil {
		return chat.SetupLink{}, "", err
	}
	if _, err := organization(tx.Reader, orgID); err != nil {
		return chat.SetupLink{}, "", err
	}
	if link.TeamID, err = pickTeam(tx.Reader, orgID, teamID); err != nil {
		return chat.SetupLink{}, "", err
	}
	link.OrgID = orgID
	token, err := insertSetupLink(tx, &link)
	if err != nil {
		return chat.SetupLink{}, "", err
	}
	return link, token, audit(tx, orgID, chat.AuditLinkCreated, chat.AuditObject{ID: link.ID})
}

func insertSetupLink(tx *store.Tx, link *chat.SetupLink) (token string, err error) {
	token = chat.NewLinkToken()
	link.ID, link.CreatedAt = tx.NewID(chat.KindSetupLink), tx.Now()
	link.TokenHash, link.TokenLast4 = chat.HashToken(token), token[len(token)-4:]
	return token, tx.InsertSetupLink(*link)
}

// SetupLink returns one link of a customer, as it was stored.
func SetupLink(r store.Reader, orgID, customerID, id string) (chat.SetupLink, error) {
	if _, err := Customer(r, orgID, customerID); err != nil {
		return chat.SetupLink{}, err
	}
	link, err := r.SetupLink(orgID, id)
	if err == nil && deref(link.CustomerID) != customerID {
		err = store.ErrNotFound
	}
	return link, orNotFound(err, "setup link")
}

// UpdateSetupLink changes where the people who use an active link go afterwards.
func UpdateSetupLink(tx *store.Tx, orgID, customerID, id string, patch chat.SetupLinkPatch) (chat.SetupLink, error) {
	link, err := SetupLink(tx.Reader, orgID, customerID, id)
	if err != nil {
		return chat.SetupLink{}, err
	}
	if link, err = patch.Apply(link); err != nil {
		return chat.SetupLink{}, err
	}
	if err := requireActive(tx, link); err != nil {
		return chat.SetupLink{}, err
	}
	return link, errors.Join(tx.UpdateSetupLink(link), audit(tx, orgID, chat.AuditLinkUpdated, chat.AuditObject{ID: link.ID}))
}

// RevokeSetupLink ends an active link.
func RevokeSetupLink(tx *store.Tx, orgID, customerID, id string) error {
	link, err := SetupLink(tx.Reader, orgID, customerID, id)
	if err != nil {
		return err
	}
	if err := requireActive(tx, link); err != nil {
		return err
	}
	link.Status = chat.LinkRevoked
	return errors.Join(tx.UpdateSetupLink(link), audit(tx, orgID, chat.AuditLinkRevoked, chat.AuditObject{ID: link.ID}))
}

func requireActive(tx *store.Tx, link chat.SetupLink) error {
	if status := link.At(tx.Now()).Status; status != chat.LinkActive {
		return chat.Fail(chat.CodeSetupLinkInactive, "The setup link is %s. Generate a new one.", status)
	}
	return nil
}
