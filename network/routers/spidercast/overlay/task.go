package overlay

import (
	"time"

	"tidings/network/engine"
)

// task is a neighbour maintenance task (section 2.3.1): the variables of Figure 1 that each has of its own. Its
// neighbour set is the links that are in it.
type task struct {
	kind   Task
	l      int // L, the adaptive target
	degree int // |neighbors|
	coverage

	swapDue time.Duration // of the next swap, at the earliest

	redirects []engine.Peer // connect_cand_from_redirect
	hops      int           // redirects that were followed since the last choice of our own
	misses    int           // choices of our own since one last became a neighbour

	due  time.Duration // of the next step
	rest time.Duration // how long the task sleeps next while there is nothing to do
}

// lmax is the most neighbours that a task looks for, with so many topics: enough if each covers one topic.
func (t *task) lmax(topics int) int { return t.k * topics }

// lmaxAsked is L_max for nodes that ask: a task that is switched off here accepts as many as another with the same K.
func (t *task) lmaxAsked(topics int) int { return max(t.k, 1) * topics }

// adjust has L follow the degree where a neighbour has come (Figure 4, lines 4 and 15).
func (t *task) adjust(topics, margin int) {
	if t.l < t.lmax(topics) && t.degree < t.l+margin {
		t.l++
	}
}

// aimIfIdle has a task that is switched off aim at what it has.
func (t *task) aimIfIdle() {
	if t.k == 0 {
		t.l = t.degree
	}
}

// choose returns the next candidate (Figure 5).
func (t *task) choose(from Candidates) (engine.Peer, bool) {
	if t.misses++; t.kind == Greedy && t.misses <= maxMisses {
		return from.Best(Greedy)
	}
	return from.Any(t.kind)
}

// wake makes a task do its next step soon (Figure 4, line 38).
func (o *Overlay) wake(t *task) {
	t.rest = o.config.Interval
	if now := o.env.Now(); t.due > now {
		t.due = now
		o.schedule(now)
	}
}

// step is one round of MAINTAINNEIGHBORS (Figure 2).
func (o *Overlay) step(t *task) {
	did := false
	if t.k > 0 && t.lacks() > 0 {
		t.l = t.lmax(o.topics.count)
		if t.degree < t.l+o.config.Margin {
			did = o.connect(t)
		}
	}
	if t.degree > 0 && (t.lacks() == 0 || t.degree > t.l) {
		did = o.disconnect(t) || did
	}
	if !did && t.lacks() == 0 {
		did = o.swap(t)
	}
	if did {
		t.rest = o.config.Interval
	}
	t.due = o.env.Now() + t.rest
	t.rest = min(2*t.rest, o.config.MaxInterval)
	o.adapt()
}

// connect asks one node to become a neighbour, if there is one that is of use (Figure 2, CONNECT).
func (o *Overlay) connect(t *task) bool {
	p, ok := o.nextRedirect(t)
	if !ok {
		t.hops = 0
		p, ok = t.choose(o.candidates)
	}
	if ok {
		o.ask(t, p)
	}
	return ok
}

// maxMisses is how many of the best candidates in a row may fail, before the greedy task tries any useful one. The
// reason: nodes that are said to follow everything may not exist.
const maxMisses = 2

// ask sends a Connect to a node.
func (o *Overlay) ask(t *task, p engine.Peer) {
	o.quarantine.add(p.ID, t.kind.bit(), o.config.Quarantine, true)
	var sets uint8
	if l := o.links.byID[p.ID]; l != nil {
		sets = l.tasks()
	}
	o.env.Send(p, &Connect{t.kind, t.standing(), o.profile, sets})
}

// nextRedirect returns a node that the task was redirected to. After several in a row the task chooses by itself again:
// nodes that redirect in circles cost no more than one step each.
func (o *Overlay) nextRedirect(t *task) (engine.Peer, bool) {
	for len(t.redirects) > 0 && t.hops < o.config.MaxHops {
		p := t.redirects[0]
		t.redirects = t.redirects[1:]
		if !o.links.in(t.kind, p.ID) && !o.quarantine.has(p.ID, t.kind) {
			t.hops++
			return p, true
		}
	}
	return engine.Peer{}, false
}

// disconnect asks a neighbour that can do without this node for leave to go (Figure 2, DISCONNECT). A task that is
// switched off can do without any, and keeps only those that need this node.
func (o *Overlay) disconnect(t *task) bool {
	if t.k > 0 {
		t.l = min(t.lmax(o.topics.count), t.degree)
	}
	l, under := o.disconnectCandidate(t)
	if l == nil || t.degree <= t.l && under > 0 {
		return false
	}
	l.refused = o.env.Now() + askAgain // unless it grants it
	o.env.Send(l.peer, &Disconnect{t.kind})
	return true
}

// disconnectCandidate chooses among the neighbours that have as many neighbours as they aim at. It returns the one
// whose loss uncovers the fewest topics, and how many topics would lack cover then (Figure 3).
//
// Of several equal ones the youngest goes. So links that a node made while a part of the network was cut off go before
// those that came back. The topics are then as connected as they were before. The paper draws one.
//
// Figure 3 asks for a degree above the target. Once it is covered, a node sets its target to its degree in every round.
// So its degree is never above the target below L_max, and no node would ever disconnect. The text says that a node is
// covered if its target is not above its degree. This package asks for that.
func (o *Overlay) disconnectCandidate(t *task) (best *link, under int) {
	now := o.env.Now()
	for _, l := range o.links.list {
		if !o.mayPart(t, l, now) {
			continue
		}
		u := o.topics.underWithout(t, l)
		if best == nil || u < under || u == under && l.sets[t.kind].since >= best.sets[t.kind].since {
			best, under = l, u
		}
	}
	return best, under
}

// standing is the task's size and target for neighbours.
func (t *task) standing() Standing {
	const most = 1<<16 - 1
	return Standing{uint16(min(t.degree, most)), uint16(min(t.l, most))}
}

// adapt adapts K_r (section 3.3.1). If K_g neighbours cover all of a node's topics, or nearly all, it raises K_r, so
// that they are covered at random too. It raises K_r further as long as the node has fewer neighbours than topics.
// There are two explanations: the node is so much like its neighbours that topics may fall apart, or these only claim
// to follow everything. Once that has not been so for unlike, K_r gets its former value. Then it was so only because
// others were out of reach.
func (o *Overlay) adapt() {
	g, r := &o.tasks[Greedy], &o.tasks[Random]
	if !o.config.Adaptive || g.k == 0 || g.lacks() > 0 || o.topics.count == 0 {
		return
	}
	now, k := o.env.Now(), r.k
	alike := g.degree == g.k || o.links.similar(o.topics.count) >= g.k
	if alike {
		o.alike = now
	}
	switch {
	case r.k > o.config.Random && now >= o.alike+unlike:
		k = o.config.Random
	case r.lacks() > 0 || r.k >= o.config.MaxRandom:
	case r.k == o.config.Random && alike, r.k > o.config.Random && len(o.links.list) < o.topics.count:
		k++
	}
	if k != r.k {
		o.setK(r, k)
		o.env.Trace(Raised{k})
	}
}

// unlike is how long a node must not be like its neighbours, before it covers its topics as if it had never been.
const unlike = 5 * time.Minute
