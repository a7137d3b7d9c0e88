package vivaldi

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// net is nodes on virtual time, each with a fixed list of neighbours.
type net struct {
	*sim.World
	latency sim.Distances
	frozen  map[sim.Node]time.Duration // when
	updates map[sim.Node]int           // how many until then
	thawed  int
	rejects map[Reason]int
}

type setup struct {
	seed       uint64
	nodes      int
	neighbours int // each node's, drawn by chance
	landmarks  int // the first nodes; all others ask these alone
	config     func(sim.Node) Config
	node       func(n sim.Node, env engine.Env, honest *Vivaldi) engine.Protocol // may replace it
}

// peers are those that a node asks; filled once all nodes are there.
type peers struct{ list []engine.Peer }

func (p *peers) Peers() []engine.Peer { return p.list }

func newNet(latency sim.Distances, s setup) *net {
	c := sim.Default(engine.NewCodec(Vocabulary))
	c.Seed, c.Latency, c.Wire = s.seed, latency, true
	w := &net{World: sim.New(c), latency: latency, frozen: map[sim.Node]time.Duration{}, updates: map[sim.Node]int{},
		rejects: map[Reason]int{}}
	if s.config == nil {
		s.config = func(sim.Node) Config { return Default() }
	}
	lists := make([]*peers, s.nodes)
	for i := range lists {
		lists[i] = &peers{}
		w.Add(engine.IDOf(fmt.Append(nil, "node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			v := New(env, s.config(sim.Node(i)), lists[i])
			if s.node != nil {
				return s.node(sim.Node(i), env, v)
			}
			return v
		})
	}
	chance := rand.New(rand.NewPCG(s.seed, 7))
	for i, l := range lists {
		others := chance.Perm(s.nodes)
		if s.landmarks > 0 {
			others = chance.Perm(s.landmarks)
		}
		for _, j := range others {
			if j != i && (s.landmarks > 0 || len(l.list) < s.neighbours) {
				l.list = append(l.list, w.Peer(sim.Node(j)))
			}
		}
	}
	w.Observe(func(at time.Duration, n sim.Node, event any) {
		switch e := event.(type) {
		case Frozen:
			w.frozen[n], w.updates[n] = at, e.Updates
		case Thawed:
			w.thawed++
		case Rejected:
			w.rejects[e.Why]++
		}
	})
	for n := range sim.Node(s.nodes) {
		w.Boot(n)
	}
	return w
}

func (w *net) vivaldi(n sim.Node) *Vivaldi {
	v, _ := w.Protocol(n).(*Vivaldi)
	return v
}

// errors returns how far distances between honest nodes are off the expected round trips, as
// shares of these, ascending.
func (w *net) errors() []float64 {
	var errs []float64
	for i := range sim.Node(w.Len()) {
		for j := range sim.Node(w.Len()) {
			a, b := w.vivaldi(i), w.vivaldi(j)
			if i == j || a == nil || b == nil {
				continue
			}
			rtt := w.latency.RTT(i, j)
			errs = append(errs, float64((a.Coordinate().Distance(b.Coordinate())-rtt).Abs())/float64(rtt))
		}
	}
	slices.Sort(errs)
	return errs
}

func at(sorted []float64, share float64) float64 { return sorted[int(share*float64(len(sorted)))] }
