package core

import (
	"errors"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// CreateLabel makes a label in the named team, or in the only one.
func CreateLabel(tx *store.Tx, orgID string, in chat.NewLabel) (chat.Label, error) {
	if err := in.Clean(); err != nil {
		return chat.Label{}, err
	}
	teamID, err := pickTeam(tx.Reader, orgID, in.TeamID)
	if err != nil {
		return chat.Label{}, err
	}
	label := chat.Label{
		ID: tx.NewID(chat.KindLabel), OrgID: orgID, TeamID: teamID,
		Name: in.Name, Color: in.Color, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	if err := labelNameTaken(tx.InsertLabel(label)); err != nil {
		return chat.Label{}, err
	}
	return label, auditPeople(tx, orgID, chat.AuditLabelCreated, ofLabel(label))
}

func ofLabel(l chat.Label) chat.AuditObject { return chat.AuditObject{ID: l.ID, Name: l.Name} }

// Label returns one label.
func Label(r store.Reader, orgID, id string) (chat.Label, error) {
	label, err := r.Label(orgID, id)
	return label, orNotFound(err, "label")
}

// UpdateLabel changes a label. A patch that changes nothing leaves updated_at alone.
func UpdateLabel(tx *store.Tx, orgID, id string, patch chat.LabelPatch) (chat.Label, error) {
	label, err := Label(tx.Reader, orgID, id)
	if err != nil {
		return chat.Label{}, err
	}
	before := label
	label, changed, err := patch.Apply(label)
	if err != nil || !changed {
		return label, err
	}
	label.UpdatedAt = tx.Now()
	if err := labelNameTaken(tx.UpdateLabel(label)); err != nil {
		return chat.Label{}, err
	}
	return label, audit(tx, orgID, chat.AuditLabelUpdated, ofLabel(label), "name", fromTo(before.Name, label.Name))
}

// DetachSome detaches a label from up to limit contacts and conversations, and returns how many. It is called before
// DeleteLabel, each time in its own transaction, because a label can be on everything.
func DetachSome(tx *store.Tx, orgID, id string, limit int) (int64, error) {
	return tx.DetachSome(orgID, id, limit)
}

// DeleteLabel removes a label, also from everything that has it.
func DeleteLabel(tx *store.Tx, orgID, id string) error {
	label, err := Label(tx.Reader, orgID, id)
	if err != nil {
		return err
	}
	return errors.Join(tx.DeleteLabel(orgID, id), audit(tx, orgID, chat.AuditLabelDeleted, ofLabel(label)))
}

// attachableLabel returns a label that contacts and conversations of the account may have.
func attachableLabel(r store.Reader, account chat.Account, id string) (chat.Label, error) {
	label, err := Label(r, account.OrgID, id)
	if err == nil && label.TeamID != account.TeamID {
		return chat.Label{}, chat.Invalid("label_id", "The label belongs to another team than this number.")
	}
	return label, err
}

func labelNameTaken(err error) error {
	if errors.Is(err, store.ErrDuplicate) {
		return chat.Invalid("name", "The team has a label of this name already. Names are compared without regard to case.")
	}
	return err
}
