//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged returns the attributes for starting the server. PostgreSQL refuses to run as root, so root hands dir
// and the processes to the user postgres. Their own process group keeps a Ctrl-C in the terminal away from the server,
// because its tests decide when it stops.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	uid, gid, err := lookUp("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root and needs the user postgres: %w", err)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	attr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	return attr, nil
}

func lookUp(name string) (uid, gid uint32, err error) {
	account, err := user.Lookup(name)
	if err != nil {
		return 0, 0, err
	}
	u, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return 0, 0, err
	}
	g, err := strconv.ParseUint(account.Gid, 10, 32)
	return uint32(u), uint32(g), err
}
