package store

import "errors"

// Merge is a pair of contacts of an account that become one. From is the conversation of the contact that goes;
// empty if it has none.
type Merge struct {
	OrgID       string
	Stays, Goes string // contacts
	Into, From  string // their conversations
}

// MoveMessages moves up to limit messages to the conversation that stays, and returns how many.
func (tx *Tx) MoveMessages(m Merge, limit int) (int64, error) {
	return tx.exec("UPDATE messages SET conversation_id = $3, contact_id = $4 WHERE "+
		tx.dialect.oneOfThose("org_id, id", "messages WHERE org_id = $1 AND conversation_id = $2 ORDER BY id LIMIT $5"),
		m.OrgID, m.From, m.Into, m.Stays, limit)
}

// HasMoreMessages reports whether a conversation has more messages than that.
func (r Reader) HasMoreMessages(orgID, conversationID string, than int) (bool, error) {
	found, err := many(r, scanText, "SELECT id FROM messages WHERE org_id = $1 AND conversation_id = $2 ORDER BY id LIMIT 1 OFFSET $3",
		orgID, conversationID, than)
	return len(found) > 0, err
}

// MergeContacts moves everything that belongs to the contact that goes, and deletes it. Its ids name the other
// contact from then on.
func (tx *Tx) MergeContacts(m Merge) error {
	if m.From != "" {
		if err := tx.mergeConversations(m); err != nil {
			return err
		}
	}
	if err := tx.moveLabels("contact_labels", "contact_id", m.OrgID, m.Goes, m.Stays); err != nil {
		return err
	}
	for _, table := range []string{"contact_notes", "consent_changes"} {
		if err := tx.later("UPDATE "+table+" SET contact_id = $3 WHERE org_id = $1 AND contact_id = $2", m.OrgID, m.Goes, m.Stays); err != nil {
			return err
		}
	}
	if err := tx.execOne("DELETE FROM contacts WHERE org_id = $1 AND id = $2", m.OrgID, m.Goes); err != nil {
		return err
	}
	if err := tx.SearchAgain(m.OrgID, m.Goes); err != nil {
		return err
	}
	return tx.rename(m.OrgID, m.Goes, m.Stays)
}

func (tx *Tx) mergeConversations(m Merge) error {
	err := tx.later("UPDATE messages SET conversation_id = $3, contact_id = $4 WHERE org_id = $1 AND conversation_id = $2", m.OrgID, m.From, m.Into, m.Stays)
	if err != nil {
		return err
	}
	if err := tx.mergeSendJobs(m); err != nil {
		return err
	}
	if err := tx.moveLabels("conversation_labels", "conversation_id", m.OrgID, m.From, m.Into); err != nil {
		return err
	}
	if err := tx.moveRemarks(m); err != nil {
		return err
	}
	if err := tx.execOne("DELETE FROM conversations WHERE org_id = $1 AND id = $2", m.OrgID, m.From); err != nil {
		return err
	}
	return tx.rename(m.OrgID, m.From, m.Into)
}

// moveRemarks moves notes, happenings and drafts of the conversation that goes. If a user has two drafts of a
// kind, the one in the conversation that stays is kept.
func (tx *Tx) moveRemarks(m Merge) error {
	err := tx.later(`DELETE FROM drafts WHERE org_id = $1 AND conversation_id = $2
		AND EXISTS (SELECT 1 FROM drafts stays WHERE stays.org_id = $1 AND stays.user_id = drafts.user_id
			AND stays.conversation_id = $3 AND stays.note = drafts.note)`, m.OrgID, m.From, m.Into)
	err = errors.Join(err, tx.later(`DELETE FROM away_replies WHERE org_id = $1 AND conversation_id = $2
		AND EXISTS (SELECT 1 FROM away_replies WHERE org_id = $1 AND conversation_id = $3)`, m.OrgID, m.From, m.Into))
	for _, table := range []string{"notes", "note_mentions", "happenings", "drafts", "away_replies"} {
		err = errors.Join(err, tx.later("UPDATE "+table+" SET conversation_id = $3 WHERE org_id = $1 AND conversation_id = $2", m.OrgID, m.From, m.Into))
	}
	return err
}

