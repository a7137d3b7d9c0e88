package overlay

import (
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// Swaps make a covered node exchange links for fewer ones. It draws among the nodes that it shares most topics with. It
// finds out which of its neighbours it could do without if one of these were a neighbour too. It counts only neighbours
// that said in their last heartbeat that they can do without it. It connects to the one that sets most free, two at
// least, or one if its topics are covered better then. Both ends then disconnect from neighbours that they do not need
// any more.
//
// The paper's greedy choice is never examined again: a neighbour that was chosen for one topic stays although another,
// chosen later, covers that topic too. Swaps need to know no more than the paper's nodes do: what others follow, and
// whether neighbours can part. They end by themselves, where none is found.
//
// A node can do without a neighbour if every topic keeps Greedy others; or two, where Risk allows it.
type Swaps struct {
	// Pause is how long a node waits after a swap for its neighbours to say what they can do without now; two
	// heartbeats at least. If many nodes swap at a time, they thwart each other. A swap costs about five messages. 0,
	// as in the paper: there are no swaps.
	Pause time.Duration

	// Risk bounds the chance that a topic loses all its cover when a fifth of all nodes crashes, on average over the
	// node's topics. Three neighbours for each topic make 0.008. 0, as in the paper: no topic has fewer than Greedy.
	// 0.0135 saves another tenth of the links. It is not for small networks: three nodes with two neighbours each for a
	// topic may be connected to each other alone. A node that has lost a neighbour without a farewell runs no risk for
	// ten minutes. Otherwise it would be cut off again and again where nodes come and go.
	Risk float64
}

// caution is for how long a node runs no risk that has lost a neighbour.
const caution = 10 * time.Minute

// setRisk computes which risk this node runs now.
func (o *Overlay) setRisk() {
	g := &o.tasks[Greedy]
	if g.most = 0; o.cautious <= o.env.Now() {
		o.cautious, g.most = 0, int(o.config.Swaps.Risk*certain*float64(o.topics.count))
	}
}

// askAgain is after how long a neighbour is asked to disconnect again that did not grant it. It may say that it is idle
// and never part.
const askAgain = time.Minute

// looks is how many candidates are drawn for a swap.
const looks = 50

// swap connects to a node that makes neighbours superfluous.
func (o *Overlay) swap(t *task) bool {
	now := o.env.Now()
	if t.kind != Greedy || o.config.Swaps.Pause == 0 || now < t.swapDue || t.degree >= t.lmax(o.topics.count)+
		o.config.Margin {
		return false
	}
	var free []*link // that can do without us, the youngest first, as they are asked to disconnect
	for i := len(o.links.list) - 1; i >= 0; i-- {
		if l := o.links.list[i]; o.mayPart(t, l, now) {
			free = append(free, l)
		}
	}
	if len(free) == 0 {
		return false
	}
	var chosen engine.Peer
	var best gain
	for range looks {
		p, shared, ok := o.candidates.Alike(t.kind)
		if !ok {
			continue
		}
		if g := o.topics.gainBy(t, shared, free); (g.frees > 1 || g.frees == 1 && g.risk < t.risk) && g.above(best) {
			chosen, best = p, g
		}
	}
	if best.frees == 0 {
		return false
	}
	t.swapDue = now + o.config.Swaps.Pause
	o.ask(t, chosen)
	return true
}

// gain is what a new neighbour would be good for.
type gain struct {
	frees int // neighbours that could go
	risk  int // that would be left then
}

func (g gain) above(other gain) bool {
	return g.frees > other.frees || g.frees == other.frees && g.risk < other.risk
}

// gainBy returns the gain of a neighbour with the shared topics: which of the free neighbours could go.
func (n *topics) gainBy(t *task, shared []interest.Name, free []*link) (g gain) {
	with := n.trial(t)
	for _, name := range shared {
		if slot, ok := n.byName[name]; ok {
			with.add(slot, 1)
		}
	}
	for _, l := range free {
		if with.remove(l.sets[t.kind].counts) {
			g.frees++
		}
	}
	g.risk = with.risk
	return g
}

// mayPart reports whether a neighbour may be asked to disconnect. It has as many neighbours as it aims at, and has said
// that it can do without this node. It does not publish on what this node follows, and has not refused lately. With
// swaps, it must have been a neighbour long enough for both ends to find out its use.
func (o *Overlay) mayPart(t *task, l *link, now time.Duration) bool {
	m := &l.sets[t.kind]
	return m.in && m.degree >= m.target && !l.serves && l.idle&t.kind.bit() != 0 && l.refused <= now &&
		(o.config.Swaps.Pause == 0 || m.joined+2*o.config.Heartbeat <= now)
}

// markIdle finds out which neighbours each task could do without, all of them at once. Which these are changes from
// heartbeat to heartbeat: any neighbour may have another use for it.
func (o *Overlay) markIdle() {
	order := o.env.Rand().Perm(len(o.links.list))
	for i := range o.tasks {
		t := &o.tasks[i]
		without := o.topics.trial(t)
		for _, at := range order {
			l := o.links.list[at]
			m := &l.sets[i]
			m.spare = m.in && !l.serves && without.remove(m.counts)
		}
	}
}
