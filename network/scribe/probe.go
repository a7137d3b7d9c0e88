package scribe

import (
	"time"

	"tidings/network/engine"
)

// probes are questions for round trip times under way.
type probes struct {
	open map[uint64]*probe
}

type probe struct {
	to   engine.ID
	sent time.Duration
	then func(rtt time.Duration)
}

const (
	probeWait = time.Second // for an answer
	maxProbes = 4096
)

// probe measures the round trip time to a peer. Nothing comes of it if the answer takes longer
// than probeWait.
func (n *Node) probe(to engine.Peer, then func(rtt time.Duration)) {
	if len(n.probes.open) >= maxProbes {
		n.limitHit("maxProbes", maxProbes)
		return
	}
	if n.probes.open == nil {
		n.probes.open = make(map[uint64]*probe)
	}
	number := n.env.Rand().Uint64()
	n.probes.open[number] = &probe{to: to.ID, sent: n.env.Now(), then: then}
	n.env.Send(to, &Probe{Number: number})
	n.env.After(probeWait, func() { delete(n.probes.open, number) })
}

func (n *Node) probed(from engine.Peer, m *Probed) {
	p := n.probes.open[m.Number]
	if p == nil || p.to != from.ID {
		return
	}
	delete(n.probes.open, m.Number)
	p.then(n.env.Now() - p.sent)
}
