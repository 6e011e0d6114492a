package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	sqlitedriver "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
)

// roomNeeded is a little more than what SQLite needs to open a store: an index of the journal, 32 KiB.
const roomNeeded = 64 << 10

// explainDisk says of a failure of SQLite in which folder it was, and what the system says of that. SQLite tells neither:
// on a full disk it has only "disk I/O error".
func explainDisk(err error, try func(dir string) error, dirs ...string) error {
	if !isOfDisk(err) {
		return err
	}
	if closed := closedFile(dirs[0]); closed != nil {
		return fmt.Errorf("%w (%w)", closed, err)
	}
	for _, dir := range dirs {
		switch why := try(dir); {
		case errors.Is(why, syscall.ENOSPC), errors.Is(why, syscall.EDQUOT):
			return fmt.Errorf("there is no room left for the folder %s: make some (df -h shows how much there is), and try again: %w (%w)", dir, why, err)
		case why != nil:
			return fmt.Errorf("the folder %s takes no files: %w (%w)", dir, why, err)
		}
	}
	return fmt.Errorf("%w in the folder %s; the system's log may say more (dmesg)", err, dirs[0])
}

// closedFile finds a file of the store that this user may not use, such as a journal that a command of another user has
// left. SQLite does not say which of them it could not open.
func closedFile(dir string) error {
	for _, name := range privateFiles {
		path := filepath.Join(dir, name)
		if err := syscall.Access(path, readAndWrite); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
	return nil
}

// isOfDisk reports whether the disk may be the cause of a failure of SQLite.
func isOfDisk(err error) bool {
	switch resultOf(err).ToPrimary() {
	case sqlite.ResultIOErr, sqlite.ResultFull, sqlite.ResultCantOpen, sqlite.ResultReadOnly:
		return true
	default:
		return false
	}
}

// resultOf is the result of a failed call of SQLite, by either of the two drivers.
func resultOf(err error) sqlite.ResultCode {
	if failed, is := errors.AsType[*sqlitedriver.Error](err); is {
		return sqlite.ResultCode(failed.Code())
	}
	return sqlite.ErrCode(err)
}

// tryDisk writes a file to a folder, and removes it again. The error is the system's alone.
func tryDisk(dir string) error {
	f, err := os.CreateTemp(dir, ".room-*")
	if err == nil {
		_, err = f.Write(make([]byte, roomNeeded))
		err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
