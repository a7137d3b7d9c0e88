package version

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// believe returns the configuration of package believe.
func (c Config) believe() believe.Config {
	return believe.Config{Interval: c.Interval, Witnesses: c.Witnesses}
}

// route does what a part has returned as its next steps.
func (c *core) route(steps update.Steps) {
	for _, s := range steps {
		switch s := s.(type) {
		case func() update.Steps:
			c.route(s())
		case believe.Unseen:
			c.gaps.miss(s.From, s.Channel, s.Version)
		}
	}
}

// believeHost implements believe.Host.
type believeHost struct{ *core }

func (h believeHost) After(d time.Duration, f func() update.Steps) engine.Timer {
	return h.Env.After(d, func() { h.route(f()) })
}

func (h believeHost) CouldOwn(channel, node engine.ID) bool { return h.Roster.CouldOwn(channel, node) }

func (h believeHost) Owns(channel engine.ID) bool {
	owners, _ := h.Roster.Owners(channel, h.config.Owners)
	return slices.ContainsFunc(owners, h.IsSelf)
}

func (h believeHost) Readers(channel engine.ID) int { return h.Roster.Readers(channel) }
func (h believeHost) Nodes() (about, least int)     { return h.Plan.Nodes(), h.Plan.LeastNodes() }
func (h believeHost) Certificate(channel engine.ID) []machine.Grant {
	return h.Ceilings.Certificate(channel)
}
func (h believeHost) WantsFew(channel engine.ID) bool { return h.origins.wantsFew(channel) }
func (h believeHost) Poll(c Channel)                  { h.Poller.Verify(c) }
func (h believeHost) Contradicted(e Contradicted)     { h.Host.Contradicted(e) }

func (h believeHost) MayPoll(channel engine.ID) (c Channel, may bool) {
	c = h.channelOf(channel)
	return c, c.URL != "" && h.Ceilings.LetsReaders(c) && !h.origins.wantsFewer(c.ID)
}

// proven reports whether all that an update names have signed it.
func (c *core) proven(from engine.Peer, u *Update) bool {
	is, proof := c.believe.Proven(from, u)
	c.excluded(proof, engine.Peer{})
	return is
}

// excluded handles a new proof that a node equivocates, if there is one: it is excluded as an owner, and the proof sent
// to the channel's owners and contacts. The next owner makes a version above the doubled one.
func (c *core) excluded(e *Equivocation, from engine.Peer) {
	if e == nil {
		return
	}
	channel, node := e.First.Channel, e.First.Giver.ID
	c.numbering.raiseFloor(channel, e.First.Version)
	c.Roster.Shun(node, channel, c.Env.Now()+believe.EquivocatorAge)
	c.spread(e, from) // if this node leads the polling set now, to all of it
	if o := c.find(channel); o != nil && o.Primary() {
		c.numbering.reunite(o)
	}
}

// spread passes a proof on, once: to the owners, and up and down the polling set.
func (c *core) spread(e *Equivocation, from engine.Peer) {
	channel := e.First.Channel
	to := c.Plan.Below(channel)
	if p, ok := c.Plan.Above(channel); ok {
		to = append(to, p)
	}
	if owners, sure := c.Roster.Owners(channel, c.config.Owners); sure {
		to = append(to, owners...)
	} else {
		c.Ring.Route(c.AlternateKey(channel), e)
	}
	notified := []engine.ID{from.ID, e.First.Giver.ID, c.Env.Self().ID}
	for _, p := range to {
		if !slices.Contains(notified, p.ID) {
			notified = append(notified, p.ID)
			c.Env.Send(p, e)
		}
	}
}

// witnessable returns how many subscribers a version has that are not to poll for themselves: none if nobody may.
func (c *core) witnessable(o *record) int {
	if c.origins.pollsAlone(o) || o.limit.Interval > 0 {
		return 0
	}
	return o.Live()
}

// askEarly asks witnesses to see a reported content while this node polls too.
func (c *core) askEarly(o *record, n *candidate) {
	if !c.verifier.soon(o) && c.believe.MayAskEarly(o.ID()) {
		if u := n.update; c.numbering.number(o, &u) {
			c.believe.AskEarly(o.Channel(), u, c.witnessable(o))
		}
	}
}

// see has this node poll for a version that too few witnesses have seen, if it has readers for it or is to send it on.
func (c *core) see(a *arrival) {
	channel := a.update.Channel
	c.gaps.came(channel, a.update.Version)
	if o := c.find(channel); c.reads(channel) || o != nil && c.duties.makesVersions(o) {
		c.believe.See(a.from, a.update)
	}
}

// pollFor polls a channel that is polled here, and sends the requester what it shows. It polls at most freeChecks times
// an interval, once if the load of hosts is bounded.
func (c *core) pollFor(from engine.Peer, channel engine.ID) {
	at, polled := c.Plan.Polled(channel)
	most := freeChecks
	if c.Ceilings.Hosted() {
		polled = polled && c.Ceilings.MayLead(from.ID, channel)
		most = 1
	}
	if !polled || !c.believe.PollFor(from, at, most) {
		c.Env.Send(from, &Verified{Channel: channel})
	}
}

// stand polls a channel as the node at one of its places, if the host lets the channel be polled. An owner that numbers
// a version asks for it.
func (c *core) stand(key engine.ID, from engine.Peer, m *Verify) {
	at := Channel{ID: m.Channel, URL: m.URL}
	if !c.believe.Stands(key, m) || !c.Ceilings.MayLead(from.ID, at.ID) {
		update.Refuse(&c.Base, m.Channel, 0, from, Stranger)
		return
	}
	c.Ceilings.CheckCertificate(at, m.Certificate, func(pollers float64) {
		if pollers == 0 {
			update.Refuse(&c.Base, m.Channel, 0, from, Uncertified)
			return
		}
		c.duties.keep(at)
		c.believe.PollAsWitness(from, m, at, int(pollers))
	})
}
