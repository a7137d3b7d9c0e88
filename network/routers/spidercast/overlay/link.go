package overlay

import (
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

// links are all neighbours, in the order in which they came.
type links struct {
	list []*link
	byID map[engine.ID]*link
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
