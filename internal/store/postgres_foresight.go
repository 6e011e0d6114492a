package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/chat"
)

// foresee begins the transaction and reads what its closures are about to ask for: first the locks of keys, the
// answers kept under them and the threads, in one journey, then what is still to be sent in these threads. That
// must be asked for once they are locked, else a message that another transaction has just queued is missed.
func (tx *postgresTx) foresee(ctx context.Context, wants []Foresight) (*foreseen, error) {
	f := newForeseen()
	var batch reads
	if keys := distinct(wants, func(w Foresight) AnswerKey { return w.Answer }); len(keys) > 0 {
		f.readAnswers(&batch, keys)
	}
	if keys := distinct(wants, func(w Foresight) ThreadKey { return w.Thread }); len(keys) > 0 {
		f.readThreads(&batch, keys)
	}
	if err := tx.readAll(ctx, batch); err != nil {
		return nil, err
	}
	batch = nil
	if len(f.threads) > 0 {
		f.readJobs(&batch)
	}
	if len(f.missing) > 0 {
		f.readReceivers(&batch)
	}
	return f, tx.readAll(ctx, batch)
}

// distinct are the keys that are not empty, each once.
func distinct[K comparable](wants []Foresight, key func(Foresight) K) (keys []K) {
	var none K
	seen := map[K]bool{none: true}
	for _, w := range wants {
		if k := key(w); !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	return keys
}

// reads are queries that travel together.
type reads []read

type read struct {
	statement
	each func(scanner) error
}

func (r *reads) add(sql string, each func(scanner) error, args ...any) {
	*r = append(*r, read{statement{sql, args}, each})
}

// readAll sends several queries at once.
func (tx *postgresTx) readAll(ctx context.Context, all reads) (err error) {
	if len(all) == 0 {
		return nil
	}
	last := len(all) - 1
	before := make([]statement, 0, last)
	for _, r := range all[:last] {
		before = append(before, r.statement)
	}
	if !tx.byIndex {
		tx.byIndex = true
		tx.later(ctx, postgresDialect.useIndexes, nil)
	}
	return tx.send(ctx, before, all[last].statement, func(br pgx.BatchResults) error {
		for _, r := range all {
			rows, err := br.Query()
			if err != nil {
				return err
			}
			if err := eachRow(rows, r.each); err != nil {
				return err
			}
		}
		return nil
	})
}

// columnsOf turns keys into one array for each of their parts.
func columnsOf[K any](keys []K, parts ...func(K) string) (columns []any) {
	for _, part := range parts {
		column := make([]string, len(keys))
		for i, k := range keys {
			column[i] = part(k)
		}
		columns = append(columns, column)
	}
	return columns
}

func (f *foreseen) readAnswers(batch *reads, keys []AnswerKey) {
	slices.SortFunc(keys, func(a, b AnswerKey) int { return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.Key, b.Key)) })
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.lock()
		f.answers[k] = nil
	}
	batch.add("SELECT k.name, pg_try_advisory_xact_lock(hashtextextended(k.name, 0)) FROM unnest($1::text[]) AS k (name)", func(row scanner) error {
		var name string
		var free bool
		err := row.Scan(&name, &free)
		f.locks[name] = free
		return err
	}, names)
	orgs := columnsOf(keys, func(k AnswerKey) string { return k.OrgID }, func(k AnswerKey) string { return k.Key })
	batch.add(`SELECT i.org_id, i.key, i.fingerprint, i.request_id, i.status, i.body, i.created_at
		FROM unnest($1::text[], $2::text[]) AS k (org_id, key) JOIN idempotency i ON i.org_id = k.org_id AND i.key = k.key`, func(row scanner) error {
		rec, err := scanIdempotencyRecord(row)
		f.answers[AnswerKey{rec.OrgID, rec.Key}] = &rec
		return err
	}, orgs...)
}

