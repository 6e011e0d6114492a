package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
)

const mediaColumns = "org_id, id, account_id, team_id, origin, mime_type, size, sha256, filename, token, blob_key, provider_media_id, provider_expires, created_at"

func scanMedia(row scanner) (m chat.Media, err error) {
	var expires *int64
	var createdAt int64
	err = row.Scan(&m.OrgID, &m.ID, &m.AccountID, &m.TeamID, &m.Origin, &m.MimeType, &m.Size, &m.SHA256, &m.Filename, &m.Token, &m.BlobKey,
		&m.ProviderMediaID, &expires, &createdAt)
	m.ProviderExpires, m.CreatedAt = toTimePtr(expires), toTime(createdAt)
	return m, err
}

// notOfDeleted excludes files of disconnected numbers, which count as deleted before they are purged.
const notOfDeleted = ` AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.org_id = media.org_id AND a.id = media.account_id AND a.deleted_at IS NOT NULL)`

// Media returns a stored file of the organization, or ErrNotFound.
func (r Reader) Media(orgID, id string) (chat.Media, error) {
	return one(r, scanMedia, "SELECT "+mediaColumns+" FROM media WHERE org_id = $1 AND id = $2"+notOfDeleted+r.forUpdate(), orgID, id)
}

// MediaByToken finds a file by the unguessable part of its address, or ErrNotFound.
func (r Reader) MediaByToken(token string) (chat.Media, error) {
	return one(r, scanMedia, "SELECT "+mediaColumns+" FROM media WHERE token = $1"+notOfDeleted, token)
}

// MediaOfAccount returns up to limit of an account's files, even if it is being purged.
func (r Reader) MediaOfAccount(orgID, accountID string, limit int) ([]chat.Media, error) {
	return many(r, scanMedia, "SELECT "+mediaColumns+" FROM media WHERE org_id = $1 AND account_id = $2 LIMIT $3", orgID, accountID, limit)
}

// MediaFilter narrows a list of library files.
type MediaFilter struct {
	Kind   string // image, video, audio, document; empty: all
	Search string // a part of the name; empty: all
}

var mediaByID = order[chat.Media]{position: func(m chat.Media) Position { return Position{ID: m.ID} }}

// LibraryFiles returns one page of a team's library, the newest first.
func (r Reader) LibraryFiles(orgID, teamID string, f MediaFilter, p Page) (Slice[chat.Media], error) {
	var c conditions
	c.add("org_id = ?", orgID)
	c.add("team_id = ?", teamID)
	c.parts = append(c.parts, "origin = 'library'")
	switch f.Kind {
	case "":
	case "document":
		c.parts = append(c.parts, "mime_type NOT LIKE 'image/%' AND mime_type NOT LIKE 'video/%' AND mime_type NOT LIKE 'audio/%'")
	default:
		c.add("mime_type LIKE ?", f.Kind+"/%")
	}
	if f.Search != "" {
		c.add(fmt.Sprintf(r.dialect.lower, "filename")+` LIKE ? ESCAPE '\'`, "%"+likeEscaper.Replace(strings.ToLower(f.Search))+"%")
	}
	c.parts = append(c.parts, strings.TrimPrefix(notOfDeleted, " AND "))
	return newestFirst(r, scanMedia, "SELECT "+mediaColumns+" FROM media", c, mediaByID, p)
}

// InsertMedia stores a new file's row.
func (tx *Tx) InsertMedia(m chat.Media) error {
	if m.Origin == chat.MediaLibrary {
		tx.noteChange(ChangedMedia, m.OrgID, "")
	}
	_, err := tx.exec("INSERT INTO media ("+mediaColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
		m.OrgID, m.ID, m.AccountID, m.TeamID, string(m.Origin), m.MimeType, m.Size, m.SHA256, m.Filename, m.Token, m.BlobKey,
		m.ProviderMediaID, msPtr(m.ProviderExpires), m.CreatedAt.UnixMilli())
	return err
}

// SetProviderMedia stores the provider's id of a file, and until when it is valid.
func (tx *Tx) SetProviderMedia(orgID, id, providerID string, until time.Time) error {
	return tx.execOne("UPDATE media SET provider_media_id = $3, provider_expires = $4 WHERE org_id = $1 AND id = $2",
		orgID, id, providerID, until.UnixMilli())
}

// DeleteMedia deletes a file's row, or returns ErrNotFound. Canned replies lose the file.
func (tx *Tx) DeleteMedia(orgID, id string) error {
	tx.noteChange(ChangedMedia, orgID, "")
	tx.noteChange(ChangedReplies, orgID, "")
	for _, statement := range mediaLeaves {
		if err := tx.later(statement+" = $2", orgID, id); err != nil {
			return err
		}
	}
	return tx.execOne("DELETE FROM media WHERE org_id = $1 AND id = $2", orgID, id)
}

// RemoveFile queues the bytes of a file without a row for removal. Repeating it is fine.
func (tx *Tx) RemoveFile(orgID, blobKey string) error {
	return tx.later("INSERT INTO removed_files (org_id, blob_key) VALUES ($1, $2) ON CONFLICT DO NOTHING", orgID, blobKey)
}

