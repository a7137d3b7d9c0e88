package campaign

import (
	"time"

	"tidings/network/sim"
)

// held checks that no acknowledged subscription is lost while one node that held it lives (corona.Config.Owners: "A subscription
// survives the simultaneous failure of all but one of them"). It looks at all nodes from time to time: where a subscription was
// held the last time by a node that has been up ever since, some node holds it now. Where all that held it died between two
// looks, nothing is promised until it is renewed.
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
	// acknowledged reports whether all owners have said to have a subscription, since its node has started.
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
		if !h.view.acknowledged(who) {
			continue
		}
		own := life{who.node, h.view.life(who.node)}
		holders := h.view.holders(who)
		if before := h.pairs[who]; len(holders) == 0 && len(before) > 0 && before[0] == own {
			h.judge(at, who, before[1:])
			holders = nil
		}
		if len(holders) > 0 {
			now[who] = append([]life{own}, holders...)
		}
	}
	h.pairs = now
}

func (h *held) judge(at time.Duration, who follower, before []life) {
	for _, l := range before {
		if h.view.up(l) {
			h.fail(at, who.node, who.topic, "its acknowledged subscription is held by nobody, though node %d held it and lives", l.node)
			return
		}
	}
}
