package pastry

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// tiny draws IDs that are close together and share prefixes.
var tiny = rapid.Custom(func(t *rapid.T) engine.ID {
	var id engine.ID
	for i := range 2 {
		id[i] = rapid.SampledFrom([]byte{0x00, 0x01, 0x10, 0x11, 0x7f, 0x80, 0xf0, 0xff}).Draw(t, "byte")
	}
	id[19] = rapid.Byte().Draw(t, "last")
	return id
})

// The list answers like a plain search through all that were added and not removed, if slots have room for all.
func TestKnownAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := known{self: tiny.Draw(t, "self"), digit: 4, half: rapid.IntRange(1, 4).Draw(t, "half"), perSlot: 1000}
		self := engine.Peer{ID: k.self, Address: "self"}
		var model []engine.Peer
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			id := tiny.Draw(t, "id")
			at := slices.IndexFunc(model, func(p engine.Peer) bool { return p.ID == id })
			switch claim, found := k.claims(id); {
			case id == k.self:
			case found != (at >= 0):
				t.Fatalf("%v is known: %v", id, found)
			case at < 0:
				leaf := k.add(contact{peer: engine.Peer{ID: id, Address: "x"}})
				if leaf != (claim == ofLeafSet) || leaf != k.inLeafSet(id) {
					t.Fatalf("%v was to be in the leaf set: %v, and is: %v", id, claim == ofLeafSet, leaf)
				}
				model = append(model, engine.Peer{ID: id, Address: "x"})
			default:
				k.remove(id)
				model = slices.Delete(model, at, at+1)
			}
		}
		compareSides(t, &k, model)
		if cap(k.list) > 40+40/8+8 {
			t.Fatalf("a list of %d has room for %d", len(k.list), cap(k.list))
		}
		key := tiny.Draw(t, "key")
		var want *engine.ID
		for _, p := range append(slices.Clone(model), self) {
			if want == nil || engine.Closer(key, p.ID, *want) {
				want = &p.ID
			}
		}
		got := k.self
		if c := k.closest(key, 0, func(*contact) bool { return true }); c != nil {
			got = c.peer.ID
		}
		if got != *want {
			t.Fatalf("closest to %v is %v, want %v", key, got, *want)
		}
		compareNear(t, &k, append(slices.Clone(model), self), key, self)
	})
}

func sortedFrom(peers []engine.Peer, distance func(engine.ID) engine.ID, n int) []engine.Peer {
	sorted := slices.Clone(peers)
	slices.SortFunc(sorted, func(a, b engine.Peer) int { return distance(a.ID).Compare(distance(b.ID)) })
	return sorted[:min(n, len(sorted))]
}

func compareSides(t *rapid.T, k *known, model []engine.Peer) {
	var below, above []engine.Peer
	for i := range k.sides() {
		below, above = append(below, k.below(i).peer), append(above, k.above(i).peer)
	}
	wantAbove := sortedFrom(model, k.self.Clockwise, k.half)
	wantBelow := sortedFrom(model, func(id engine.ID) engine.ID { return id.Clockwise(k.self) }, k.half)
	if !slices.Equal(below, wantBelow) || !slices.Equal(above, wantAbove) {
		t.Fatalf("the leaf set is %v, %v; want %v, %v", below, above, wantBelow, wantAbove)
	}
}

func compareNear(t *rapid.T, k *known, all []engine.Peer, id engine.ID, self engine.Peer) {
	all = slices.DeleteFunc(all, func(p engine.Peer) bool { return p.ID == id })
	want := sortedFrom(all, id.Clockwise, k.half)
	for _, p := range sortedFrom(all, func(other engine.ID) engine.ID { return other.Clockwise(id) }, k.half) {
		if !slices.Contains(want, p) {
			want = append(want, p)
		}
	}
	if got := k.around(id, self, nil); !slices.Equal(got, want) {
		t.Fatalf("around %v are %v, want %v", id, got, want)
	}
}

// A slot keeps the fastest.
func TestSlotKeepsTheFastest(t *testing.T) {
	t.Parallel()
	k := known{self: engine.PrefixID("5"), digit: 4, half: 1, perSlot: 2}
	add := func(digits string, rtt time.Duration) {
		k.add(contact{peer: engine.Peer{ID: engine.PrefixID(digits)}, rtt: rtt})
	}
	add("4f", 1) // the neighbours on either side
	add("51", 1)
	add("a1", 0)
	add("a2", 30)
	add("a3", 20)
	add("a4", 40)
	add("a5", 0)
	var left []string
	for _, c := range k.list {
		left = append(left, c.peer.ID.String()[:2])
	}
	if want := []string{"4f", "51", "a2", "a3"}; !slices.Equal(left, want) {
		t.Errorf("%v are kept, want %v", left, want)
	}
	if row := k.row(0); len(row) != 2 || row[1].ID != engine.PrefixID("a3") {
		t.Errorf("the first row is %v", row)
	}
}

