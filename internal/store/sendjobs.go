package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// SendJob is a message that waits to be sent to the provider.
type SendJob struct {
	OrgID          string
	MessageID      string
	AccountID      string
	ConversationID string
	DueAt          time.Time
	Attempts       int
	InDoubt        bool
	Owner          string
	// Category is the category of a template that needs the recipient's consent; empty for every other message.
	Category string
	// Lane is the conversation in whose queue the job is, if that conversation was merged into another;
	// otherwise empty.
	Lane string
	// Gated means that the job must wait until no job of its conversation is in another queue.
	Gated bool
	// Behind is the conversation's previous message that was unsent when this one was accepted. Only
	// InsertSendJob sets it.
	Behind string
}

// Queue is the conversation in whose queue the job is. It does not change when conversations are merged.
func (j SendJob) Queue() string { return cmp.Or(j.Lane, j.ConversationID) }

// InsertSendJob queues a message. Its owner is the node that accepted it, or the node that has earlier messages
// of the conversation to send, because only that node can keep their order; that node is told. If that node is
// dead, the node that takes its jobs over takes this one too.
func (tx *Tx) InsertSendJob(j SendJob) (SendJob, error) {
	acceptedBy := j.Owner
	last, err := tx.lastJob(j)
	if err != nil {
		return j, err
	}
	if last.messageID != "" {
		j.Owner, j.Behind, j.Gated = last.owner, last.messageID, last.gated
	}
	switch j.Owner {
	case "":
		tx.tell(TopicSends)
	case acceptedBy:
	default:
		tx.tell(SendQueue{j.Owner, j.OrgID, j.AccountID, j.ConversationID}.topic())
	}
	tx.foreseen.queued(j)
	tx.begun = ""
	return j, tx.later("INSERT INTO send_jobs ("+sendJobColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		j.OrgID, j.MessageID, j.AccountID, j.ConversationID, j.DueAt.UnixMilli(), j.Attempts, j.InDoubt, j.Owner, j.Category, j.Lane, j.Gated)
}

// lastJob is the last unsent job of a job's conversation. The conversation is locked, so no other message can
// come between.
func (tx *Tx) lastJob(j SendJob) (last lastJob, err error) {
	if last, known := tx.foreseen.lastJob(conversationKey{j.OrgID, j.ConversationID}); known {
		return last, nil
	}
	if tx.begun == j.ConversationID {
		return last, nil
	}
	err = tx.db.query(tx.ctx, `SELECT owner, message_id, (gated OR lane <> '') FROM send_jobs WHERE org_id || '' = $1 AND conversation_id = $2
		ORDER BY conversation_id DESC, message_id || '' DESC LIMIT 1`, []any{j.OrgID, j.ConversationID}, func(row scanner) error {
		return row.Scan(&last.owner, &last.messageID, &last.gated)
	})
	return last, err
}

// FinishSendJob deletes a job. It returns false if the job is no longer the owner's: another node took it over,
// or it was finished before.
func (tx *Tx) FinishSendJob(orgID, messageID, owner string) (bool, error) {
	n, err := tx.exec("DELETE FROM send_jobs WHERE org_id = $1 AND message_id = $2 AND owner || '' = $3", orgID, messageID, owner)
	return n > 0, err
}

// DropSendJobs deletes the jobs of sent messages, whoever owns them.
func (tx *Tx) DropSendJobs(orgID string, messageIDs ...string) error {
	if len(messageIDs) == 1 {
		return tx.later("DELETE FROM send_jobs WHERE org_id = $1 AND message_id = $2", orgID, messageIDs[0])
	}
	return tx.later("DELETE FROM send_jobs WHERE org_id = $1 AND "+tx.dialect.oneOfFew("message_id", "$2"), orgID, tx.dialect.list(messageIDs))
}

// RetrySendJob schedules another attempt. It returns false if the job is no longer the owner's.
func (tx *Tx) RetrySendJob(j SendJob) (bool, error) {
	n, err := tx.exec(`UPDATE send_jobs SET due_at = $4, attempts = $5, in_doubt = $6 WHERE org_id = $1 AND message_id = $2 AND owner || '' = $3`,
		j.OrgID, j.MessageID, j.Owner, j.DueAt.UnixMilli(), j.Attempts, j.InDoubt)
	return n > 0, err
}

// SendWork is a job with its message.
type SendWork struct {
	Job                SendJob
	Message            chat.Message
	To                 *string // the contact's number
	BSUID              *string
	Parent             *string
	Name               *string
	ConversationStatus chat.ConversationStatus
	MediaURL           string // address of library media; the sender sets it
}

