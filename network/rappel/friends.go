package rappel

import (
	"cmp"
	"slices"
	"time"

	"tidings/network/engine"
)

// friends are the nodes whose interests are close to this one's, and who are near (section 3); and the fans, who have this one for a
// friend.
type friends struct {
	*core
	links      *links
	list       []friend // at most Config.Friends
	set        uint32   // version of the list, drawn at first
	fans       int      // at most Config.Fans
	candidates candidates
	audit      audit
	shunned    []shunned // at most maxShunned
	old        []recall  // friends of the session before who were asked again; at most Config.Friends

	// introduce returns nodes that a publisher, who has no friends, makes known to who asks it to be one.
	introduce func(to engine.Peer) []engine.Peer
}

// recall is a friend of the session before that was asked to be one again.
type recall struct {
	peer   engine.Peer
	number uint32
}

type friend struct {
	*neighbour
	since  time.Duration
	denied []engine.ID // topics that its filter has and that it has not joined, at most maxDenied
}

// maxDenied is how often a friend may have a false filter: a filter of all ones, or a stale one, is of no use.
const maxDenied = 2

// shunned is a node that is no friend for a time.
type shunned struct {
	id    engine.ID
	until time.Duration
}

const (
	maxShunned = 64
	shunning   = 10 * time.Minute
)

func newFriends(c *core, l *links) friends {
	return friends{core: c, links: l, candidates: candidates{most: c.config.Candidates}, set: c.env.Rand().Uint32() | 1}
}

func (f *friends) find(id engine.ID) int {
	return slices.IndexFunc(f.list, func(g friend) bool { return g.peer.ID == id })
}

// peers returns the friends as others are told of them.
func (f *friends) peers() (list []engine.Peer) {
	for _, g := range f.list {
		list = append(list, g.peer)
	}
	return list
}

// met takes note of nodes that were heard of.
func (f *friends) met(peers []engine.Peer) {
	now := f.now()
	f.shunned = slices.DeleteFunc(f.shunned, func(s shunned) bool { return now >= s.until })
	for _, p := range peers {
		if p.IsZero() || p.ID == f.id() || f.find(p.ID) >= 0 || slices.ContainsFunc(f.shunned, func(s shunned) bool { return s.id == p.ID }) {
			continue
		}
		f.candidates.take(p)
	}
}

// shun keeps a node from being a friend for a time.
func (f *friends) shun(id engine.ID) {
	f.candidates.remove(id)
	if len(f.shunned) == maxShunned {
		f.shunned = slices.Delete(f.shunned, 0, 1)
	}
	f.shunned = append(f.shunned, shunned{id, f.now() + shunning})
}

// covering returns the friends that may have joined a topic, nearest first.
func (f *friends) covering(topic engine.ID) (list []engine.Peer) {
	var all []friend
	for _, g := range f.list {
		if g.profile != nil && g.profile.filter.has(topic) && !slices.Contains(g.denied, topic) {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b friend) int { return cmp.Compare(f.distance(a), f.distance(b)) })
	for _, g := range all {
		list = append(list, g.peer)
	}
	return list
}

// distance returns how far a friend is: by its coordinate, but no less than was measured, as coordinates can be
// invented.
func (f *friends) distance(g friend) time.Duration {
	return max(f.self.coordinate.Distance(g.profile.coordinate), g.rtt)
}

// denied takes note that a node is not in a tree. A friend whose filter says otherwise twice is none.
func (f *friends) denied(by engine.Peer, topic engine.ID) {
	i := f.find(by.ID)
	if i < 0 || f.list[i].profile == nil || !f.list[i].profile.filter.has(topic) || slices.Contains(f.list[i].denied, topic) {
		return
	}
	if f.list[i].denied = append(f.list[i].denied, topic); len(f.list[i].denied) >= maxDenied {
		f.drop(i, "filter")
		f.env.Send(by, &Unfriend{})
		f.shun(by.ID)
	}
}

// add makes a node a friend.
func (f *friends) add(p engine.Peer, profile *profile, victim engine.Peer) {
	nb := f.links.get(p)
	nb.friend, nb.profile = true, profile
	if profile != nil {
		nb.versions = profile.versions
	}
	f.list = append(f.list, friend{neighbour: nb, since: f.now()})
	f.candidates.remove(p.ID)
	f.links.begin(nb)
	f.env.Trace(Befriended{p, victim})
	f.changed()
}

// drop ends a friendship, on this side.
func (f *friends) drop(i int, why string) {
	g := f.list[i]
	f.list = slices.Delete(f.list, i, i+1)
	g.friend = false
	f.links.release(g.neighbour)
	f.env.Trace(Unfriended{g.peer, why})
	f.changed()
}

