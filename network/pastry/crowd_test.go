package pastry

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/sim"
)

// beside returns the i-th ID next to a key, on either side of it.
func beside(key engine.ID, i int) engine.ID {
	binary.BigEndian.PutUint64(key[12:], binary.BigEndian.Uint64(key[12:])+uint64(i/2+1)*uint64(1-2*(i%2)))
	return key
}

// inOnePart has all nodes from first on live in one part of the network, and all others somewhere.
func inOnePart(first *int) func(*sim.Config) {
	return func(c *sim.Config) {
		c.Prefix = func(n sim.Node) string {
			if int(n) >= *first {
				return "192.0.2.0/24"
			}
			return ""
		}
	}
}

// crowds returns how many of the given nodes are in a set of peers.
func (r *ring) crowds(of []sim.Node, peers []engine.Peer) (count int) {
	for _, n := range of {
		if slices.Contains(peers, r.world.Peer(n)) {
			count++
		}
	}
	return count
}

// An owner of 64 IDs from one /24, all made to lie next to a key, gets at most two into a leaf set, and among a key's
// owners. They are the first two. Nodes that sit elsewhere lose nothing by that, also when half of the neighbours have
// died and others move up. When the first two are gone, two others get in.
func TestHostile70IDsOfOnePartOfTheNetwork(t *testing.T) {
	t.Parallel()
	for _, joins := range []bool{true, false} {
		honest := 40
		r := newRing(t, 1, inOnePart(&honest))
		r.grow(honest, 200*time.Millisecond)
		good, key := slices.Clone(r.nodes), r.key()
		for i := range 64 {
			id := beside(key, i)
			if !joins { // spread over an eighth of the ring, so that routing tables have them as well
				id = r.key()
				id[0] = key[0]&^0x1f | id[0]&0x1f
			}
			r.addID(id, good[0])
			r.world.Run(200 * time.Millisecond)
		}
		bad := slices.Clone(r.nodes[honest:])
		check := func(when string) {
			t.Helper()
			seen := 0
			for _, n := range r.alive() {
				if slices.Contains(bad, n) {
					continue
				}
				p := r.pastry(n)
				below, above := p.LeafSet()
				leaves := append(below, above...)
				slices.SortFunc(leaves, func(a, b engine.Peer) int { return a.ID.Compare(b.ID) })
				in := r.crowds(bad, slices.Compact(leaves))
				owners, _ := p.Owners(key, 9)
				if owning := r.crowds(bad, owners); in > maxOfPrefix || owning > maxOfPrefix {
					t.Errorf("%s, %v has %d of them in its leaf set, and %d among the owners", when, r.world.Peer(n),
						in, owning)
				}
				seen = max(seen, in)
				if len(leaves) < r.config.LeafSet {
					t.Errorf("%s, %v has %d neighbours", when, r.world.Peer(n), len(leaves))
				}
			}
			if seen == 0 {
				t.Errorf("%s, none of them is in any leaf set: nothing is measured", when)
			}
		}
		r.world.Run(5 * time.Minute)
		check("at rest")
		for _, n := range good[1:20] {
			r.world.Crash(n)
		}
		r.world.Run(10 * time.Minute)
		check("after half of the others crashed")
		for _, n := range good[20:] {
			below, above := r.pastry(n).LeafSet()
			for _, m := range bad {
				if slices.Contains(append(below, above...), r.world.Peer(m)) && r.world.Up(m) {
					r.world.Crash(m)
				}
			}
		}
		r.world.Run(10 * time.Minute)
		check("after those that were there first have gone")
	}
}

