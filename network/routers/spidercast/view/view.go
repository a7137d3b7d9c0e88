package view

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/vivaldi"
)

// Watcher is called as a view changes: overlay.Index, by way of what wires the two.
type Watcher interface {
	// Put reports an entry that is new or says something else than before.
	Put(e Entry)
	// Remove reports that there is no entry of a node any more.
	Remove(id engine.ID)
}

// View is a node's interest view.
type View struct {
	env     engine.Env
	config  Config
	watcher Watcher
	self    Entry
	topics  []interest.Name // that the node follows, and covers counts

	entries []*entry // in no order that means anything, but the same in each run
	byID    map[engine.ID]*entry
	covers  []int // how many entries follow each of topics
	alike   alike
	met     int // entries of nodes that were met

	usual   interest.Usual
	size    size
	lost    lost
	meters  meters
	pending pending
	rest    time.Duration // until the next round
	alarm   engine.Alarm
	retries engine.Alarm
}

// entry is an Entry in a view.
type entry struct {
	Entry
	at    int           // its index
	like  []int32       // which of our topics it follows: indices into topics
	born  time.Duration // when the node itself said so, since this one started; may be below 0
	broad bool          // its claims are not believed: see interest.Usual
	met   bool          // the node itself has said so to us: it exists
}

// New returns an empty view. It panics if c is not valid.
func New(env engine.Env, c Config, w Watcher) *View {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	v := &View{usual: interest.Usual{Broad: c.Broad}, env: env, config: c, watcher: w, byID: make(map[engine.ID]*entry),
		rest: c.FastRound}
	v.lost = lost{env: env, config: &v.config}
	v.meters = meters{last: make(map[engine.ID]time.Duration)}
	v.alarm.Set(env, env.Now()+time.Duration(env.Rand().Int64N(int64(c.FastRound))), v.round)
	v.retries.Set(env, env.Now()+c.Retry, v.retry)
	return v
}

// Follow says what this node follows: it is announced to others, and entries that follow the same are kept before
// others.
func (v *View) Follow(topics []engine.ID, follows interest.Set, version uint32) {
	v.self.Follows, v.self.Version = follows, version
	v.topics, v.usual.Own = v.topics[:0], len(topics)
	for _, t := range topics {
		v.topics = append(v.topics, interest.NameOf(t))
	}
	v.covers = make([]int, len(topics))
	v.alike = v.alike[:0]
	for _, e := range v.entries {
		v.match(e)
		v.count(e, 1)
	}
	v.hurry()
}

// Locate says where this node lies.
func (v *View) Locate(c vivaldi.Coordinate) { v.self.Coordinate = c }

// Meet names nodes to begin with.
func (v *View) Meet(peers ...engine.Peer) {
	for _, p := range peers {
		if p.ID != v.env.Self().ID && v.byID[p.ID] == nil {
			v.lost.add(p, never)
		}
	}
	v.hurry()
}

// hurry has the next rounds follow each other fast.
func (v *View) hurry() {
	v.rest = v.config.FastRound
	v.alarm.Soon(v.env, v.env.Now()+v.rest, v.round)
}

// match finds which of our topics an entry follows.
func (v *View) match(e *entry) {
	e.broad = v.usual.Exceeded(e.Follows)
	e.like = nil
	if e.broad || e.Follows == nil {
		return
	}
	for i, n := range v.topics {
		if e.Follows.Has(n) {
			e.like = append(e.like, int32(i))
		}
	}
}

// count counts for which of our topics an entry stands, or no longer does.
func (v *View) count(e *entry, by int) {
	for _, i := range e.like {
		v.covers[i] += by
	}
	v.alike.count(len(e.like), by)
}

