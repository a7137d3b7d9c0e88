package rappel

import (
	"cmp"
	"slices"

	"tidings/network/engine"
	"tidings/network/routers/rappel/interest"
)

// friends are the nodes with interests close to this one's, and which are near (section 3); and the fans, which have
// this one for a friend.
type friends struct {
	*core
	list       []*neighbour // at most Config.Friends
	set        uint32       // version of the list, drawn at first
	candidates candidates
	audit      audit
	shunned    shunned
	old        []recall // friends of the session before that were asked again; at most Config.Friends
}

// recall is a friend of the session before that was asked to be one again.
type recall struct {
	peer   engine.Peer
	number uint32
}

// maxDenied is how often a friend may have a false filter: a filter of all ones, or a stale one, is of no use.
const maxDenied = 2

func newFriends(c *core) *friends {
	return &friends{core: c, candidates: newCandidates(c.config.Candidates), set: c.env.Rand().Uint32() | 1}
}

// find returns the friend of that ID, nil if it is none.
func (f *friends) find(id engine.ID) *neighbour {
	if nb := f.links.byID[id]; nb != nil && nb.friend {
		return nb
	}
	return nil
}

// peers returns the friends as others learn of them.
func (f *friends) peers() []engine.Peer { return peersOf(f.list) }

func peersOf(list []*neighbour) (peers []engine.Peer) {
	for _, nb := range list {
		peers = append(peers, nb.peer)
	}
	return peers
}

// met notes nodes that others have named.
func (f *friends) met(peers ...engine.Peer) {
	for _, p := range peers {
		if !p.IsZero() && p.ID != f.id() && f.find(p.ID) == nil && !f.shunned.has(p.ID, f.now()) {
			f.candidates.named(p)
		}
	}
}

// covers reports whether a friend may have joined a topic.
func (g *neighbour) covers(topic engine.ID) bool {
	return g.profile != nil && g.profile.filter.Has(topic) && !slices.Contains(g.denied, topic)
}

// covering returns the friends that may have joined a topic, nearest first (section 5.1).
func (f *friends) covering(topic engine.ID) []engine.Peer {
	all := slices.DeleteFunc(slices.Clone(f.list), func(g *neighbour) bool { return !g.covers(topic) })
	slices.SortStableFunc(all, func(a, b *neighbour) int {
		return cmp.Compare(f.distance(a.profile, a.rtt), f.distance(b.profile, b.rtt))
	})
	return peersOf(all)
}

// denied notes that a node is not in a tree. If a friend's filter says otherwise twice, it is none.
func (f *friends) denied(by engine.Peer, topic engine.ID) {
	g := f.find(by.ID)
	if g == nil || !g.covers(topic) {
		return
	}
	if g.denied = append(g.denied, topic); len(g.denied) >= maxDenied {
		f.drop(by.ID, "filter")
		f.env.Send(by, &Unfriend{})
		f.candidates.remove(by.ID)
		f.shunned.add(by.ID, f.now())
	}
}

// add makes a node a friend.
func (f *friends) add(p engine.Peer, profile *profile, victim engine.Peer) {
	nb := f.links.get(p)
	nb.friend, nb.profile, nb.since, nb.denied = true, profile, f.now(), nil
	if profile != nil {
		nb.versions = profile.versions
	}
	f.list = append(f.list, nb)
	f.candidates.remove(p.ID)
	f.links.begin(nb)
	f.env.Trace(Befriended{p, victim})
	f.changed()
}

// drop ends a friendship, on this side, and reports whether there was one.
func (f *friends) drop(id engine.ID, why string) bool {
	g := f.find(id)
	if g == nil {
		return false
	}
	f.list = slices.DeleteFunc(f.list, func(o *neighbour) bool { return o == g })
	g.friend = false
	f.links.release(g)
	f.env.Trace(Unfriended{g.peer, why})
	f.changed()
	return true
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

// lost notes that a node does not answer. A friend is replaced soon.
func (f *friends) lost(id engine.ID) {
	f.candidates.remove(id)
	f.old = slices.DeleteFunc(f.old, func(r recall) bool { return r.peer.ID == id })
	if f.audit.peer.ID == id {
		f.audit.end()
	}
	if f.drop(id, "silent") {
		f.audit.next = f.now()
	}
	f.dropFan(id)
}

// onFriendRequest admits a fan, first come, first served, until there are enough (section 3.4).
func (f *friends) onFriendRequest(from engine.Peer, m *FriendRequest) *FriendReply {
	nb := f.links.byID[from.ID]
	// A node that has joined nothing, a publisher, is of no use to anybody.
	ok := f.interested() && (nb != nil && nb.fan || f.fans() < f.config.Fans || m.Needed && f.makeRoom())
	if ok {
		nb = f.links.get(from)
		nb.fan, nb.needed, nb.heard, nb.known = true, m.Needed, f.now(), f.set
	}
	reply := &FriendReply{Number: m.Number, OK: ok, Versions: f.self.versions, Set: f.set, Friends: f.peers()}
	if f.interested() {
		f.met(from)
	}
	return reply
}

// fans returns how many there are: at most Config.Fans.
func (f *friends) fans() (n int) {
	for _, nb := range f.links.list {
		if nb.fan {
			n++
		}
	}
	return n
}

// makeRoom lets go the fan of longest standing that does not need this node. That fan finds out by its next ping.
// makeRoom reports whether there was one.
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

// needs reports whether a node covers something that this one wants and that no friend covers. That node itself and
// another are left out.
func (f *friends) needs(id engine.ID, p *profile, but engine.ID) bool {
	var others interest.Filter
	for _, g := range f.list {
		if g.profile != nil && g.peer.ID != id && g.peer.ID != but {
			others.Unite(&g.profile.filter)
		}
	}
	return p.filter.AloneHas(&f.self.filter, &others)
}

// interested reports whether this node has joined anything.
func (f *friends) interested() bool { return f.self.filter != (interest.Filter{}) }

// dropFan forgets a fan.
func (f *friends) dropFan(id engine.ID) {
	if nb := f.links.byID[id]; nb != nil && nb.fan {
		nb.fan = false
		f.links.release(nb)
	}
}

// receiveSet learns the friends of a neighbour, and gives each a vote.
func (f *friends) receiveSet(nb *neighbour, set uint32, sent bool, peers []engine.Peer) {
	if sent {
		nb.set, nb.friends = set, peers
	}
	if nb.set == set {
		f.met(nb.friends...)
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
	return len(f.old) == 0 && !slices.ContainsFunc(f.list, func(g *neighbour) bool { return g.profile == nil })
}

// onRecall receives the answer of a friend of the session before, and reports whether it is one.
func (f *friends) onRecall(from engine.Peer, m *FriendReply) bool {
	i := slices.IndexFunc(f.old, func(r recall) bool { return r.peer.ID == from.ID && r.number == m.Number })
	if i < 0 {
		return false
	}
	f.old = slices.Delete(f.old, i, i+1)
	f.met(m.Friends...)
	switch {
	case !m.OK:
		f.met(from)
	case f.find(from.ID) != nil:
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