// The list of a node's contacts has at most two of one network prefix in its leaf set, in any order of arrival. Those
// that are there stay while no node leaves.
func TestCrowdsOfAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := partsEnv{}
		k := known{env: env, self: engine.PrefixID("80"), digit: 4, half: 4, perSlot: 2}
		leaves := func() (peers []engine.Peer) {
			for i := range k.list {
				if k.isLeaf(i) {
					peers = append(peers, k.list[i].peer)
				}
			}
			return peers
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			before := leaves()
			if len(k.list) > 0 && rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				k.remove(k.list[rapid.IntRange(0, len(k.list)-1).Draw(t, "who")].peer.ID)
				k.thin()
			} else {
				p := engine.Peer{Address: engine.Address(fmt.Sprint(rapid.IntRange(0, 6).Draw(t, "part")))}
				binary.BigEndian.PutUint64(p.ID[:], rapid.Uint64().Draw(t, "id"))
				if p.ID == k.self || k.find(p.ID) != nil {
					continue
				}
				crowded := k.nearby(p.ID) && k.crowded(p)
				if count := ofPart(env, before, p.Address) + ofPart(env, []engine.Peer{env.Self()},
					p.Address); k.nearby(p.ID) && crowded != (count >= 2) {
					t.Fatalf("%d of %q are there, and another is one too many: %v", count, p.Address, crowded)
				}
				if !crowded {
					k.add(contact{peer: p, near: k.nearby(p.ID)})
				}
			}
			for part := range 7 {
				address := engine.Address(fmt.Sprint(part))
				if count := ofPart(env, append(leaves(), env.Self()), address); count > 2 {
					t.Fatalf("%d of %q are in the leaf set", count, address)
				}
			}
		}
	})
}

// partsEnv knows one digit of addresses as their part of the network; 0 is nowhere. Self is in part 1.
type partsEnv struct{ engine.Env }

func (partsEnv) Self() engine.Peer { return engine.Peer{ID: engine.PrefixID("80"), Address: "1"} }
func (partsEnv) Trace(any)         {}
func (partsEnv) Prefix(a engine.Address) string {
	if a == "0" {
		return ""
	}
	return string(a)
}

func ofPart(env partsEnv, peers []engine.Peer, a engine.Address) (count int) {
	for _, p := range peers {
		if env.Prefix(p.Address) != "" && p.Address == a {
			count++
		}
	}
	return count
}

// If IDs cost work in a network, no node without it gets into leaf sets or tables. Hearsay of such a node costs no
// probe. Nodes with the work find each other as usual.
func TestHostile38IDsWithoutWork(t *testing.T) {
	t.Parallel()
	const bits = 4
	r := newRing(t, 1, func(c *sim.Config) { c.IDWork = bits })
	id := func(enough bool) engine.ID {
		for {
			if id := r.key(); (id.Work() >= bits) == enough {
				return id
			}
		}
	}
	for range 30 {
		r.addID(id(true))
		r.world.Run(200 * time.Millisecond)
	}
	good := slices.Clone(r.nodes)
	var bad []sim.Node
	for range 30 {
		bad = append(bad, r.addID(id(false), good[0]))
		r.world.Run(200 * time.Millisecond)
	}
	r.world.Run(time.Minute)
	for _, n := range good { // named by a node that has the work
		r.pastry(n).Receive(r.world.Peer(good[0]), &Row{Peers: r.peers(bad)})
		r.pastry(n).Receive(r.world.Peer(good[0]), &Leave{Near: r.peers(bad)})
		r.pastry(n).Receive(r.world.Peer(good[0]), &Welcome{Nonce: r.pastry(n).joiner.nonce, Near: r.peers(bad)})
		for _, b := range bad {
			r.pastry(n).Receive(r.world.Peer(b), &Probe{Active: true, Leaf: true})
		}
		if in := r.crowds(bad, r.pastry(n).Known()); in > 0 {
			t.Errorf("%v has met %d IDs without work", r.world.Peer(n), in)
		}
		r.pastry(n).Receive(r.world.Peer(good[0]), &Routed{Key: r.key(), Origin: r.world.Peer(bad[0]), Number: 1,
			Payload: &note{1 << 40}})
		r.pastry(n).Join(r.world.Peer(bad[0]))
	}
	for _, n := range good {
		for _, q := range r.pastry(n).prober.probes {
			if q.peer.ID.Work() < bits {
				t.Errorf("%v probes %v", r.world.Peer(n), q.peer)
			}
		}
	}
	r.world.Run(time.Minute)
	for _, n := range good {
		if in := r.crowds(bad, r.pastry(n).Known()); in > 0 {
			t.Errorf("%v knows %d IDs without work", r.world.Peer(n), in)
		}
	}
	if len(r.got[1<<40]) > 0 {
		t.Error("a message was delivered whose origin has no work")
	}
	r.nodes = good
	if wrong, _ := r.lookups(100, good); wrong > 0 {
		t.Errorf("%d lookups went wrong", wrong)
	}
	if wrong := r.wrongLeafSets(good); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
}
