package budget

import (
	"sort"

	"tidings/network/corona/machine"
)

// MayJoin reports whether this node, which is in the set that it was assigned, may poll a channel. If not yet, it asks
// for proof, and calls Host.Joins when that comes.
func (p *proofs) MayJoin(c machine.Channel, assigned machine.Size) bool {
	if !p.Hosted() {
		return true
	}
	k := p.index[c.ID]
	if k == nil {
		k = &proving{channel: c.ID, host: HostKey(c.URL), assigned: machine.Alone, asked: machine.Alone}
		p.index[c.ID] = k
		of := p.hosts[k.host]
		if of == nil {
			of = &payers{}
			p.hosts[k.host] = of
		}
		of.list = append(of.list, k)
	}
	k.assigned, k.pollers = assigned, p.host.Pollers(c.ID, assigned)
	if k.nonce == 0 && k.pollers > k.readers && !assigned.Within(k.asked) {
		p.ask(k)
	}
	k.inside = p.isInside(k)
	return k.inside || p.spared(k)
}

// covers reports whether the proved readers pay for a set of that size.
func (p *proofs) covers(k *proving, s machine.Size) bool {
	return k.readers > 0 && p.host.Pollers(k.channel, s) <= k.readers
}

// isInside reports whether this node is in the largest set that the readers of a channel pay for, up to the assigned
// one.
func (p *proofs) isInside(k *proving) bool {
	if k.pollers <= k.readers {
		return true
	}
	const end = machine.Steps * machine.MaxSizeBits
	first := sort.Search(end, func(i int) bool { return machine.Fine(i).Within(k.assigned) })
	size := machine.Fine(first + sort.Search(end-first, func(i int) bool { return p.covers(k, machine.Fine(first+i)) }))
	return k.readers >= 1 && machine.ArcOf(k.channel, size).Contains(p.Env.Self().ID)
}

// spared reports whether this node may poll a channel beyond what its own readers pay for. It may if other channels of
// the host have more readers than pollers. Each node passes on its part of their surplus, to the earliest channels: so
// all nodes together pass on no more than there is.
func (p *proofs) spared(k *proving) bool {
	left, earlier, came := 0., 0., false
	for _, o := range p.hosts[k.host].list {
		came = came || o == k
		switch {
		case o.readers >= o.pollers:
			left += o.readers - o.pollers
		case !came && !o.inside:
			earlier++
		}
	}
	return k.readers >= 1 && left >= (earlier+drawnFor(k.channel, p.Env.Self().ID))*p.nodes()
}
