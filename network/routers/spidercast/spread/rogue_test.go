package spread_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
)

// attack is what a node does that runs another program. Every node's receive is called with each message; tick every
// 200 ms.
type attack struct {
	receive func(r *rogue, from engine.Peer, m engine.Message)
	tick    func(r *rogue)
}

// rogue is a node that runs an attack.
type rogue struct {
	w    *world
	n    sim.Node
	env  engine.Env
	seen []*spread.Event // that it was sent first: 200
	sent int             // how many it was
}

func (w *world) newRogue(n sim.Node, env engine.Env) *rogue {
	r := &rogue{w: w, n: n, env: env}
	r.again()
	return r
}

func (r *rogue) again() {
	if r.w.s.rogue.tick != nil {
		r.w.s.rogue.tick(r)
	}
	r.env.After(200*time.Millisecond, r.again)
}

func (r *rogue) Receive(from engine.Peer, m engine.Message) {
	if e, ok := m.(*spread.Event); ok {
		r.sent++
		if len(r.seen) < 200 {
			r.seen = append(r.seen, e)
		}
	}
	if r.w.s.rogue.receive != nil {
		r.w.s.rogue.receive(r, from, m)
	}
}

func (r *rogue) PeerDown(engine.Peer) {}
func (r *rogue) Stop()                {}

// acknowledge does what an honest node does with announcements.
func (r *rogue) acknowledge(from engine.Peer, m engine.Message) {
	if a, ok := m.(*spread.Announce); ok {
		r.env.Send(from, &spread.Acknowledge{Number: a.Number})
	}
}

// each calls f with the honest neighbours, and what they follow in common with the rogue.
func (r *rogue) each(f func(p engine.Peer, shared []engine.ID)) {
	for _, e := range r.w.sortedEdges() {
		other := e.a
		if other == r.n {
			other = e.b
		} else if e.b != r.n {
			continue
		}
		if r.w.isHonest(other) {
			f(r.w.Peer(other), r.w.shared(r.n, other))
		}
	}
}

// rogues returns a world in which every eighth node attacks. The others are connected without them.
func rogues(t *simtest.T, a attack, c spread.Config) *world {
	s := ordinary()
	s.config, s.rogue = c, &a
	s.honest = func(n sim.Node) bool { return n%8 != 5 }
	return newWorld(wire(), t.World, s)
}

// withstand runs a world under attack. All honest subscribers get all events once, soon enough, and keep no more than
// they may.
func withstand(t *simtest.T, w *world, slowest time.Duration) {
	t.Helper()
	c := w.s.config
	w.Every(time.Second, func(at time.Duration) {
		for n := range sim.Node(w.Len()) {
			if !w.isHonest(n) {
				continue
			}
			s := w.node(n).State()
			if s.Wanted > c.MaxWanted*s.Links || s.Kept > c.MaxKept || s.Bytes > c.MaxKeptBytes ||
				s.TreeLinks > s.Links*s.Topics {
				t.Fatalf("at %v node %d keeps %+v", at, n, s)
			}
		}
	})
	w.Run(time.Second)
	w.publishSome(40, time.Second)
	w.Run(20*time.Second + slowest)
	for n := range sim.Node(w.Len()) {
		if !w.isHonest(n) {
			for _, topic := range w.joined[n] {
				w.watch.Report(n, check.Unsubscribed{Topic: topic})
			}
		}
	}
	if err := w.watch.Finish(); err != nil {
		t.Error(err)
	}
	slices.Sort(w.delays)
	last := w.delays[len(w.delays)-1]
	t.Logf("median %v, 99%% %v, last %v; %v", w.delays[len(w.delays)/2], w.delays[len(w.delays)*99/100], last, w.traced)
	if last > slowest {
		t.Errorf("an event came after %v", last)
	}
}

// mustBeSuspected complains if one of the rogues is not, or an honest node is.
func (w *world) mustBeSuspected(t *simtest.T) {
	t.Helper()
	all := map[sim.Node]bool{}
	for _, by := range w.suspects {
		for n := range by {
			all[n] = true
		}
	}
	for n := range sim.Node(w.Len()) {
		if all[n] == w.isHonest(n) {
			t.Errorf("node %d, honest %v, is suspected: %v", n, w.isHonest(n), all[n])
		}
	}
}

