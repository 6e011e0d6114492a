// Package media moves files between the provider and our own store: inbound ones are fetched,
// checked and kept; library ones are uploaded when they are first sent.
package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

const (
	fetchers     = 8
	fetchQueue   = 256
	fetchTimeout = 2 * time.Minute
	// maxFile is the largest file the provider takes in.
	maxFile    = 100 << 20
	sweepEvery = time.Second
	// uploadLife is how long the provider keeps an uploaded file; we ask again a day early.
	uploadLife = 29 * 24 * time.Hour
)

// retryAfter is how long a file waits after each failed fetch; then the message does without.
var retryAfter = []time.Duration{2 * time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

var errHash = errors.New("the file does not have the announced hash")

// Config is what the mover needs.
type Config struct {
	Store     *store.Store
	Node      string
	Provider  provider.Client
	Token     func(chat.Account) (string, error)
	Blobs     *blob.Store
	PublicURL string
	Log       *slog.Logger
}

// Mover works on the files of one node.
type Mover struct {
	cfg   Config
	queue chan store.MediaJob

	mu   sync.Mutex
	held map[string]bool // message ids in memory

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// Start begins the work.
func Start(cfg Config) *Mover {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Mover{cfg: cfg, queue: make(chan store.MediaJob, fetchQueue), held: map[string]bool{}, ctx: ctx, cancel: cancel}
	for range fetchers {
		m.work.Go(m.run)
	}
	m.work.Go(m.sweepLoop)
	return m
}

// Stop ends the work; fetches under way are cut off and begin anew at the next start.
func (m *Mover) Stop() {
	m.cancel()
	m.work.Wait()
}

// Fetch takes a job that was just committed; what does not fit is found by a sweep.
func (m *Mover) Fetch(job store.MediaJob) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held[job.MessageID] {
		return
	}
	select {
	case m.queue <- job:
		m.held[job.MessageID] = true
	default:
	}
}

func (m *Mover) run() {
	for {
		select {
		case job := <-m.queue:
			m.handle(job)
			m.mu.Lock()
			delete(m.held, job.MessageID)
			m.mu.Unlock()
		case <-m.ctx.Done():
			return
		}
	}
}

func (m *Mover) sweepLoop() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		m.sweep()
		select {
		case <-tick.C:
		case <-m.ctx.Done():
			return
		}
	}
}

func (m *Mover) sweep() {
	var jobs []store.MediaJob
	err := m.cfg.Store.InTx(m.ctx, func(tx *store.Tx) (err error) {
		jobs, err = tx.ClaimMediaJobs(m.cfg.Node, fetchQueue)
		return err
	})
	if err != nil && m.ctx.Err() == nil {
		m.cfg.Log.Warn("files to fetch could not be claimed", "error", err)
	}
	for _, job := range jobs {
		m.Fetch(job)
	}
}

// handle fetches one file and records it, or schedules another attempt.
func (m *Mover) handle(job store.MediaJob) {
	account, err := m.cfg.Store.Read(m.ctx).Account(job.OrgID, job.AccountID)
	if err != nil {
		return // disconnected, or the store is away: the row says what to do
	}
	file, err := m.fetch(account, job)
	switch {
	case err == nil:
		err = m.record(account, job, &file)
	case m.ctx.Err() != nil:
		return
	case job.Attempts < len(retryAfter):
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
	return m.cfg.Store.InTx(context.WithoutCancel(m.ctx), func(tx *store.Tx) error {
		return core.FileFetched(tx, account, job, file, m.cfg.PublicURL)
	})
}

func (m *Mover) retry(job store.MediaJob, cause error) error {
	m.cfg.Log.Debug("a file could not be fetched", "message", job.MessageID, "attempt", job.Attempts+1, "error", cause)
	job.DueAt = m.cfg.Store.Now().Add(retryAfter[job.Attempts])
	job.Attempts++
	return m.cfg.Store.InTx(m.ctx, func(tx *store.Tx) error { return tx.RetryMediaJob(job) })
}

// fetch looks the file up anew each time: an address lives for minutes only.
func (m *Mover) fetch(account chat.Account, job store.MediaJob) (core.StoredFile, error) {
	ctx, cancel := context.WithTimeout(m.ctx, fetchTimeout)
	defer cancel()
	from, err := m.number(account)
	if err != nil {
		return core.StoredFile{}, err
	}
	info, err := m.cfg.Provider.Media(ctx, from, job.ProviderMediaID)
	if err != nil {
		return core.StoredFile{}, err
	}
	body, err := m.cfg.Provider.Download(ctx, from, info.URL)
	if err != nil {
		return core.StoredFile{}, err
	}
	defer body.Close()
	return m.keep(job, body)
}

func (m *Mover) number(account chat.Account) (provider.Number, error) {
	token, err := m.cfg.Token(account)
	if err != nil {
		return provider.Number{}, err
	}
	return provider.Number{PhoneNumberID: *account.PhoneNumberID, WABAID: account.WABAID, Token: token}, nil
}

// keep stores the bytes and checks them against the hash the provider announced.
func (m *Mover) keep(job store.MediaJob, body io.Reader) (core.StoredFile, error) {
	key := m.cfg.Store.NewID(chat.KindMedia)
	info, err := m.cfg.Blobs.Put(key, body, maxFile)
	if err != nil {
		return core.StoredFile{}, err
	}
	if job.SHA256 != "" && info.SHA256 != job.SHA256 {
		return core.StoredFile{}, errors.Join(errHash, m.cfg.Blobs.Delete(key))
	}
	return core.StoredFile{BlobKey: key, MimeType: job.MimeType, Size: info.Size, SHA256: info.SHA256, Filename: job.Filename}, nil
}

// Upload returns the provider's id of library media, and its public address. It uploads the file
// on first use, and again when the provider has forgotten it.
func (m *Mover) Upload(ctx context.Context, from provider.Number, account chat.Account, mediaID string) (string, string, error) {
	media, err := m.cfg.Store.Read(ctx).Media(account.OrgID, mediaID)
	if err != nil {
		return "", "", missing(err)
	}
	url := m.cfg.PublicURL + core.MediaPath(media)
	if media.ProviderMediaID != nil && media.AccountID == account.ID && m.cfg.Store.Now().Before(*media.ProviderExpires) {
		return *media.ProviderMediaID, url, nil
	}
	file, err := m.cfg.Blobs.Get(media.BlobKey)
	if err != nil {
		return "", "", missing(err)
	}
	defer file.Close()
	id, err := m.cfg.Provider.UploadMedia(ctx, from, provider.File{Name: nameOf(media), MimeType: media.MimeType, Size: media.Size, Body: file})
	if err != nil || media.AccountID != account.ID {
		return id, url, err
	}
	return id, url, m.cfg.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.SetProviderMedia(account.OrgID, media.ID, id, tx.Now().Add(uploadLife))
	})
}

func nameOf(m chat.Media) string {
	if m.Filename != nil {
		return *m.Filename
	}
	return m.ID
}

// missing is a send whose library file is gone: it fails at once.
func missing(err error) error {
	return &provider.Error{Code: 131053, Message: "The library file of this message is gone.", Cause: fmt.Errorf("library media: %w", err)}
}
