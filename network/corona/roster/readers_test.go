package roster

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// received is a subscription as an owner receives it.
type received struct {
	by    subscriberKey
	stamp uint64
	count uint32
}

// drawReceived draws subscriptions of few subscribers with few stamps, so that they collide.
func drawReceived(t *rapid.T, label string) []received {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) received {
		return received{
			subscriberKey{engine.ID{rapid.Byte().Draw(t, "node") % 6},
				rapid.SampledFrom([]string{"", "", "a", "b", "c"}).Draw(t, "outside")},
			uint64(rapid.IntRange(1, 5).Draw(t, "stamp")), uint32(rapid.IntRange(0, 2).Draw(t, "count")),
		}
	}), 0, 150).Draw(t, label)
}

// readerTable is the table of one channel at a node of its own.
type readerTable struct {
	subscribers subscribers
	readers     readers
}

const testMost = 64

func (v *readerTable) merge(all ...received) *readerTable {
	for _, x := range all {
		s := Subscription{Node: engine.Peer{ID: x.by.node, Address: "somewhere"}, Outside: x.by.outside, Count: x.count,
			Stamp: x.stamp}
		v.readers.put(&v.subscribers, entry{stamp: x.stamp, number: v.subscribers.of(&s), count: x.count}, proofOf(x),
			testMost)
	}
	return v
}

// proofOf is the signature of a subscription, which is unlike all others.
func proofOf(x received) []byte {
	id := engine.IDOf(fmt.Append(nil, x))
	return bytes.Repeat(id[:16], engine.SignatureLength/16)
}

// content returns what a table holds.
func (v *readerTable) content() map[subscriberKey]received {
	all := make(map[subscriberKey]received)
	for _, e := range v.readers.entries {
		k := v.subscribers.list[e.number].subscriberKey
		all[k] = received{k, e.stamp, e.count}
	}
	return all
}

// model is what a readerTable should hold: of each subscriber the newest.
func model(all ...received) map[subscriberKey]received {
	m := make(map[subscriberKey]received)
	for _, x := range all {
		if y, ok := m[x.by]; !ok || x.stamp > y.stamp || x.stamp == y.stamp && x.count > y.count {
			m[x.by] = x
		}
	}
	return m
}

// Tables are a join semilattice: merging is commutative, associative and idempotent, so that owners agree in whatever
// order, and however often, entries arrive.
func TestTablesMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawReceived(t, "a"), drawReceived(t, "b"), drawReceived(t, "c")
		want := model(slices.Concat(a, b, c)...)
		entriesOf := func(v *readerTable) []received { return slices.Collect(maps.Values(v.content())) }
		again, both := new(readerTable).merge(a...).merge(b...), new(readerTable).merge(b...).merge(c...)
		for name, v := range map[string]*readerTable{
			"in order":            new(readerTable).merge(a...).merge(b...).merge(c...),
			"the other way round": new(readerTable).merge(c...).merge(b...).merge(a...),
			"twice":               again.merge(a...).merge(c...).merge(b...).merge(c...),
			"grouped":             new(readerTable).merge(a...).merge(entriesOf(both)...),
		} {
			if !maps.Equal(v.content(), want) {
				t.Fatalf("%s: %v, want %v", name, v.content(), want)
			}
			if sum := new(readerTable).merge(slices.Collect(maps.Values(want))...).readers.sum; v.readers.sum != sum {
				t.Fatalf("%s: sum %x, want %x", name, v.readers.sum, sum)
			}
		}
	})
}

// Sums are equal if and only if tables are, and so are those of each part.
func TestSumsDistinguishTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		common := drawReceived(t, "common")
		a := new(readerTable).merge(common...).merge(drawReceived(t, "a")...)
		b := new(readerTable).merge(common...).merge(drawReceived(t, "b")...)
		if equal := maps.Equal(a.content(), b.content()); equal != (a.readers.sum == b.readers.sum) {
			t.Fatalf("equal: %v, sums %x and %x", equal, a.readers.sum, b.readers.sum)
		}
		bits := uint8(rapid.IntRange(0, maxPartBits).Draw(t, "bits"))
		sumsA, sumsB := a.readers.sums(&a.subscribers, bits), b.readers.sums(&b.subscribers, bits)
		differ := make([]bool, 1<<bits)
		for _, v := range []*readerTable{a, b} {
			for k, x := range v.content() {
				if a.content()[k] != x || b.content()[k] != x {
					v := subscriber{hash: k.hash()}
					differ[v.part(bits)] = true
				}
			}
		}
		for i := range differ {
			if differ[i] != (sumsA[i] != sumsB[i]) {
				t.Fatalf("part %d of %d differs: %v, sums %x and %x", i, len(differ), differ[i], sumsA[i], sumsB[i])
			}
		}
	})
}

