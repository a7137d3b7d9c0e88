package newswire_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/lab/effort"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
)

// rewrapping is a false item around a true event.
type rewrapping struct {
	name   string
	own    bool // the attacker signs it in its own name
	closed bool // it is of a closed network
	alter  func(w *testNet, m *newswire.Item)
}

var rewrappings = []rewrapping{
	{"never", true, false, func(_ *testNet, m *newswire.Item) { m.Predicate = "category 2" }},
	{"bits", true, false, func(_ *testNet, m *newswire.Item) { m.Bits = []uint16{3} }},
	{"zone", true, false, func(_ *testNet, m *newswire.Item) { m.Zone = "/~03" }},
	{"nowhere", true, false, func(_ *testNet, m *newswire.Item) { m.Zone = "/nowhere" }},
	{"the same", true, false, func(*testNet, *newswire.Item) {}},
	{"signature", false, false, func(_ *testNet, m *newswire.Item) { m.Signature[5] ^= 1 }},
	{"unsigned", false, false, func(_ *testNet, m *newswire.Item) { m.Predicate = "category 2" }},
	{"certified", true, true, func(_ *testNet, m *newswire.Item) { m.Predicate = "category 2" }},
	{"expired", false, true, func(w *testNet, m *newswire.Item) {
		m.Proof = certified(1, m.Publisher.ID, zone.Root, cert.MayPublish, w.plan.epoch().Add(-time.Hour))
	}},
}

func (p plan) epoch() time.Time { return sim.Default(codec).Epoch }

// firstSeed is the first of the worlds' seeds.
var firstSeed = uint64(1)

// The nodes that play in these tests.
const honestPublisher, attacker = 20, 13

// newRewrapped returns a network; in a closed one the publisher and the attacker are certified to publish everywhere.
// If signed, only the node that has signed an event can publish it. Otherwise both may have, as owners of one channel
// do.
func newRewrapped(seed uint64, nodes, members int, closed, signed bool) plan {
	p := newPlan(nodes, members)
	p.world = func(c *sim.Config) { c.Seed = seed }
	until := p.epoch().Add(time.Hour)
	p.zoned = func(n int, id engine.ID, s *astrolabe.Seams) {
		if !closed {
			return
		}
		s.Closed, s.Trusted, s.Proof = true, newTrust(), certified(1, id, zone.Root, 0, until)
		if n == honestPublisher || n == attacker {
			s.Proof = certified(1, id, zone.Root, cert.MayPublish, until)
		}
	}
	p.seams = func(_ int, s *newswire.Seams) {
		s.Compile = conditions
		if signed {
			s.SignedBy = func(node, _ engine.ID, event engine.Message) bool {
				return event.(*routertest.Note).Publisher.ID == node
			}
		}
	}
	return p
}

// wrap returns an attacker's item around the event of the publisher's item.
func (r rewrapping) wrap(w *testNet, true *newswire.Item) *newswire.Item {
	m := *true
	if r.own {
		m.Publisher = w.Peer(attacker)
		m.Proof = certified(1, m.Publisher.ID, zone.Root, cert.MayPublish, w.plan.epoch().Add(time.Hour))
	}
	r.alter(w, &m)
	if r.own {
		copy(m.Signature[:], w.Keys(attacker).Sign(m.Words()))
	}
	return &m
}

// spread has the attacker give an item to every node, as to a representative, and as what that has missed. It does not
// deliver it: then all would have the event.
func (r rewrapping) spread(w *testNet, env engine.Env, m *newswire.Item) {
	for n := range sim.Node(w.Len()) {
		if n == attacker {
			continue
		}
		for depth := range w.paths[n].Depth() + 1 {
			env.Send(w.Peer(n), &newswire.Forward{Number: uint32(n), Zone: w.paths[n].At(depth), Item: m})
		}
		env.Send(w.Peer(n), &newswire.Missed{Items: []engine.Message{m}, Ages: []uint32{0}})
	}
}

// A member holds an event before others do, and brings it to all in another item first. Nobody loses it by that
// (hostile 74): all that should have the event have it, once.
func TestHostile74RewrappedByAMember(t *testing.T) {
	forRewrapped(t, func(t *testing.T, p plan, r rewrapping) {
		envs := make(map[int]engine.Env)
		p.lie = func(n int, env engine.Env) engine.Env {
			envs[n] = env
			return env
		}
		w := newTown(p)
		w.Run(time.Second)
		event := &routertest.Note{Topic: sub(0), Number: 1, Publisher: w.Peer(honestPublisher)}
		proof := certified(1, w.Peer(honestPublisher).ID, zone.Root, cert.MayPublish, p.epoch().Add(time.Hour))
		w.Do(attacker, func(engine.Protocol) {
			r.spread(w, envs[attacker],
				r.wrap(w, w.item(honestPublisher, 1, func(m *newswire.Item) { m.Event, m.Proof = event, proof })))
		})
		w.Run(2 * time.Second)
		w.publishNote(t, honestPublisher, event)
		w.Run(5 * time.Second)
		w.expect(t, 1, everybody)
		w.Run(30 * time.Second)
		w.expect(t, 1, everybody)
		w.idle(t)
	})
}

