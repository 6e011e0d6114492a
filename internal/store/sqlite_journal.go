package store

import (
	"fmt"
	"os"
	"sync/atomic"
)

// sqliteJournal makes commits durable beside the writer: while one batch is synced, the writer works on the
// next. Nobody is told of a commit before its sync, so a commit is as durable as with synchronous=FULL, but the
// writer does not wait for the disk.
type sqliteJournal struct {
	file     *os.File
	files    openFiles
	syncFile func(*os.File) error // syncData
	broken   *breakdown
	unsynced atomic.Bool // a sync failed, so the content of the disk is unknown
	copier   *sqliteCopier
	commits  chan []*sqliteJob
	unsaved  atomic.Int64  // committed batches that are not synced
	synced   chan struct{} // some more of them are
	done     chan struct{}
}

// openJournal opens the write-ahead log of an open database.
func openJournal(path string, broken *breakdown, copier *sqliteCopier) (*sqliteJournal, error) {
	files, err := filesOf(path)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(journalPath(path), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the embedded store's journal: %w", err)
	}
	return &sqliteJournal{
		file: file, files: files, syncFile: syncData, broken: broken, copier: copier,
		commits: make(chan []*sqliteJob, 64), synced: make(chan struct{}, 1), done: make(chan struct{}),
	}, nil
}

// run syncs the commits since the last sync, and answers their callers.
func (j *sqliteJournal) run() {
	defer close(j.done)
	for batch := range j.commits {
		batches := [][]*sqliteJob{batch}
		for len(j.commits) > 0 {
			batches = append(batches, <-j.commits)
		}
		err := j.sync()
		j.unsaved.Add(-int64(len(batches)))
		select {
		case j.synced <- struct{}{}:
		default: // the writer has not heard of the last time yet
		}
		for _, batch := range batches {
			answer(batch, err)
		}
	}
	j.file.Close()
}

// sync makes commits durable. A successful sync after a failed one proves nothing, and so does the sync of a
// file that was moved away. After either, nobody is told that their work is done.
func (j *sqliteJournal) sync() error {
	if err := j.broken.err(); err != nil {
		return err
	}
	if err := j.syncFile(j.file); err != nil {
		j.unsynced.Store(true)
		j.broken.set(fmt.Errorf("the journal %s could not be synced, so that nobody knows what is on the disk: look after that and start the program again: %w", j.file.Name(), err))
	} else if err := j.files.check(); err != nil {
		j.broken.set(err)
	}
	j.copier.due.Store(true)
	return j.broken.err()
}

// answer tells the callers of a batch the outcome of their transactions.
func answer(batch []*sqliteJob, err error) {
	for _, job := range batch {
		if job.err == nil {
			job.err = err
		}
		close(job.done)
	}
}
