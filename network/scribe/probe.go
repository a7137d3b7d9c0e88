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
	then func(rtt time.Duration) // 0: no answer came in time
}

const (
	probeWait = time.Second // for an answer
	maxProbes = 4096
)

// probe measures the round trip time to a peer, and calls then once: with 0 if there was no answer within
// probeWait, or too much is being measured.
func (n *Node) probe(to engine.Peer, then func(rtt time.Duration)) {
	if len(n.probes.open) >= maxProbes {
		n.limitHit("maxProbes", maxProbes)
		then(0)
		return
	}
	if n.probes.open == nil {
		n.probes.open = make(map[uint64]*probe)
	}
	number := n.env.Rand().Uint64()
	n.probes.open[number] = &probe{to: to.ID, sent: n.env.Now(), then: then}
	n.env.Send(to, &Probe{Number: number})
	n.env.After(probeWait, func() {
		if p := n.probes.open[number]; p != nil {
			delete(n.probes.open, number)
			p.then(0)
		}
	})
}

func (n *Node) probed(from engine.Peer, m *Probed) {
	p := n.probes.open[m.Number]
	if p == nil || p.to != from.ID {
		return
	}
	delete(n.probes.open, m.Number)
	p.then(max(n.env.Now()-p.sent, 1))
}
