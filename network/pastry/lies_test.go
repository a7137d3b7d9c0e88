package pastry

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// liar is a node that names peers that do not exist.
type liar struct {
	env   engine.Env
	peers func() []engine.Peer
	nonce uint32
}

func (l *liar) Receive(from engine.Peer, m engine.Message) {
	if p, ok := m.(*Probe); ok {
		l.env.Send(from, &Answer{Nonce: p.Nonce, Active: true, Knows: true, Near: l.peers()})
	}
}
func (*liar) PeerDown(engine.Peer) {}
func (*liar) Stop()                {}

// A liar names IDs next to its victim's with other nodes' addresses, with unused ones, and with its own. None of them
// gets in, and what they cost is bounded.
func TestLiesGetNobodyIn(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(30, 200*time.Millisecond)
	victim := r.nodes[3]
	var lies []engine.ID
	lie := func() (peers []engine.Peer) {
		for i := range 16 {
			id := r.world.Peer(victim).ID
			id[18], id[19] = byte(r.chance.Uint32()), id[19]^1
			lies = append(lies, id)
			peer := r.world.Peer(r.nodes[i%len(r.nodes)])
			if i%2 == 0 {
				peer.Address = "nobody"
			}
			peers = append(peers, engine.Peer{ID: id, Address: peer.Address})
		}
		return peers
	}
	var l *liar
	at := r.world.Add(r.key(), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		l = &liar{env: env, peers: lie}
		return l
	})
	r.world.Boot(at)
	before := r.world.Counters().Kinds[(*Probe)(nil).Kind()].Sent
	var speak func()
	speak = func() {
		to := r.world.Peer(victim)
		l.nonce++
		l.env.Send(to, &Probe{Nonce: l.nonce, Active: true, Leaf: true, Near: lie(), Dead: lies[:16]})
		l.env.Send(to, &Row{Peers: lie()})
		l.env.Send(to, &Welcome{Near: lie()})
		l.env.Send(to, &Foreign{lie()[0]})
		l.env.Send(to, &RowRequest{Peers: lie()})
		l.env.Send(to, &Leave{Near: lie()})
		l.env.Send(to, &Routed{Key: to.ID, Origin: lie()[0]})
		l.env.Send(to, &Routed{Key: to.ID, Origin: lie()[0], Number: uint64(l.nonce), Payload: &Leave{}})
		l.env.Send(to, &Routed{Key: r.key(), Origin: lie()[0], Number: uint64(l.nonce), Payload: &Welcome{}})
		l.env.Send(to, &Routed{Key: to.ID, Origin: lie()[0], Number: 1, Payload: &Join{Joiner: lie()[0]}})
		l.env.Send(to, &Ack{Origin: to.ID, Number: 1, Delivered: true})
		r.world.After(100*time.Millisecond, speak)
	}
	speak()
	seconds := uint64(short(12, 120))
	r.world.Run(time.Duration(seconds) * time.Second)
	for _, n := range r.nodes {
		for _, p := range r.pastry(n).Known() {
			if slices.Contains(lies, p.ID) {
				t.Errorf("%v believes in %v", r.world.Peer(n), p)
			}
		}
	}
	honest := r.nodes
	sent := r.world.Counters().Kinds[(*Probe)(nil).Kind()].Sent - before
	t.Logf("%d lies made %d probes", len(lies), sent)
	// The liar's own, the ring's, and at most MaxProbes a time-out.
	if most := seconds * uint64(10+len(honest)+r.config.MaxProbes); sent > most {
		t.Errorf("%d lies made %d probes, want at most %d", len(lies), sent, most)
	}
	if wrong, _ := r.lookups(200, honest); wrong > 0 {
		t.Errorf("%d lookups went wrong", wrong)
	}
}

// A liar that says that all others are dead has them probed, and no more.
func TestFalseDeathsAreLookedInto(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.count()
	r.grow(20, 200*time.Millisecond)
	var l *liar
	at := r.world.Add(r.key(), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		l = &liar{env: env, peers: func() []engine.Peer { return nil }}
		return l
	})
	r.world.Boot(at)
	for range short(12, 50) {
		for _, n := range r.nodes {
			var dead []engine.ID
			for _, o := range r.nodes {
				dead = append(dead, r.world.Peer(o).ID)
			}
			l.env.Send(r.world.Peer(n), &Probe{Active: true, Leaf: true, Dead: dead})
		}
		r.world.Run(2 * time.Second)
	}
	if r.events["pastry.Removed"] > 0 {
		t.Errorf("%d were removed", r.events["pastry.Removed"])
	}
}
