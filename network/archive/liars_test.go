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

// A tenth of the nodes lies, all in the same way or each in its own. All honest owners keep what is accepted, and every
// honest node finds it. Nothing false is stored or found.
func TestATenthLies(t *testing.T) {
	simtest.Run(t, 16, func(t *simtest.T) {
		const nodes = 60
		lies := make(map[sim.Node]archivetest.Lie)
		told := 0
		s := archivetest.Default(nodes)
		s.Env = func(n sim.Node, env engine.Env) engine.Env {
			return archivetest.NewLiar(env, func() archivetest.Lie { return lies[n] }, &told)
		}
		v := newPlace(t, s)
		var liars []sim.Node
		for len(liars) < nodes/10 {
			n := v.Any()
			if lies[n] != archivetest.Honest {
				continue
			}
			lie := archivetest.Lie(1 + t.Seed()%8)
			if lie >= archivetest.Lies {
				lie = archivetest.Lie(1 + v.Rand().IntN(int(archivetest.Lies)-1))
			}
			lies[n] = lie
			v.Disk(n).Broken = lie == archivetest.Pretending
			liars = append(liars, n)
		}
		honest := func() sim.Node {
			for {
				if n := v.Any(); lies[n] == archivetest.Honest {
					return n
				}
			}
		}
		const items = 150
		for i := range items {
			v.Insert(honest(), nameOf(i%3, uint64(1+i/3)), 150)
			v.Run(200 * time.Millisecond)
		}
		v.Run(2 * time.Minute)
		if len(v.Kept()) < items {
			t.Errorf("%d of %d items were accepted", len(v.Kept()), items)
		}
		for start := v.Now(); v.Lacking(liars...) > 0; v.Run(5 * time.Second) {
			if v.Now()-start > 10*time.Minute {
				t.Fatalf("honest owners lack %d copies", v.Lacking(liars...))
			}
		}
		var all []*archivetest.Looked
		for _, name := range v.Kept() {
			all = append(all, v.Find(honest(), name))
			v.Run(50 * time.Millisecond)
		}
		v.Run(3 * time.Minute)
		var slowest time.Duration
		for _, l := range all {
			if err := v.Wrong(l); err != nil {
				t.Errorf("item %d: %v", l.Name.Number, err)
			}
			slowest = max(slowest, l.Took)
		}
		if err := v.False(); err != nil {
			t.Error(err)
		}
		if told == 0 {
			t.Error("nobody has lied")
		}
		t.Logf("%d lies; the slowest lookup took %v", told, slowest)
	})
}

// All owners but one lie and deny what they have, or forge it. The item is found all the same.
func TestOneHonestOwnerIsEnough(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		lies := make(map[sim.Node]archivetest.Lie)
		told := 0
		s := archivetest.Default(40)
		s.Env = func(n sim.Node, env engine.Env) engine.Env {
			return archivetest.NewLiar(env, func() archivetest.Lie { return lies[n] }, &told)
		}
		v := newPlace(t, s)
		v.fill(20, 1)
		name := v.Kept()[0]
		owners := v.Owners(name.Key())
		honest := v.Rand().IntN(len(owners))
		for i, n := range owners {
			if i != honest {
				lies[n] = []archivetest.Lie{archivetest.Denying, archivetest.Forging}[v.Rand().IntN(2)]
			}
		}
		var all []*archivetest.Looked
		for n := range sim.Node(40) {
			if lies[n] == archivetest.Honest {
				all = append(all, v.Find(n, name))
			}
		}
		v.Run(3 * time.Minute)
		for _, l := range all {
			if err := v.Wrong(l); err != nil {
				t.Error(err)
			}
		}
		if told == 0 {
			t.Error("nobody has lied")
		}
	})
}

// A node is offered, and is named as having, items that do not exist, and receives false ones. It keeps nothing of it,
// asks in vain a bounded number of times, and then asks that node no more.
func TestFalseOffers(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(5)) // everybody owns everything
		liar, victim := sim.Node(0), sim.Node(1)
		v.Run(time.Minute)
		before := v.NodeCount(liar).Received
		for round := range 50 {
			m := &archive.Offer{Number: uint64(round)}
			for i := range 64 {
				m.Items = append(m.Items, archive.Held{Name: nameOf(7, uint64(round*64+i)), Size: 1000, Print: 1})
			}
			v.Do(victim, func(engine.Protocol) { v.Node(victim).Archive.Receive(v.Peer(liar), m) })
			v.Run(100 * time.Millisecond)
		}
		v.Run(time.Minute)
		if v.Disk(victim).Len() > 0 || v.Node(victim).Archive.Load().Wanted > 0 {
			t.Errorf("the victim keeps %d items and wants %d", v.Disk(victim).Len(),
				v.Node(victim).Archive.Load().Wanted)
		}
		if asked := v.NodeCount(liar).Received - before; asked > 50+64*50/16+200 {
			t.Errorf("the liar was asked %d times", asked)
		}
		v.Do(victim, func(engine.Protocol) {
			a := v.Node(victim).Archive
			a.Receive(v.Peer(liar), &archive.Give{Name: nameOf(7, 1), Bytes: make([]byte, 100)})
		})
		v.Run(time.Second)
		if v.counts["archive.Lied"] == 0 {
			t.Error("a false item was not noticed")
		}
		var proven []bool
		v.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if e, ok := event.(archive.Lied); ok {
				proven = append(proven, e.Proven)
			}
		})
		for _, length := range []int{100, 1} { // what cannot be read proves nothing
			v.Do(victim, func(engine.Protocol) {
				v.Node(victim).Archive.Receive(v.Peer(liar),
					&archive.Give{Name: nameOf(7, 1), Bytes: make([]byte, length)})
			})
			v.Run(time.Second)
		}
		if !slices.Equal(proven, []bool{true, false}) {
			t.Errorf("proven: %v", proven)
		}
		v.Do(victim, func(engine.Protocol) {
			v.Node(victim).Archive.Receive(v.Peer(liar),
				&archive.Offer{Items: []archive.Held{{Name: nameOf(8, 1), Size: 10, Print: 1}}})
		})
		if wanted := v.Node(victim).Archive.Load().Wanted; wanted > 0 {
			t.Error("a peer that has sent what is false is asked for more")
		}
	})
}
