package archive

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// drawID draws IDs that often lie close together.
func drawID(t *rapid.T, label string) (id engine.ID) {
	b := rapid.SliceOfN(rapid.Byte(), 2, 2).Draw(t, label)
	id[0], id[len(id)-1] = b[0], b[1]
	return id
}

// drawRing draws nodes, in the order of IDs.
func drawRing(t *rapid.T, least int) (nodes []engine.Peer) {
	id := rapid.Custom(func(t *rapid.T) engine.ID { return drawID(t, "ID") })
	ids := rapid.SliceOfNDistinct(id, least, 40, rapid.ID[engine.ID]).Draw(t, "nodes")
	slices.SortFunc(ids, engine.ID.Compare)
	for _, id := range ids {
		nodes = append(nodes, engine.Peer{ID: id, Address: "x"})
	}
	return nodes
}

// closest is the oracle: the owners of a key.
func closest(key engine.ID, nodes []engine.Peer, k int) []engine.Peer {
	sorted := slices.Clone(nodes)
	slices.SortFunc(sorted, func(a, b engine.Peer) int {
		if engine.Closer(key, a.ID, b.ID) {
			return -1
		}
		return 1
	})
	return sorted[:min(k, len(sorted))]
}

// leafSet returns a node's neighbours as Pastry reports them.
func leafSet(nodes []engine.Peer, self, half int) (below, above []engine.Peer) {
	others := len(nodes) - 1
	for i := 1; i <= min(half, others); i++ {
		above = append(above, nodes[(self+i)%len(nodes)])
		below = append(below, nodes[(self-i+len(nodes))%len(nodes)])
	}
	return below, above
}

// A node knows from its leaf set alone which keys it owns, and which together with each of its neighbours.
func TestViewAgreesWithTheRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawRing(t, 1)
		half := rapid.IntRange(2, 8).Draw(t, "half")
		k := rapid.IntRange(1, half).Draw(t, "k")
		self := rapid.IntRange(0, len(nodes)-1).Draw(t, "self")
		below, above := leafSet(nodes, self, half)
		v := newView(nodes[self], below, above, k)
		own, ok := v.owned(0)
		if !ok {
			t.Fatal("the leaf set does not say what the node owns")
		}
		for range 20 {
			key := drawID(t, "key")
			if rapid.Bool().Draw(t, "middle") { // where ownership changes
				a, b := rapid.IntRange(0, len(nodes)-1).Draw(t, "a"), rapid.IntRange(0, len(nodes)-1).Draw(t, "b")
				key = middle(nodes[a].ID, nodes[b].ID)
				key[len(key)-1]++ // no tie: of two at the same distance either view will do
			}
			owners := closest(key, nodes, k)
			owner := slices.Contains(owners, nodes[self])
			if own.contains(key) != owner && !tie(key, nodes) {
				t.Fatalf("key %v: the view says %v, the ring %v", key, !owner, owner)
			}
			for _, place := range v.coOwners() {
				p, _ := v.at(place)
				shared := slices.ContainsFunc(v.shared(place), func(a keyRange) bool { return a.contains(key) })
				if want := owner && slices.Contains(owners, p); shared != want && !tie(key, nodes) {
					t.Fatalf("key %v is shared with place %d: the view says %v, the ring %v", key, place, shared, want)
				}
			}
		}
		if slices.Contains(v.coOwners(), 0) {
			t.Fatal("a node is its own co-owner")
		}
		for i, p := range nodes {
			if i == self {
				continue
			}
			key := middle(nodes[self].ID, p.ID)
			owners := closest(key, nodes, k)
			together := slices.Contains(owners, nodes[self]) && slices.Contains(owners, p)
			known := slices.ContainsFunc(v.coOwners(), func(place int) bool { q, _ := v.at(place); return q == p })
			if together && !known && !tie(key, nodes) {
				t.Fatalf("%v owns %v too, and is no co-owner", p, key)
			}
		}
	})
}

// tie reports whether two nodes are at the same distance from a key.
func tie(key engine.ID, nodes []engine.Peer) bool {
	seen := make(map[engine.ID]bool)
	for _, p := range nodes {
		d := key.Distance(p.ID)
		if seen[d] {
			return true
		}
		seen[d] = true
	}
	return false
}

// What two arcs have in common is what belongs to both.
func TestArcsInCommon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := keyRange{drawID(t, "a.from"), drawID(t, "a.to")}
		b := keyRange{drawID(t, "b.from"), drawID(t, "b.to")}
		both := a.and(b)
		if len(both) > 2 {
			t.Fatalf("%d arcs", len(both))
		}
		keys := []engine.ID{a.from, a.to, b.from, b.to, drawID(t, "key")}
		for _, key := range keys {
			next := plus(key, engine.ID{len(key) - 1: 1})
			for _, key := range []engine.ID{key, next} {
				count := 0
				for _, c := range both {
					if c.contains(key) {
						count++
					}
				}
				if want := a.contains(key) && b.contains(key); count > 1 || (count == 1) != want {
					t.Fatalf("%v and %v: %v belongs to %d of %v", a, b, key, count, both)
				}
			}
		}
	})
}
