package archive_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/churn"
	"tidings/network/sim/simtest"
)

// All owners of an item but one lose their disks at one moment. What the last one has is found, and
// soon all owners have it again (hostile 32).
func TestOneOwnerIsEnough(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(40))
		v.fill(80, 4)
		v.repairs(time.Minute)
		name := v.Kept()[v.Rand().IntN(len(v.Kept()))]
		owners := v.Owners(name.Key())
		last := v.Rand().IntN(len(owners))
		for i, n := range owners {
			if i != last {
				v.Crash(n)
				v.Wipe(n)
			}
		}
		if lost := v.Lost(); len(lost) > 0 {
			t.Logf("%d other items are lost with them", len(lost))
		}
		found := v.Find(owners[last], name)
		v.Run(time.Second)
		if err := v.Wrong(found); err != nil {
			t.Errorf("at the last owner: %v", err)
		}
		v.Settle()
		v.repairs(3 * time.Minute)
		found = v.Find(v.Any(), name)
		v.Run(time.Minute)
		if err := v.Wrong(found); err != nil {
			t.Error(err)
		}
	})
}

// A node without answers does not conclude that the item does not exist, and finds it afterwards.
func TestSilenceIsNoAnswer(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default([]int{3, 4, 9, 40}[t.Seed()%4]))
		v.fill(20, 2)
		v.repairs(time.Minute)
		asker := v.Any()
		cut := v.Partition([]sim.Node{asker}, others(v.Live(), asker))
		var all []*archivetest.Looked
		for _, name := range v.Kept() {
			if !slices.Contains(v.Owners(name.Key()), asker) {
				all = append(all, v.Find(asker, name))
			}
		}
		all = append(all, v.Find(asker, nameOf(99, 1)))
		v.Run(3 * time.Minute)
		for _, l := range all {
			if !l.Done || l.Err != archive.ErrSilent {
				t.Errorf("item %d: where nobody answers, it ends with %+v", l.Name.Number, l)
			}
		}
		cut.Heal()
		v.Settle()
		missing := v.Find(asker, nameOf(99, 1))
		v.Run(time.Minute)
		if !missing.Done || missing.Err != archive.ErrNotFound {
			t.Errorf("afterwards what is not there ends with %+v", missing)
		}
		v.finds()
	})
}

func others(all []sim.Node, but sim.Node) []sim.Node {
	return slices.DeleteFunc(slices.Clone(all), func(n sim.Node) bool { return n == but })
}

// A fifth of the nodes crashes at one moment and loses its disks. What any other node has is found, while
// the ring is repaired too, and soon all owners have it again.
func TestAFifthCrashes(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes = 60
		v := newPlace(t, archivetest.Default(nodes))
		v.fill(300, 10)
		v.repairs(time.Minute)
		for len(v.Live()) > nodes*4/5 {
			n := v.Any()
			v.Crash(n)
			v.Wipe(n)
		}
		lost := v.Lost()
		var all []*archivetest.Looked
		for _, name := range v.Kept() {
			if !slices.Contains(lost, name) {
				all = append(all, v.Find(v.Any(), name))
			}
		}
		v.Run(2 * time.Minute)
		for _, l := range all {
			if err := v.Wrong(l); err != nil {
				t.Errorf("item %d: %v", l.Name.Number, err)
			}
		}
		v.Settle()
		v.repairsBut(lost, 4*time.Minute)
	})
}

// repairsBut is repairs with lost items.
func (v *place) repairsBut(lost []archive.Name, within time.Duration) {
	v.t.Helper()
	start := v.Now()
	lacking := func() int { return v.Lacking() - len(lost)*min(len(v.Live()), archive.Default().Replicas) }
	for lacking() > 0 || v.Excess() > 0 {
		if v.Now()-start > within {
			v.t.Fatalf("after %v owners lack %d copies, and others have %d", within, lacking(), v.Excess())
		}
		v.Run(5 * time.Second)
	}
	v.t.Logf("%d lost; repaired within %v", len(lost), v.Now()-start)
	if err := v.False(); err != nil {
		v.t.Error(err)
	}
}

// Nodes come and go at Overnet's rate, half of them without a farewell. Half of the disks are lost, and messages are
// lost, doubled and overtaken. Everything that was accepted is found.
func TestChurn(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes, spare = 40, 20
		minutes := 180
		if testing.Short() {
			minutes = 60
		}
		v := newPlace(t, archivetest.Default(nodes))
		for range spare {
			v.Grow(v.ID())
		}
		v.SetFaults(sim.Faults{Loss: 0.05, Duplicate: 0.02, Reorder: 0.05, ReorderBy: 500 * time.Millisecond})
		churn := churn.Replacement{Hourly: 0.25, For: time.Duration(minutes) * time.Minute}
		churn.InOrder = 0.5
		churn.Gone = func(n sim.Node) {
			if v.Rand().IntN(2) == 0 {
				v.Wipe(n)
			}
		}
		all := make([]sim.Node, v.Len())
		for i := range all {
			all[i] = sim.Node(i)
		}
		churn.Drive(v.World.World, all)
		for i := range minutes {
			v.Insert(v.Any(), nameOf(i%5, uint64(1+i/5)), 100)
			v.Run(time.Minute)
		}
		if len(v.Kept()) < minutes*35/36 {
			t.Errorf("only %d of %d items were accepted", len(v.Kept()), minutes)
		}
		if lost := v.Lost(); len(lost) > 0 {
			t.Errorf("%d items are lost", len(lost))
		}
		v.finds()
		v.SetFaults(sim.Faults{})
		v.Settle()
		v.repairs(30 * time.Minute)
	})
}

