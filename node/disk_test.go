package node

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Hostile 51: a file system that does not answer holds up neither the doctor nor a status, and is asked by one at a time,
// as who asks is there until it answers.
func TestHostile51AFileSystemThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		silent := make(chan struct{})
		d := &disk{free: func(string) (uint64, bool) {
			asked.Add(1)
			<-silent
			return 1 << 30, true
		}}
		for range 3 {
			began := time.Now()
			found, err := checkDisk(t.Context(), Config{Data: "/far"}, d)
			if took := time.Since(began); took != diskPatience || !errors.Is(err, errDiskSilent) {
				t.Errorf("it took %s: %v, want %s", took, err, diskPatience)
			}
			if len(found) != 1 || found[0].Level != LevelProblem || !strings.Contains(found[0].Text, "The file system of /far does not answer") {
				t.Errorf("found %+v", found)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("it was asked %d times while it did not answer", n)
		}
		close(silent)
		synctest.Wait()
		if found, err := checkDisk(t.Context(), Config{Data: "/far"}, d); err != nil || len(found) != 1 || found[0].Level != LevelOK {
			t.Errorf("when it answers: %+v, %v", found, err)
		}
	})
}

// What the doctor would wait for is left out where the file system does not answer.
func TestTheDoctorLeavesASilentFileSystemAlone(t *testing.T) {
	c := Default()
	c.Data = t.TempDir()
	silent := make(chan struct{})
	defer close(silent)
	d := &disk{free: func(string) (uint64, bool) { <-silent; return 0, false }}
	told := false
	for _, f := range examine(t.Context(), c, d) {
		told = told || strings.Contains(f.Text, "does not answer: there was nothing within")
		if strings.Contains(f.Text, "No node is running") {
			t.Errorf("it has checked the data directory: %+v", f)
		}
	}
	if !told {
		t.Error("it does not say that the file system does not answer")
	}
}
