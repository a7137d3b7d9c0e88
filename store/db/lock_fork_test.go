//go:build unix

package db

import (
	"syscall"
	"testing"
	"time"
)

// A child that was forked while the directory was locked holds a copy of the descriptor until it executes its program:
// the directory is free all the same once it is released.
func TestLockIsFreeDespiteCopies(t *testing.T) {
	dir := t.TempDir()
	lock, err := lockDir(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	held, err := syscall.Dup(int(lock.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(held)
	if err := lock.release(); err != nil {
		t.Fatal(err)
	}
	again, err := lockDir(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.release(); err != nil {
		t.Fatal(err)
	}
}
