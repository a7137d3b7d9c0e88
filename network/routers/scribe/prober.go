package scribe

import (
	"time"

	"tidings/network/engine"
)

// prober measures round trip times to peers. Each probe ends once: by its answer, or after probeWait. At most maxProbes
// are under way.
type prober struct {
	env  engine.Env
	open map[uint64]*probe // by the number in the messages
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

func newProber(env engine.Env) *prober { return &prober{env: env, open: make(map[uint64]*probe)} }

// probe measures the round trip time to a peer, and calls then once: with 0 if there was no answer within
// probeWait, or if maxProbes are under way.
func (s *prober) probe(to engine.Peer, then func(rtt time.Duration)) {
	if len(s.open) >= maxProbes {
		s.env.Trace(LimitHit{"maxProbes", maxProbes})
		then(0)
		return
	}
	number := s.env.Rand().Uint64()
	s.open[number] = &probe{to: to.ID, sent: s.env.Now(), then: then}
	s.env.Send(to, &Probe{Number: number})
	s.env.After(probeWait, func() {
		if p := s.open[number]; p != nil {
			delete(s.open, number)
			p.then(0)
		}
	})
}

// receive ends a probe, if the answer comes from the node that was asked.
func (s *prober) receive(from engine.Peer, m *Probed) {
	p := s.open[m.Number]
	if p == nil || p.to != from.ID {
		return
	}
	delete(s.open, m.Number)
	p.then(max(s.env.Now()-p.sent, 1))
}

// After probeWait, nearest calls then with the sibling over which the way to their parent is the shortest, if any of
// them answers.
func (s *prober) nearest(siblings []Sibling, then func(best engine.Peer)) {
	var best engine.Peer
	var least time.Duration
	decided := false
	for _, sibling := range siblings {
		s.probe(sibling.Peer, func(rtt time.Duration) {
			way := rtt + time.Duration(sibling.RTT)*time.Microsecond
			if rtt > 0 && !decided && (best.IsZero() || way < least) {
				best, least = sibling.Peer, way
			}
		})
	}
	s.env.After(probeWait, func() {
		decided = true
		if !best.IsZero() {
			then(best)
		}
	})
}
