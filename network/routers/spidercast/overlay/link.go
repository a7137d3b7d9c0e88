package overlay

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// link is a neighbour: a record of Figure 1 in one or both neighbour sets.
type link struct {
	peer    engine.Peer
	profile Profile

	// verified is, where profile.Follows is a filter, which of our topics the neighbour said that it really follows,
	// and for which versions of both profiles (Topics). exact: covers is what the neighbour said, and not a filter's
	// claim.
	verified          interest.Set
	verifiedOf, ourOf uint32
	exact             bool
	covers            []int32 // slots of our topics that the neighbour follows, ascending
	up                bool    // the dissemination knows of the link
	reported          []int32 // those that the dissemination knows of
	stale             bool    // it knows of one that is no longer ours

	broad bool // the neighbour claims so many topics that it does not count as cover

	// serves says that the neighbour publishes on a topic that this node follows: it needs us, though it covers
	// nothing.
	serves bool

	sets    [tasks]membership
	idle    uint8         // a bit for each set of its own in which it could do without us, as its last heartbeat says
	heard   time.Duration // when the last message came
	refused time.Duration // until then it is not asked to disconnect: it did not grant it
}

// membership is a link's part in one neighbour set.
type membership struct {
	in             bool
	spare          bool          // the node could do without it, as it said in its last heartbeat
	counts         []int32       // slots of the topics for which the neighbour counts as cover, ascending
	degree, target int           // the neighbour's own, as it says
	since          time.Duration // when it became one; of one that was lost, when it did at first
	joined         time.Duration // when it became one the last time
}

// tasks returns a bit for each set that the link is in.
func (l *link) tasks() (bits uint8) {
	for t := range Task(tasks) {
		if l.sets[t].in {
			bits |= t.bit()
		}
	}
	return bits
}

// spare returns a bit for each set in which this node could do without the neighbour.
func (l *link) spare() (bits uint8) {
	for t := range Task(tasks) {
		if l.sets[t].in && l.sets[t].spare {
			bits |= t.bit()
		}
	}
	return bits
}

// set is what counts of a neighbour's topics.
func (l *link) set() interest.Set {
	if l.exact && !l.profile.Follows.Exact() {
		return l.verified
	}
	return l.profile.Follows
}

// most returns for how many of this node's topics the neighbour counts as cover; share is Config.MaxShare.
func (l *link) most(t Task, topics int, share float64) int {
	switch {
	case l.broad:
		return 0
	case t == Greedy:
		return topics
	}
	return max(2, int(share*float64(topics)))
}

// shared returns the slots of the topics that the link carries: those that both ends are known to follow.
func (l *link) shared() []int32 {
	if !l.exact {
		return nil
	}
	return slices.Clone(l.covers)
}

// known returns the version of the neighbour's profile that is known here in full, with ours in that version.
func (l *link) known(ours uint32) uint32 {
	if l.profile.Follows.Exact() || l.verifiedOf == l.profile.Version && l.ourOf == ours {
		return l.profile.Version
	}
	return 0
}

// links are all neighbours, in the order in which they came.
type links struct {
	list []*link
	byID map[engine.ID]*link
}

// in reports whether a node is a neighbour of a task.
func (n *links) in(t Task, id engine.ID) bool {
	l := n.byID[id]
	return l != nil && l.sets[t].in
}

func (n *links) remove(l *link) {
	delete(n.byID, l.peer.ID)
	for i, o := range n.list {
		if o == l {
			n.list = append(n.list[:i], n.list[i+1:]...)
			return
		}
	}
}

// similar returns how many greedy neighbours follow two thirds of this node's topics, of which there are so many. It
// needs enough topics for that to mean something.
func (n *links) similar(topics int) (count int) {
	const enough = 4
	if topics < enough {
		return 0
	}
	for _, l := range n.list {
		if l.sets[Greedy].in && 3*len(l.covers) >= 2*topics {
			count++
		}
	}
	return count
}

// redirect returns a neighbour for a node that cannot be accepted (Figure 4, lines 7 and 8). Of those that have room,
// it is the one that shares most topics with the node; zero if there is none.
func (n *links) redirect(t Task, p *Profile, margin int, chance *rand.Rand) (to engine.Peer) {
	most, same := 0, 0
	for _, l := range n.list {
		m := &l.sets[t]
		if !m.in || m.degree >= m.target+margin {
			continue
		}
		common := interest.Common(p.Follows, l.profile.Follows)
		switch {
		case common > most:
			most, same, to = common, 1, l.peer
		case common == most && most > 0:
			if same++; chance.IntN(same) == 0 {
				to = l.peer
			}
		}
	}
	return to
}
