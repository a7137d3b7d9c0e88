package corona

import (
	"cmp"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Agreement is what all nodes of a network agree on: it takes the same at all of them for their
// plans to fit.
type Agreement struct {
	Policy                honeycomb.Policy
	Interval, Maintenance time.Duration
	HostCeiling           int
	Volunteers            bool // see Config
	Router                network.RouterName
}

// Terms of a network are agreed on when a node joins it, and compared again once a maintenance
// interval and when neighbours have changed, with the leaf set and the contacts of the routing
// table, which are spread over the whole ring.
//
// A node that is alone, as one that founds a network, settles on its own. One that joins is
// unsettled until it has taken over what more than half of the settled nodes say that it asks.
// Only settled nodes count, each as one; a settled node counts itself. So a few liars change
// nothing, and of two networks that become one, the larger one's terms hold. Where no terms have
// more than half, of the two that most have those hold that were set earlier, as most of their
// nodes have it, and of equally old ones those with the smaller sum.
type terms struct {
	now     Agreement
	since   uint64 // when now was set, in milliseconds since 1970, by the calendar of who set it
	settled bool
	changed bool // now is not what Config said
	alone   bool // there was nobody to ask the last time
	met     bool // there have been neighbours

	asked   []engine.Peer // in this round
	said    []said        // of them, who has answered
	tries   int           // rounds in a row in which an unsettled node has learnt nothing
	next    engine.Alarm
	compare engine.Timer  // ends the round
	last    time.Duration // when the last round began
}

// said is the answer of one node.
type said struct {
	by      engine.ID
	terms   Agreement
	since   uint64
	settled bool
}

const (
	maxTermsAsked = 64              // nodes a round
	termsWithin   = 5 * time.Second // to answer
	termsAgain    = time.Second     // between rounds of a node that is not settled
	termsRest     = 16              // part of Config.Maintenance: least time between rounds of one that is
	termsSlow     = 6               // doublings of the time between rounds of one that is not
	// maxUnsettled is how many rounds a node waits in which nobody is settled: in a network
	// whose nodes have all just come, the one with the least ID begins.
	maxUnsettled = 3
)

func (n *Node) startTerms() {
	whole := func(d time.Duration) time.Duration { return d.Truncate(time.Millisecond) } // as messages have it
	c := n.config
	n.terms.now = Agreement{
		honeycomb.Policy{Goal: c.Policy.Goal, Target: whole(c.Policy.Target)}, whole(c.Interval), whole(c.Maintenance), c.HostCeiling, c.Volunteers, c.Router,
	}
	n.terms.next.Soon(n.env, n.env.Now()+termsAgain, n.askTerms)
}

// Terms returns what this node goes by, and whether that is agreed with others, or there are none.
func (n *Node) Terms() (a Agreement, settled bool) { return n.terms.now, n.terms.settled }

// termsSoon has the node ask soon, as it may have come among others. One that is part of a ring
// before it has a neighbour has founded it.
func (n *Node) termsSoon() {
	t := &n.terms
	if !t.met && !t.settled && n.ring.Active() {
		n.foundTerms()
	}
	t.met = true
	if !t.settled {
		return // it is asking
	}
	at := max(n.env.Now()+termsAgain, t.last+n.config.Maintenance/termsRest)
	if t.alone {
		at = n.env.Now() + termsAgain
	}
	t.next.Soon(n.env, at, n.askTerms)
}

// askTerms begins a round.
func (n *Node) askTerms() {
	t := &n.terms
	if !n.ring.Active() {
		t.next.Soon(n.env, n.env.Now()+termsAgain, n.askTerms)
		return
	}
	t.compare.Stop()
	t.last = n.env.Now()
	t.said, t.asked = nil, n.sample()
	if t.alone = len(t.asked) == 0; t.alone {
		n.endRoundOfTerms()
		return
	}
	for _, p := range t.asked {
		n.env.Send(p, &AskTerms{})
	}
	t.compare = n.env.After(termsWithin, n.endRoundOfTerms)
}

// sample returns whom to ask: neighbours first.
func (n *Node) sample() (peers []engine.Peer) {
	neighbours, _ := n.ring.Owners(n.env.Self().ID, maxTermsAsked)
	for _, p := range slices.Concat(neighbours, n.ring.WedgeContacts(n.env.Self().ID, 0)) {
		known := slices.ContainsFunc(peers, func(q engine.Peer) bool { return q.ID == p.ID })
		if !known && !n.isSelf(p) && len(peers) < maxTermsAsked {
			peers = append(peers, p)
		}
	}
	return peers
}

func (n *Node) answerTerms(from engine.Peer) {
	t := &n.terms
	n.env.Send(from, &Terms{
		Goal: uint8(t.now.Policy.Goal), Target: inMillis(t.now.Policy.Target),
		Interval: inMillis(t.now.Interval), Maintenance: inMillis(t.now.Maintenance), HostCeiling: uint32(t.now.HostCeiling),
		Volunteers: t.now.Volunteers, Router: uint8(t.now.Router), Since: t.since, Settled: t.settled,
	})
}

func (n *Node) takeTerms(from engine.Peer, m *Terms) {
	t := &n.terms
	i := slices.IndexFunc(t.asked, func(p engine.Peer) bool { return p.ID == from.ID })
	if i < 0 {
		return
	}
	t.asked = slices.Delete(t.asked, i, i+1)
	policy := honeycomb.Policy{Goal: honeycomb.Goal(m.Goal), Target: milliseconds(m.Target)}
	terms := Agreement{policy, milliseconds(m.Interval), milliseconds(m.Maintenance), int(m.HostCeiling), m.Volunteers, network.RouterName(m.Router)}
	t.said = append(t.said, said{from.ID, terms, m.Since, m.Settled})
	if len(t.asked) == 0 {
		n.endRoundOfTerms()
	}
}

// endRoundOfTerms draws the conclusion from what was said.
func (n *Node) endRoundOfTerms() {
	t := &n.terms
	t.compare.Stop()
	enough := len(t.said) >= len(t.asked) // half of them at least
	t.asked = nil
	if !t.settled {
		t.tries++
	}
	switch {
	case t.alone && !t.settled:
		n.foundTerms()
	case enough && !t.alone:
		n.weighTerms()
	}
	t.said = nil
	wait := termsAgain << min(t.tries, termsSlow)
	if t.settled {
		wait = n.jitter(n.config.Maintenance)
	}
	t.next.Soon(n.env, n.env.Now()+wait, n.askTerms)
}

// foundTerms settles on this node's own.
func (n *Node) foundTerms() {
	n.terms.since = uint64(max(0, n.env.Wall().UnixMilli()))
	n.settleTerms()
}

func (n *Node) settleTerms() {
	t := &n.terms
	t.settled, t.tries = true, 0
	emit(n, n.listener.Agreed, Agreed{t.now, t.changed})
}

// weighTerms takes over what holds among those who answered.
func (n *Node) weighTerms() {
	t := &n.terms
	own := said{n.env.Self().ID, t.now, t.since, t.settled}
	groups := groupTerms(append(t.said, own))
	if len(groups) == 0 {
		if t.tries >= maxUnsettled && n.leastOf(t.said) {
			n.foundTerms()
		}
		return
	}
	g := groups[0]
	total := 0
	for _, g := range groups {
		total += len(g.since)
	}
	if len(groups) > 1 && 2*len(g.since) <= total && groups[1].before(&g) {
		g = groups[1]
	}
	if t.settled && g.terms == t.now {
		return
	}
	n.adoptTerms(g.terms, g.age())
}

// leastOf tells whether no other has a smaller ID than this node.
func (n *Node) leastOf(all []said) bool {
	self := n.env.Self().ID
	return !slices.ContainsFunc(all, func(s said) bool { return s.by.Compare(self) < 0 })
}

// termsGroup is the settled nodes that have the same terms.
type termsGroup struct {
	terms Agreement
	since []uint64 // of each, sorted
}

// age returns when the terms were set, as most of the nodes have it.
func (g *termsGroup) age() uint64 { return g.since[len(g.since)/2] }

// before tells whether g holds where neither g nor h has a majority.
func (g *termsGroup) before(h *termsGroup) bool {
	return cmp.Or(cmp.Compare(g.age(), h.age()), cmp.Compare(g.terms.sum(), h.terms.sum())) < 0
}

// groupTerms puts the settled nodes into groups, the largest first, of equally large ones the one
// that holds before the others.
func groupTerms(all []said) (groups []termsGroup) {
	for _, s := range all {
		if !s.settled {
			continue
		}
		i := slices.IndexFunc(groups, func(g termsGroup) bool { return g.terms == s.terms })
		if i < 0 {
			i = len(groups)
			groups = append(groups, termsGroup{terms: s.terms})
		}
		groups[i].since = append(groups[i].since, s.since)
	}
	for i := range groups {
		slices.Sort(groups[i].since)
	}
	slices.SortFunc(groups, func(a, b termsGroup) int {
		if c := cmp.Compare(len(b.since), len(a.since)); c != 0 {
			return c
		}
		if a.before(&b) {
			return -1
		}
		return 1
	})
	return groups
}

// sum names an agreement.
func (a Agreement) sum() uint64 {
	volunteers := uint64(0)
	if a.Volunteers {
		volunteers = 1
	}
	return fold(14695981039346656037, uint64(a.Policy.Goal), uint64(a.Policy.Target), uint64(a.Interval), uint64(a.Maintenance),
		uint64(a.HostCeiling), volunteers, uint64(a.Router))
}