// Names of events that do not exist, thousands a second, are requested and given up. The node that announces them is
// suspected.
func TestRogueAnnouncesWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 4, func(t *simtest.T) {
		w := rogues(t, attack{receive: (*rogue).acknowledge, tick: func(r *rogue) {
			r.each(func(p engine.Peer, shared []engine.ID) {
				for range 2 {
					m := &spread.Announce{Number: 1 + r.env.Rand().Uint32()}
					for _, topic := range shared {
						names := make([]spread.Name, 100)
						for i := range names {
							names[i].Digest = r.env.Rand().Uint64()
						}
						m.Topics = append(m.Topics, spread.Announced{Topic: topic, Names: names})
					}
					r.env.Send(p, m)
				}
			})
		}}, spread.Default())
		withstand(t, w, 3*time.Second)
		w.mustBeSuspected(t)
		if w.traced["MaxWanted"] == 0 {
			t.Error("no bound was hit")
		}
		for _, e := range w.sortedEdges() {
			if !w.isHonest(e.a) || !w.isHonest(e.b) {
				w.linkDown(e)
			}
		}
		w.Run(time.Second)
		for n := range sim.Node(w.Len()) {
			if w.isHonest(n) && w.node(n).State().Wanted > 0 {
				t.Errorf("node %d still wants %d events", n, w.node(n).State().Wanted)
			}
		}
	})
}

// A node that asks for events without end is sent so many bytes a second, and no more.
func TestRogueGraftsWithoutEnd(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		c := spread.Default()
		c.Serve, c.ServeBurst = 2_000, 10_000
		w := rogues(t, attack{receive: (*rogue).acknowledge, tick: func(r *rogue) {
			r.each(func(p engine.Peer, shared []engine.ID) {
				for _, topic := range shared {
					m := &spread.Graft{Topic: topic}
					for _, e := range r.seen {
						if e.Topic == topic && len(m.Digests) < 100 {
							m.Digests = append(m.Digests, e.Event.(*note).digest(), r.env.Rand().Uint64())
						}
					}
					r.env.Send(p, m)
				}
			})
		}}, c)
		withstand(t, w, 3*time.Second)
		if w.traced["Serve"] == 0 {
			t.Error("no bound was hit")
		}
		for n := range sim.Node(w.Len()) {
			if w.isHonest(n) {
				continue
			}
			neighbours := 0
			w.Protocol(n).(*rogue).each(func(engine.Peer, []engine.ID) { neighbours++ })
			// Events are slightly over 100 bytes: see overhead.
			if most := neighbours * (c.ServeBurst + 70*c.Serve) / 100; w.Protocol(n).(*rogue).sent > most+40 {
				t.Errorf("node %d was sent %d events, %d at most", n, w.Protocol(n).(*rogue).sent, most)
			}
		}
	})
}

// A node that never acknowledges is sent announcements more and more rarely, and suspected.
func TestRogueNeverAcknowledges(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := rogues(t, attack{}, spread.Default())
		announced := 0
		w.Tap(func(p sim.Delivery) {
			if _, ok := p.Message.(*spread.Announce); ok && p.Fate == sim.Received && !w.isHonest(p.To) {
				announced++
			}
		})
		withstand(t, w, 3*time.Second)
		w.Run(5 * time.Minute)
		w.mustBeSuspected(t)
		links := 0
		for _, e := range w.sortedEdges() {
			if w.isHonest(e.a) != w.isHonest(e.b) {
				links++
			}
		}
		if most := links * (10 + 400/15); announced > most {
			t.Errorf("%d announcements to %d links, %d at most", announced, links, most)
		}
	})
}

// A node that announces events and never sends them costs a second for each event that is requested of it first. It is
// suspected: then it is asked last.
func TestRogueSwallows(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := rogues(t, attack{receive: func(r *rogue, from engine.Peer, m engine.Message) {
			r.acknowledge(from, m)
			if e, ok := m.(*spread.Event); ok { // announced at once, on the shortest of ways, to everybody
				r.each(func(p engine.Peer, _ []engine.ID) {
					names := []spread.Name{{Digest: e.Event.(*note).digest()}}
					r.env.Send(p, &spread.Announce{Number: 1,
						Topics: []spread.Announced{{Topic: e.Topic, Names: names}}})
				})
			}
		}}, spread.Default())
		withstand(t, w, 8*time.Second)
	})
}

// The same among nodes that lose messages: a part of them is asked, and suspected in the end.
func TestRogueSwallowsAmongLosses(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := rogues(t, attack{receive: func(r *rogue, from engine.Peer, m engine.Message) {
			r.acknowledge(from, m)
			if a, ok := m.(*spread.Announce); ok {
				r.each(func(p engine.Peer, _ []engine.ID) { r.env.Send(p, a) })
			}
		}}, spread.Default())
		w.SetFaults(sim.Faults{Loss: 0.2})
		withstand(t, w, 40*time.Second)
	})
}