// mergeSendJobs leaves each job in its queue, because a node may have it in memory there. If the conversation
// that goes has no jobs, nothing changes.
func (tx *Tx) mergeSendJobs(m Merge) error {
	waiting, err := many(tx.Reader, scanText, "SELECT message_id FROM send_jobs WHERE org_id || '' = $1 AND conversation_id = $2 LIMIT 1", m.OrgID, m.From)
	if err != nil || len(waiting) == 0 {
		return err
	}
	for _, conversation := range []string{m.From, m.Into} {
		err := tx.later(`UPDATE send_jobs SET lane = CASE WHEN lane = '' THEN conversation_id ELSE lane END, conversation_id = $3
			WHERE org_id || '' = $1 AND conversation_id = $2`, m.OrgID, conversation, m.Into)
		if err != nil {
			return err
		}
	}
	return nil
}

// moveLabels gives the labels of one row to another.
func (tx *Tx) moveLabels(links, owner, orgID, from, to string) error {
	tx.foreseen.labelsChanged()
	err := tx.later("INSERT INTO "+links+" (org_id, "+owner+", label_id) SELECT org_id, CAST($3 AS TEXT), label_id FROM "+links+
		" WHERE org_id = $1 AND "+owner+" = $2 ON CONFLICT DO NOTHING", orgID, from, to)
	if err != nil {
		return err
	}
	return tx.later("DELETE FROM "+links+" WHERE org_id = $1 AND "+owner+" = $2", orgID, from)
}

// rename keeps an id, with all its earlier names, as another name of a row.
func (tx *Tx) rename(orgID, oldID, newID string) error {
	if err := tx.later("UPDATE merged_ids SET new_id = $3 WHERE org_id = $1 AND new_id = $2", orgID, oldID, newID); err != nil {
		return err
	}
	return tx.later("INSERT INTO merged_ids (org_id, old_id, new_id) VALUES ($1, $2, $3)", orgID, oldID, newID)
}

// forgetNames deletes the other names of a deleted row.
func (tx *Tx) forgetNames(orgID, id string) error {
	return tx.later("DELETE FROM merged_ids WHERE org_id = $1 AND new_id = $2", orgID, id)
}

// MergedInto returns the current id of a merged contact or conversation, or ErrNotFound.
func (r Reader) MergedInto(orgID, id string) (string, error) {
	return one(r, scanText, "SELECT new_id FROM merged_ids WHERE org_id = $1 AND old_id = $2", orgID, id)
}

// MergedAmong returns the current ids of those that are of merged contacts or conversations, by the old ones.
func (r Reader) MergedAmong(orgID string, ids []string) (map[string]string, error) {
	merged := map[string]string{}
	err := each(r, func(row scanner) error {
		var old, now string
		err := row.Scan(&old, &now)
		merged[old] = now
		return err
	}, "SELECT old_id, new_id FROM merged_ids WHERE org_id = $1 AND "+r.dialect.oneOfFew("old_id", "$2"), orgID, r.dialect.list(ids))
	return merged, err
}

// DueMerge is a pair of contacts that must be merged, in any order.
type DueMerge struct{ OrgID, AccountID, ContactID, OtherID string }

// InsertDueMerge queues a merge. Repeating it is fine.
func (tx *Tx) InsertDueMerge(m DueMerge) error {
	return tx.later("INSERT INTO due_merges (org_id, account_id, contact_id, other_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
		m.OrgID, m.AccountID, min(m.ContactID, m.OtherID), max(m.ContactID, m.OtherID))
}

// DueMerges returns up to limit queued merges.
func (r Reader) DueMerges(limit int) ([]DueMerge, error) {
	return many(r, func(row scanner) (m DueMerge, err error) {
		err = row.Scan(&m.OrgID, &m.AccountID, &m.ContactID, &m.OtherID)
		return m, err
	}, "SELECT org_id, account_id, contact_id, other_id FROM due_merges ORDER BY org_id, contact_id, other_id LIMIT $1", limit)
}

// DropDueMerge deletes a queued merge.
func (tx *Tx) DropDueMerge(m DueMerge) error {
	return tx.later("DELETE FROM due_merges WHERE org_id = $1 AND contact_id = $2 AND other_id = $3", m.OrgID, m.ContactID, m.OtherID)
}