// While the network is in two, both sides accept items. When it is healed, all are found from everywhere, and are where
// they belong (hostile 31).
func TestPartitionsHeal(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes = 40
		v := newPlace(t, archivetest.Default(nodes))
		v.fill(60, 4)
		var side []sim.Node
		for n := range sim.Node(nodes) {
			if v.Rand().IntN(3) == 0 {
				side = append(side, n)
			}
		}
		cut := v.Partition(side)
		v.Run(5 * time.Minute)
		for i := range 80 {
			v.Insert(v.Any(), nameOf(5, uint64(i+1)), 200)
			v.Run(time.Second)
		}
		v.Run(2 * time.Minute)
		if len(v.Kept()) < 135 {
			t.Errorf("only %d of 140 items were accepted", len(v.Kept()))
		}
		cut.Heal()
		v.Settle()
		v.repairs(30 * time.Minute)
		v.finds()
	})
}

// A joining node receives what it owns from then on. A node that no longer owns an item forgets it only then.
func TestOwnershipMoves(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(20))
		v.fill(200, 4)
		v.repairs(time.Minute)
		for range 10 {
			n := v.Grow(v.ID())
			v.Boot(n)
			for range 30 {
				v.Run(time.Second)
				for _, name := range v.Kept() {
					if copies := v.copies(name); copies < archive.Default().Replicas {
						t.Fatalf("there are %d copies of an item", copies)
					}
				}
			}
		}
		v.Settle()
		v.repairs(5 * time.Minute)
		v.finds()
	})
}

// copies counts the live nodes that have an item.
func (v *place) copies(name archive.Name) (count int) {
	for _, n := range v.Live() {
		if v.Disk(n).Get(name) != nil {
			count++
		}
	}
	return count
}

// A publisher makes two items of one name. All replicas agree on one in the end.
func TestEquivocationIsSettled(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(30))
		name := nameOf(0, 1)
		for variant := range byte(3) {
			n := v.Any()
			v.Do(n, func(engine.Protocol) {
				v.Node(n).Archive.Insert(name, archivetest.Variant(name, 100, variant), func(int, archive.Refusal) {})
			})
			v.Run(time.Duration(v.Rand().IntN(300)) * time.Millisecond)
		}
		v.Run(25 * time.Minute)
		var first []byte
		for _, n := range v.Owners(name.Key()) {
			b := v.Disk(n).Get(name)
			if first == nil {
				first = b
			}
			if b == nil || string(b) != string(first) {
				t.Errorf("node %d has another item than the first owner, or none", n)
			}
		}
	})
}

// A node with a failing disk refuses, and the others keep what it should have. It catches up when the disk works again.
func TestBrokenDisk(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(20))
		broken := v.Any()
		v.Disk(broken).Broken = true
		v.fill(60, 2)
		if v.Disk(broken).Len() > 0 || v.counts["archive.Refused"] == 0 {
			t.Error("the broken disk has taken something, or was not noticed")
		}
		v.Disk(broken).Broken = false
		v.repairs(3 * time.Hour)
		v.finds()
	})
}

// All faults of the storm, or a part of them, happen; then the network is healed. What was accepted is found, and where
// it belongs.
func TestStorm(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(30))
		v.fill(50, 2)
		plan := simtest.Swarm(t.Seed())
		for i := range 60 {
			v.After(time.Duration(i)*10*time.Second, func() {
				if len(v.Active()) > 0 {
					v.Insert(v.Any(), nameOf(9, uint64(i+1)), 150)
				}
			})
		}
		plan.Run(v.World.World, 12*time.Minute)
		v.Run(time.Minute)
		v.Settle()
		lost := v.Lost()
		if len(lost) > 0 {
			t.Errorf("with %v: %d of %d items are lost", plan, len(lost), len(v.Kept()))
		}
		v.repairsBut(lost, 30*time.Minute)
		v.finds()
	})
}

// Items on a disk are damaged, or gone. A lookup there finds them nevertheless, and they come back.
func TestDamage(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(20))
		v.fill(40, 2)
		v.repairs(time.Minute)
		var all []*archivetest.Looked
		for i, name := range v.Kept() {
			n := v.Owners(name.Key())[v.Rand().IntN(5)]
			v.Disk(n).Damage(name, i%2 == 0)
			all = append(all, v.Find(n, name))
		}
		v.Run(10 * time.Second)
		for _, l := range all {
			if err := v.Wrong(l); err != nil {
				t.Error(err)
			}
		}
		if v.counts["archive.Damaged"] != len(all) {
			t.Errorf("%d damages of %d were noticed", v.counts["archive.Damaged"], len(all))
		}
		v.repairs(2 * time.Minute)
	})
}