// readThreads locks the conversations in the order of the numbers, so that two transactions wait for each other in
// one direction. The contacts are not locked: what a message must know of one is looked at again when it is sent.
func (f *foreseen) readThreads(batch *reads, keys []ThreadKey) {
	slices.SortFunc(keys, func(a, b ThreadKey) int {
		return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.Number, b.Number))
	})
	for _, k := range keys {
		if k.Number != "" {
			f.missing[k] = true
		}
	}
	args := columnsOf(keys, func(k ThreadKey) string { return k.OrgID }, func(k ThreadKey) string { return k.AccountID }, func(k ThreadKey) string { return k.Number })
	// Each look-up is by itself, whatever the planner believes of tables that were empty when it last looked.
	const contacts = ` FROM unnest($1::text[], $2::text[], $3::text[]) AS k (org_id, account_id, number) CROSS JOIN LATERAL (
			SELECT * FROM contacts WHERE org_id = k.org_id AND account_id = k.account_id AND phone_number = k.number LIMIT 1) c`
	batch.add("SELECT "+threadColumns+contacts+` CROSS JOIN LATERAL (
			SELECT * FROM conversations WHERE org_id = c.org_id AND contact_id = c.id LIMIT 1 FOR NO KEY UPDATE) v`, func(row scanner) error {
		contact, conversation, err := scanThread(row)
		if err == nil {
			k := ThreadKey{contact.OrgID, contact.AccountID, *contact.PhoneNumber}
			f.threads[k] = foundThread{contact, conversation}
			f.of[conversationKey{conversation.OrgID, conversation.ID}] = k
		}
		return err
	}, args...)
	batch.add("SELECT c.org_id, c.account_id, c.phone_number"+contacts, func(row scanner) error {
		var k ThreadKey
		err := row.Scan(&k.OrgID, &k.AccountID, &k.Number)
		delete(f.missing, k)
		return err
	}, args...)
}

func (f *foreseen) readJobs(batch *reads) {
	keys := make([]conversationKey, 0, len(f.threads))
	for _, t := range f.threads {
		k := conversationKey{t.conversation.OrgID, t.conversation.ID}
		f.jobs[k] = lastJob{}
		keys = append(keys, k)
	}
	batch.add(`SELECT k.org_id, k.id, j.owner, j.message_id, (j.gated OR j.lane <> '')
		FROM unnest($1::text[], $2::text[]) AS k (org_id, id) CROSS JOIN LATERAL (
			SELECT owner, message_id, gated, lane FROM send_jobs WHERE org_id = k.org_id AND conversation_id = k.id
			ORDER BY conversation_id DESC, message_id DESC LIMIT 1) j`, func(row scanner) error {
		var k conversationKey
		var j lastJob
		err := row.Scan(&k.orgID, &k.id, &j.owner, &j.messageID, &j.gated)
		f.jobs[k] = j
		return err
	}, columnsOf(keys, func(k conversationKey) string { return k.orgID }, func(k conversationKey) string { return k.id })...)
}

// readReceivers reads who wants to hear of new contacts.
func (f *foreseen) readReceivers(batch *reads) {
	var orgs []string
	for k := range f.missing {
		if _, ok := f.receivers[k.OrgID]; !ok {
			orgs = append(orgs, k.OrgID)
			f.receivers[k.OrgID] = nil
		}
	}
	batch.add("SELECT "+webhookColumns+" FROM webhook_subscriptions WHERE org_id = ANY($1::text[])"+notDeleted+" ORDER BY id", func(row scanner) error {
		s, err := scanWebhook(row)
		f.receivers[s.OrgID] = append(f.receivers[s.OrgID], s)
		return err
	}, orgs)
}

func scanThread(row scanner) (contact chat.Contact, conversation chat.Conversation, err error) {
	conversation, err = scanConversation(scannerFunc(func(dest ...any) (err error) {
		contact, err = scanContact(columnsAround{row: row, last: dest})
		return err
	}))
	return contact, conversation, err
}
