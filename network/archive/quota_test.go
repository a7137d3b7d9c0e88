package archive_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// More is published than the nodes have room for. No node keeps more than it may, and each keeps the items nearest to
// it. So more items are kept, in fewer copies, than if all dropped the same ones. At rest nodes do not hand items back
// and forth.
func TestNoRoom(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes, length = 20, 1000
		s := archivetest.Default(nodes)
		s.Archive.MaxItem = 2000
		s.Archive.MaxBytes = 30 * length
		s.Archive.MaxTopicBytes = s.Archive.MaxBytes
		s.Archive.Compare, s.Archive.Again = time.Minute, 5*time.Second
		v := newPlace(t, s)
		// There is room for 600 copies, and 240 items would have 1,200.
		for i := range 240 {
			v.Insert(v.Any(), nameOf(i%7, uint64(1+i/7)), length)
			v.Run(200 * time.Millisecond)
			for n := range sim.Node(nodes) {
				if l := v.Node(n).Archive.Load(); l.Bytes > s.Archive.MaxBytes {
					t.Fatalf("node %d keeps %d bytes", n, l.Bytes)
				}
			}
		}
		v.Run(time.Minute)
		if v.counts["archive.Dropped"] == 0 || v.counts["archive.Refused"] == 0 {
			t.Error("nothing was dropped, or nothing refused")
		}
		accepted := len(v.Kept())
		if lost := len(v.Lost()); lost > accepted/5 {
			t.Errorf("%d of %d items that were accepted are lost", lost, accepted)
		}
		kept := make(map[archive.Name]bool)
		for n := range sim.Node(nodes) {
			if b := v.Disk(n).Bytes(); b > s.Archive.MaxBytes {
				t.Errorf("the disk of node %d holds %d bytes", n, b)
			}
			for _, name := range v.Disk(n).Names() {
				kept[name] = true
			}
		}
		// Had all dropped alike, there would be 600/5 items.
		if len(kept) < 160 {
			t.Errorf("only %d different items are kept", len(kept))
		}
		v.Run(30 * time.Minute) // until they have given up comparing often
		stored, before := v.counts["archive.Stored"], v.archiveBytes()
		v.Run(time.Hour)
		if again := v.counts["archive.Stored"] - stored; again > nodes/4 {
			t.Errorf("at rest %d items were stored again", again)
		}
		t.Logf("%d accepted, %d kept; at rest %.1f bytes a second and node", accepted, len(kept),
			float64(v.archiveBytes()-before)/nodes/3600)
	})
}

// archiveBytes counts what nodes of the archive have sent.
func (v *place) archiveBytes() (total uint64) {
	for kind, count := range v.Counters().Kinds {
		if kind.Protocol() == engine.Archive {
			total += count.Bytes
		}
	}
	return total
}

// A node that catches up receives all items of a range, and learns which do not exist.
func TestRangesAreFound(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		s := archivetest.Default(30)
		s.Archive.MaxFinds = 8 // less than are looked up at a time
		v := newPlace(t, s)
		v.fill(200, 1)
		var got []uint64
		var missing []uint64
		done := 0
		v.Do(3, func(engine.Protocol) {
			v.Node(3).Archive.FindRange(archivetest.Topic(0), 101, 205, func(number uint64, bytes []byte) {
				if bytes == nil {
					missing = append(missing, number)
				} else {
					got = append(got, number)
				}
			}, func() { done++ })
		})
		start := v.Now()
		for done == 0 && v.Now()-start < 5*time.Minute {
			v.Run(100 * time.Millisecond)
		}
		slices.Sort(got)
		slices.Sort(missing)
		if done != 1 || len(slices.Compact(got)) != 100 || got[0] != 101 ||
			!slices.Equal(missing, []uint64{201, 202, 203, 204, 205}) {
			t.Errorf("%d were found, %v are missing, done %d times", len(got), missing, done)
		}
		t.Logf("it took %v", v.Now()-start)
		calls := 0
		v.Do(3, func(engine.Protocol) {
			stop := v.Node(3).Archive.FindRange(archivetest.Topic(0), 1, 1<<64-1,
				func(uint64, []byte) { calls++ }, func() { t.Error("it has ended") })
			v.After(10*time.Second, stop)
		})
		v.Run(10 * time.Second)
		before := calls
		v.Run(time.Minute)
		if before == 0 || calls != before {
			t.Errorf("%d were found before the search was stopped, and %d after", before, calls-before)
		}
	})
}

// At rest, when nothing is published and no node comes or goes, nodes send little, whatever they keep.
func TestLittleIsSentAtRest(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes = 30
		v := newPlace(t, archivetest.Default(nodes))
		v.fill(500, 10)
		v.repairs(time.Minute)
		v.Run(20 * time.Minute)
		before := v.archiveBytes()
		v.Run(time.Hour)
		perSecond := float64(v.archiveBytes()-before) / nodes / 3600
		t.Logf("%.2f bytes a second and node", perSecond)
		if perSecond > 4 {
			t.Errorf("%.2f bytes a second and node", perSecond)
		}
	})
}
