package sim

import "time"

// Cut is links on which nothing passes, until they are healed. Messages that are sent into a cut or arrive in it are
// lost, and their senders learn it by PeerDown, as of a peer that crashed. With Config.Connections, those that lately
// exchanged messages across it learn it too.
type Cut struct {
	world     *World
	on        bool
	separates func(from, to Node) bool
	flaps     int // how often Flap was called: a later one ends an earlier
}

// Partition keeps the groups from reaching each other. Nodes in none of them, those added
// later too, are one more group.
func (w *World) Partition(groups ...[]Node) *Cut {
	var side []uint16 // by node; 0: in no group
	for i, group := range groups {
		for _, n := range group {
			if missing := int(n) + 1 - len(side); missing > 0 {
				side = append(side, make([]uint16, missing)...)
			}
			side[n] = uint16(i + 1)
		}
	}
	of := func(n Node) uint16 {
		if int(n) < len(side) {
			return side[n]
		}
		return 0
	}
	return w.newCut(func(from, to Node) bool { return of(from) != of(to) })
}

// CutOneWay keeps every message of one of from from reaching any of to. With the way back open, from receives from to
// and not the other way round.
func (w *World) CutOneWay(from, to []Node) *Cut {
	senders, receivers := newSet(from), newSet(to)
	return w.newCut(func(from, to Node) bool { return senders.has(from) && receivers.has(to) })
}

// CutBetween keeps each of a and each of b from reaching each other.
func (w *World) CutBetween(a, b []Node) *Cut {
	as, bs := newSet(a), newSet(b)
	return w.newCut(func(from, to Node) bool {
		return as.has(from) && bs.has(to) || bs.has(from) && as.has(to)
	})
}

func (w *World) newCut(separates func(from, to Node) bool) *Cut {
	c := &Cut{world: w, separates: separates}
	c.set(true)
	return c
}

// set cuts the links or lets them pass.
func (c *Cut) set(on bool) {
	if c.on == on {
		return
	}
	w := c.world
	c.on = on
	if on {
		w.note(noteCut, nobody, uint64(len(w.cuts)))
		w.cuts = append(w.cuts, c)
		w.endContactsAcross()
		return
	}
	for i, other := range w.cuts {
		if other == c {
			w.note(noteHeal, nobody, uint64(i))
			w.cuts = append(w.cuts[:i:i], w.cuts[i+1:]...)
			return
		}
	}
}

// Heal ends the cut, and its flapping.
func (c *Cut) Heal() {
	c.flaps++
	c.set(false)
}

// Flap heals the cut after d, cuts again after another d, and so on until Heal.
func (c *Cut) Flap(d time.Duration) {
	if d <= 0 {
		panic("sim: a cut that flaps without end at one moment")
	}
	c.flaps++
	c.world.flapping = append(c.world.flapping, c)
	c.flap(d, c.flaps)
}

func (c *Cut) flap(d time.Duration, flaps int) {
	c.world.After(d, func() {
		if c.flaps == flaps {
			c.set(!c.on)
			c.flap(d, flaps)
		}
	})
}

// Heal ends all cuts.
func (w *World) Heal() {
	for _, c := range w.flapping {
		c.flaps++
	}
	w.flapping = nil
	for len(w.cuts) > 0 {
		w.cuts[len(w.cuts)-1].Heal()
	}
}

// cut reports whether nothing passes from one node to another.
func (w *World) cut(from, to Node) bool {
	for _, c := range w.cuts {
		if c.separates(from, to) {
			return true
		}
	}
	return false
}

// set is nodes, as bits.
type set []uint64

func newSet(nodes []Node) set {
	var s set
	for _, n := range nodes {
		s.add(n)
	}
	return s
}

func (s *set) add(n Node) {
	for int(n)/64 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s set) has(n Node) bool { return int(n)/64 < len(s) && s[n/64]>>(n%64)&1 == 1 }