// The counts of a readerTable are those of its entries, whatever came and went. No subscriber is kept that is in no
// readerTable.
func TestTablesCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v readerTable
		want := make(map[subscriberKey]received)
		for range rapid.IntRange(1, 5).Draw(t, "times") {
			all := drawReceived(t, "received")
			v.merge(all...)
			want = model(append(slices.Collect(maps.Values(want)), all...)...)
			for range rapid.IntRange(0, len(v.readers.entries)).Draw(t, "removed") {
				i := rapid.IntRange(0, len(v.readers.entries)-1).Draw(t, "i")
				delete(want, v.subscribers.list[v.readers.entries[i].number].subscriberKey)
				v.readers.remove(&v.subscribers, i, testMost)
			}
		}
		if !maps.Equal(v.content(), want) {
			t.Fatalf("%v, want %v", v.content(), want)
		}
		checkCounts(t, &v)
		for len(v.readers.entries) > 0 {
			v.readers.remove(&v.subscribers, 0, testMost)
		}
		if r := &v.readers; r.sum != 0 || r.live != 0 || r.total != 0 || v.subscribers.index.Len() != 0 {
			t.Fatalf("an empty readerTable: %+v, %d people", r, v.subscribers.index.Len())
		}
	})
}

func checkCounts(t *rapid.T, v *readerTable) {
	for i, e := range v.readers.entries {
		x := received{v.subscribers.list[e.number].subscriberKey, e.stamp, e.count}
		if !bytes.Equal(v.readers.proof(i), proofOf(x)) {
			t.Fatalf("entry %d has the signature of another", i)
		}
	}
	// entries that a node speaks for, and what refers to a subscriber
	spoken, refs := make(map[uint32]uint32), make(map[uint32]uint32)
	for _, e := range v.readers.entries {
		spoken[v.subscribers.list[e.number].home]++
		refs[e.number]++
	}
	for number := range refs {
		if home := v.subscribers.list[number].home; home != number {
			refs[home]++
		}
	}
	for number, s := range v.subscribers.list {
		if s.subscriberKey != (subscriberKey{}) &&
			(s.entries != spoken[uint32(number)] || s.refs != refs[uint32(number)]) {
			t.Fatalf("%v speaks for %d entries and has %d references, want %d and %d", s.subscriberKey, s.entries,
				s.refs, spoken[uint32(number)], refs[uint32(number)])
		}
	}
	live, total := 0, uint64(0)
	nodes := make(map[engine.ID]bool)
	for _, x := range v.content() {
		if x.count > 0 {
			live++
			total += uint64(x.count)
			nodes[x.by.node] = true
		}
	}
	if live != v.readers.live || total != v.readers.total {
		t.Fatalf("%d entries of %d readers, want %d of %d", v.readers.live, v.readers.total, live, total)
	}
	listed := make(map[engine.ID]bool)
	o, tables := &Owned{readers: v.readers}, &tables{subscribers: v.subscribers}
	tables.index.Set(o.ID(), o)
	for at := -1; ; {
		var page []engine.Peer
		page, at = tables.Subscribers(o.ID(), at, rapid.IntRange(1, 20).Draw(t, "page"))
		for _, p := range page {
			listed[p.ID] = true
		}
		if at < 0 {
			break
		}
	}
	if !maps.Equal(nodes, listed) {
		t.Fatalf("nodes %v, want %v", listed, nodes)
	}
}

// A subscription counts for MaxCount readers at most.
func TestCountIsBounded(t *testing.T) {
	v := new(readerTable).merge(received{subscriberKey{node: engine.ID{1}}, 1, 1 << 31},
		received{subscriberKey{node: engine.ID{2}}, 1, 3})
	if v.readers.total != testMost+3 {
		t.Errorf("%d readers", v.readers.total)
	}
}

// A node is reached where its newest subscription says.
func TestNewestAddressHolds(t *testing.T) {
	var p subscribers
	put := func(stamp uint64, address engine.Address) {
		p.hold(p.of(&Subscription{Node: engine.Peer{ID: engine.ID{1}, Address: address}, Stamp: stamp}))
	}
	put(2, "new")
	put(1, "old")
	if got := p.peer(0).Address; got != "new" {
		t.Errorf("reached at %q", got)
	}
}

// Subscribers come and go: those that went leave room for others, so that the list is no longer than the most that were
// there at a time, with the nodes that speak for them.
func TestGoneSubscribersLeaveRoom(t *testing.T) {
	var v readerTable
	const atOnce, rounds = 10, 20
	for round := range rounds {
		for i := range atOnce {
			node := engine.ID{byte(round), byte(i)}
			v.merge(received{subscriberKey{node, ""}, 1, 1}, received{subscriberKey{node, "a"}, 1, 1})
		}
		for len(v.readers.entries) > 0 {
			v.readers.remove(&v.subscribers, len(v.readers.entries)-1, testMost)
		}
	}
	if got := len(v.subscribers.list); got != 2*atOnce {
		t.Errorf("after %d times %d subscribers there is room for %d; want %d, the most at a time", rounds, 2*atOnce,
			got,
			2*atOnce)
	}
	if got := len(v.subscribers.free); got != len(v.subscribers.list) {
		t.Errorf("of %d numbers %d are free when all subscribers have gone", len(v.subscribers.list), got)
	}
}
