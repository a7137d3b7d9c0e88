package node

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A new node whose port is taken leaves nothing behind, neither in a directory that is there nor by making one.
func TestATakenPortLeavesNothingBehind(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	there := t.TempDir()
	c := Default()
	c.HTTP, c.NoNetwork = taken.Addr().String(), true
	for _, c.Data = range []string{there, filepath.Join(there, "deeper", "data")} {
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Run(t.Context()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("the node ended with: %v", err)
		}
		if left, err := os.ReadDir(there); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, error %v", left, err)
		}
	}
}
