package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	sqliteFile      = "parley.db"
	serveLockFile   = "serve.lock"
	migrateLockFile = "migrate.lock"
	markFile        = "changes.mark" // see sqliteMemory
	mediaFolder     = "media"        // of the stored files, which another package keeps

	privateFile   = 0o600
	privateFolder = 0o700
	openToOthers  = 0o077
)

// privateFiles are all files of the embedded store in its folder. SQLite gives those it creates the database's
// own mode.
var privateFiles = []string{sqliteFile, sqliteFile + "-wal", sqliteFile + "-shm", sqliteFile + "-journal", serveLockFile, migrateLockFile, markFile,
	searchFile, searchFile + "-wal", searchFile + "-shm"}

// Keeps reports whether the embedded store keeps a file of that name in its folder.
func Keeps(name string) bool { return name == movedFile || slices.Contains(privateFiles, name) }

// prepareFolder makes sure that the folder and the database exist, and that other users cannot read the files.
func prepareFolder(cfg Config) error {
	if cfg.Dir == "" {
		return errors.New("the embedded store needs a data folder")
	}
	path := filepath.Join(cfg.Dir, sqliteFile)
	err := requireNotGone(cfg.Dir, path)
	if err == nil && cfg.MustExist {
		err = requireStore(cfg.Dir, path)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.Dir, privateFolder); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	tighten(cfg.Dir, cfg.Log)
	return createPrivate(path)
}

// requireUsed refuses a folder without a store, each for its own reason.
func requireUsed(dir, path string) error {
	if err := requireNotGone(dir, path); err != nil {
		return err
	}
	return requireStore(dir, path)
}

// requireNotGone refuses a folder whose store is elsewhere now.
func requireNotGone(dir, path string) error {
	if err := requireNotMoved(dir); err != nil {
		return err
	}
	return requireNotLost(dir, path)
}

// requireStore refuses a folder without a store, which is probably a mistake.
func requireStore(dir, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return noStoreIn(dir)
	}
	return err
}

func noStoreIn(dir string) error {
	return fmt.Errorf("there is no store in the data folder %s: name the server's folder with --data (PARLEY_DATA), or make a store by starting the server once, with `parley serve`", dir)
}

// requireNotLost refuses a folder in which something outlived the database: the journal, the search index, or stored files.
// A server that ended because the file was deleted is started again by its supervisor: on an empty store it would refuse
// every key, and take what the provider tells without keeping it.
func requireNotLost(dir, path string) error {
	if fileSize(path) > 0 {
		return nil
	}
	var left []string
	for _, other := range []string{journalPath(path), filepath.Join(dir, searchFile)} {
		if fileSize(other) > 0 {
			left = append(left, other)
		}
	}
	if media := filepath.Join(dir, mediaFolder); hasFiles(media) {
		left = append(left, media)
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("the file %s is gone or empty, although a server has used the data folder %s: bring it back, or restore a back-up with `parley restore` into another folder; if the store is in PostgreSQL, name it with --database-url (PARLEY_DATABASE_URL); to begin with an empty store, move %s out of the way",
		path, dir, strings.Join(left, " and "))
}

// hasFiles reports whether a folder has anything but what begins with a dot, which every server makes.
func hasFiles(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") })
}

// tighten makes files private that earlier versions left readable to other users.
func tighten(dir string, log *slog.Logger) {
	for _, name := range privateFiles {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || info.Mode()&openToOthers == 0 {
			continue
		}
		if err := os.Chmod(path, privateFile); err != nil {
			log.Warn("other users can get at a file of the store, and it cannot be closed to them", "path", path, "error", err)
			continue
		}
		log.Warn("other users could get at a file of the store: it is closed to them now", "path", path)
	}
}

// createPrivate creates an empty private database, because SQLite would leave the mode to the umask.
func createPrivate(path string) error {
	f, err := openPrivate(path, os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make the embedded store: %w", err)
	}
	return f.Close()
}

// openPrivate opens a file of the folder for writing, and makes it if it is missing. Root gives it to the folder's owner: the
// server, which is not root, could not open it after a command that root has run.
func openPrivate(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|flags, privateFile)
	if err == nil && os.Geteuid() == 0 {
		giveToOwnerOf(filepath.Dir(path), f)
	}
	return f, err
}

// giveToOwnerOf gives root's file to the user and the group that a folder belongs to.
func giveToOwnerOf(dir string, f *os.File) {
	folder, err := os.Stat(dir)
	if err != nil {
		return
	}
	if owner, known := folder.Sys().(*syscall.Stat_t); known && owner.Uid != 0 {
		_ = f.Chown(int(owner.Uid), int(owner.Gid)) // some shared folders refuse it to root, and then all is as it was
	}
}
