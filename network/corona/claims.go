package corona

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// claims are what this node asks of hosts' owners for the channels that it is primary of.
type claims struct {
	index map[engine.ID]*claiming // by host
	list  []*claiming             // in the order of coming
	due   []*claiming             // about to ask
	alarm alarm
}

// claiming is one host of channels that this node is primary of.
type claiming struct {
	host     engine.ID
	channels []*owned      // in the order of coming
	owners   []answering   // that have answered, those closest to the host first
	rounds   int           // of asking
	tries    int           // in a row without a certificate for each channel
	again    engine.Timer  // for another try
	due      bool          // it is in claims.due
	patience time.Duration // until when the host is to be left in peace, as its owners say, by Env.Now
	believed time.Duration // until when they are not believed again
	gone     bool
}

// answering is an owner of a host that has answered.
type answering struct {
	peer  engine.Peer
	round int           // in which it did so last
	wait  time.Duration // until when it says that the host is to be left in peace
}

// permit is what a primary has of a host's owners for one channel.
type permit struct {
	at          *claiming
	wanted      uint8   // the polling level it would choose
	grants      []Grant // one of each owner that has granted something, at most maxHostOwners+1
	certificate *certificate
}

// How claims are sent.
const (
	claimPause    = 200 * time.Millisecond // so that several channels go together
	claimsAtATime = 64                     // hosts that are asked in one go
	claimRetry    = 5 * time.Second        // doubled each time
	claimTries    = 5                      // then the next maintenance does it
	routeEvery    = 4                      // rounds after which owners are looked for anew
)

func (n *Node) startClaims() {
	n.claims.index = make(map[engine.ID]*claiming)
	if n.hosted() {
		n.onChange(n.claimChanged)
	}
}

// claimChanged follows which channels this node is primary of.
func (n *Node) claimChanged(o *owned) {
	wants := o.primary && !o.gone && o.readers.total > 0
	switch {
	case wants && o.permit == nil:
		n.permitFor(o)
	case !wants && o.permit != nil:
		n.unclaim(o)
	}
}

// permitFor returns the channel's permit, and asks for grants if there is none.
func (n *Node) permitFor(o *owned) *permit {
	if o.permit != nil {
		return o.permit
	}
	key := hostKey(o.channel.URL)
	c := n.claims.index[key]
	if c == nil {
		c = &claiming{host: key}
		n.claims.index[key] = c
		n.claims.list = append(n.claims.list, c)
	}
	c.channels = append(c.channels, o)
	o.permit = &permit{at: c, wanted: uint8(o.bits)}
	if had := n.wedges.certificates[o.channel.ID]; had != nil { // of the primary before
		o.permit.grants = slices.Clone(had.grants)
		o.permit.certificate = n.certify(key, o.permit.grants)
	}
	c.tries = 0
	n.claimSoon(c)
	return o.permit
}

// unclaim ends what permitFor began.
func (n *Node) unclaim(o *owned) {
	c := o.permit.at
	o.permit = nil
	i := slices.Index(c.channels, o)
	c.channels = slices.Delete(c.channels, i, i+1)
	if len(c.channels) == 0 {
		c.gone = true
		c.again.Stop()
		delete(n.claims.index, c.host)
		i := slices.Index(n.claims.list, c)
		n.claims.list = slices.Delete(n.claims.list, i, i+1)
	}
}

// claimAll asks for all hosts anew.
func (n *Node) claimAll() {
	for _, c := range n.claims.list {
		c.tries = 0
		n.claimSoon(c)
	}
}

func (n *Node) claimSoon(c *claiming) {
	if !c.due {
		c.due = true
		n.claims.due = append(n.claims.due, c)
	}
	n.claims.alarm.set(n.env, n.env.Now()+claimPause, n.claimDue)
}

// claimDue asks for the hosts that are due, some at a time.
func (n *Node) claimDue() {
	k := min(len(n.claims.due), claimsAtATime)
	for _, c := range n.claims.due[:k] {
		if c.due = false; !c.gone {
			n.claim(c)
		}
	}
	n.claims.due = slices.Delete(n.claims.due, 0, k)
	if len(n.claims.due) > 0 {
		n.claims.alarm.set(n.env, n.env.Now()+claimPause, n.claimDue)
	}
}