// thin returns up to most of our topics that fewer entries follow than there should be.
func (v *View) thin(most int) (names []interest.Name) {
	for i, n := range v.topics {
		if v.covers[i] < v.config.Cover && len(names) < most {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// needed reports whether a topic of ours would be thin without an entry.
func (v *View) needed(e *entry) bool {
	return slices.ContainsFunc(e.like, func(i int32) bool { return v.covers[i] <= v.config.Cover })
}

// learn adopts what was said of a node, by itself if met. It reports whether an entry of it was known already.
func (v *View) learn(e *Entry, now time.Duration, met bool) (known bool) {
	if e.Peer.ID == v.env.Self().ID || e.Peer.IsZero() || e.Follows.Validate() != nil {
		return false
	}
	born := now - time.Duration(e.Age)*time.Second
	old := v.byID[e.Peer.ID]
	switch {
	case time.Duration(e.Age)*time.Second > v.config.MaxAge || born <= v.lost.since(e.Peer.ID):
		return old != nil
	case old == nil:
		v.add(&entry{Entry: *e, born: born, met: met})
	case born > old.born:
		v.renew(old, e, born)
	}
	if met && old != nil && !old.met {
		old.met = true
		v.met++
	}
	return old != nil
}

// renew replaces an entry by a younger one.
func (v *View) renew(old *entry, e *Entry, born time.Duration) {
	same := old.Version == e.Version && old.Peer == e.Peer && slices.Equal(old.Follows, e.Follows)
	if !same {
		v.count(old, -1)
	}
	old.Entry, old.born = *e, born
	if !same {
		v.match(old)
		v.count(old, 1)
		v.watcher.Put(old.Entry)
	}
}

// add puts an entry in. Where the view is as long as it is to be, another goes, or the new one.
func (v *View) add(e *entry) {
	v.match(e)
	for range 2 { // so that a view that is to be shorter becomes so
		if len(v.entries) < v.capacity() {
			break
		}
		victim := v.victim()
		if v.needed(victim) && !v.needs(e) {
			return
		}
		v.remove(victim)
	}
	e.at = len(v.entries)
	v.entries = append(v.entries, e)
	v.byID[e.Peer.ID] = e
	v.count(e, 1)
	if e.met {
		v.met++
	}
	v.lost.remove(e.Peer.ID)
	v.watcher.Put(e.Entry)
}

// capacity returns how long the view may be: Share of the nodes, and enough to cover each topic. It adds entries that
// are chosen for neither. Without them, nodes that are alike would know only each other.
func (v *View) capacity() int {
	c := &v.config
	share := int(c.Share * float64(v.size.estimate(len(v.entries))))
	return min(c.Least+max(share, c.Cover*len(v.topics)), c.Most)
}

// needs reports whether a topic of ours that is thin is followed by a node that has no entry.
func (v *View) needs(e *entry) bool {
	return slices.ContainsFunc(e.like, func(i int32) bool { return v.covers[i] < v.config.Cover })
}

// draws is how many entries are looked at to find one that can go: a victim.
const draws = 8

// victim returns the oldest of the drawn entries. If possible it is one of those that share little with us. So a third
// of the view is those that share most, and the rest is any. It prefers entries that are not needed, and that were not
// met. So half of the view are nodes that exist, whatever others say.
func (v *View) victim() (victim *entry) {
	least, kept := v.alike.least(len(v.entries)/3), 0
	for range draws {
		e := v.entries[v.env.Rand().IntN(len(v.entries))]
		keep := 0 // how much speaks for the entry
		switch {
		case v.needed(e):
			keep = 2
		case len(e.like) >= least:
			keep = 1
		}
		if e.met && 2*v.met <= len(v.entries) {
			keep += 3
		}
		if victim == nil || keep < kept || keep == kept && e.born < victim.born {
			victim, kept = e, keep
		}
	}
	return victim
}

func (v *View) remove(e *entry) {
	last := v.entries[len(v.entries)-1]
	v.entries[e.at], last.at = last, e.at
	v.entries = v.entries[:len(v.entries)-1]
	delete(v.byID, e.Peer.ID)
	v.count(e, -1)
	if e.met {
		v.met--
	}
	v.watcher.Remove(e.Peer.ID)
}

// expire removes the entries that nobody has confirmed for too long.
func (v *View) expire(now time.Duration) {
	for i := 0; i < len(v.entries); {
		if e := v.entries[i]; e.born+v.config.MaxAge < now {
			v.remove(e)
			v.lost.add(e.Peer, e.born)
			v.env.Trace(Expired{e.Peer})
			continue
		}
		i++
	}
}

// Stop ends the view.
func (v *View) Stop() {
	v.alarm.Stop()
	v.retries.Stop()
}

// Len returns how many entries there are.
func (v *View) Len() int { return len(v.entries) }

// Covers returns how many entries follow a topic of this node's.
func (v *View) Covers(topic engine.ID) int {
	if i := slices.Index(v.topics, interest.NameOf(topic)); i >= 0 {
		return v.covers[i]
	}
	return 0
}

// Size returns how many nodes there are, as far as this one knows.
func (v *View) Size() int { return v.size.estimate(len(v.entries)) + 1 }

// Usual returns how many topics nodes follow, as a rule. It is the median of what drawn entries say; 0: there are none.
func (v *View) Usual() int { return v.usual.Count }

// survey finds out what is usual.
func (v *View) survey() {
	const drawn = 31
	if len(v.entries) == 0 {
		return
	}
	var counts [drawn]int
	for i := range counts {
		counts[i] = v.entries[v.env.Rand().IntN(len(v.entries))].Follows.Len()
	}
	slices.Sort(counts[:])
	v.usual.Count = counts[drawn/2]
}

// Entries returns what is known, for people and experiments.
func (v *View) Entries() []Entry {
	list := make([]Entry, len(v.entries))
	for i, e := range v.entries {
		list[i] = v.aged(e, v.env.Now())
	}
	return list
}

// aged returns an entry as it is sent at a time.
func (v *View) aged(e *entry, now time.Duration) Entry {
	out := e.Entry
	// up, or an entry that is passed on would grow younger
	out.Age = uint32((now - e.born + time.Second - 1) / time.Second)
	return out
}