// The memory of the lost keeps the peers that were met, whatever liars report.
func TestLostKeepsThoseMet(t *testing.T) {
	t.Parallel()
	l := lost{max: 4, first: 30 * time.Second, last: time.Hour}
	chance := newRing(t, 1).chance
	peer := func(n byte, address engine.Address) engine.Peer {
		return engine.Peer{ID: engine.ID{n}, Address: address}
	}
	for n := range byte(3) {
		l.add(peer(n, "true"), true, true, 0, chance)
	}
	for n := range byte(100) {
		l.add(peer(n, "false"), false, true, time.Duration(n), chance)
	}
	if len(l.peers) != 4 {
		t.Errorf("%d are remembered", len(l.peers))
	}
	for n := range byte(3) {
		if m := l.find(engine.ID{n}); m == nil || m.peer != peer(n, "true") {
			t.Errorf("%d was forgotten, or is looked for elsewhere", n)
		}
	}
	for now := time.Duration(0); now < 10*time.Hour; now += time.Minute { // looked for in vain
		if p, ok := l.due(now); ok {
			l.add(p, true, true, now, chance)
		}
	}
	if p, ok := l.due(11*time.Hour + time.Minute); !ok || !l.met(p.ID) {
		t.Error("after ten hours nobody looks for them any more")
	}
}

// BenchmarkNext is the choice of the next hop, the work of a node that forwards.
func BenchmarkNext(b *testing.B) {
	r := newRing(b, 1, large)
	r.grow(1000, 50*time.Millisecond)
	n := r.pastry(r.nodes[0])
	m := &Routed{Payload: &note{}}
	for b.Loop() {
		m.Key = r.key()
		n.next(m, nil)
	}
}

// A node leaves the leaf set because a closer one has come. When it is back, it has to send its neighbours anew: others
// may have come beside it meanwhile. The nodes that stay have sent theirs.
func TestNodesThatLeftTheLeafSetTellAnew(t *testing.T) {
	t.Parallel()
	// the closest, the last, and one between them
	for _, side := range [][]string{{"51", "53", "52"}, {"4f", "4d", "4e"}} {
		k := known{self: engine.PrefixID("50"), digit: 4, half: 2, perSlot: 1000}
		for _, digits := range []string{"51", "53", "4f", "4d"} {
			k.add(contact{peer: engine.Peer{ID: engine.PrefixID(digits)}, near: true})
		}
		between := engine.PrefixID(side[2])
		k.add(contact{peer: engine.Peer{ID: between}, near: true})
		near := func(digits string) bool { return k.find(engine.PrefixID(digits)).near }
		if !near(side[0]) || near(side[1]) || !near(side[2]) || k.inLeafSet(engine.PrefixID(side[1])) {
			t.Errorf("when %s has come, %s is taken to have told: %v", side[2], side[1], near(side[1]))
		}
		if k.remove(between); near(side[1]) || !k.inLeafSet(engine.PrefixID(side[1])) {
			t.Errorf("when %s is back in the leaf set, it is taken to have told", side[1])
		}
	}
}

// A slot of the routing table that is full keeps the fastest. Of equal ones, and of those that were not measured, it
// keeps those that stand first in the list.
func TestASlotKeepsTheFastest(t *testing.T) {
	t.Parallel()
	id := func(slot, number byte) (id engine.ID) {
		id[0], id[19] = slot, number
		return id
	}
	for _, c := range []struct {
		rtts [5]time.Duration // of the numbers 1 to 5
		kept []byte
	}{
		{[5]time.Duration{1, 1, 1, 1, 1}, []byte{1, 2}},
		{[5]time.Duration{0, 0, 0, 0, 0}, []byte{1, 2}},
		{[5]time.Duration{0, 3, 0, 2, 0}, []byte{2, 4}},
		{[5]time.Duration{0, 0, 0, 2, 0}, []byte{1, 4}},
		{[5]time.Duration{5, 4, 3, 2, 1}, []byte{4, 5}},
	} {
		k := known{digit: 4, half: 1, perSlot: 2}
		for _, near := range []byte{0x01, 0xff} { // they are the leaf set
			k.add(contact{peer: engine.Peer{ID: id(near, 9)}})
		}
		for _, number := range []byte{3, 5, 1, 4, 2} {
			k.add(contact{peer: engine.Peer{ID: id(0x70, number)}, rtt: c.rtts[number-1]})
		}
		var kept []byte
		for i := range k.list {
			if p := k.list[i].peer.ID; p[0] == 0x70 {
				kept = append(kept, p[19])
			}
		}
		if !slices.Equal(kept, c.kept) {
			t.Errorf("of %v are kept %v, not %v", c.rtts, kept, c.kept)
		}
	}
}
