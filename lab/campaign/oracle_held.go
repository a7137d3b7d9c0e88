package campaign

import (
	"cmp"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// held checks that no acknowledged subscription is lost while one node that held it lives (corona.Config.Owners: "A subscription
// survives the simultaneous failure of all but one of them"). It looks at all nodes from time to time, and where a node forgets a
// channel: where a subscription was held the last time by a node that has been up ever since, some node holds it now. Where all
// that held it died between two looks, nothing is promised until it is renewed.
type held struct {
	verdict
	view  holding
	pairs map[follower][]life
}

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
}

// forgotten compares the pairs of a channel at once: a node has forgotten it, and now it depends on those that hold it at this moment.
func (h *held) forgotten(at time.Duration, channel engine.ID) {
	var pairs []follower
	for who := range h.pairs {
		if who.topic == channel {
			pairs = append(pairs, who)
		}
	}
	slices.SortFunc(pairs, func(a, b follower) int { return cmp.Compare(a.node, b.node) })
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
		h.judge(at, who, before[1:])
	}
	return nil
}

func (h *held) judge(at time.Duration, who follower, before []life) {
	for _, l := range before {
		if h.view.up(l) {
			h.fail(at, who.node, who.topic, "its acknowledged subscription is held by nobody, though node %d held it and lives", l.node)
			return
		}
	}
}
