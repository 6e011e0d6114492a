package storetest

import (
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// Disk is the disk under an embedded store. It can be made to fail as the system would: SQLite gets an error
// number for a call on a file.
type Disk struct {
	mu     sync.Mutex
	faults map[place]fault
}

// Call is a system call of SQLite.
type Call string

// The calls that can fail.
const (
	Read  Call = "pread"
	Write Call = "pwrite"
)

type place struct {
	call Call
	file string
}

// fault is the error of a call beyond a number of bytes.
type fault struct {
	errno syscall.Errno
	past  int64
}

// DiskOf returns the disk under the folder of an embedded store, until the test ends.
func DiskOf(t testing.TB, dir string) *Disk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir) // the path that SQLite opens
	if err != nil {
		t.Fatal(err)
	}
	d := &Disk{faults: map[place]fault{}}
	disks.Store(dir, d)
	t.Cleanup(func() { disks.Delete(dir) })
	return d
}

// Fail makes a call fail on a file of the folder, until Mend.
func (d *Disk) Fail(call Call, file string, errno syscall.Errno) {
	d.fail(place{call, file}, fault{errno: errno})
}

// FillUp makes writes to a file of the folder fail beyond a number of bytes, until Mend.
func (d *Disk) FillUp(file string, bytes int64) {
	d.fail(place{Write, file}, fault{errno: syscall.ENOSPC, past: bytes})
}

func (d *Disk) fail(p place, f fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults[p] = f
}

// Mend makes every call work again.
func (d *Disk) Mend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.faults)
}

var (
	disks     sync.Map // by folder
	openFiles sync.Map // names by file descriptor, of all files that SQLite has open

	realOpen           func(*libc.TLS, uintptr, int32, int32) int32
	realRead, realSend transfer
)

// transfer is pread or pwrite.
type transfer func(tls *libc.TLS, fd int32, buf uintptr, n sqlite.Tsize_t, offset sqlite.Toff_t) sqlite.Tssize_t

// SQLite allows its system calls to be replaced, for tests like these.
func init() {
	tls := libc.NewTLS()
	defer tls.Close()
	vfs := at[*sqlite.Tsqlite3_vfs](sqlite.Xsqlite3_vfs_find(tls, 0))
	replace(tls, vfs, "open", &realOpen, func(tls *libc.TLS, path uintptr, flags, mode int32) int32 {
		fd := realOpen(tls, path, flags, mode)
		openFiles.Store(fd, libc.GoString(path))
		return fd
	})
	for name, real := range map[Call]*transfer{Read: &realRead, Write: &realSend} {
		replace(tls, vfs, string(name), real, transfer(func(tls *libc.TLS, fd int32, buf uintptr, n sqlite.Tsize_t, offset sqlite.Toff_t) sqlite.Tssize_t {
			if errno := faultOf(name, fd, int64(offset)+int64(n)); errno != 0 {
				*at[*int32](libc.X__errno_location(tls)) = int32(errno)
				return -1
			}
			return (*real)(tls, fd, buf, n, offset)
		}))
	}
}

// faultOf returns the error number for a call on a file, up to a byte, or 0.
func faultOf(call Call, fd int32, end int64) syscall.Errno {
	name, ok := openFiles.Load(fd)
	if !ok {
		return 0
	}
	dir, file := filepath.Split(name.(string))
	found, ok := disks.Load(filepath.Clean(dir))
	if !ok {
		return 0
	}
	d := found.(*Disk)
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.faults[place{call, file}]; ok && end > f.past {
		return f.errno
	}
	return 0
}

// replaced keeps the replacement functions alive, because SQLite knows only their addresses.
var replaced []*any

// replace replaces a system call by a function, and sets real to the original.
func replace[F any](tls *libc.TLS, vfs *sqlite.Tsqlite3_vfs, name string, real *F, fake F) {
	type (
		getter = func(*libc.TLS, uintptr, uintptr) uintptr
		setter = func(*libc.TLS, uintptr, uintptr, uintptr) int32
	)
	cname, err := libc.CString(name)
	if err != nil {
		panic(err)
	}
	defer libc.Xfree(tls, cname)
	address := uintptr(unsafe.Pointer(vfs))
	current := at[getter](vfs.FxGetSystemCall)(tls, address, cname)
	if current == 0 {
		panic("SQLite does not use " + name)
	}
	*real = at[F](current)
	kept := any(fake)
	replaced = append(replaced, &kept)
	if result := at[setter](vfs.FxSetSystemCall)(tls, address, cname, *(*uintptr)(unsafe.Pointer(&fake))); result != sqlite.SQLITE_OK {
		panic("SQLite does not let " + name + " be replaced")
	}
}

// at converts an address in the translated library to a pointer or a function.
func at[T any](address uintptr) T { return *(*T)(unsafe.Pointer(&address)) }
