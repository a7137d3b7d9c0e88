package store

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	lib "modernc.org/sqlite/lib"

	"tidings"
	"tidings/lab/effort"
	"tidings/store/content"
	"tidings/store/db"
)

// load subscribes to three channels and publishes in each, and enters in the ledger
// what is acknowledged. It goes on after errors, as a node does.
func load(t *testing.T, s *Store, l *ledger, rounds int) (errs []error) {
	for range rounds {
		for i := range 3 {
			url := channelURL(i)
			u, err := step(t, s, url)
			theDisk.mu.Lock() // the ledger is copied while the disk works
			switch {
			case err != nil:
				errs = append(errs, err)
			case u == nil:
				l.subscribed[url] = true
			default:
				l.updates[u.ID] = said(u)
			}
			theDisk.mu.Unlock()
		}
	}
	return errs
}

// open is Open through a VFS.
func open(ctx context.Context, config Config, vfs string) (*Store, error) {
	config.VFS = vfs
	return Open(ctx, config)
}

// openFaulty opens a store on the disk that fails. A small log makes SQLite fold it
// into the main file many times in a short test.
func openFaulty(t *testing.T, dir string) (*Store, error) {
	s, err := open(context.Background(), Config{Dir: dir, Logger: slog.New(slog.DiscardHandler)}, faultyVFS)
	if err != nil {
		return nil, err
	}
	return s, s.write(t.Context(), func(t *content.Tx) error { return nil })
}

// hostile 51: the k-th I/O fails, for every k or every third: with an error or a full disk, once or from then on. Each
// time, what was acknowledged before and after is there when the file is opened again. The errors say in plain words
// what it was.
func TestEveryWriteFails(t *testing.T) {
	registerDisk()
	for i, fault := range []struct {
		name   string
		code   int32
		sticky bool
		// a fault that stays covers the ones after it, so some are enough; of the others every third, unless all are
		// asked for
		stride int
		words  string
	}{
		{"EIO once", lib.SQLITE_IOERR_WRITE, false, 1, "the disk refused to read or write"},
		{"EIO for good", lib.SQLITE_IOERR_FSYNC, true, 5, "the disk refused to read or write"},
		{"full once", lib.SQLITE_FULL, false, 1, "the disk is full"},
		{"full for good", lib.SQLITE_FULL, true, 5, "the disk is full"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			first, stride := 1, fault.stride
			switch {
			case testing.Short():
				first, stride = 1+23*i, 97 // not the same ones for every fault
			case !effort.All() && !fault.sticky:
				first, stride = 1+i/2, 3 // as above
			}
			for k := first; ; k += stride {
				dir := dataDir(t)
				theDisk.reset()
				theDisk.failAt, theDisk.code, theDisk.sticky = k, fault.code, fault.sticky
				l := newLedger(faultyVFS)
				var errs []error
				s, err := openFaulty(t, dir)
				if err != nil {
					errs = append(errs, err)
				}
				if s != nil {
					errs = append(errs, load(t, s, l, 3)...)
					if err := s.Close(); err != nil {
						errs = append(errs, err)
					}
				}
				for _, err := range errs {
					if !strings.Contains(err.Error(), fault.words) {
						t.Fatalf("operation %d: %v, want %q", k, err, fault.words)
					}
				}
				if !theDisk.failed {
					if k < 50 {
						t.Fatalf("the load does only %d operations on the disk", k)
					}
					return
				}
				theDisk.reset()
				l.verify(t, dir)
				if t.Failed() {
					t.Fatalf("after operation %d failed", k)
				}
			}
		})
	}
}

// hostile 51: power cut. Before every write, sync and truncation of a load, the disk is imagined without what was not
// synced, and with any part of it, whole or torn. Every such disk opens, and has what had been acknowledged by then.
func TestPowerCut(t *testing.T) {
	registerDisk()
	theDisk.reset()
	r := rand.New(rand.NewPCG(1, 2))
	l := newLedger(faultyVFS)
	type cut struct {
		dir string
		l   *ledger
		at  int
	}
	var cuts []cut
	every := 1
	if testing.Short() {
		every = 31
	}
	theDisk.onChange = func() {
		if theDisk.count%every == 0 {
			cuts = append(cuts, cut{theDisk.powerCut(t, r), l.clone(), theDisk.count})
		}
	}
	s, err := openFaulty(t, dataDir(t))
	if err != nil {
		t.Fatal(err)
	}
	if errs := load(t, s, l, 5); len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	theDisk.reset()
	if len(cuts) < 120/every {
		t.Fatalf("only %d power cuts", len(cuts))
	}
	for _, c := range cuts {
		if c.l.verify(t, c.dir); t.Failed() {
			t.Fatalf("power cut before operation %d of the disk", c.at)
		}
	}
}

