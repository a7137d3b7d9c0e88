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

// params is how a node agrees with the others on the parameters of the network. It compares them with its leaf set and
// with the contacts of its routing table, which are spread over the whole ring: when it joins, once a maintenance
// interval, and when its neighbours have changed.
//
//   - A node that is alone, such as one that founds a network, settles on its own parameters.
//   - A node that joins is unsettled until it has adopted what more than half of the settled nodes that it asks use.
//   - Only settled nodes count, each once; a settled node counts itself.
//   - Where no parameters have a majority, two sets are compared, those of the most nodes: the one that was set earlier
//     holds (the median of what its nodes say), and of equally old ones the one with the smaller sum.
//
// So a few lying nodes change nothing, and of two networks that become one, the larger one's parameters hold.
type params struct {
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
	params  Agreement
	since   uint64
	settled bool
}

const (
	maxParamsAsked = 64              // nodes a round
	paramsWithin   = 5 * time.Second // to answer
	paramsAgain    = time.Second     // between rounds of a node that is not settled
	paramsRest     = 16              // part of Config.Maintenance: least time between rounds of one that is
	paramsSlow     = 6               // doublings of the time between rounds of one that is not
	// maxUnsettled is how many rounds a node waits in which nobody is settled: in a network
	// whose nodes have all just come, the one with the least ID begins.
	maxUnsettled = 3
)

func (n *settler) startParams() {
	whole := func(d time.Duration) time.Duration { return d.Truncate(time.Millisecond) } // as messages have it
	c := n.config
	n.params.now = Agreement{
		honeycomb.Policy{Goal: c.Policy.Goal, Target: whole(c.Policy.Target)}, whole(c.Interval), whole(c.Maintenance), c.HostCeiling, c.Volunteers, c.Router,
	}
	n.params.next.Soon(n.Env, n.Env.Now()+paramsAgain, n.requestParams)
}

// Params returns the parameters that this node uses, and whether it has agreed on them with others, or there are none.
func (n *settler) Params() (a Agreement, settled bool) { return n.params.now, n.params.settled }

// requestParamsSoon has the node ask soon, as it may have come among others. One that is part of a ring
// before it has a neighbour has founded it.
func (n *settler) requestParamsSoon() {
	t := &n.params
	if !t.met && !t.settled && n.Ring.Active() {
		n.foundParams()
	}
	t.met = true
	if !t.settled {
		return // it is asking
	}
	at := max(n.Env.Now()+paramsAgain, t.last+n.config.Maintenance/paramsRest)
	if t.alone {
		at = n.Env.Now() + paramsAgain
	}
	t.next.Soon(n.Env, at, n.requestParams)
}

// requestParams begins a round.
func (n *settler) requestParams() {
	t := &n.params
	if !n.Ring.Active() {
		t.next.Soon(n.Env, n.Env.Now()+paramsAgain, n.requestParams)
		return
	}
	t.compare.Stop()
	t.last = n.Env.Now()
	t.said, t.asked = nil, n.sample()
	if t.alone = len(t.asked) == 0; t.alone {
		n.endParamsRound()
		return
	}
	for _, p := range t.asked {
		n.Env.Send(p, &ParamsRequest{})
	}
	t.compare = n.Env.After(paramsWithin, n.endParamsRound)
}

// sample returns whom to ask: neighbours first.
func (n *settler) sample() (peers []engine.Peer) {
	neighbours, _ := n.Ring.Owners(n.Env.Self().ID, maxParamsAsked)
	for _, p := range slices.Concat(neighbours, n.Ring.WedgeContacts(n.Env.Self().ID, 0)) {
		known := slices.ContainsFunc(peers, func(q engine.Peer) bool { return q.ID == p.ID })
		if !known && !n.IsSelf(p) && len(peers) < maxParamsAsked {
			peers = append(peers, p)
		}
	}
	return peers
}