// A representative that forwards another item in place of its own costs its zone time: the members find out that they
// have missed it.
func TestHostile74RewrappedByARepresentative(t *testing.T) {
	forRewrapped(t, func(t *testing.T, p plan, r rewrapping) {
		w := new(testNet)
		p.lie = func(n int, env engine.Env) engine.Env {
			if n != attacker {
				return env
			}
			return &liar{env, func(_ engine.Peer, m engine.Message) engine.Message {
				switch m := m.(type) {
				case *newswire.Forward:
					return &newswire.Forward{Number: m.Number, Zone: m.Zone, Item: r.wrap(w, m.Item.(*newswire.Item)),
						Age: m.Age}
				case *newswire.Deliver: // to deliver anything would bring the event
					return &newswire.Forward{Number: m.Number, Zone: w.paths[attacker],
						Item: r.wrap(w, m.Item.(*newswire.Item)), Age: m.Age}
				case *newswire.Missed:
					wrapped := &newswire.Missed{Ages: m.Ages}
					for _, i := range m.Items {
						wrapped.Items = append(wrapped.Items, r.wrap(w, i.(*newswire.Item)))
					}
					return wrapped
				}
				return m
			}}
		}
		*w = *newTown(p)
		w.Run(time.Second)
		w.Do(attacker, func(engine.Protocol) { // all the world comes by it
			w.testNode(attacker).Receive(w.Peer(honestPublisher),
				&newswire.Forward{Number: 1, Zone: zone.Root, Item: w.item(honestPublisher, 1, func(m *newswire.Item) {
					m.Event = &routertest.Note{Topic: sub(0), Number: 1, Publisher: w.Peer(honestPublisher)}
					m.Proof = certified(1, w.Peer(honestPublisher).ID, zone.Root, cert.MayPublish,
						p.epoch().Add(time.Hour))
				})})
		})
		w.Run(2 * time.Second)
		w.publishNote(t, honestPublisher,
			&routertest.Note{Topic: sub(0), Number: 1, Publisher: w.Peer(honestPublisher)})
		w.Run(90 * time.Second)
		w.expect(t, 1, everybody)
		w.idle(t)
	})
}

// forRewrapped runs a test with each kind of false item, of sizes and seeds.
func forRewrapped(t *testing.T, test func(t *testing.T, p plan, r rewrapping)) {
	seeds := uint64(1)
	if effort.All() {
		seeds = 12
	}
	for i, r := range rewrappings {
		for _, signed := range []bool{true, false} {
			if !r.own && !signed { // it makes no difference
				continue
			}
			t.Run(fmt.Sprintf("%s/%t", r.name, signed), func(t *testing.T) {
				for seed := range seeds {
					seed += firstSeed
					test(t, newRewrapped(seed, 64, 8, r.closed, signed), r)
					if effort.All() || i == 0 && !testing.Short() { // the world of 512 needs a second or so
						test(t, newRewrapped(seed, 512, 32, r.closed, signed), r)
					}
					if t.Failed() {
						t.Fatalf("seed %d", seed)
					}
				}
			})
		}
	}
}

// publishNote has a node publish a note for all.
func (w *testNet) publishNote(t testing.TB, from sim.Node, m *routertest.Note) {
	t.Helper()
	var err error
	w.Do(from, func(engine.Protocol) {
		err = w.testNode(from).wire.Send(zone.Root, m.Topic, []engine.ID{m.Topic}, "", m)
	})
	if err != nil {
		t.Fatal(err)
	}
	w.last = max(w.last, m.Number)
}

