package store

import (
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

// OrganizationFigures are an operator's view of an organization: counts, and no content.
type OrganizationFigures struct {
	chat.Organization
	Numbers  int64
	Users    int64
	Messages int64 // outbound, since the instant
	Received int64 // inbound, since the instant
}

// OrganizationFigures returns the figures of every organization, oldest first. Messages are counted from an
// instant on.
func (r Reader) OrganizationFigures(since time.Time) ([]OrganizationFigures, error) {
	counted, err := r.countedSince(since)
	if err != nil {
		return nil, err
	}
	return many(r, func(row scanner) (f OrganizationFigures, err error) {
		f.Organization, err = scanOrganization(columnsAround{row: row, last: []any{&f.Numbers, &f.Users}})
		f.Messages, f.Received = counted[f.ID].Messages, counted[f.ID].Received
		return f, err
	}, "SELECT "+organizationColumns+`,
		(SELECT COUNT(*) FROM accounts a WHERE a.org_id = o.id AND a.deleted_at IS NULL),
		(SELECT COUNT(*) FROM users u WHERE u.org_id = o.id AND u.disabled_at IS NULL)
		FROM organizations o ORDER BY o.id`)
}

// countedSince counts the messages of each organization from an instant on.
func (r Reader) countedSince(since time.Time) (map[string]OrganizationFigures, error) {
	found := map[string]OrganizationFigures{}
	err := each(r, func(row scanner) error {
		var (
			orgID, counts string
			day           int64
			packed        packedDay
		)
		if err := row.Scan(&orgID, &day, &counts); err != nil {
			return err
		}
		packed.add(counts)
		f := found[orgID]
		for _, s := range slotsOf(map[int64]*packedDay{day: &packed}, since.UnixMilli(), math.MaxInt64) {
			f.Messages += s.Outbound()
			f.Received += s.Inbound
		}
		found[orgID] = f
		return nil
	}, `SELECT d.org_id, d.day, d.counts FROM organizations o JOIN message_days d ON d.org_id = o.id AND d.account_id = $1 AND d.day >= $2`,
		allNumbers, dayOf(since.UnixMilli()))
	return found, err
}

// ServiceQueues counts the work that waits in the store. Each count stops at MaxCounted.
type ServiceQueues struct {
	Messages   int // to be sent
	Deliveries int // of webhooks
	Lanes      int // webhook endpoints with waiting deliveries
	Callbacks  int // of the provider, stored but not applied yet
	Files      int // to be fetched from the provider
}

// ServiceQueues counts the waiting work.
func (r Reader) ServiceQueues() (q ServiceQueues, err error) {
	for _, c := range []struct {
		into  *int
		where string
	}{
		{&q.Messages, QueuedSends.rows},
		{&q.Deliveries, QueuedDeliveries.rows},
		{&q.Lanes, "webhook_subscriptions s WHERE EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.subscription_id = s.id AND d.next_attempt_at IS NOT NULL)"},
		{&q.Callbacks, QueuedCallbacks.rows},
		{&q.Files, QueuedFiles.rows},
	} {
		if *c.into, err = r.countUpTo(c.where); err != nil {
			return q, err
		}
	}
	return q, nil
}

// DatabaseBytes is the size of the database.
func (r Reader) DatabaseBytes() (int64, error) {
	if r.dialect.tryLock != "" {
		return one(r, scanInt64, "SELECT pg_database_size(current_database())")
	}
	pages, err := one(r, scanInt64, "PRAGMA page_count")
	if err != nil {
		return 0, err
	}
	size, err := one(r, scanInt64, "PRAGMA page_size")
	return pages * size, err
}

// MediaBytes is the number of files and their total size.
func (r Reader) MediaBytes() (files, bytes int64, err error) {
	_, err = one(r, func(row scanner) (struct{}, error) { return struct{}{}, row.Scan(&files, &bytes) },
		"SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM media")
	return files, bytes, err
}

// JournalBytes is the size of the embedded store's journal; 0 if there is none.
func JournalBytes(dir string) int64 { return fileSize(filepath.Join(dir, sqliteFile+"-wal")) }

// SearchBytes is the size of the embedded store's search index; 0 if there is none.
func SearchBytes(dir string) int64 { return fileSize(filepath.Join(dir, searchFile)) }

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