// What is not admitted goes nowhere.
func TestRogueForges(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := rogues(t, attack{receive: (*rogue).acknowledge, tick: func(r *rogue) {
			r.each(func(p engine.Peer, shared []engine.ID) {
				for _, topic := range append(shared, topicOf(99)) {
					r.env.Send(p, &spread.Event{Topic: topic,
						Event: &note{Number: r.env.Rand().Uint64(), Text: forged}})
				}
			})
		}}, spread.Default())
		withstand(t, w, 3*time.Second)
		w.mustBeSuspected(t)
		if w.traced["Refused"] < 1000 {
			t.Error("too little was refused")
		}
	})
}

// A node that prunes everything, and grafts everything the moment after, harms itself.
func TestRoguePrunes(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := rogues(t, attack{receive: (*rogue).acknowledge, tick: func(r *rogue) {
			r.each(func(p engine.Peer, shared []engine.ID) {
				for _, topic := range shared {
					r.env.Send(p, &spread.Prune{Topic: topic})
					if r.env.Rand().IntN(2) == 0 {
						r.env.Send(p, &spread.Graft{Topic: topic})
					}
				}
			})
		}}, spread.Default())
		withstand(t, w, 3*time.Second)
	})
}

// Events that are sent again and again are delivered once, and are not sent on.
func TestRogueReplays(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := rogues(t, attack{receive: (*rogue).acknowledge, tick: func(r *rogue) {
			for _, e := range r.seen[:min(len(r.seen), 20)] {
				r.each(func(p engine.Peer, _ []engine.ID) { r.env.Send(p, e) })
			}
		}}, spread.Default())
		withstand(t, w, 3*time.Second)
		if w.traced["Repeated"] < 1000 {
			t.Error("too little was repeated")
		}
	})
}

// A flood of messages of every kind is cut off at so many a second. The rest of the network goes on.
func TestRogueFloods(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		c := spread.Default()
		c.Intake, c.IntakeBurst = 100, 500
		w := rogues(t, attack{receive: (*rogue).acknowledge, tick: func(r *rogue) {
			r.each(func(p engine.Peer, shared []engine.ID) {
				for range 20 {
					r.env.Send(p, &spread.Acknowledge{Number: r.env.Rand().Uint32()})
					r.env.Send(p, &spread.Prune{Topic: topicOf(0)})
				}
			})
		}}, c)
		withstand(t, w, 3*time.Second)
		if w.traced["Intake"] == 0 {
			t.Error("no bound was hit")
		}
	})
}

// liar is the Env of an honest node that changes what it sends: bend returns what is sent instead, nil for nothing.
type liar struct {
	engine.Env
	bend func(m engine.Message) engine.Message
}

func (l liar) Send(to engine.Peer, m engine.Message) {
	if m = l.bend(m); m != nil {
		l.Env.Send(to, m)
	}
}

// Nodes in the middle of trees begin to swallow events. They go on to announce them and to claim the shortest path.
// Nodes below them get the events elsewhere, and have other parents then (hostile 41).
func TestHostile41TreesOfSwallowers(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		on := false
		s := ordinary()
		s.honest = func(n sim.Node) bool { return n%8 != 5 }
		s.config.Moves = 2
		s.env = func(n sim.Node, env engine.Env) engine.Env {
			if s.honest(n) {
				return env
			}
			return liar{env, func(m engine.Message) engine.Message {
				switch m := m.(type) {
				case *spread.Event:
					if on {
						return nil
					}
				case *spread.Announce:
					changed := &spread.Announce{Number: m.Number}
					for _, of := range m.Topics {
						changed.Topics = append(changed.Topics,
							spread.Announced{Topic: of.Topic, Names: slices.Clone(of.Names)})
						for i := range of.Names {
							changed.Topics[len(changed.Topics)-1].Names[i].Hops = 0
						}
					}
					return changed
				}
				return m
			}}
		}
		w := newWorld(wire(), t.World, s)
		w.Run(time.Second)
		w.publishSome(60, time.Second)
		on = true
		w.delays = nil
		withstand(t, w, 8*time.Second)
		if w.traced["Missed"] == 0 {
			t.Error("nobody missed an event")
		}
	})
}