// Unknown are the recipient's identifiers that are not known.
func (w SendWork) Unknown() (ids Identifiers) {
	if w.To == nil {
		ids |= Number
	}
	if w.BSUID == nil {
		ids |= BSUID
	}
	if w.Parent == nil {
		ids |= ParentBSUID
	}
	return ids
}

const sendJobColumns = "org_id, message_id, account_id, conversation_id, due_at, attempts, in_doubt, owner, category, lane, gated"

// AbandonedBy returns the owners of jobs that are not alive: dead nodes, and nobody ("").
func (r Reader) AbandonedBy() ([]string, error) { return r.abandonedBy("send_jobs") }

// ClaimSendJobs gives the node up to limit jobs that no living node owns, due or not, in the order of their
// conversations. The jobs of a dead node are in doubt from then on, because it may have sent them.
func (tx *Tx) ClaimSendJobs(node string, limit int) (claimed []SendJob, err error) {
	// One node claims at a time, so that two nodes never share a conversation.
	if free, err := tx.TryLock("claim send jobs"); err != nil || !free {
		return nil, err
	}
	if err := tx.stillAlive(node); err != nil {
		return nil, err
	}
	dead, err := tx.AbandonedBy()
	for _, owner := range dead {
		if err != nil || len(claimed) == limit {
			continue
		}
		var jobs []SendJob
		jobs, err = tx.claimSendJobs(node, owner, limit-len(claimed))
		claimed = append(claimed, jobs...)
	}
	// RETURNING has no order.
	slices.SortFunc(claimed, func(a, b SendJob) int { return cmp.Compare(a.MessageID, b.MessageID) })
	return claimed, err
}

// claimSendJobs takes jobs of one owner. It skips a job behind another owner's job in the same conversation:
// the node that has the first job, or takes it over, takes the later ones too.
func (tx *Tx) claimSendJobs(node, owner string, limit int) ([]SendJob, error) {
	return many(tx.Reader, scanSendJob, "UPDATE send_jobs SET owner = $1, in_doubt = (in_doubt OR owner <> '') WHERE "+tx.dialect.oneOfThose("org_id, message_id",
		`send_jobs j WHERE j.owner = $2 AND NOT EXISTS (SELECT 1 FROM send_jobs e WHERE e.org_id || '' = j.org_id
				AND e.conversation_id = j.conversation_id AND e.message_id || '' < j.message_id AND e.owner <> $1 AND e.owner <> $2`+tx.dialect.fence+`)
			ORDER BY j.account_id, j.message_id || '' LIMIT $3`)+" RETURNING "+sendJobColumns, node, owner, limit)
}

// OwnSendJobs returns up to limit of the node's jobs after the given one, by account, oldest first. It skips
// new jobs that are younger than young. A job from the future is not skipped, because the clock was turned back
// since it was accepted.
func (r Reader) OwnSendJobs(node string, young time.Duration, now time.Time, last SendJob, limit int) (jobs []SendJob, err error) {
	old, future := now.Add(-young).UnixMilli(), now.Add(young).UnixMilli()
	if last.AccountID != "" { // asked for both, SQLite would read the account's jobs from the first one on
		jobs, err = many(r, scanSendJob, "SELECT "+sendJobColumns+` FROM send_jobs
			WHERE owner = $1 AND account_id = $2 AND message_id || '' > $3 AND (due_at <= $4 OR due_at > $5 OR attempts > 0 OR in_doubt)
			ORDER BY account_id, message_id || '' LIMIT $6`, node, last.AccountID, last.MessageID, old, future, limit)
	}
	if err != nil || len(jobs) >= limit {
		return jobs, err
	}
	others, err := many(r, scanSendJob, "SELECT "+sendJobColumns+` FROM send_jobs
		WHERE owner = $1 AND account_id > $2 AND (due_at <= $3 OR due_at > $4 OR attempts > 0 OR in_doubt)
		ORDER BY account_id, message_id || '' LIMIT $5`, node, last.AccountID, old, future, limit-len(jobs))
	return append(jobs, others...), err
}

// OwnSendJobKeys returns the ids, and the accounts, of up to limit of the node's jobs after the given one, in the order of
// OwnSendJobs. On SQLite it reads the index alone, which costs a tenth.
func (r Reader) OwnSendJobKeys(node string, last SendJob, limit int) (keys []SendJob, err error) {
	if last.AccountID != "" {
		keys, err = many(r, scanSendJobKey, `SELECT account_id, message_id || '' FROM send_jobs
			WHERE owner = $1 AND account_id = $2 AND message_id || '' > $3 ORDER BY account_id, message_id || '' LIMIT $4`,
			node, last.AccountID, last.MessageID, limit)
	}
	if err != nil || len(keys) >= limit {
		return keys, err
	}
	others, err := many(r, scanSendJobKey, `SELECT account_id, message_id || '' FROM send_jobs
		WHERE owner = $1 AND account_id > $2 ORDER BY account_id, message_id || '' LIMIT $3`, node, last.AccountID, limit-len(keys))
	return append(keys, others...), err
}