// changed opens all candidates to audits again, and has the set remembered.
func (f *friends) changed() {
	if f.set++; f.set == 0 {
		f.set = 1
	}
	f.candidates.reset()
	if f.seams.Memory != nil {
		f.seams.Memory.Remember(f.peers())
	}
}

// lost takes note that a node does not answer. A friend is replaced soon.
func (f *friends) lost(id engine.ID) {
	f.candidates.remove(id)
	f.old = slices.DeleteFunc(f.old, func(r recall) bool { return r.peer.ID == id })
	if f.audit.on && f.audit.peer.ID == id {
		f.audit.on = false
	}
	if i := f.find(id); i >= 0 {
		f.drop(i, "silent")
		f.audit.next = f.now()
	}
	f.dropFan(id)
}

// onFriendRequest takes a fan in, first come, first served, until there are enough (section 3.4).
func (f *friends) onFriendRequest(from engine.Peer, m *FriendRequest) {
	nb := f.links.byID[from.ID]
	// A node that has joined nothing, a publisher, is of no use to anybody.
	ok := f.interested() && (nb != nil && nb.fan || f.fans < f.config.Fans || m.Needed && f.makeRoom())
	if ok {
		nb = f.links.get(from)
		if !nb.fan {
			nb.fan = true
			f.fans++
		}
		nb.heard, nb.told, nb.needed = f.now(), f.set, m.Needed
	}
	reply := &FriendReply{Number: m.Number, OK: ok, Versions: f.self.versions, Set: f.set, Friends: f.peers()}
	if f.interested() {
		f.met([]engine.Peer{from})
	} else {
		reply.Friends = f.introduce(from)
	}
	f.env.Send(from, reply)
}

// makeRoom lets go the fan of longest standing that does not need this node, which finds out by its next ping. It reports whether there was
// one.
func (f *friends) makeRoom() bool {
	if f.config.Cover {
		for _, nb := range f.links.list {
			if nb.fan && !nb.needed {
				f.dropFan(nb.peer.ID)
				return true
			}
		}
	}
	return false
}

// needs reports whether a node covers something that this one wants and that no friend does, but for that node itself and another.
func (f *friends) needs(id engine.ID, p *profile, but engine.ID) bool {
	for w, own := range f.self.filter {
		rest := own & p.filter[w]
		for _, g := range f.list {
			if g.profile != nil && g.peer.ID != id && g.peer.ID != but {
				rest &^= g.profile.filter[w]
			}
		}
		if rest != 0 {
			return true
		}
	}
	return false
}

// interested reports whether this node has joined anything.
func (f *friends) interested() bool { return f.self.filter != filter{} }

// dropFan forgets a fan.
func (f *friends) dropFan(id engine.ID) {
	if nb := f.links.byID[id]; nb != nil && nb.fan {
		nb.fan = false
		f.fans--
		f.links.release(nb)
	}
}

// heardSet takes over the friends of a neighbour, and gives each a vote.
func (f *friends) heardSet(nb *neighbour, set uint32, told bool, peers []engine.Peer) {
	if told {
		nb.set, nb.friends = set, peers
	}
	if nb.set == set {
		f.met(nb.friends)
	}
}

// recall asks the friends of the session before (section 5.3), and reports whether there are any.
func (f *friends) recall() bool {
	if f.seams.Memory == nil {
		return false
	}
	for _, p := range f.seams.Memory.Friends() {
		if p.IsZero() || p.ID == f.id() || len(f.old) == f.config.Friends {
			continue
		}
		r := recall{p, f.env.Rand().Uint32()}
		f.old = append(f.old, r)
		f.env.Send(p, &FriendRequest{Number: r.number, Versions: f.self.versions})
	}
	return len(f.old) > 0
}

// recalled reports whether all of them have answered, and what they want is known.
func (f *friends) recalled() bool {
	return len(f.old) == 0 && !slices.ContainsFunc(f.list, func(g friend) bool { return g.profile == nil })
}

// onRecall takes the answer of a friend of the session before, and reports whether it is one.
func (f *friends) onRecall(from engine.Peer, m *FriendReply) bool {
	i := slices.IndexFunc(f.old, func(r recall) bool { return r.peer.ID == from.ID && r.number == m.Number })
	if i < 0 {
		return false
	}
	f.old = slices.Delete(f.old, i, i+1)
	f.met(m.Friends)
	switch {
	case !m.OK:
		f.met([]engine.Peer{from})
	case f.find(from.ID) >= 0:
	case len(f.list) >= f.config.Friends:
		f.env.Send(from, &Unfriend{})
	default:
		f.add(from, nil, engine.Peer{})
		nb := f.links.byID[from.ID]
		nb.versions = m.Versions
		f.links.ask(nb)
	}
	return true
}
