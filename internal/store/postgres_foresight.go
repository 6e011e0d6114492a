package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/parleyhq/parley/internal/chat"
)

// foresee begins the transaction and reads the rows that its closures will need: first the locks of keys, the
// stored answers and the threads in one round trip, then the unsent messages of these threads. The latter must
// be read after the threads are locked, because another transaction may just have queued a message.
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
	if len(f.missing) > 0 { // their events need the receivers
		f.readReceivers(&batch, f.newcomers())
	}
	return f, tx.readAll(ctx, batch)
}

// foreseeArrivals is foresee for inbound messages.
func (tx *postgresTx) foreseeArrivals(ctx context.Context, f *foreseen, arrivals []Arrival) error {
	var batch reads
	f.readArrivals(&batch, arrivals)
	wants := make([]Foresight, len(arrivals))
	for i, a := range arrivals {
		wants[i].Thread = a.Thread
	}
	if keys := distinct(wants, func(w Foresight) ThreadKey { return w.Thread }); len(keys) > 0 {
		f.readThreads(&batch, keys)
		f.readOthers(&batch, arrivals)
	}
	if err := tx.readAll(ctx, batch); err != nil {
		return err
	}
	batch = nil
	if len(f.threads) > 0 {
		f.readLabels(&batch)
	}
	f.readReceivers(&batch, orgsOf(arrivals))
	return tx.readAll(ctx, batch)
}

// foreseeRecipients reads contacts, locked in order of their ids, and which of the names are free.
func (tx *postgresTx) foreseeRecipients(ctx context.Context, f *foreseen, recipients []Recipient) error {
	slices.SortFunc(recipients, func(a, b Recipient) int {
		return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.ContactID, b.ContactID))
	})
	var names []nameKey
	for _, r := range recipients {
		for _, name := range r.Names {
			k := nameKey{r.OrgID, r.AccountID, name}
			f.free[k] = true
			names = append(names, k)
		}
	}
	var batch reads
	batch.add("SELECT "+prefixed("c", contactColumns)+` FROM unnest($1::text[], $2::text[]) AS k (org_id, id) CROSS JOIN LATERAL (
			SELECT * FROM contacts WHERE org_id = k.org_id AND id = k.id LIMIT 1 FOR NO KEY UPDATE) c`, func(row scanner) error {
		c, err := scanContact(row)
		f.contacts[contactKey{c.OrgID, c.ID}] = c
		return err
	}, columnsOf(recipients, func(r Recipient) string { return r.OrgID }, func(r Recipient) string { return r.ContactID })...)
	const same = "SELECT 1 FROM contacts c WHERE c.org_id = k.org_id AND c.account_id = k.account_id AND "
	batch.add("SELECT k.org_id, k.account_id, k.name FROM unnest($1::text[], $2::text[], $3::text[]) AS k (org_id, account_id, name) WHERE EXISTS ("+
		same+"c.phone_number = k.name) OR EXISTS ("+same+"c.bsuid = k.name) OR EXISTS ("+same+"c.parent_bsuid = k.name)", func(row scanner) error {
		var k nameKey
		err := row.Scan(&k.orgID, &k.accountID, &k.name)
		delete(f.free, k)
		return err
	}, columnsOf(names, func(k nameKey) string { return k.orgID }, func(k nameKey) string { return k.accountID }, func(k nameKey) string { return k.name })...)
	return tx.readAll(ctx, batch)
}

func orgsOf(arrivals []Arrival) (orgs []string) {
	for _, a := range arrivals {
		if !slices.Contains(orgs, a.Thread.OrgID) {
			orgs = append(orgs, a.Thread.OrgID)
		}
	}
	return orgs
}

// readArrivals reads which messages are known, and which were changed before they arrived.
func (f *foreseen) readArrivals(batch *reads, arrivals []Arrival) {
	args := columnsOf(arrivals, func(a Arrival) string { return a.Thread.OrgID }, func(a Arrival) string { return a.Thread.AccountID }, func(a Arrival) string { return a.ProviderID })
	batch.add(`SELECT k.org_id, k.account_id, k.id,
			EXISTS (SELECT 1 FROM messages m WHERE m.org_id = k.org_id AND m.account_id = k.account_id AND m.provider_id = k.id),
			EXISTS (SELECT 1 FROM early_changes e WHERE e.org_id = k.org_id AND e.account_id = k.account_id AND e.original_id = k.id)
		FROM unnest($1::text[], $2::text[], $3::text[]) AS k (org_id, account_id, id)`, func(row scanner) error {
		var k providerKey
		var a arriving
		err := row.Scan(&k.orgID, &k.accountID, &k.providerID, &a.known, &a.changed)
		f.arriving[k] = a
		return err
	}, args...)
}

// readOthers finds the people whose other identifiers belong to another contact. For them the database must be
// asked.
func (f *foreseen) readOthers(batch *reads, arrivals []Arrival) {
	var with []Arrival
	for _, a := range arrivals {
		if f.others[a.Thread] = a.Others; a.Others != (OtherNames{}) {
			with = append(with, a)
		}
	}
	if len(with) == 0 {
		return
	}
	args := columnsOf(with, func(a Arrival) string { return a.Thread.OrgID }, func(a Arrival) string { return a.Thread.AccountID }, func(a Arrival) string { return a.Thread.Number },
		func(a Arrival) string { return a.Others.BSUID }, func(a Arrival) string { return a.Others.ParentBSUID }, func(a Arrival) string { return chat.FoldCase(a.Others.Username) })
	const same = "SELECT 1 FROM contacts c WHERE c.org_id = k.org_id AND c.account_id = k.account_id AND "
	batch.add(`SELECT k.org_id, k.account_id, k.number
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS k (org_id, account_id, number, bsuid, parent, username)
		WHERE EXISTS (`+same+`c.bsuid = k.bsuid) OR EXISTS (`+same+`c.parent_bsuid = k.parent) OR EXISTS (`+same+"c.username_key = k.username)", func(row scanner) error {
		var k ThreadKey
		err := row.Scan(&k.OrgID, &k.AccountID, &k.Number)
		delete(f.missing, k)
		return err
	}, args...)
}

