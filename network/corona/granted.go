package corona

import (
	"slices"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// answerAskProof shows by which signed subscriptions channels have so many readers.
func (n *budgeter) answerAskProof(from engine.Peer, m *AskProof) {
	if !n.mayOwnHost(from.ID, m.Host) {
		return
	}
	for _, a := range m.Asks {
		o := n.node.roster.Find(a.Channel)
		if o == nil || !o.Primary() || o.permit == nil || o.permit.at.host != m.Host {
			continue
		}
		proof := &Proof{Host: m.Host, Claim: n.claimOf(o), Nonce: a.Nonce, Subscriptions: n.node.roster.Sample(o.Owned, a.Nonce)}
		n.Env.Send(from, proof)
	}
}

// takeGrants takes what an owner of a host has granted.
func (n *budgeter) takeGrants(from engine.Peer, m *Grants) {
	c := n.claims.index[m.Host]
	if c == nil || !n.mayOwnHost(from.ID, m.Host) {
		return
	}
	c.answered(from)
	n.bePatient(c, from.ID, m.Wait)
	proofs := make([]machine.Signed, len(m.Grants))
	for i := range m.Grants {
		g := &m.Grants[i]
		g.Owner = from
		proofs[i] = machine.Signed{By: from, Words: g.words(m.Host, g.Channel), Signature: g.Signature}
	}
	n.CheckSigned(proofs, func(valid []bool) {
		for i, g := range m.Grants {
			if o := n.node.roster.Find(g.Channel); valid[i] && o != nil && o.permit != nil && o.permit.at == c {
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

// granted takes one grant, and sends new assignments if it changes what is allowed, or lets it last longer
// when half the time has passed.
func (n *budgeter) granted(o *owned, g Grant) {
	p := o.permit
	channel := g.Channel
	g.Channel = engine.ID{}
	p.grants = slices.DeleteFunc(p.grants, func(h Grant) bool { return h.Owner.ID == g.Owner.ID || !n.Holds(h.Until) })
	if len(p.grants) > maxHostOwners {
		p.grants = p.grants[1:]
	}
	p.grants = append(p.grants, g)
	c, old := n.certify(p.at.host, p.grants), n.CertificateOf(o)
	if c == nil {
		return
	}
	half := n.Env.Wall().Add(grantLasts * n.config.Maintenance / 2).Unix()
	if old != nil && old.bits == c.bits && old.every == c.every && (old.until > half || c.until <= old.until) {
		return
	}
	p.certificate = c
	n.Env.Trace(Certified{channel, int(c.bits), c.every})
	if n.node.plan.Leads(channel) || o.Informed() {
		n.node.plan.Renew(channel, true)
	}
}
