package pieces_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

func (v *place) lend(n sim.Node, ref pieces.Ref) {
	v.Do(n, func(engine.Protocol) { v.node(n).Announce(ref) })
}

func (v *place) seek(n sim.Node, ref pieces.Ref) *outcome {
	o := &outcome{}
	v.Do(n, func(engine.Protocol) {
		v.node(n).Fetch(ref, nil, func(err error) { o.done, o.err = true, err })
	})
	return o
}

// Owners change as nodes go, and lenders tell the new ones. Many contents are told of in the end, though not at once.
func TestLendersAreFoundThroughChurn(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes, contents = 40, 60
		v := newRing(t, nodes, pieces.Default(), nil)
		var refs []pieces.Ref
		for i := range contents {
			ref := v.disks[1].put(t, random(uint64(i)+t.Seed()<<8, 1000), everything)
			refs = append(refs, ref)
			v.lend(1, ref)
		}
		v.Run(time.Minute)
		for n := sim.Node(20); n < nodes; n++ {
			v.Crash(n)
			v.Run(10 * time.Second)
		}
		v.Run(20 * time.Minute)
		for i, ref := range refs {
			o := v.seek(sim.Node(2+i%18), ref)
			v.wait(o, 2*time.Minute)
			if o.err != nil || !o.done {
				t.Errorf("content %d: %v", i, o.err)
			}
		}
	})
}

// misleader is the Env of an owner that names nodes that are not there.
type misleader struct{ engine.Env }

func (l misleader) Send(to engine.Peer, m engine.Message) {
	if a, ok := m.(*pieces.Providers); ok {
		lie := *a
		lie.Peers = nil
		for range 8 {
			p := to
			p.ID = engine.DrawID(l.Rand())
			lie.Peers = append(lie.Peers, p)
		}
		m = &lie
	}
	l.Env.Send(to, m)
}

// Nodes that pass no question on keep nobody from the lenders for long (hostile 41).
func TestQuestionsThatAreKeptBack(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes, contents = 60, 12
		swallows := false
		v := newRing(t, nodes, pieces.Default(), func(n sim.Node, env engine.Env) engine.Env {
			if n%10 != 9 {
				return env
			}
			return swallower{env, func() bool { return swallows }}
		})
		swallows = true
		var refs []pieces.Ref
		for i := range contents {
			refs = append(refs, v.disks[1].put(t, random(uint64(i)+t.Seed()<<8, 1000), everything))
			v.lend(1, refs[i])
		}
		v.Run(2 * time.Minute)
		for i, ref := range refs {
			o := v.seek(sim.Node(20+i%8), ref)
			v.wait(o, 3*time.Minute)
			if o.err != nil || !o.done {
				t.Errorf("content %d: %v", i, o.err)
			}
		}
	})
}

// swallower is the Env of a node that does not pass on what others ask.
type swallower struct {
	engine.Env
	lies func() bool
}

func (s swallower) Send(to engine.Peer, m engine.Message) {
	routed, ok := m.(*pastry.Routed)
	if ok && s.lies() && routed.Origin.ID != s.Self().ID && routed.Payload.Kind().Protocol() == engine.Pieces {
		return
	}
	s.Env.Send(to, m)
}

// What an owner knows is bounded, whoever tells it, and forgotten.
func TestWhatOwnersKnowIsBounded(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		c := pieces.Default()
		c.MaxKnown, c.MaxOfOne = 20, 15
		v := newRing(t, 3, c, nil)
		said := func(from sim.Node, first, count int) {
			v.Do(0, func(engine.Protocol) {
				for i := range count {
					v.node(0).Receive(v.Peer(from), &pieces.Announce{Ref: pieces.Ref{byte(first + i)}, Lends: true})
				}
			})
		}
		for range 5 {
			said(1, 0, 30)
		}
		if n := v.node(0).Known(); n != 15 {
			t.Errorf("of one node %d are known", n)
		}
		said(2, 0, 30)
		if n := v.node(0).Known(); n != 20 {
			t.Errorf("%d are known", n)
		}
		v.Run(4 * c.Announce)
		said(2, 100, 1)
		if n := v.node(0).Known(); n != 1 {
			t.Errorf("%d are known after they were forgotten", n)
		}
	})
}
