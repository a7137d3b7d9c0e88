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

// insertTimed makes a node insert items, 16 at a time, and returns how long the slowest needed to be accepted.
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

// promptly is well above what messages and disks need for an insertion, and below any time before a retry.
const promptly = 1500 * time.Millisecond

// While much is inserted, owners compare what they have. While a disk is still busy with an item, owners neither
// promise it to each other, nor penalize each other for it. They report it later.
func TestInsertionsAmongComparisons(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		s := archivetest.Default([]int{3, 4, 8, 20}[t.Seed()%4])
		s.Archive.Again, s.Archive.Compare = time.Second, time.Second
		s.Writing = 300 * time.Millisecond
		v := newPlace(t, s)
		slowest := v.insertTimed(v.Any(), 320)
		if t.Logf("the slowest insertion took %v", slowest); slowest > promptly {
			t.Errorf("an insertion took %v among nodes that are all well", slowest)
		}
		v.repairs(time.Minute)
	})
}

// The inserting node is an owner, too, and needed for more than half of them: one of four has a disk that fails.
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

// An item is looked up while its first owner's disk is still busy with it. That owner does not deny the item, and is
// asked again later.
func TestLookupsAwaitDisks(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		s := archivetest.Default(4)
		s.Writing = time.Second
		v := newPlace(t, s)
		name := nameOf(1, 1)
		owners := v.Owners(name.Key())
		v.Insert(owners[1], name, 300)
		v.Run(s.Writing / 2)
		found := v.Find(owners[2], name)
		v.Run(time.Minute)
		if len(v.Kept()) == 0 {
			t.Error("the item was not accepted")
		}
		if err := v.Wrong(found); err != nil {
			t.Error(err)
		}
	})
}

// One of four owners claims to have stored what it has not, and offers it to no node. Bytes over a slow connection may
// need long, but the inserting node does not wait so long for the others to get them from that one.
func TestAPretenderDelaysLittle(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		told := 0
		s := archivetest.Default(4)
		s.Env = func(n sim.Node, env engine.Env) engine.Env {
			lie := archivetest.Honest
			if n == 0 {
				lie = archivetest.Pretending
			}
			return archivetest.NewLiar(env, func() archivetest.Lie { return lie }, &told)
		}
		v := newPlace(t, s)
		v.Disk(0).Broken = true
		slowest := v.insertTimed(1, 64)
		if t.Logf("%d lies; the slowest insertion took %v", told, slowest); slowest > 3*time.Second+promptly {
			t.Errorf("an insertion took %v", slowest)
		}
		if told == 0 {
			t.Error("nobody has lied")
		}
	})
}