// unused is the condition for attachments that no message has.
const unused = `origin = 'attachment' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.org_id = media.org_id AND m.media_id = media.id)`

// removeFilesOfMessages deletes the rows of files whose id matches the condition, of which $1 is the
// organization, and queues their bytes for removal: those of inbound files, and of attachments that no other
// message has. Library files stay.
func (tx *Tx) removeFilesOfMessages(idIn string, args ...any) error {
	which := " FROM media WHERE org_id = $1 AND (origin = 'inbound' OR " + unused + ") AND " + idIn
	return errors.Join(
		tx.later("INSERT INTO removed_files (org_id, blob_key) SELECT org_id, blob_key"+which, args...),
		tx.later("DELETE"+which, args...))
}

// RemovedFiles returns up to limit keys of files whose bytes must be removed, of those behind a key.
func (r Reader) RemovedFiles(behind string, limit int) ([]string, error) {
	return many(r, scanText, "SELECT blob_key FROM removed_files WHERE blob_key > $1 ORDER BY blob_key LIMIT $2", behind, limit)
}

// ForgetRemovedFiles records that the bytes of files are gone.
func (tx *Tx) ForgetRemovedFiles(keys []string) error {
	_, err := tx.exec("DELETE FROM removed_files WHERE "+tx.dialect.oneOf("blob_key", "$1"), tx.dialect.list(keys))
	return err
}

// MediaJob is an inbound file that must be fetched.
type MediaJob struct {
	OrgID           string
	MessageID       string
	AccountID       string
	ProviderMediaID string
	URL             string
	MimeType        string
	SHA256          string // hex; empty where the provider gave none
	Filename        string
	DueAt           time.Time
	Attempts        int
	Owner           string
}

const mediaJobColumns = "org_id, message_id, account_id, provider_media_id, url, mime_type, sha256, filename, due_at, attempts, owner"

func scanMediaJob(row scanner) (j MediaJob, err error) {
	var dueAt int64
	err = row.Scan(&j.OrgID, &j.MessageID, &j.AccountID, &j.ProviderMediaID, &j.URL, &j.MimeType, &j.SHA256, &j.Filename, &dueAt, &j.Attempts, &j.Owner)
	j.DueAt = toTime(dueAt)
	return j, err
}

// InsertMediaJob queues an inbound file.
func (tx *Tx) InsertMediaJob(j MediaJob) error {
	return tx.later("INSERT INTO media_jobs ("+mediaJobColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		j.OrgID, j.MessageID, j.AccountID, j.ProviderMediaID, j.URL, j.MimeType, j.SHA256, j.Filename, j.DueAt.UnixMilli(), j.Attempts, j.Owner)
}

// FinishMediaJob deletes a job. It returns false if another node took it over.
func (tx *Tx) FinishMediaJob(orgID, messageID, owner string) (bool, error) {
	n, err := tx.exec("DELETE FROM media_jobs WHERE org_id = $1 AND message_id = $2 AND owner = $3", orgID, messageID, owner)
	return n > 0, err
}

// RetryMediaJob schedules another attempt.
func (tx *Tx) RetryMediaJob(j MediaJob) error {
	_, err := tx.exec("UPDATE media_jobs SET due_at = $4, attempts = $5 WHERE org_id = $1 AND message_id = $2 AND owner = $3",
		j.OrgID, j.MessageID, j.Owner, j.DueAt.UnixMilli(), j.Attempts)
	return err
}

// ClaimMediaJobs gives the node up to limit due jobs that no living node owns, oldest first.
func (tx *Tx) ClaimMediaJobs(node string, limit int) (claimed []MediaJob, err error) {
	dead, err := tx.abandonedBy("media_jobs")
	for _, owner := range dead {
		if err != nil || len(claimed) == limit {
			break
		}
		var jobs []MediaJob
		jobs, err = many(tx.Reader, scanMediaJob, "UPDATE media_jobs SET owner = $1 WHERE "+tx.dialect.oneOfThose("org_id, message_id",
			"media_jobs WHERE owner = $4 AND "+dueNow+" ORDER BY due_at, message_id LIMIT $3"+tx.dialect.skipLocked)+
			" RETURNING "+mediaJobColumns, node, tx.now.UnixMilli(), limit-len(claimed), owner)
		claimed = append(claimed, jobs...)
	}
	if err == nil && len(claimed) > 0 {
		err = tx.stillAlive(node)
	}
	slices.SortFunc(claimed, func(a, b MediaJob) int { // RETURNING has no order
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.MessageID, b.MessageID))
	})
	return claimed, err
}

// DueMediaJobs returns up to limit of the node's own due jobs, the oldest of each organization first, and up to each of
// one organization: many of one would keep out the others.
func (r Reader) DueMediaJobs(node string, now time.Time, each, limit int) ([]MediaJob, error) {
	return many(r, scanMediaJob, `SELECT `+mediaJobColumns+` FROM (
			SELECT `+mediaJobColumns+`, ROW_NUMBER() OVER (PARTITION BY org_id ORDER BY due_at, message_id) AS place
			FROM media_jobs WHERE owner = $1 AND `+dueNow+`) due
		WHERE place <= $3 ORDER BY place, due_at, message_id LIMIT $4`,
		node, now.UnixMilli(), each, limit)
}
