package homes

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// space is a network namespace, held by a thread that works in it alone.
type space struct {
	work   chan func()
	thread int
}

// newSpace makes a namespace, in which some files stand in the place of others, by path. Mounts are the namespace's
// own.
func newSpace(instead map[string]string) (*space, error) {
	s := &space{work: make(chan func())}
	entered := make(chan error)
	go s.run(instead, entered)
	if err := <-entered; err != nil {
		return nil, fmt.Errorf("making a network namespace: %w", err)
	}
	return s, nil
}

// run never unlocks its thread, which ends with it; the namespace goes when nobody else is in it. The main thread would
// stay, so that one is left to another goroutine.
func (s *space) run(instead map[string]string, entered chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		another := make(chan error)
		go s.run(instead, another)
		err := <-another
		runtime.UnlockOSThread()
		entered <- err
		return
	}
	s.thread = unix.Gettid()
	err := enter(instead)
	entered <- err
	if err != nil {
		return
	}
	for f := range s.work {
		f()
	}
}

func enter(instead map[string]string) error {
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keeping mounts apart: %w", err)
	}
	for path, file := range instead {
		if err := unix.Mount(file, path, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", path, err)
		}
	}
	return nil
}

// do calls f in the namespace: sockets that it opens and processes that it starts stay there.
func (s *space) do(f func() error) error {
	done := make(chan error)
	s.work <- func() { done <- f() }
	return <-done
}

// close ends the thread. Nobody may call do any more.
func (s *space) close() { close(s.work) }

// start starts a process in the namespace, which is killed when this process or the namespace ends.
func (s *space) start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return s.do(cmd.Start)
}

// openTUN makes a TUN device in the namespace that the caller works in. It is gone when the file is closed.
func openTUN(name string) (*os.File, error) {
	fd, err := unix.Open(tunPath, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", tunPath, err)
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		_ = unix.Close(fd) // the error before says more
		return nil, fmt.Errorf("making a TUN device: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

const tunPath = "/dev/net/tun"

// Check reports what this machine lacks for an Internet; nil: nothing.
func Check() error {
	if os.Geteuid() != 0 {
		return errors.New("network namespaces need root")
	}
	for _, needed := range []struct{ command, pkg string }{{"ip", "iproute2"}, {"nft", "nftables"}} {
		if _, err := exec.LookPath(needed.command); err != nil {
			return fmt.Errorf("the command %s is missing (package %s)", needed.command, needed.pkg)
		}
	}
	s, err := newSpace(nil)
	if err != nil {
		return err
	}
	defer s.close()
	return s.do(func() error {
		tun, err := openTUN("wan")
		if err != nil {
			return err
		}
		_ = tun.Close() // it was only tried
		if err := inform("nft", "-f",
			"add table inet tried\nadd chain inet tried post { type nat hook postrouting priority srcnat; }\nadd "+
				"rule inet tried post masquerade\n"); err != nil {
			return fmt.Errorf("network address translation: %w", err)
		}
		return nil
	})
}
