package overlay

import (
	"math/rand/v2"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// Index is the Candidates of a partial view that changes: the owner of the view reports to it entries that come, change
// and go. The cost is in proportion to the change: an entry, to the topics that it shares with this node; a topic with
// another cover, to the entries that follow it; a choice, nothing. Only when the node joins a topic are all entries
// examined.
type Index struct {
	chance *rand.Rand
	near   int // how many of the best are compared by distance

	entries  []candidate // by slot; zero: free
	free     []int32
	byID     map[engine.ID]int32
	topics   map[interest.Name]*indexed
	list     []*indexed          // topics, in an order that does not differ from run to run
	barred   map[engine.ID]uint8 // nodes that are excluded, a bit for each task
	rankings [tasks + 1]ranking  // by task: by how much they cover that it lacks; alike: by how many topics they share
	usual    interest.Usual
	found    func()
}

// candidate is an entry of the view.
type candidate struct {
	peer     engine.Peer
	follows  interest.Set
	distance time.Duration
	topics   []*indexed // those of this node's that it follows, as its set says
	broad    bool       // it claims so many topics that it is not chosen
}

// alike is the ranking in which every topic counts, needed or not.
const alike = Task(tasks)

// indexed is a topic of this node's.
type indexed struct {
	name   interest.Name
	needed uint8   // a bit for each ranking
	by     []int32 // slots of the entries that follow it
}

// compared is how many of the best candidates are drawn, of which the nearest is chosen.
const compared = 8

// NewIndex returns an index without entries. chance draws among equals: the node's Env.Rand. If near, of several that
// are drawn the nearest is chosen (section 5). broad is as Config.Broad.
func NewIndex(chance *rand.Rand, near bool, broad int) *Index {
	x := &Index{
		chance: chance, near: 1, byID: make(map[engine.ID]int32),
		topics: make(map[interest.Name]*indexed), barred: make(map[engine.ID]uint8),
	}
	x.usual.Broad = broad
	if near {
		x.near = compared
	}
	return x
}

// OnFound has f called when there is a candidate for something that is needed where there was none: Overlay.Found.
func (x *Index) OnFound(f func()) { x.found = f }

// Usual is as Overlay.Usual.
func (x *Index) Usual(count int) {
	x.usual.Count, x.usual.Own = count, len(x.list)
	for i := range x.entries {
		e := &x.entries[i]
		if broad := x.usual.Exceeded(e.follows); broad != e.broad {
			e.broad = broad
			x.rank(int32(i))
		}
	}
}

// Len returns how many entries there are.
func (x *Index) Len() int { return len(x.byID) }

// Put adds an entry, or replaces it. distance orders equals, if it is known: not 0.
func (x *Index) Put(p engine.Peer, follows interest.Set, distance time.Duration) {
	slot, known := x.byID[p.ID]
	if known {
		x.unlink(slot)
	} else if n := len(x.free); n > 0 {
		slot, x.free = x.free[n-1], x.free[:n-1]
	} else {
		slot = int32(len(x.entries))
		x.entries = append(x.entries, candidate{})
	}
	x.byID[p.ID] = slot
	x.entries[slot] = candidate{peer: p, follows: follows, distance: distance, broad: x.usual.Exceeded(follows)}
	x.link(slot)
}

// Measure stores how far an entry is now.
func (x *Index) Measure(id engine.ID, distance time.Duration) {
	if slot, ok := x.byID[id]; ok {
		x.entries[slot].distance = distance
	}
}

// Remove drops an entry.
func (x *Index) Remove(id engine.ID) {
	if slot, ok := x.byID[id]; ok {
		x.unlink(slot)
		x.entries[slot] = candidate{}
		x.free = append(x.free, slot)
		delete(x.byID, id)
	}
}

// link enters a slot under the topics that it follows.
func (x *Index) link(slot int32) {
	e := &x.entries[slot]
	if e.follows.Exact() && len(e.follows) < len(x.topics)*8 {
		for _, n := range e.follows.Names() {
			if t := x.topics[n]; t != nil {
				x.enter(slot, t)
			}
		}
	} else {
		for _, t := range x.list {
			if e.follows.Has(t.name) {
				x.enter(slot, t)
			}
		}
	}
	x.rank(slot)
}

func (x *Index) enter(slot int32, t *indexed) {
	t.by = append(t.by, slot)
	x.entries[slot].topics = append(x.entries[slot].topics, t)
}

// unlink undoes what link did.
func (x *Index) unlink(slot int32) {
	e := &x.entries[slot]
	for i := range x.rankings {
		if x.rankings[i].has(slot) {
			x.rankings[i].remove(slot)
		}
	}
	for _, t := range e.topics {
		t.by = drop(t.by, slot)
	}
	e.topics = nil
}

// rank puts a slot into the rankings that it belongs to, and drops it from the others.
func (x *Index) rank(slot int32) {
	e := &x.entries[slot]
	barred := x.barred[e.peer.ID]
	for t := range Task(len(x.rankings)) {
		r := &x.rankings[t]
		is, shall := r.has(slot), len(e.topics) > 0 && barred&t.bit() == 0 && !e.broad
		switch {
		case is && !shall:
			r.remove(slot)
		case shall && !is:
			score := 0
			for _, topic := range e.topics {
				score += int(topic.needed >> t & 1)
			}
			if r.add(slot, score); t != alike && score > 0 && len(r.useful()) == 1 && x.found != nil {
				x.found()
			}
		}
	}
}

// Need is as in Candidates.
func (x *Index) Need(task Task, topic engine.ID, on bool) {
	t := x.topic(interest.NameOf(topic))
	if on == (t.needed&task.bit() != 0) {
		return
	}
	t.needed ^= task.bit()
	r := &x.rankings[task]
	for _, slot := range t.by {
		switch {
		case !r.has(slot):
		case on:
			r.raise(slot)
		default:
			r.lower(slot)
		}
	}
}

// topic returns one of this node's topics, and finds its followers when it is new.
func (x *Index) topic(n interest.Name) *indexed {
	if t := x.topics[n]; t != nil {
		return t
	}
	t := &indexed{name: n, needed: alike.bit()}
	x.topics[n], x.list = t, append(x.list, t)
	for i := range x.entries {
		if e := &x.entries[i]; e.follows != nil && e.follows.Has(n) {
			if x.enter(int32(i), t); x.rankings[alike].has(int32(i)) {
				x.rankings[alike].raise(int32(i))
			}
			x.rank(int32(i))
		}
	}
	return t
}

// Forget is as in Candidates.
func (x *Index) Forget(topic engine.ID) {
	t := x.topics[interest.NameOf(topic)]
	if t == nil {
		return
	}
	delete(x.topics, t.name)
	x.list = drop(x.list, t)
	for _, slot := range t.by {
		e := &x.entries[slot]
		e.topics = drop(e.topics, t)
		if x.rankings[alike].has(slot) {
			x.rankings[alike].lower(slot)
		}
		x.rank(slot)
	}
}

// Exclude is as in Candidates.
func (x *Index) Exclude(task Task, id engine.ID, on bool) {
	bits := x.barred[id] &^ task.bit()
	if on {
		bits |= task.bit()
	}
	if x.barred[id] = bits; bits == 0 {
		delete(x.barred, id)
	}
	if slot, ok := x.byID[id]; ok {
		x.rank(slot)
	}
}

// Best is as in Candidates: it draws from the best, and returns the nearest drawn one.
func (x *Index) Best(task Task) (engine.Peer, bool) { return x.draw(x.rankings[task].best(), x.near) }

// Any is as in Candidates. Of three drawn candidates it chooses the one that follows the smallest number of this node's
// topics. So it seldom chooses one that claims to follow everything.
func (x *Index) Any(task Task) (engine.Peer, bool) {
	slots := x.rankings[task].useful()
	if len(slots) == 0 {
		return engine.Peer{}, false
	}
	var least *candidate
	for range 3 {
		if e := &x.entries[slots[x.chance.IntN(len(slots))]]; least == nil || len(e.topics) < len(least.topics) {
			least = e
		}
	}
	return least.peer, true
}

// Alike is as in Candidates: it returns the nearest of the drawn ones.
func (x *Index) Alike(task Task) (p engine.Peer, shared []interest.Name, ok bool) {
	slots := x.rankings[alike].useful()
	if len(slots) == 0 {
		return engine.Peer{}, nil, false
	}
	e := x.nearest(slots[:min(len(slots), MostAlike)], x.near)
	for _, t := range e.topics {
		shared = append(shared, t.name)
	}
	return e.peer, shared, x.barred[e.peer.ID]&task.bit() == 0
}

// draw draws a slot up to times times, and returns the nearest drawn peer. Peers at an unknown distance come last.
func (x *Index) draw(slots []int32, times int) (p engine.Peer, ok bool) {
	if len(slots) == 0 {
		return engine.Peer{}, false
	}
	return x.nearest(slots, times).peer, true
}

func (x *Index) nearest(slots []int32, times int) *candidate {
	nearest := &x.entries[slots[x.chance.IntN(len(slots))]]
	for range times - 1 {
		e := &x.entries[slots[x.chance.IntN(len(slots))]]
		if e.distance > 0 && (nearest.distance == 0 || e.distance < nearest.distance) {
			nearest = e
		}
	}
	return nearest
}

// drop returns a list without one of its elements, in another order.
func drop[E comparable](list []E, e E) []E {
	for i := range list {
		if list[i] == e {
			last := len(list) - 1
			list[i] = list[last]
			return list[:last]
		}
	}
	return list
}

var _ Candidates = (*Index)(nil)
