//go:build linux

package node

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tidings"
	"tidings/node/doctor"
)

// hostile 51: the disk fills up. The status and the doctor say so, the log is not the only place, and it is over by
// itself when there is room.
func TestFullDiskIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small disk can be had by root alone: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	data := filepath.Join(dir, "data")
	n, client := startNode(t, func(c *Config) { c.Data = data })
	problems := func() []tidings.Problem {
		s, err := client.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Problems
	}
	if p := problems(); len(p) > 0 {
		t.Errorf("problems of a node that is well: %+v", p)
	}
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 1024))
	}
	if err := filler.Close(); err != nil {
		t.Log(err)
	}
	write := func() error {
		return n.store.SetSetting(t.Context(), "filler", strings.Repeat("x", 1<<20))
	}
	if write() == nil {
		t.Fatal("the disk is not full")
	}
	if p := problems(); len(p) != 1 || !strings.Contains(p[0].What, "is full") || !strings.Contains(p[0].What, data) {
		t.Errorf("problems with a full disk: %+v", p)
	}
	examined := n.config.Examination()
	examined.Status = func(context.Context) (tidings.Status, error) { return client.Status(t.Context()) } // however long it takes
	told := false
	for _, f := range doctor.Examine(t.Context(), examined) {
		told = told || f.Level == doctor.LevelProblem && strings.Contains(f.Text, "is full")
	}
	if !told {
		t.Error("the doctor does not say that the disk is full")
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	for len(problems()) > 0 { // until the store has tried again
		time.Sleep(10 * time.Millisecond)
	}
}
