package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	lib "modernc.org/sqlite/lib"

	"tidings"
	"tidings/lab/effort"
)

// outboxLedger is what a store has acknowledged of an outbox, kept outside of it.
type outboxLedger struct {
	target  int64          // 0: adding it was not acknowledged
	updates map[int64]bool // acknowledged, each of one item: one delivery
	noted   map[int64]bool // updates whose delivery was acknowledged as done, given up or dropped
	flight  int64          // the update of which that is under way; 0: none
}

func newOutboxLedger() *outboxLedger {
	return &outboxLedger{updates: make(map[int64]bool), noted: make(map[int64]bool)}
}

func (l *outboxLedger) clone() *outboxLedger {
	return &outboxLedger{l.target, maps.Clone(l.updates), maps.Clone(l.noted), l.flight}
}

// change changes the ledger, which is copied while the disk works.
func (l *outboxLedger) change(do func()) {
	theDisk.mu.Lock()
	defer theDisk.mu.Unlock()
	do()
}

// load has updates put into the outbox of a target, and some of them delivered, given up or dropped. It goes on after
// errors.
func (l *outboxLedger) load(t *testing.T, s *Store, rounds int) (errs []error) {
	ctx := t.Context()
	if _, err := step(t, s, feedURL); err != nil { // subscribes
		errs = append(errs, err)
	}
	if _, err := step(t, s, feedURL); err != nil { // the first version is not delivered
		errs = append(errs, err)
	}
	to, err := s.Outbox.AddTarget(ctx, tidings.Target{Account: tidings.Owner, Name: "hook", Kind: tidings.Webhook,
		URL: "https://hook.example/"})
	if err != nil {
		return append(errs, err)
	}
	l.change(func() { l.target = to.ID })
	for round := range rounds {
		u, err := step(t, s, feedURL)
		switch {
		case err != nil:
			errs = append(errs, err)
		case u != nil && u.Version > 1:
			l.change(func() { l.updates[u.ID] = true })
		}
		if round%3 == 0 {
			continue // so that some wait
		}
		j, err := s.Outbox.Next(ctx, to.ID)
		if errors.Is(err, tidings.ErrNotFound) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		update := j.Parts[0].Update.ID
		l.change(func() { l.flight = update })
		switch round % 4 {
		case 0:
			err = s.Outbox.GiveUp(ctx, to.ID, j.Deliveries, "refused", time.Time{})
			if err == nil {
				_, err = s.Outbox.Drop(ctx, tidings.Owner, tidings.DeliverySelection{Delivery: j.Deliveries[0]})
			}
		default:
			err = s.Outbox.Delivered(ctx, j)
		}
		if err != nil {
			errs = append(errs, err) // it may be noted or not: it stays under way
			return errs
		}
		l.change(func() { l.flight, l.noted[update] = 0, true })
	}
	return errs
}

// verify opens a directory and compares its outbox with the ledger: what was acknowledged waits unless it was noted as
// done, what was noted does not wait, and nothing waits twice.
func (l *outboxLedger) verify(t *testing.T, dir string) {
	t.Helper()
	s, err := open(t.Context(), Config{Dir: dir}, faultyVFS)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, dir)
	}()
	targets, err := s.Outbox.Targets(t.Context(), tidings.Owner)
	if err != nil {
		t.Fatal(err)
	}
	if l.target != 0 && (len(targets) != 1 || targets[0].ID != l.target) {
		t.Fatalf("the acknowledged target is lost: %+v", targets)
	}
	list, err := s.Outbox.Deliveries(t.Context(), tidings.Owner, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	waits := make(map[int64]bool)
	for _, d := range list {
		switch {
		case waits[d.Update]:
			t.Errorf("update %d waits twice", d.Update)
		case l.noted[d.Update]:
			t.Errorf("update %d waits, though it was noted as done", d.Update)
		}
		waits[d.Update] = true
	}
	for _, id := range slices.Sorted(maps.Keys(l.updates)) {
		if !waits[id] && !l.noted[id] && id != l.flight {
			t.Errorf("the acknowledged update %d is lost to the target", id)
		}
	}
	if len(targets) == 1 && targets[0].Standing.Pending+targets[0].Standing.Failed != len(list) {
		t.Errorf("%+v is counted of %d deliveries", targets[0].Standing, len(list))
	}
}

// hostile 51: power cut while the outbox is filled and emptied. What was synced is there; what was not may be missing,
// and is delivered again. See TestPowerCut.
func TestPowerCutOfTheOutbox(t *testing.T) {
	registerDisk()
	theDisk.reset()
	r := rand.New(rand.NewPCG(3, 4))
	l := newOutboxLedger()
	type cut struct {
		dir string
		l   *outboxLedger
		at  int
	}
	var cuts []cut
	every := 7
	switch {
	case effort.All():
		every = 1
	case testing.Short():
		every = 31
	}
	s, err := openFaulty(t, dataDir(t))
	if err != nil {
		t.Fatal(err)
	}
	theDisk.mu.Lock()
	theDisk.onChange = func() {
		if theDisk.count%every == 0 {
			cuts = append(cuts, cut{theDisk.powerCut(t, r), l.clone(), theDisk.count})
		}
	}
	theDisk.mu.Unlock()
	if errs := l.load(t, s, 16); len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	theDisk.reset()
	if len(cuts) < 60/every || len(l.noted) < 8 || len(l.updates) < 16 {
		t.Fatalf("only %d power cuts, %d updates, %d of them noted", len(cuts), len(l.updates), len(l.noted))
	}
	for _, c := range cuts {
		if c.l.verify(t, c.dir); t.Failed() {
			t.Fatalf("power cut before operation %d of the disk", c.at)
		}
	}
}

// hostile 51: an operation of the disk fails while the outbox is filled and emptied, for many of them. See
// TestEveryWriteFails.
func TestOutboxWritesFail(t *testing.T) {
	registerDisk()
	stride := 11
	switch {
	case effort.All():
		stride = 1
	case testing.Short():
		stride = 53
	}
	for _, code := range []int32{lib.SQLITE_IOERR_WRITE, lib.SQLITE_FULL} {
		for k := 1; ; k += stride {
			dir := dataDir(t)
			theDisk.reset()
			s, err := openFaulty(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			l := newOutboxLedger()
			theDisk.mu.Lock()
			theDisk.failAt, theDisk.code, theDisk.sticky = theDisk.count+k, code, k%2 == 0
			theDisk.mu.Unlock()
			errs := l.load(t, s, 8)
			if err := s.Close(); err != nil {
				errs = append(errs, err)
			}
			for _, err := range errs {
				if text := fmt.Sprint(err); !strings.Contains(text, "the disk") {
					t.Fatalf("operation %d: %v", k, err)
				}
			}
			failed := theDisk.failed
			theDisk.reset()
			if l.verify(t, dir); t.Failed() {
				t.Fatalf("after operation %d failed", k)
			}
			if !failed {
				if k < 30 {
					t.Fatalf("the load does only %d operations on the disk", k)
				}
				break
			}
		}
	}
}