func scanSendJobKey(row scanner) (j SendJob, err error) {
	err = row.Scan(&j.AccountID, &j.MessageID)
	return j, err
}

// SendJobsBehind returns up to limit of a conversation's jobs after a message, oldest first, of any owner.
func (r Reader) SendJobsBehind(orgID, conversationID, messageID string, limit int) ([]SendJob, error) {
	return many(r, scanSendJob, "SELECT "+sendJobColumns+` FROM send_jobs WHERE org_id || '' = $1 AND conversation_id = $2 AND message_id || '' > $3
		ORDER BY conversation_id, message_id || '' LIMIT $4`, orgID, conversationID, messageID, limit)
}

// GateOpen reports whether a gated job may go to its queue: the jobs in other queues come first.
func (r Reader) GateOpen(j SendJob) (bool, error) {
	first, err := many(r, scanSendJob, "SELECT "+sendJobColumns+` FROM send_jobs WHERE org_id || '' = $1 AND conversation_id = $2
		ORDER BY conversation_id, message_id || '' LIMIT 1`, j.OrgID, j.ConversationID)
	return len(first) == 0 || first[0].Lane == "" || first[0].MessageID >= j.MessageID, err
}

// SendJobsAmong returns which of an organization's messages are unsent.
func (r Reader) SendJobsAmong(orgID string, messageIDs []string) ([]string, error) {
	return many(r, scanText, "SELECT message_id FROM send_jobs WHERE org_id = $1 AND "+r.dialect.oneOfFew("message_id", "$2"),
		orgID, r.dialect.list(messageIDs))
}

func scanSendJob(row scanner) (j SendJob, err error) {
	var dueAt int64
	err = row.Scan(&j.OrgID, &j.MessageID, &j.AccountID, &j.ConversationID, &dueAt, &j.Attempts, &j.InDoubt, &j.Owner, &j.Category, &j.Lane, &j.Gated)
	j.DueAt = toTime(dueAt)
	return j, err
}

var selectSendWork = "SELECT " + prefixed("m", messageColumns) + `, c.phone_number, c.bsuid, c.parent_bsuid, c.name, v.status
	FROM messages m JOIN contacts c ON c.org_id = m.org_id AND c.id = m.contact_id
		JOIN conversations v ON v.org_id = m.org_id AND v.id = m.conversation_id
	WHERE m.org_id = $1 AND `

func scanSendWork(row scanner) (w SendWork, err error) {
	var m messageRow
	err = row.Scan(append(m.dest(), &w.To, &w.BSUID, &w.Parent, &w.Name, &w.ConversationStatus)...)
	w.Message = m.value()
	return w, err
}

// SendWork loads a job's message and its recipient.
func (r Reader) SendWork(j SendJob) (SendWork, error) {
	w, err := one(r, scanSendWork, selectSendWork+"m.id = $2", j.OrgID, j.MessageID)
	w.Job = j
	return w, err
}

// Unsent loads those of the messages that the provider is not known to have accepted, with their recipients.
// The messages are locked first, so that this holds until the transaction ends. The jobs are not loaded.
func (tx *Tx) Unsent(orgID string, ids []string) ([]SendWork, error) {
	if err := tx.useIndexes(); err != nil {
		return nil, err
	}
	return many(tx.Reader, scanSendWork, selectSendWork+tx.dialect.oneOf("m.id", "$2")+" AND m.provider_id IS NULL", orgID, tx.dialect.list(ids))
}

// SendJobOwners returns the owners of an organization's jobs, by message. A finished job is left out.
func (r Reader) SendJobOwners(orgID string, messageIDs []string) (map[string]string, error) {
	owners := make(map[string]string, len(messageIDs))
	err := r.db.query(r.ctx, "SELECT message_id, owner FROM send_jobs WHERE org_id = $1 AND "+r.dialect.oneOfFew("message_id", "$2"),
		[]any{orgID, r.dialect.list(messageIDs)}, func(row scanner) error {
			var id, owner string
			err := row.Scan(&id, &owner)
			owners[id] = owner
			return err
		})
	return owners, err
}

// SendJobOwner returns the owner of a job, or ErrNotFound if it is finished.
func (r Reader) SendJobOwner(orgID, messageID string) (string, error) {
	return one(r, scanText, "SELECT owner FROM send_jobs WHERE org_id = $1 AND message_id = $2", orgID, messageID)
}