// claim asks the owners of a host: those that are known directly, and by the ring where some are not,
// or were not looked for lately.
func (n *Node) claim(c *claiming) {
	if !n.ring.Active() {
		n.retryClaim(c)
		return
	}
	c.rounds++
	c.owners = slices.DeleteFunc(c.owners, func(a answering) bool { return a.round+2 < c.rounds })
	route := len(c.owners) < n.hostOwners() || c.rounds%routeEvery == 0
	for list := c.channels; len(list) > 0; {
		k := min(len(list), maxInClaims)
		m := Claims{Host: c.host, Node: n.env.Self()}
		for _, o := range list[:k] {
			m.Claims = append(m.Claims, n.claimOf(o))
		}
		list = list[k:]
		direct := m
		direct.Handed = true
		for _, a := range c.owners {
			n.env.Send(a.peer, &direct)
		}
		if route {
			n.ring.Route(n.roundabout(c.host, c.tries), &m)
		}
	}
	n.retryClaim(c)
}

// roundabout returns a point close to a host's key, another one for each try: so that no one node there
// stands between this one and the host's owners.
func (n *Node) roundabout(host engine.ID, try int) engine.ID {
	if try == 0 {
		return host
	}
	owners, _ := n.ring.Owners(host, 1)
	if len(owners) > 0 && n.isSelf(owners[0]) {
		return host
	}
	key := host
	bit := min(engine.Bits-1, bitsOf(n.ring.Nodes())) // about one node away
	for i := range 2 {
		if (try+i)&1 == 1 {
			key[(bit+i)/8] ^= 0x80 >> ((bit + i) % 8)
		}
	}
	return key
}

// bitsOf returns the logarithm of a number of nodes, rounded down.
func bitsOf(nodes int) (bits int) {
	for nodes > 1 {
		nodes >>= 1
		bits++
	}
	return bits
}

func (n *Node) claimOf(o *owned) Claim {
	w := n.wedgesOf(o)
	bits := int(o.permit.wanted)
	return Claim{
		URL: o.channel.URL, Readers: uint32(min(o.readers.total, 1<<31)), Bits: uint8(bits),
		Pollers: uint32(w.Pollers(n.level(bits, w))), Wait: inSeconds(o.limit.notBefore - n.env.Now()),
	}
}

// retryClaim asks again if some channel stays without a certificate.
func (n *Node) retryClaim(c *claiming) {
	if c.tries >= claimTries {
		return
	}
	wait := claimRetry << c.tries
	c.tries++
	c.again.Stop()
	c.again = n.env.After(wait+n.chance(wait/4), func() {
		for _, o := range c.channels {
			if n.certificateOf(o) == nil {
				n.claimSoon(c)
				return
			}
		}
	})
}

// answerAskProof shows by which signed subscriptions channels have so many readers.
func (n *Node) answerAskProof(from engine.Peer, m *AskProof) {
	if !n.mayOwnHost(from.ID, m.Host) {
		return
	}
	for _, a := range m.Asks {
		o := n.find(a.Channel)
		if o == nil || !o.primary || o.permit == nil || o.permit.at.host != m.Host {
			continue
		}
		proof := &Proof{Host: m.Host, Claim: n.claimOf(o), Nonce: a.Nonce}
		for _, i := range o.readers.sample(&n.owned.people, a.Nonce, n.config.MaxCount) {
			s := n.subscription(o, i)
			s.Age = 0
			proof.Subscriptions = append(proof.Subscriptions, s)
		}
		n.env.Send(from, proof)
	}
}

// takeGrants takes what an owner of a host has granted.
func (n *Node) takeGrants(from engine.Peer, m *Grants) {
	c := n.claims.index[m.Host]
	if c == nil || !n.mayOwnHost(from.ID, m.Host) {
		return
	}
	c.answered(from)
	n.bePatient(c, from.ID, m.Wait)
	proofs := make([]signed, len(m.Grants))
	for i := range m.Grants {
		g := &m.Grants[i]
		g.Owner = from
		proofs[i] = signed{from, g.words(m.Host, g.Channel), g.Signature}
	}
	n.checkSigned(proofs, func(valid []bool) {
		for i, g := range m.Grants {
			if o := n.find(g.Channel); valid[i] && o != nil && o.permit != nil && o.permit.at == c {
				n.granted(o, g)
			}
		}
	})
}