// After a fault has passed the same open store works on.
func TestWorksOnAfterFault(t *testing.T) {
	registerDisk()
	theDisk.reset()
	dir := dataDir(t)
	s, err := openFaulty(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger(faultyVFS)
	if errs := load(t, s, l, 2); len(errs) > 0 {
		t.Fatal(errs)
	}
	theDisk.mu.Lock()
	theDisk.failAt, theDisk.sticky, theDisk.code = theDisk.count+1, true, lib.SQLITE_FULL
	theDisk.mu.Unlock()
	if errs := load(t, s, l, 1); len(errs) != 3 {
		t.Fatalf("on a full disk, %d of 3 writes fail: %v", len(errs), errs)
	}
	if got := river(t, s, tidings.EntryQuery{}); len(got) != 6 {
		t.Fatalf("on a full disk, %d entries can be read, want 6", len(got))
	}
	if err := s.DB.Trouble(); !errors.Is(err, db.ErrFull) {
		t.Errorf("the trouble with a full disk is %v", err)
	}
	theDisk.mu.Lock()
	theDisk.failAt = 0
	theDisk.mu.Unlock()
	for s.DB.Trouble() != nil { // though nobody writes
		time.Sleep(10 * time.Millisecond)
	}
	if errs := load(t, s, l, 1); len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if l.verify(t, dir); len(l.updates) != 6 {
		t.Errorf("%d updates, want 6", len(l.updates))
	}
}

// hostile 51: a disk that was full stays so until there is room again. That a small transaction finds room in the log,
// which a large one has made grow, does not count.
func TestHostile51FullUntilThereIsRoom(t *testing.T) {
	registerDisk()
	theDisk.reset()
	dir := dataDir(t)
	s, err := openFaulty(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	noRoom := filepath.Join(dir, ".room")
	if err := os.Mkdir(noRoom, 0o700); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		theDisk.mu.Lock()
		defer theDisk.mu.Unlock()
		return theDisk.count
	}
	theDisk.mu.Lock()
	theDisk.failAt, theDisk.code = theDisk.count+1, lib.SQLITE_FULL // once
	theDisk.mu.Unlock()
	if err := s.DB.SetSetting(t.Context(), "large", "x"); !errors.Is(err, db.ErrFull) {
		t.Fatalf("on a full disk: %v", err)
	}
	for range 2 {
		if err := s.DB.SetSetting(t.Context(), "small", "x"); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.Trouble(); !errors.Is(err, db.ErrFull) {
			t.Fatalf("without room, once a small transaction was written: %v", err)
		}
		for now := count(); count() == now; { // the writer tries again
			time.Sleep(10 * time.Millisecond)
		}
	}
	if err := os.Remove(noRoom); err != nil {
		t.Fatal(err)
	}
	for s.DB.Trouble() != nil {
		time.Sleep(10 * time.Millisecond)
	}
	if names, err := filepath.Glob(noRoom); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// An operation returns its own error even if the transaction that it shared cannot be written. All others in that
// transaction return the write error.
func TestAnErrorOfItsOwnStays(t *testing.T) {
	registerDisk()
	theDisk.reset()
	synctest.Test(t, anErrorOfItsOwnStays)
}

func anErrorOfItsOwnStays(t *testing.T) {
	s, err := openFaulty(t, dataDir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun, end := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- s.write(t.Context(), func(*content.Tx) error { close(begun); <-end; return nil })
	}()
	<-begun
	const others = 4
	own, shared := make(chan error, others), make(chan error, others)
	for range others {
		go func() { own <- s.Reader.DeleteToken(t.Context(), tidings.Owner, 99) }()
		go func() { shared <- s.DB.SetSetting(t.Context(), "a", "b") }()
	}
	synctest.Wait() // they share the next transaction
	theDisk.mu.Lock()
	theDisk.failAt, theDisk.code, theDisk.sticky = theDisk.count+1, lib.SQLITE_IOERR_WRITE, true
	theDisk.mu.Unlock()
	close(end)
	<-first
	for range others {
		if err := <-own; !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("to delete what is not there fails with %v", err)
		}
		if err := <-shared; err == nil || errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("to write on a disk that fails ends with %v", err)
		}
	}
	theDisk.mu.Lock()
	theDisk.failAt, theDisk.sticky, theDisk.failed = 0, false, false
	theDisk.mu.Unlock()
}
