package media

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	fetchTimeout = 2 * time.Minute
	// maxFile is the largest file that the provider accepts.
	maxFile = 100 << 20
)

// retryAfter are the waits after each failed fetch; after the last, the message stays without its file. The
// provider keeps files for a week. The message's event does not wait that long.
var retryAfter = []time.Duration{
	time.Second, 2 * time.Second, 4 * time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour,
}

var errHash = errors.New("the file does not have the announced hash")

// cannotBeHad reports failures that would repeat.
func cannotBeHad(err error) bool {
	refused, ok := errors.AsType[*provider.Error](err)
	return ok && refused.Gone() || errors.Is(err, errHash) || errors.Is(err, blob.ErrTooLarge)
}

// handle fetches one file and records it, or schedules another attempt.
func (m *Mover) handle(job store.MediaJob) {
	account, err := m.cfg.Store.Read(m.Context()).Account(job.OrgID, job.AccountID)
	if err != nil {
		return // disconnected, or the store is away; the row stays for later
	}
	file, err := m.fetch(account, job)
	if changed, failed := core.NoteLostToken(m.Context(), m.cfg.Store, account, err); changed || failed != nil {
		m.cfg.Log.Warn("a number sends nothing any more, until it is connected anew: files cannot be fetched with its token",
			"account", account.ID, "organization", account.OrgID, "cause", err, "error", failed)
	}
	switch {
	case err == nil:
		err = m.record(account, job, &file)
	case m.Ended():
		return
	case job.Attempts < len(retryAfter) && !cannotBeHad(err):
		err = m.retry(job, err)
	default:
		m.cfg.Log.Warn("a file is given up", "message", job.MessageID, "error", err)
		err = m.record(account, job, nil)
	}
	if err != nil {
		m.cfg.Log.Warn("the outcome of a fetch could not be written", "message", job.MessageID, "error", err)
	}
}

func (m *Mover) record(account chat.Account, job store.MediaJob, file *core.StoredFile) error {
	return m.cfg.Store.InTx(context.WithoutCancel(m.Context()), func(tx *store.Tx) error {
		return core.FileFetched(tx, account, job, file, m.cfg.PublicURL)
	})
}

func (m *Mover) retry(job store.MediaJob, cause error) error {
	m.cfg.Log.Debug("a file could not be fetched", "message", job.MessageID, "attempt", job.Attempts+1, "error", cause)
	job.DueAt = m.cfg.Store.Now().Add(retryAfter[job.Attempts])
	job.Attempts++
	return m.cfg.Store.InTx(m.Context(), func(tx *store.Tx) error { return tx.RetryMediaJob(job) })
}

// fetch looks the file up each time, because its address is valid for minutes only.
func (m *Mover) fetch(account chat.Account, job store.MediaJob) (core.StoredFile, error) {
	ctx, cancel := context.WithTimeout(m.Context(), fetchTimeout)
	defer cancel()
	from, err := m.number(account)
	if err != nil {
		return core.StoredFile{}, err
	}
	info, err := m.cfg.Provider.Media(ctx, from, job.ProviderMediaID)
	if err == nil && info.Size > maxFile {
		err = blob.ErrTooLarge
	}
	if err != nil {
		return core.StoredFile{}, err
	}
	body, err := m.cfg.Provider.Download(ctx, from, info.URL)
	if err != nil {
		return core.StoredFile{}, err
	}
	defer body.Close()
	return m.keep(ctx, job, body)
}

func (m *Mover) number(account chat.Account) (provider.Number, error) {
	token, err := m.cfg.Token(account)
	if err != nil {
		return provider.Number{}, err
	}
	return provider.Number{PhoneNumberID: *account.PhoneNumberID, WABAID: account.WABAID, Token: token}, nil
}

// keep stores the bytes and compares them with the provider's hash.
func (m *Mover) keep(ctx context.Context, job store.MediaJob, body io.Reader) (core.StoredFile, error) {
	key := m.cfg.Store.NewID(chat.KindMedia)
	info, err := m.cfg.Blobs.Put(ctx, key, body, maxFile)
	if err != nil {
		return core.StoredFile{}, err
	}
	if job.SHA256 != "" && info.SHA256 != job.SHA256 {
		return core.StoredFile{}, errors.Join(errHash, m.cfg.Blobs.Delete(ctx, key))
	}
	return core.StoredFile{BlobKey: key, MimeType: job.MimeType, Size: info.Size, SHA256: info.SHA256, Filename: job.Filename}, nil
}
