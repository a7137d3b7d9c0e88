package campaign

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// held checks that no acknowledged subscription is lost while one node that held it lives (corona.Config.Owners: "A subscription
// survives the simultaneous failure of all but one of them"). It looks at all nodes from time to time, and where a node forgets a
// channel: where a subscription was held the last time by a node that has been up ever since, some node holds it now. Where all
// that held it died between two looks, nothing is promised until it is renewed. Where a calendar was put back an owner may know with a higher
// stamp that the subscription has ended: the node then says within seconds that it has not.
type held struct {
	verdict
	view    holding
	pairs   map[follower][]life
	missing map[follower]missing
}

// missing is a subscription that nobody holds.
type missing struct {
	since  time.Duration
	before []life // of its node, and of those that held it
}

// within is how soon a subscription is held again that an owner took for ended: an announcement that is lost is repeated after seconds.
const within = 20 * time.Second

// life is one incarnation of a node.
type life struct {
	node   sim.Node
	number int
}

// holding is what held sees of a world.
type holding interface {
	// acknowledged reports whether a node follows a topic, and all owners have said to have its subscription since it has started.
	acknowledged(who follower) bool
	// holders returns the nodes that are up and hold it.
	holders(who follower) []life
	// up reports whether a node is up in the same life.
	up(l life) bool
	// life returns the life of a node, 0 if it is not up.
	life(n sim.Node) int
}

// look compares with the last time.
func (h *held) look(at time.Duration, pairs []follower) {
	now := make(map[follower][]life, len(pairs))
	for _, who := range pairs {
		if holders := h.compare(at, who); len(holders) > 0 {
			now[who] = holders
		}
	}
	h.pairs = now
	for _, who := range slices.SortedFunc(maps.Keys(h.missing), compareFollowers) {
		m := h.missing[who]
		switch {
		case now[who] != nil || !h.view.acknowledged(who) || h.view.life(who.node) != m.before[0].number:
			delete(h.missing, who)
		case at >= m.since+within:
			delete(h.missing, who)
			h.judge(m.since, who, m.before[1:])
		}
	}
}

func compareFollowers(a, b follower) int {
	return cmp.Or(cmp.Compare(a.node, b.node), a.topic.Compare(b.topic))
}

// forgotten compares the pairs of a channel at once: a node has forgotten it, and now it depends on those that hold it at this moment.
func (h *held) forgotten(at time.Duration, channel engine.ID) {
	var pairs []follower
	for who := range h.pairs {
		if who.topic == channel {
			pairs = append(pairs, who)
		}
	}
	slices.SortFunc(pairs, compareFollowers)
	for _, who := range pairs {
		if holders := h.compare(at, who); len(holders) > 0 {
			h.pairs[who] = holders
		} else {
			delete(h.pairs, who)
		}
	}
}

// compare compares one pair with the last time. It returns the life of the subscriber's node and those of all that hold the
// subscription, or nil if nothing is promised.
func (h *held) compare(at time.Duration, who follower) []life {
	if !h.view.acknowledged(who) {
		return nil
	}
	own := life{who.node, h.view.life(who.node)}
	if holders := h.view.holders(who); len(holders) > 0 {
		return append([]life{own}, holders...)
	}
	if before := h.pairs[who]; len(before) > 0 && before[0] == own {
		h.misses(at, who, before)
	}
	return nil
}

// misses notes since when nobody holds a subscription.
func (h *held) misses(at time.Duration, who follower, before []life) {
	if h.missing == nil {
		h.missing = make(map[follower]missing)
	}
	if _, known := h.missing[who]; !known {
		h.missing[who] = missing{at, before}
	}
}

func (h *held) judge(at time.Duration, who follower, before []life) {
	for _, l := range before {
		if h.view.up(l) {
			h.fail(at, who.node, who.topic, "its acknowledged subscription is held by nobody, though node %d held it and lives", l.node)
			return
		}
	}
}
