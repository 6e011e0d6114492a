package core

import (
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
)

// ViewPatch changes the fields that are given.
type ViewPatch struct {
	Name   *string
	Filter *chat.InboxFilter
	Shared *bool
}

// CreateView saves a list of conversations under a name.
func CreateView(tx *store.Tx, u chat.User, name string, f chat.InboxFilter, shared bool) (chat.SavedView, error) {
	view := chat.SavedView{ID: tx.NewID(chat.KindView), OrgID: u.OrgID, OwnerID: u.ID, CreatedAt: tx.Now()}
	return saveView(tx, view, ViewPatch{&name, &f, &shared})
}

// UpdateView changes one of the user's own views. Admins can also change shared views of others.
func UpdateView(tx *store.Tx, u chat.User, id string, patch ViewPatch) (chat.SavedView, error) {
	view, err := ownView(tx, u, id)
	if err != nil {
		return view, err
	}
	return saveView(tx, view, patch)
}

func saveView(tx *store.Tx, view chat.SavedView, patch ViewPatch) (_ chat.SavedView, err error) {
	if patch.Name != nil {
		if view.Name, err = chat.CleanName(*patch.Name); err != nil {
			return view, err
		}
	}
	if patch.Filter != nil {
		view.Filter = *patch.Filter
	}
	if patch.Shared != nil {
		view.Shared = *patch.Shared
	}
	view.UpdatedAt = tx.Now()
	return view, tx.PutSavedView(view)
}

// DeleteView removes a view that the user could change with UpdateView.
func DeleteView(tx *store.Tx, u chat.User, id string) error {
	view, err := ownView(tx, u, id)
	if err != nil {
		return err
	}
	return tx.DeleteSavedView(view.OrgID, view.ID)
}

func ownView(tx *store.Tx, u chat.User, id string) (chat.SavedView, error) {
	view, err := tx.SavedView(u, id)
	if err != nil {
		return view, orNotFound(err, "view")
	}
	if view.OwnerID != u.ID && !u.Role.Covers(chat.RoleAdmin) {
		return view, chat.Fail(chat.CodeForbidden, "Only who made a view can change it, or an admin.")
	}
	return view, nil
}
