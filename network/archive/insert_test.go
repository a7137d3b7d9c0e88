package archive_test

import (
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// insertTimed has a node insert so many items, 16 at a time, and returns how long the slowest took to be accepted.
func (v *place) insertTimed(n sim.Node, items int) (slowest time.Duration) {
	v.t.Helper()
	accepted := 0
	for i := range items {
		name, began := nameOf(1, uint64(1+i)), v.Now()
		v.Do(n, func(engine.Protocol) {
			v.Node(n).Archive.Insert(name, archivetest.Item(name, 300), func(_ int, why archive.Refusal) {
				if why != archive.Accepted {
					v.t.Errorf("item %d was not accepted: %v", name.Number, why)
				}
				accepted++
				slowest = max(slowest, v.Now()-began)
			})
		})
		if i%16 == 15 {
			v.Run(400 * time.Millisecond)
		}
	}
	v.Run(time.Minute)
	if accepted < items {
		v.t.Errorf("%d of %d insertions ended", accepted, items)
	}
	return slowest
}

// promptly is well above what messages and disks take for an insertion, and below any time after which
// something is tried again.
const promptly = 1500 * time.Millisecond

// Who inserts is an owner, too, and needed for more than half of them: one of four has a disk that fails.
func TestWhoInsertsCounts(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		s := archivetest.Default(4)
		s.Writing = 100 * time.Millisecond
		v := newPlace(t, s)
		v.Disk(0).Broken = true
		slowest := v.insertTimed(1, 64)
		if t.Logf("the slowest insertion took %v", slowest); slowest > promptly {
			t.Errorf("an insertion took %v though three of four owners are well", slowest)
		}
	})
}