// A node that holds an event cannot bring it to more nodes than its signer has: not to another zone, nor to members for
// which its predicate does not hold.
func TestHostile74OthersDoNotWidenAnItem(t *testing.T) {
	for _, change := range []func(m *newswire.Item){
		func(m *newswire.Item) { m.Zone, m.Predicate = zone.Root, "" },
		func(m *newswire.Item) { m.Predicate = "category 1" },
	} {
		p := newRewrapped(1, 64, 8, false, true)
		l := newLone(p, 0)
		m := l.item(honestPublisher, 1, func(m *newswire.Item) {
			m.Event = &routertest.Note{Topic: sub(0), Number: 1, Publisher: l.Peer(honestPublisher)}
			m.Zone, m.Predicate = l.paths[honestPublisher], "category 2"
		})
		change(m)
		m.Publisher = l.Peer(attacker)
		copy(m.Signature[:], l.Keys(attacker).Sign(m.Words()))
		l.from(attacker, &newswire.Deliver{Number: 1, Item: m})
		if sent := l.from(attacker, &newswire.Forward{Number: 2, Zone: zone.Root, Item: m}); len(sent) != 1 ||
			count[*newswire.Done](sent) != 1 {
			t.Errorf("it is answered by %v", sent)
		}
		l.from(attacker, &newswire.Missed{Items: []engine.Message{m}, Ages: []uint32{0}})
		if items, _, known := newswire.Kept(l.wire); len(l.got) > 0 || items+known > 0 {
			t.Errorf("%d were delivered, and %d are kept", len(l.got), items)
		}
	}
}

// An item that is signed for one zone or condition can be sent again by its signer, for another. Both reach all that
// they are for, and no node has the event twice.
func TestEventInSeveralItems(t *testing.T) {
	p := newRewrapped(1, 64, 8, false, true)
	p.own = byThird
	p.follows = func(n int) []engine.ID { return []engine.ID{sub(n % 2)} }
	p.seams = func(_ int, s *newswire.Seams) {
		s.Compile = conditions
		s.Wants = func(engine.Message) bool { return true }
		s.SignedBy = func(node, _ engine.ID, event engine.Message) bool {
			return event.(*routertest.Note).Publisher.ID == node
		}
	}
	w := newTown(p)
	w.Run(time.Second)
	send := func(number uint64, to zone.Path, topic int, predicate string) {
		t.Helper()
		var err error
		event := &routertest.Note{Topic: sub(0), Number: number, Publisher: w.Peer(honestPublisher)}
		w.Do(honestPublisher, func(engine.Protocol) {
			err = w.testNode(honestPublisher).wire.Send(to, sub(0), []engine.ID{sub(topic)}, predicate, event)
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Run(3 * time.Second)
	}
	one, other := w.paths[0], w.paths[60]
	send(1, one, 0, "")
	send(1, one, 0, "") // the same again
	send(1, one, 1, "")
	send(1, other, 0, "")
	send(2, zone.Root, 0, "category 1")
	send(2, zone.Root, 1, "")
	for range 2 {
		w.expect(t, 1, func(n sim.Node) bool {
			return one.Contains(w.paths[n]) || other.Contains(w.paths[n]) &&
				n%2 == 0
		})
		w.expect(t, 2, func(n sim.Node) bool { return n%2 == 1 || n%3 == 0 && n >= 8 })
		w.Run(time.Minute)
	}
	w.idle(t)
}

// A node accepts a bounded number of items with one event, from each publisher that may send it. Each counts as one
// that it has published. From other publishers it accepts none.
func TestHostile74FloodOfWraps(t *testing.T) {
	const tries = 200
	for _, by := range []sim.Node{honestPublisher, attacker} {
		p := newRewrapped(1, 64, 8, false, true)
		p.config.Burst, p.config.Rate = newswire.MaxWraps-2, 1
		l := newLone(p, 0)
		event := &routertest.Note{Topic: sub(0), Number: 1, Publisher: l.Peer(honestPublisher)}
		sent := make(map[string]int)
		for i := range tries {
			m := l.item(by, 1, func(m *newswire.Item) { m.Event, m.Bits = event, []uint16{uint16(i)} })
			for _, s := range l.from(30, &newswire.Forward{Number: uint32(i), Zone: zone.Root, Item: m}) {
				sent[fmt.Sprintf("%T", s.Message)]++
			}
			l.from(31, &newswire.Deliver{Number: uint32(i), Item: m})
			l.from(32, &newswire.Missed{Items: []engine.Message{m}, Ages: []uint32{0}})
		}
		items, _, known := newswire.Kept(l.wire)
		switch {
		case by == attacker && (items+known > 0 || len(l.got) > 0 || newswire.Jobs(l.wire) > 0):
			t.Errorf("of another's event %d are kept, %d at work, %d delivered", items, newswire.Jobs(l.wire),
				len(l.got))
		case by == honestPublisher && (known != newswire.MaxWraps || len(l.got[1][0]) != 1 ||
			sent["*newswire.Busy"] != 2):
			t.Errorf("of its own %d are known, %d delivered; sent: %v", known, len(l.got[1][0]), sent)
		}
	}
}
