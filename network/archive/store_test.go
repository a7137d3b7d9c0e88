package archive_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// place is a world that counts what is traced.
type place struct {
	*archivetest.World
	t      *simtest.T
	counts map[string]int // by type
}

func newPlace(t *simtest.T, s archivetest.Settings) *place {
	c := sim.Default(archivetest.Codec)
	c.Wire = true
	v := &place{t: t, counts: make(map[string]int)}
	w := t.World(c)
	w.Observe(func(_ time.Duration, _ sim.Node, event any) { v.counts[fmt.Sprintf("%T", event)]++ })
	v.World = archivetest.New(w, s)
	return v
}

func nameOf(topic int, number uint64) archive.Name {
	return archive.Name{Topic: archivetest.Topic(topic), Number: number}
}

// fill inserts items of several topics, and waits until all are accepted.
func (v *place) fill(items, topics int) {
	v.t.Helper()
	for i := range items {
		v.Insert(v.Any(), nameOf(i%topics, uint64(1+i/topics)), 100+i%500)
		v.Run(100 * time.Millisecond)
	}
	for range 120 {
		if len(v.Kept()) == items {
			return
		}
		v.Run(time.Second)
	}
	v.t.Fatalf("%d of %d items were accepted", len(v.Kept()), items)
}

// finds looks all items up, each from a random node.
func (v *place) finds() {
	v.t.Helper()
	var all []*archivetest.Looked
	for _, name := range v.Kept() {
		all = append(all, v.Find(v.Any(), name))
		v.Run(20 * time.Millisecond)
	}
	v.Run(3 * time.Minute)
	for _, l := range all {
		if err := v.Wrong(l); err != nil {
			v.t.Errorf("item %d: %v", l.Name.Number, err)
		}
	}
}

// repairs waits until all owners have what they own and no other node has it.
func (v *place) repairs(within time.Duration) {
	v.t.Helper()
	start := v.Now()
	for v.Lacking() > 0 || v.Excess() > 0 {
		if v.Now()-start > within {
			v.t.Fatalf("after %v owners lack %d copies, and others have %d", within, v.Lacking(), v.Excess())
		}
		v.Run(5 * time.Second)
	}
	v.t.Logf("repaired within %v", v.Now()-start)
	if err := v.False(); err != nil {
		v.t.Error(err)
	}
}

// An inserted item is found from everywhere. Each of the closest nodes has it, and no other does.
func TestItemsAreKeptByTheirOwners(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		nodes := []int{1, 2, 4, 6, 9, 16, 30, 60}[t.Seed()%8]
		v := newPlace(t, archivetest.Default(nodes))
		v.fill(60, 3)
		v.repairs(time.Minute)
		v.finds()
		missing := v.Find(v.Any(), nameOf(99, 1))
		v.Run(time.Minute)
		want := archive.ErrNotFound
		if nodes == 1 {
			want = archive.ErrSilent
		}
		if !missing.Done || missing.Err != want {
			t.Errorf("looking up what is not there ends with %+v", missing)
		}
	})
}