// readLabels reads the labels of the threads, each conversation's by name.
func (f *foreseen) readLabels(batch *reads) {
	keys := make([]conversationKey, 0, len(f.threads))
	for _, t := range f.threads {
		k := conversationKey{t.conversation.OrgID, t.conversation.ID}
		f.labels[k] = nil
		keys = append(keys, k)
	}
	batch.add("SELECT x.conversation_id, "+prefixed("l", labelColumns)+` FROM unnest($1::text[], $2::text[]) AS k (org_id, id)
		JOIN conversation_labels x ON x.org_id = k.org_id AND x.conversation_id = k.id
		JOIN labels l ON l.org_id = x.org_id AND l.id = x.label_id ORDER BY l.name_key`, func(row scanner) error {
		var id string
		label, err := scanLabel(columnsAround{row: row, first: []any{&id}})
		k := conversationKey{label.OrgID, id}
		f.labels[k] = append(f.labels[k], label)
		return err
	}, columnsOf(keys, func(k conversationKey) string { return k.orgID }, func(k conversationKey) string { return k.id })...)
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

// reads are queries that are sent together.
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
	return tx.send(ctx, before, all[last].statement, all.take)
}

// take takes the results of the queries.
func (r reads) take(results pgx.BatchResults) error {
	for _, one := range r {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		if err := eachRow(rows, one.each); err != nil {
			return err
		}
	}
	return nil
}

// columnsOf converts keys to one array for each of their parts.
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

// readThreads locks the conversations in order of the numbers, so that two transactions do not deadlock. The
// contacts are not locked, because the sender reads them again before it sends, and who changes one before that.
func (f *foreseen) readThreads(batch *reads, keys []ThreadKey) {
	slices.SortFunc(keys, ThreadKey.compare)
	for _, k := range keys {
		if k.Number != "" {
			f.missing[k] = true
		}
	}
	args := columnsOf(keys, func(k ThreadKey) string { return k.OrgID }, func(k ThreadKey) string { return k.AccountID }, func(k ThreadKey) string { return k.Number })
	// Each look-up is separate, whatever the planner assumes of tables that were empty when it last looked.
	batch.add("SELECT v.id IS NOT NULL, "+threadColumns+` FROM unnest($1::text[], $2::text[], $3::text[]) AS k (org_id, account_id, number) CROSS JOIN LATERAL (
			SELECT * FROM contacts WHERE org_id = k.org_id AND account_id = k.account_id AND phone_number = k.number LIMIT 1) c LEFT JOIN LATERAL (
			SELECT * FROM conversations WHERE org_id = c.org_id AND contact_id = c.id LIMIT 1 FOR NO KEY UPDATE) v ON TRUE`, f.addThread, args...)
}

// addThread adds a contact that was found, with the conversation if there is one.
func (f *foreseen) addThread(row scanner) error {
	var begun bool
	contact, err := scanContact(columnsAround{row: row, first: []any{&begun}, last: passedOver(conversationColumns)})
	if err != nil {
		return err
	}
	k := ThreadKey{contact.OrgID, contact.AccountID, *contact.PhoneNumber}
	delete(f.missing, k)
	if !begun {
		return nil
	}
	conversation, err := scanConversation(columnsAround{row: row, first: append(passedOver(contactColumns), nil)})
	f.threads[k] = foundThread{contact, conversation}
	f.of[conversationKey{conversation.OrgID, conversation.ID}] = k
	return err
}

// passedOver are destinations of columns that pgx is to pass over.
func passedOver(columns string) []any { return make([]any, strings.Count(columns, ",")+1) }

func (f *foreseen) readJobs(batch *reads) {
	keys := make([]conversationKey, 0, len(f.threads))
	for _, t := range f.threads {
		k := conversationKey{t.conversation.OrgID, t.conversation.ID}
		f.jobs[k] = lastJob{}
		keys = append(keys, k)
	}
	batch.add(`SELECT k.org_id, k.id, j.owner, j.message_id, (j.gated OR j.lane <> '')
		FROM unnest($1::text[], $2::text[]) AS k (org_id, id) CROSS JOIN LATERAL (
			SELECT owner, message_id, gated, lane FROM send_jobs WHERE org_id || '' = k.org_id AND conversation_id = k.id
			ORDER BY conversation_id DESC, message_id || '' DESC LIMIT 1) j`, func(row scanner) error {
		var k conversationKey
		var j lastJob
		err := row.Scan(&k.orgID, &k.id, &j.owner, &j.messageID, &j.gated)
		f.jobs[k] = j
		return err
	}, columnsOf(keys, func(k conversationKey) string { return k.orgID }, func(k conversationKey) string { return k.id })...)
}

// newcomers are the organizations with missing contacts.
func (f *foreseen) newcomers() (orgs []string) {
	for k := range f.missing {
		if !slices.Contains(orgs, k.OrgID) {
			orgs = append(orgs, k.OrgID)
		}
	}
	return orgs
}

// readReceivers reads the subscriptions of organizations.
func (f *foreseen) readReceivers(batch *reads, orgs []string) {
	for _, orgID := range orgs {
		f.receivers[orgID] = nil
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
