package spidercast_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/routertest"
	"tidings/network/routers/spidercast"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/view"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

var codec = engine.NewCodec(spidercast.Vocabulary, routertest.Vocabulary)

// lie is an Env that changes, or swallows, what a node sends.
type lie struct {
	engine.Env
	say func(to engine.Peer, m engine.Message) engine.Message // nil: nothing
}

func (e *lie) Send(to engine.Peer, m engine.Message) {
	if m = e.say(to, m); m != nil {
		e.Env.Send(to, m)
	}
}

// swallow sends nothing of the dissemination.
func swallow(m engine.Message) engine.Message {
	if byte(m.Kind()) >= 48 {
		return nil
	}
	return m
}

// falseDegrees says that its sender has room for all and needs everybody, or else that it can do without anybody.
func falseDegrees(m engine.Message, s overlay.Standing) engine.Message {
	switch m := m.(type) {
	case *overlay.Connect:
		out := *m
		out.Standing = s
		return &out
	case *overlay.ConnectOK:
		out := *m
		out.Standing = s
		return &out
	case *overlay.Heartbeat:
		out := *m
		out.Greedy, out.Random = s, s
		return &out
	}
	return m
}

// Liars claim to follow everything, are glad of every neighbour, and forward nothing. A node that follows far more than
// is usual does not count as cover. So next to no node is cut off from the honest others, also where a quarter of all
// nodes lie.
//
// Cleverer liars follow no more than that, which is still most of what their neighbours do. Where three of them cover
// all, K_r is raised (section 3.3.1), and nodes look for others at random too. One subscription in five is cut off if
// one node in eleven lies, and half of them if a quarter do.
func TestInterestInEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	const honest, topics = 200, 80
	for _, test := range []struct {
		liars, claims int
		most          float64
	}{{20, 80, 0.01}, {60, 80, 0.02}, {20, 30, 0.2}, {60, 30, 0.5}} {
		t.Run(fmt.Sprint(test.liars, " claim ", test.claims), func(t *testing.T) {
			simtest.Run(t, 2, func(t *simtest.T) {
				w := t.World(sim.Default(codec))
				x := newTestnet(w, withLiars(t.Seed(), honest, test.liars, topics, test.claims),
					func(n sim.Node, env engine.Env, contacts []engine.Peer) engine.Protocol {
						if n >= honest {
							env = &lie{env, func(_ engine.Peer, m engine.Message) engine.Message {
								return swallow(falseDegrees(m, overlay.Standing{Degree: 0, Target: 60_000}))
							}}
						}
						return spidercast.New(env, spidercast.Default(), spidercast.Seams{Contacts: contacts})
					})
				w.Run(3 * time.Minute)
				if off := x.cutOff(topics, isHonest(honest)); off > test.most {
					t.Errorf("%.3f of the subscriptions are cut off by the liars, %.3f are allowed", off, test.most)
				}
				for n := range sim.Node(honest) {
					if links := len(x.node(n).Neighbors()); links > 2*(3*10+5) {
						t.Errorf("node %d has %d links", n, links)
					}
				}
			})
		})
	}
}

func isHonest(honest sim.Node) func(sim.Node) bool {
	return func(n sim.Node) bool { return n < honest }
}

// withLiars draws interests of honest nodes, ten each, and has liars behind them follow the first topics, so many each.
func withLiars(seed uint64, honest, liars, topics, each int) [][]engine.ID {
	list := interests(rand.New(rand.NewPCG(seed, 3)), honest, topics, 10)
	for range liars {
		var ids []engine.ID
		for i := range each {
			ids = append(ids, routertest.Topic(i))
		}
		list = append(list, ids)
	}
	return list
}

// Liars fill the views of others with invented nodes that are said to follow everything. Honest nodes try a part of
// them, and cover their topics all the same.
func TestInventedNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	const honest, liars, topics = 150, 15, 40
	simtest.Run(t, 2, func(t *simtest.T) {
		w := t.World(sim.Default(codec))
		invented := 0
		invent := func(entries []view.Entry) []view.Entry {
			out := make([]view.Entry, len(entries))
			for i := range entries {
				invented++
				id := engine.IDOf(fmt.Append(nil, "invented ", invented))
				out[i] = view.Entry{Peer: engine.Peer{ID: id, Address: w.Peer(0).Address}, Follows: all(topics),
					Version: 1}
			}
			return out
		}
		x := newTestnet(w, withLiars(t.Seed(), honest, liars, topics, 10),
			func(n sim.Node, env engine.Env, contacts []engine.Peer) engine.Protocol {
				if n >= honest {
					env = &lie{env, func(_ engine.Peer, m engine.Message) engine.Message {
						switch m := m.(type) {
						case *view.Shuffle:
							out := *m
							out.Sample, out.Alike = invent(m.Sample), invent(m.Alike)
							return &out
						case *view.ShuffleReply:
							out := *m
							out.Sample, out.Alike = invent(m.Sample), invent(m.Alike)
							return &out
						}
						return m
					}}
				}
				return spidercast.New(env, spidercast.Default(), spidercast.Seams{Contacts: contacts})
			})
		w.Run(5 * time.Minute)
		if off := x.cutOff(topics, isHonest(honest)); off > 0.02 {
			t.Errorf("%.3f of the subscriptions are cut off", off)
		}
		uncovered, known := 0, 0
		for n := range sim.Node(honest) {
			uncovered += len(x.node(n).Uncovered())
			for _, e := range x.node(n).Known() {
				if o, ok := w.NodeAt(e.Peer); ok && w.Peer(o) == e.Peer {
					known++
				}
			}
		}
		if uncovered > honest/10 || known < 12*honest {
			t.Errorf("%d topics of %d nodes lack cover; views hold %d nodes that exist", uncovered, honest,
				known/honest)
		}
		if invented < 1000 {
			t.Errorf("only %d nodes were invented", invented)
		}
	})
}

// all returns the first topics, as nodes announce them.
func all(topics int) interest.Set {
	var ids []engine.ID
	for i := range topics {
		ids = append(ids, routertest.Topic(i))
	}
	return interest.Of(ids, interest.MaxExact)
}
