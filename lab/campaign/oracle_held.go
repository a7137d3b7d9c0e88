package campaign

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// held checks that no acknowledged subscription is lost while one node that held it lives (corona.Config.Owners: "A
// subscription survives the simultaneous failure of all but one of them"). It looks at all nodes at intervals, and
// whenever a node forgets a channel. If a node that held a subscription when it last looked has been up ever since,
// some node must hold it now. If all holders died between two looks, nothing is promised until it is renewed.
//
// Where a calendar was put back, an owner may know with a higher stamp that the subscription has ended. The node then
// corrects it within seconds.
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

// within is how soon a subscription is held again that an owner mistook for ended: an announcement that is lost is
// repeated after seconds.
const within = 20 * time.Second

// life is one incarnation of a node.
type life struct {
	node   sim.Node
	number int
}

// holding is what held sees of a world.
type holding interface {
	// acknowledged reports whether a node follows a topic, and all owners have acknowledged its subscription since it
	// started.
	acknowledged(pair follower) bool
	// holders returns the nodes that are up and hold it.
	holders(pair follower) []life
	// up reports whether a node is up in the same life.
	up(l life) bool
	// life returns the life of a node, 0 if it is not up.
	life(n sim.Node) int
}

// look compares with the last time.
func (h *held) look(at time.Duration, pairs []follower) {
	now := make(map[follower][]life, len(pairs))
	for _, pair := range pairs {
		if holders := h.compare(at, pair); len(holders) > 0 {
			now[pair] = holders
		}
	}
	h.pairs = now
	for _, pair := range slices.SortedFunc(maps.Keys(h.missing), compareFollowers) {
		m := h.missing[pair]
		switch {
		case now[pair] != nil || !h.view.acknowledged(pair) || h.view.life(pair.node) != m.before[0].number:
			delete(h.missing, pair)
		case at >= m.since+within:
			delete(h.missing, pair)
			h.judge(m.since, pair, m.before[1:])
		}
	}
}

func compareFollowers(a, b follower) int {
	return cmp.Or(cmp.Compare(a.node, b.node), a.topic.Compare(b.topic))
}

// forgotten compares the pairs of a channel at once. A node has just forgotten it, so its subscriptions depend on the
// nodes that hold it at this moment.
func (h *held) forgotten(at time.Duration, channel engine.ID) {
	var pairs []follower
	for pair := range h.pairs {
		if pair.topic == channel {
			pairs = append(pairs, pair)
		}
	}
	slices.SortFunc(pairs, compareFollowers)
	for _, pair := range pairs {
		if holders := h.compare(at, pair); len(holders) > 0 {
			h.pairs[pair] = holders
		} else {
			delete(h.pairs, pair)
		}
	}
}

// compare compares one pair with the last time. It returns the life of the subscriber's node and those of all that hold
// the subscription, or nil if nothing is promised.
func (h *held) compare(at time.Duration, pair follower) []life {
	if !h.view.acknowledged(pair) {
		return nil
	}
	own := life{pair.node, h.view.life(pair.node)}
	if holders := h.view.holders(pair); len(holders) > 0 {
		return append([]life{own}, holders...)
	}
	if before := h.pairs[pair]; len(before) > 0 && before[0] == own {
		h.misses(at, pair, before)
	}
	return nil
}

// misses notes since when nobody holds a subscription.
func (h *held) misses(at time.Duration, pair follower, before []life) {
	if h.missing == nil {
		h.missing = make(map[follower]missing)
	}
	if _, known := h.missing[pair]; !known {
		h.missing[pair] = missing{at, before}
	}
}

func (h *held) judge(at time.Duration, pair follower, before []life) {
	for _, l := range before {
		if h.view.up(l) {
			h.fail(at, pair.node, pair.topic,
				"its acknowledged subscription is held by nobody, though node %d held it and lives", l.node)
			return
		}
	}
}
