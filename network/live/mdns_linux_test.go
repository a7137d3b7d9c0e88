package live

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inside is set in the process that has a network of its own.
const inside = "TIDINGS_TEST_OWN_NETWORK"

// Two nodes find each other by mDNS. mDNS leaves the machine, so the test runs in a network namespace that has a
// loopback and nothing else. It is skipped where none can be made.
func TestMDNSFindsNeighbours(t *testing.T) {
	if os.Getenv(inside) == "" {
		again := exec.Command("/proc/self/exe", "-test.run=^TestMDNSFindsNeighbours$", "-test.v", "-test.timeout=15m")
		again.Env = append(os.Environ(), inside+"=1")
		again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
		out, err := again.CombinedOutput()
		if err != nil && len(out) == 0 {
			t.Skipf("a network namespace cannot be made here: %v", err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if strings.Contains(string(out), "--- SKIP") {
			t.Skipf("%s", out)
		}
		return
	}
	if err := multicastOnLoopback(); err != nil {
		t.Skipf("loopback cannot multicast here: %v", err)
	}
	c, d := loopback(1), loopback(2)
	c.MDNS, d.MDNS = true, true
	a, b := startHost(t, c), startHost(t, d)
	select {
	case p := <-a.Found():
		if p.ID != b.id || FormatAddress(p) != b.Addresses()[0] {
			t.Errorf("found %v", FormatAddresses(p))
		}
	case <-time.After(10 * time.Minute): // only if nobody ever is
		t.Error("nobody was found")
	}
	if n := len(a.net.Network().Conns()); n != 0 {
		t.Errorf("what was found was dialled: %d connections", n)
	}
}

// multicastOnLoopback brings the loopback of this process's namespace up, for multicast too.
func multicastOnLoopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING | unix.IFF_MULTICAST | unix.IFF_LOOPBACK)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("bringing loopback up: %w", err)
	}
	return nil
}
