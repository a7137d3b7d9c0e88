package pastry

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// forgetful is a node that loses the way to one other, as a private node does when its forwarder has gone. It finds the
// way again when a third node names the other to it.
type forgetful struct {
	engine.Env
	*Node
	lost engine.ID // zero: none
}

func (f *forgetful) Send(to engine.Peer, m engine.Message) {
	if to.ID != f.lost {
		f.Env.Send(to, m)
	}
}

func (f *forgetful) Receive(from engine.Peer, m engine.Message) {
	codec.Peers(m, func(p engine.Peer) {
		if p.ID == f.lost && from.ID != f.lost {
			f.lost = engine.ID{}
		}
	})
	f.Node.Receive(from, m)
}

// A node loses the way to a neighbour, which notices nothing, and finds it dead. The other neighbours know better and
// name it again. The first look for it finds it, though no node repeats names in a ring at rest.
func TestAFalseDeathIsContradicted(t *testing.T) {
	t.Parallel()
	for _, seed := range sim.Seeds(1, short(4, 12)) {
		r := newRing(t, seed)
		r.grow(40, 200*time.Millisecond)
		var f *forgetful
		r.world.Boot(r.world.Add(r.key(), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			f = &forgetful{Env: env}
			f.Node = New(f, r.config)
			f.Join(r.peers(r.nodes[:1])...)
			return f
		}))
		r.world.Run(5 * time.Minute)
		other := f.known.above(3).peer
		f.lost = other.ID
		f.prober.ask(other, true)
		knows := func() bool { return f.Knows(other.ID) }
		if !r.world.RunUntil(func() bool { return !knows() },
			2*time.Duration(r.config.ProbeTries)*r.config.ProbeTimeout) {
			t.Fatalf("seed %d: a neighbour without a way to it was not found dead", seed)
		}
		if !r.world.RunUntil(knows, 2*r.config.JoinTimeout) {
			t.Errorf("seed %d: a living neighbour was missing after the first look for it", seed)
		}
	}
}

// No node names a dead one to a node that has found it dead, and none meets it again.
func TestNobodyNamesTheDeadAgain(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(short(20, 40), 200*time.Millisecond)
	r.world.Run(5 * time.Minute)
	for range 4 {
		dead := r.someone()
		gone := r.world.Peer(dead)
		r.world.Crash(dead)
		r.nodes = slices.DeleteFunc(r.nodes, func(n sim.Node) bool { return n == dead })
		died := r.world.Now()
		found := make(map[sim.Node]time.Duration) // when each has found it dead
		contradicted := 0
		r.world.Observe(func(at time.Duration, n sim.Node, e any) {
			switch e := e.(type) {
			case Removed:
				if e.Peer == gone {
					found[n] = at
				}
			case Met:
				if e.Peer == gone {
					t.Errorf("node %d met node %d %v after that had died", n, dead, at-died)
				}
			}
		})
		r.world.Tap(func(d sim.Delivery) {
			if m, is := d.Message.(*Row); is && len(m.Peers) == 1 && m.Peers[0] == gone && d.Fate == sim.Received &&
				found[d.To] > 0 {
				contradicted++
			}
		})
		r.world.Run(5 * time.Minute)
		if len(found) < r.config.LeafSet {
			t.Errorf("node %d was found dead by %d nodes", dead, len(found))
		}
		if contradicted > 0 {
			t.Errorf("node %d was named %d times to nodes that had found it dead", dead, contradicted)
		}
	}
}

// A liar claims every second that all others are dead. Each node names each of them to it once in half a KeepAlive at
// most.
func TestContradictionsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(20, 200*time.Millisecond)
	r.world.Run(time.Minute)
	var l *liar
	at := r.world.Add(r.key(), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		l = &liar{env: env, peers: func() []engine.Peer { return nil }}
		return l
	})
	r.world.Boot(at)
	named := make(map[sim.Node]map[engine.ID]int) // by the node that named them
	r.world.Tap(func(d sim.Delivery) {
		m, is := d.Message.(*Row)
		if !is || d.To != at || d.Fate != sim.Received || len(m.Peers) != 1 {
			return
		}
		if named[d.From] == nil {
			named[d.From] = make(map[engine.ID]int)
		}
		named[d.From][m.Peers[0].ID]++
	})
	const halves = 3
	for end := r.world.Now() + halves*r.config.KeepAlive/2; r.world.Now() < end; r.world.Run(time.Second) {
		for _, n := range r.nodes {
			var dead []engine.ID
			for _, o := range r.nodes {
				dead = append(dead, r.world.Peer(o).ID)
			}
			l.env.Send(r.world.Peer(n), &Probe{Active: true, Leaf: true, Dead: dead})
		}
	}
	if len(named) < len(r.nodes) {
		t.Errorf("%d of %d nodes contradicted", len(named), len(r.nodes))
	}
	for n, all := range named {
		for id, times := range all {
			if times > halves+1 {
				t.Errorf("node %d named %v %d times", n, id, times)
			}
		}
	}
}

// A liar names a dead node every second. Its victim searches for that one once in a KeepAlive at most, and no node
// believes in it.
func TestALiarKeepsNoDeadAlive(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(20, 200*time.Millisecond)
	r.world.Run(time.Minute)
	victim := r.nodes[3]
	gone := r.pastry(victim).known.above(0).peer
	dead, _ := r.world.NodeAt(gone)
	r.world.Crash(dead)
	r.nodes = slices.DeleteFunc(r.nodes, func(n sim.Node) bool { return n == dead })
	r.world.Run(2 * time.Minute)
	var l *liar
	at := r.world.Add(r.key(), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		l = &liar{env: env, peers: func() []engine.Peer { return []engine.Peer{gone} }}
		return l
	})
	r.world.Boot(at)
	probes := 0
	r.world.Tap(func(d sim.Delivery) {
		if _, is := d.Message.(*Probe); is && d.From == victim && d.To == dead {
			probes++
		}
	})
	const periods = 4
	for end := r.world.Now() + periods*r.config.KeepAlive; r.world.Now() < end; r.world.Run(time.Second) {
		l.env.Send(r.world.Peer(victim), &Row{Peers: []engine.Peer{gone}})
	}
	t.Logf("%d probes", probes)
	if most := periods * 4 * r.config.ProbeTries; probes > most { // each search, with the looks that follow it
		t.Errorf("a liar had its victim send a dead node %d probes in %d periods, not %d", probes, periods, most)
	}
	for _, n := range r.nodes {
		if r.pastry(n).Knows(gone.ID) {
			t.Errorf("node %d believes in the dead", n)
		}
	}
}
