package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// checkpointEvery is how often the journal is copied into the database while there is something
// to copy.
const checkpointEvery = time.Second

// sqliteJournal makes commits durable beside the writer: while one batch is being synced, the
// writer works on the next. Nobody is told of a commit before its sync, so a commit is as durable
// as with synchronous=FULL; only the writer does not wait for the disk. The journal is also copied
// into the database here, on a connection of its own.
type sqliteJournal struct {
	file    *os.File
	conn    *sqliteConn
	commits chan []*sqliteJob
	synced  atomic.Bool // there is something to copy
	failed  atomic.Bool // a sync failed: what is on the disk is not known any more
	done    chan struct{}
}

// openJournal opens the write-ahead log, which exists once the database was read.
func openJournal(path string) (*sqliteJournal, error) {
	conn, err := openSQLiteConn(path)
	if err != nil {
		return nil, err
	}
	if _, err := conn.exec(context.Background(), "SELECT 1 FROM sqlite_schema LIMIT 1", nil); err != nil {
		return nil, errors.Join(err, conn.close())
	}
	file, err := os.OpenFile(path+"-wal", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the embedded store's journal: %w", err), conn.close())
	}
	j := &sqliteJournal{file: file, conn: conn, commits: make(chan []*sqliteJob, 64), done: make(chan struct{})}
	go j.run()
	return j, nil
}

// run syncs what has been committed since the last sync, and answers.
func (j *sqliteJournal) run() {
	defer close(j.done)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { j.copyAlong(stop); close(stopped) }()
	for batch := range j.commits {
		batches := [][]*sqliteJob{batch}
		for len(j.commits) > 0 {
			batches = append(batches, <-j.commits)
		}
		err := j.sync()
		for _, batch := range batches {
			answer(batch, err)
		}
	}
	close(stop)
	<-stopped
	j.conn.close()
	j.file.Close()
}

func (j *sqliteJournal) sync() error {
	err := syncData(j.file)
	if err != nil {
		j.failed.Store(true)
		return fmt.Errorf("%w: the journal could not be synced, restart the program: %w", ErrUnavailable, err)
	}
	j.synced.Store(true)
	return nil
}

// copyAlong keeps the journal short, so that reads stay fast and the writer need not copy it.
func (j *sqliteJournal) copyAlong(stop chan struct{}) {
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if j.synced.Swap(false) {
				// When it fails, for want of space perhaps, the next one or a commit tries again.
				j.conn.exec(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)", nil)
			}
		}
	}
}

// answer tells the callers of a batch how their transactions ended.
func answer(batch []*sqliteJob, err error) {
	for _, job := range batch {
		if job.err == nil {
			job.err = err
		}
		close(job.done)
	}
}