func (n *settler) answerParamsRequest(from engine.Peer) {
	t := &n.params
	n.Env.Send(from, &Params{
		Goal: uint8(t.now.Policy.Goal), Target: inMillis(t.now.Policy.Target),
		Interval: inMillis(t.now.Interval), Maintenance: inMillis(t.now.Maintenance), HostCeiling: uint32(t.now.HostCeiling),
		Volunteers: t.now.Volunteers, Router: uint8(t.now.Router), Since: t.since, Settled: t.settled,
	})
}

func (n *settler) takeParams(from engine.Peer, m *Params) {
	t := &n.params
	i := slices.IndexFunc(t.asked, func(p engine.Peer) bool { return p.ID == from.ID })
	if i < 0 {
		return
	}
	t.asked = slices.Delete(t.asked, i, i+1)
	policy := honeycomb.Policy{Goal: honeycomb.Goal(m.Goal), Target: milliseconds(m.Target)}
	params := Agreement{policy, milliseconds(m.Interval), milliseconds(m.Maintenance), int(m.HostCeiling), m.Volunteers, network.RouterName(m.Router)}
	t.said = append(t.said, said{from.ID, params, m.Since, m.Settled})
	if len(t.asked) == 0 {
		n.endParamsRound()
	}
}

// endParamsRound draws the conclusion from what was said.
func (n *settler) endParamsRound() {
	t := &n.params
	t.compare.Stop()
	enough := len(t.said) >= len(t.asked) // half of them at least
	t.asked = nil
	if !t.settled {
		t.tries++
	}
	switch {
	case t.alone && !t.settled:
		n.foundParams()
	case enough && !t.alone:
		n.compareParams()
	}
	t.said = nil
	wait := paramsAgain << min(t.tries, paramsSlow)
	if t.settled {
		wait = n.Jitter(n.config.Maintenance)
	}
	t.next.Soon(n.Env, n.Env.Now()+wait, n.requestParams)
}

// foundParams settles on this node's own.
func (n *settler) foundParams() {
	n.params.since = uint64(max(0, n.Env.Wall().UnixMilli()))
	n.settleParams()
}

func (n *settler) settleParams() {
	t := &n.params
	t.settled, t.tries = true, 0
	emit(n.core, n.listener.Agreed, Agreed{t.now, t.changed})
}

// compareParams takes over what holds among those who answered.
func (n *settler) compareParams() {
	t := &n.params
	own := said{n.Env.Self().ID, t.now, t.since, t.settled}
	groups := groupParams(append(t.said, own))
	if len(groups) == 0 {
		if t.tries >= maxUnsettled && n.leastOf(t.said) {
			n.foundParams()
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
	if t.settled && g.params == t.now {
		return
	}
	n.adoptParams(g.params, g.age())
}

// leastOf reports whether no other has a smaller ID than this node.
func (n *settler) leastOf(all []said) bool {
	self := n.Env.Self().ID
	return !slices.ContainsFunc(all, func(s said) bool { return s.by.Compare(self) < 0 })
}

// paramsGroup is the settled nodes that have the same parameters.
type paramsGroup struct {
	params Agreement
	since  []uint64 // of each, sorted
}

// age returns when the parameters were set, as most of the nodes have it.
func (g *paramsGroup) age() uint64 { return g.since[len(g.since)/2] }

// before reports whether g holds where neither g nor h has a majority.
func (g *paramsGroup) before(h *paramsGroup) bool {
	return cmp.Or(cmp.Compare(g.age(), h.age()), cmp.Compare(g.params.sum(), h.params.sum())) < 0
}

// groupParams puts the settled nodes into groups, the largest first, of equally large ones the one
// that holds before the others.
func groupParams(all []said) (groups []paramsGroup) {
	for _, s := range all {
		if !s.settled {
			continue
		}
		i := slices.IndexFunc(groups, func(g paramsGroup) bool { return g.params == s.params })
		if i < 0 {
			i = len(groups)
			groups = append(groups, paramsGroup{params: s.params})
		}
		groups[i].since = append(groups[i].since, s.since)
	}
	for i := range groups {
		slices.Sort(groups[i].since)
	}
	slices.SortFunc(groups, func(a, b paramsGroup) int {
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