// answered takes note of an owner.
func (c *claiming) answered(from engine.Peer) {
	i := slices.IndexFunc(c.owners, func(a answering) bool { return a.peer.ID == from.ID })
	if i < 0 {
		i = len(c.owners)
		c.owners = append(c.owners, answering{})
	}
	c.owners[i].peer, c.owners[i].round = from, c.rounds
	slices.SortFunc(c.owners, func(a, b answering) int {
		if engine.Closer(c.host, a.peer.ID, b.peer.ID) {
			return -1
		}
		return 1
	})
	c.owners = c.owners[:min(len(c.owners), maxHostOwners)]
}

// granted takes one grant, and gives new orders if it changes what is allowed, or lets it last longer
// when half the time has passed.
func (n *Node) granted(o *owned, g Grant) {
	p := o.permit
	channel := g.Channel
	g.Channel = engine.ID{}
	p.grants = slices.DeleteFunc(p.grants, func(h Grant) bool { return h.Owner.ID == g.Owner.ID || !n.holds(h.Until) })
	if len(p.grants) > maxHostOwners {
		p.grants = p.grants[1:]
	}
	p.grants = append(p.grants, g)
	c, old := n.certify(p.at.host, p.grants), n.certificateOf(o)
	if c == nil {
		return
	}
	half := n.env.Wall().Add(grantLasts * n.config.Maintenance / 2).Unix()
	if old != nil && old.bits == c.bits && old.every == c.every && (old.until > half || c.until <= old.until) {
		return
	}
	p.certificate = c
	n.env.Trace(Certified{channel, int(c.bits), c.every})
	if !n.leads(channel) && !o.informed {
		return // it is too early
	}
	if bits := max(int(p.wanted), int(c.bits)); bits < o.bits {
		n.setLevel(o, bits)
		return
	}
	n.lead(o)
}

// certificateOf returns what lets a channel be polled that this node is primary of; nil if nothing
// does, or needs to.
func (n *Node) certificateOf(o *owned) *certificate {
	if o.permit == nil || o.permit.certificate == nil || !n.holds(o.permit.certificate.until) {
		return nil
	}
	if len(o.permit.certificate.grants) < n.quorum() {
		return nil
	}
	return o.permit.certificate
}

// leastBits returns the least polling level that a channel's host lets it have.
func (n *Node) leastBits(o *owned) int {
	if !n.hosted() {
		return 0
	}
	if c := n.certificateOf(o); c != nil {
		return int(c.bits)
	}
	return alone
}

// pollBits returns the level at which a channel is polled: what was chosen, or what its host lets it
// have.
func (n *Node) pollBits(o *owned) int { return max(min(o.bits, alone), n.leastBits(o)) }

// startOf returns some moment at which a channel's slot begins. Channels of a host that are polled less
// often than each interval are not all polled in the first.
func (n *Node) startOf(o *owned, l limits) time.Duration {
	if n.certificateOf(o) == nil || l.interval <= n.config.Interval {
		return o.slot
	}
	drawn := mix(binary.BigEndian.Uint64(o.channel.ID[:])) % uint64(l.interval/n.config.Interval)
	return o.slot + time.Duration(drawn)*n.config.Interval
}

// heeded returns what the origin asks for, and its host's owners.
func (n *Node) heeded(o *owned) limits {
	l := o.limit
	if c := n.certificateOf(o); c != nil {
		l.interval = max(l.interval, c.every)
		l.notBefore = max(l.notBefore, n.hostPatience(o.permit.at))
	}
	return l
}

// wish finds out what levels channels would have if their hosts let them: that is what is claimed.
func (n *Node) wish(own []*owned) {
	if !n.hosted() {
		return
	}
	choices, s := n.solvePlan(own, n.politeLevel)
	for i := range choices {
		if c := &choices[i]; c.owned.permit != nil {
			c.owned.permit.wanted = uint8(n.levelBits(s.Level(c.index), c.wedges))
		}
	}
}

// boundLevel is the least level of a channel in the plan: where its host lets it have less than it would,
// that.
func (n *Node) boundLevel(o *owned, w *honeycomb.Wedges) int {
	level := n.politeLevel(o, w)
	if n.bound(o) {
		level = max(level, n.level(n.leastBits(o), w))
	}
	return level
}

// bound tells whether a channel's host lets it have less than it would.
func (n *Node) bound(o *owned) bool {
	return o.permit != nil && n.leastBits(o) > int(o.permit.wanted)
}

// wishFor has a channel that its host does not bind claim the level that was chosen: others' bounds
// leave it more than it would have.
func (n *Node) wishFor(o *owned, bits int) {
	if o.permit != nil && !n.bound(o) {
		o.permit.wanted = uint8(bits)
	}
}
