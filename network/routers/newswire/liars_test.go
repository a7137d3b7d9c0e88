package newswire_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
)

// liar is an Env that changes, or swallows, what a node sends of NewsWire.
type liar struct {
	engine.Env
	say func(to engine.Peer, m engine.Message) engine.Message // nil: nothing
}

func (e *liar) Send(to engine.Peer, m engine.Message) {
	if m.Kind().Protocol() == engine.NewsWire {
		m = e.say(to, m)
	}
	if m != nil {
		e.Env.Send(to, m)
	}
}

// answers has a node answer what it is to forward by say, and forward nothing.
func answers(say func(number uint32) engine.Message) func(engine.Env) engine.Env {
	return func(env engine.Env) engine.Env {
		said := func(to engine.Peer, number uint32) engine.Message {
			for i := range 200 { // it is not tired of it
				env.After(time.Duration(i+1)*time.Second, func() { env.Send(to, say(number)) })
			}
			return say(number)
		}
		return &liar{env, func(to engine.Peer, m engine.Message) engine.Message {
			switch m := m.(type) {
			case *newswire.Taken:
				return said(to, m.Number)
			case *newswire.Done:
				return said(to, m.Number)
			case *newswire.CatchUp:
				return m
			}
			return nil
		}}
	}
}

// All representatives of a zone lie, or two of the three. What the honest members of the zone lose is time:
//
//   - A node that says Taken for ever is believed until Deadline, and one that says Done at once. Members of the zone
//     ask members of others, every CatchUp, for what they have missed, and the first that has it sends it to the zone.
//   - A node that is Busy, or Elsewhere, is left out at once, and another asked. Where all lie, the item is lost there
//     after Attempts or at the Deadline.
//   - A node that answers with numbers that are not its own says nothing: it counts as silent.
func TestLiars(t *testing.T) {
	for _, test := range []struct {
		name   string
		say    func(number uint32) engine.Message
		all    time.Duration // when all have it, if all representatives lie
		single time.Duration // if one is honest
	}{
		{"Taken", func(n uint32) engine.Message { return &newswire.Taken{Number: n} }, 40 * time.Second,
			40 * time.Second},
		{"Done", func(n uint32) engine.Message { return &newswire.Done{Number: n} }, 40 * time.Second,
			40 * time.Second},
		{"Busy", func(n uint32) engine.Message { return &newswire.Busy{Number: n, Wait: 100} }, 40 * time.Second,
			10 * time.Second},
		{"Busy for long", func(n uint32) engine.Message { return &newswire.Busy{Number: n, Wait: 1<<16 - 1} },
			40 * time.Second, 40 * time.Second},
		{"Elsewhere", func(n uint32) engine.Message { return &newswire.Elsewhere{Number: n} }, 40 * time.Second,
			time.Second},
		{"Other numbers", func(n uint32) engine.Message { return &newswire.Done{Number: n + 1000} }, 40 * time.Second,
			10 * time.Second},
	} {
		for _, honest := range []int{0, 1} {
			t.Run(test.name, func(t *testing.T) {
				w, liars := liarsOf(test.say, honest)
				number := w.publish(t, 0, zone.Root, 0, "")
				within := test.all
				if honest > 0 {
					within = test.single
				}
				w.Run(within)
				w.expect(t, number, func(n sim.Node) bool { return !liars[n] || len(w.got[number][n]) > 0 })
				if test.name == "Taken" {
					w.Run(w.plan.config.Deadline - time.Second - w.Now())
					if newswire.Working(w.testNode(0).wire) == 0 {
						t.Error("the publisher has given up before the deadline")
					}
				}
				w.Run(w.plan.config.Deadline + 3*time.Second - w.Now())
				if n := newswire.Working(w.testNode(0).wire); n > 0 {
					t.Errorf("the publisher still is at work on %d items", n)
				}
				other := w.publish(t, 0, zone.Root, 1, "") // nor do they make others wait, elsewhere
				w.Run(time.Second)
				for n := range sim.Node(w.Len()) {
					if w.paths[n] != w.paths[40] && len(w.got[other][n]) != 1 {
						t.Fatalf("node %d has %d of the next item", n, len(w.got[other][n]))
					}
				}
			})
		}
	}
}

// A contact that lies costs what a representative that lies costs: the honest members of its zone have the item within
// 40 s all the same.
func TestLyingContacts(t *testing.T) {
	for name, say := range map[string]func(number uint32) engine.Message{
		"Taken":     func(n uint32) engine.Message { return &newswire.Taken{Number: n} },
		"Done":      func(n uint32) engine.Message { return &newswire.Done{Number: n} },
		"Elsewhere": func(n uint32) engine.Message { return &newswire.Elsewhere{Number: n} },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlan(100, 20)
			p.follows = func(int) []engine.ID { return []engine.ID{sub(0), sub(1)} }
			rest := newTown(p)
			reps := rest.representatives("/~02")
			liars := make(map[sim.Node]bool)
			for n, z := range rest.paths {
				liars[sim.Node(n)] = z == "/~02" && !slices.Contains(reps, sim.Node(n)) && n < 58 // all of it but two
			}
			p.lie = func(n int, env engine.Env) engine.Env {
				if liars[sim.Node(n)] {
					return answers(say)(env)
				}
				return env
			}
			w := newTown(p)
			w.Run(time.Minute)
			for _, n := range reps {
				w.Crash(n)
			}
			asked := 0
			w.Observe(func(_ time.Duration, _ sim.Node, event any) {
				if f, ok := event.(newswire.Forwarded); ok && f.Zone == "/~02" {
					if n, _ := w.NodeAt(f.To); liars[n] {
						asked++
					}
				}
			})
			number := w.publish(t, 0, zone.Root, 0, "")
			w.Run(40 * time.Second)
			w.expect(t, number, func(n sim.Node) bool { return !liars[n] || len(w.got[number][n]) > 0 })
			if asked == 0 {
				t.Error("no contact lied")
			}
		})
	}
}

// liarsOf returns a town in which the representatives of one zone lie, except the first honest ones.
func liarsOf(say func(uint32) engine.Message, honest int) (*testNet, map[sim.Node]bool) {
	liars := make(map[sim.Node]bool)
	p := newPlan(100, 20)
	p.follows = func(int) []engine.ID { return []engine.ID{sub(0), sub(1)} }
	for _, n := range newTown(p).representatives("/~02")[honest:] {
		liars[n] = true
	}
	p.lie = func(n int, env engine.Env) engine.Env {
		if liars[sim.Node(n)] {
			return answers(say)(env)
		}
		return env
	}
	return newTown(p), liars
}

// An item that a forwarder has changed is not accepted, also by a node that knows one with its ID. It is neither
// delivered nor forwarded, nor does the true one count as done.
func TestChangedItems(t *testing.T) {
	p := newPlan(64, 8)
	p.follows = func(int) []engine.ID { return []engine.ID{sub(0), sub(1)} }
	for name, change := range map[string]func(m *newswire.Item){
		"event": func(m *newswire.Item) { m.Event = &routertest.Note{Topic: sub(0), Number: m.ID, Text: "false"} },
		"topic": func(m *newswire.Item) {
			m.Topic, m.Event = sub(1), &routertest.Note{Topic: sub(1), Number: m.ID}
		},
		"none":      func(m *newswire.Item) { m.Event = nil },
		"ID":        func(m *newswire.Item) { m.ID++ },
		"bits":      func(m *newswire.Item) { m.Bits = []uint16{5} },
		"no bits":   func(m *newswire.Item) { m.Bits = nil },
		"zone":      func(m *newswire.Item) { m.Zone = "/~03" },
		"predicate": func(m *newswire.Item) { m.Predicate = "1" },
		"publisher": func(m *newswire.Item) { m.Publisher = newTown(p).Peer(3) },
		"signature": func(m *newswire.Item) { m.Signature[0]++ },
	} {
		for _, known := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				l := newLone(p, 0)
				l.env.Advance(time.Minute)
				l.sent()
				m := l.item(20, 7)
				if known { // passed on for another zone, but not delivered here
					elsewhere := l.item(20, 7, func(m *newswire.Item) { m.Bits = []uint16{3} })
					l.from(30, &newswire.Forward{Number: 1, Zone: l.paths[0], Item: elsewhere})
				}
				before := newswire.Working(l.wire)
				changed := *m
				change(&changed)
				l.from(30, &newswire.Deliver{Number: 2, Item: &changed})
				if sent := l.from(30, &newswire.Forward{Number: 3, Zone: zone.Root, Item: &changed}); len(sent) != 1 ||
					count[*newswire.Done](sent) != 1 {
					t.Errorf("it is answered by %v", sent)
				}
				l.from(30, &newswire.Missed{Items: []engine.Message{&changed}, Ages: []uint32{0}})
				if len(l.got) > 0 || newswire.Working(l.wire) != before {
					t.Errorf("%d were delivered, %d are at work", len(l.got), newswire.Working(l.wire))
				}
				if sent := l.from(30,
					&newswire.Forward{Number: 4, Zone: zone.Root, Item: m}); count[*newswire.Forward](sent) != 7 {
					t.Errorf("the true one goes to %d zones", count[*newswire.Forward](sent))
				}
				if len(l.got[7]) != 1 {
					t.Error("the true one is not delivered")
				}
			})
		}
	}
}

// A publisher cannot give an event another ID, under which it would come twice.
func TestFalseID(t *testing.T) {
	l := newLone(newPlan(64, 8), 0)
	l.from(30, &newswire.Deliver{Item: l.item(20, 8, func(m *newswire.Item) { m.Event = note(7, 0) })})
	if len(l.got) > 0 {
		t.Error("it is delivered")
	}
}

// A member that claims a filter of all ones (hostile 46) draws nothing to its zone. It draws nothing to itself but what
// comes there for others. No zone, and no other member, gets more for it, and none less.
func TestFilterOfAllOnes(t *testing.T) {
	p := newPlan(64, 8)
	p.follows = func(n int) []engine.ID {
		if n == 41 {
			return []engine.ID{sub(5), sub(2)} // a neighbour of the liar's wants another zone's topic too
		}
		return []engine.ID{sub(n / 8)} // each zone one
	}
	w := newTown(p)
	w.Run(time.Second)
	ones := bytes.Repeat([]byte{255}, p.config.Shape.Bits/8)
	w.Do(40, func(engine.Protocol) {
		w.testNode(40).zones.Set(attr.Attribute{Name: newswire.AttrFilter, Value: attr.Bytes(ones)})
	})
	w.Run(time.Minute)
	var unwanted []sim.Node
	w.Observe(func(_ time.Duration, n sim.Node, event any) {
		if _, ok := event.(newswire.Unwanted); ok {
			unwanted = append(unwanted, n)
		}
	})
	for topic := range 8 {
		number := w.publish(t, 0, zone.Root, topic, "")
		w.Run(2 * time.Second)
		w.expect(t, number, func(n sim.Node) bool { return int(n)/8 == topic || n == 41 && topic == 2 })
	}
	if len(unwanted) != 1 || unwanted[0] != 40 { // what its neighbour wants
		t.Errorf("%v got what they do not want", unwanted)
	}
}

// A member really subscribes to so many topics that its filter does not count. It gets what no other in its zone wants
// all the same: it asks for it.
func TestReaderOfVeryMuch(t *testing.T) {
	const reader, zoneOfOthers = 40, 2
	p := newPlan(64, 8)
	p.follows = func(n int) (topics []engine.ID) {
		if n != reader {
			return []engine.ID{sub(n / 8)}
		}
		for i := range 3000 {
			topics = append(topics, sub(i))
		}
		return topics
	}
	w := newTown(p)
	w.Run(2 * time.Minute)
	for i := range 3 {
		number := w.publish(t, 0, zone.Root, zoneOfOthers, "")
		w.Run(2 * time.Second)
		if n := len(w.got[number]); i == 0 && n != 8 {
			t.Errorf("%d have got it at once", n)
		}
		w.Run(p.config.Missed / 2)
		w.expect(t, number, func(n sim.Node) bool { return int(n)/8 == zoneOfOthers || n == reader })
	}
}

// Deliveries of one node, with items that many may have published, are bounded, and come again later; another's are
// accepted meanwhile.
func TestDeliverFlood(t *testing.T) {
	p := newPlan(64, 8)
	p.config.Burst, p.config.Rate = 2, 1
	l := newLone(p, 0)
	deliver := func(from sim.Node, number uint64) []enginetest.Sent {
		return l.from(from, &newswire.Deliver{Number: uint32(number), Item: l.item(sim.Node(number%60), number)})
	}
	most := uint64(newswire.PeerFlow * p.config.Burst)
	for i := range most {
		if sent := deliver(1, i+1); count[*newswire.Done](sent) != 1 {
			t.Fatalf("delivery %d is answered by %v", i, sent)
		}
	}
	if sent := deliver(1, most+1); len(sent) != 1 || count[*newswire.Busy](sent) != 1 || len(l.got[most+1]) > 0 {
		t.Errorf("one more is answered by %v", sent)
	}
	if sent := deliver(2, most+2); count[*newswire.Done](sent) != 1 || len(l.got[most+2]) != 1 {
		t.Errorf("another's is answered by %v", sent)
	}
	l.env.Advance(2 * time.Second)
	l.sent()
	if sent := deliver(1, most+1); count[*newswire.Done](sent) != 1 || len(l.got[most+1]) != 1 {
		t.Errorf("a while later it is answered by %v", sent)
	}
}

// A node that asks for all of all time, again and again, gets askBurst answers of at most sixteen items each, then one
// a second. Others are answered meanwhile.
func TestCatchUpStorm(t *testing.T) {
	p := newPlan(64, 8)
	l := newLone(p, 0)
	for i := range 100 {
		l.from(9, &newswire.Deliver{Number: 1, Item: l.item(20, uint64(i+1))})
		l.env.Advance(time.Second)
	}
	l.env.Advance(time.Minute)
	l.sent()
	ones := bytes.Repeat([]byte{255}, 4096)
	ask := func(from sim.Node, answers int) {
		t.Helper()
		sent := l.from(from, &newswire.CatchUp{Filter: ones, Within: 1<<32 - 1, Have: make([]byte, 2047)})
		if len(sent) != answers || answers > 0 &&
			(sent[0].To != l.Peer(from) || len(sent[0].Message.(*newswire.Missed).Items) != 16) {
			t.Fatalf("the answer is %v", sent)
		}
	}
	for range newswire.AskBurst {
		ask(40, 1)
	}
	for range 100 {
		ask(40, 0)
	}
	ask(41, 1)
	l.env.Advance(time.Second)
	l.sent()
	ask(40, 1)
	ask(40, 0)
	l.env.Advance(time.Minute)
	l.sent()
	for _, m := range []*newswire.CatchUp{{Within: 60 * 60}, {Filter: ones},
		{Filter: ones, Within: 600, Zone: "no zone"}} {
		m.Have = nil
		sent := l.from(40, m)
		if m.Zone == "" && len(sent) > 0 {
			t.Errorf("%v is answered by %v", m, sent)
		}
	}
}

// Items of a Missed are checked as others are. One that is too old by its age is not accepted, nor where ages are
// missing.
func TestMissedLies(t *testing.T) {
	p := newPlan(64, 8)
	l := newLone(p, 0)
	ask := func(number uint64, ages ...uint32) bool {
		l.from(9, &newswire.Missed{Items: []engine.Message{l.item(20, number)}, Ages: ages})
		return len(l.got[number]) == 1
	}
	most := uint32(p.config.Missed / time.Second)
	if ask(1) || ask(1, 1, 2) || ask(1, most+1) || ask(1, 1<<32-1) {
		t.Error("it was accepted")
	}
	if !ask(1, most) || !ask(2, 0) {
		t.Error("it was not accepted")
	}
	l.from(9, &newswire.Missed{Items: []engine.Message{nil, note(3, 0), &newswire.Taken{}}, Ages: make([]uint32, 3)})
	l.from(9, &newswire.Missed{Items: []engine.Message{l.item(20, 4, func(m *newswire.Item) { m.Zone = "/~03" })},
		Ages: make([]uint32, 1)})
	if len(l.got) != 2 {
		t.Errorf("%d were delivered", len(l.got))
	}
	// An age that lies: the item is remembered nevertheless, and not delivered again. One that is claimed to be new
	// goes round once more for each node that has forgotten it, after three times Keep.
	l.from(9, &newswire.Deliver{Number: 1, Item: l.item(20, 5), Age: 1<<32 - 1})
	l.env.Advance(2 * p.config.CatchUp)
	l.from(9, &newswire.Deliver{Number: 1, Item: l.item(20, 5)})
	if len(l.got[5][0]) != 1 {
		t.Errorf("it was delivered %d times", len(l.got[5][0]))
	}
}

// Answers that nobody has asked for, that come twice or of somebody else, change nothing.
func TestFalseAnswers(t *testing.T) {
	l := newLone(newPlan(64, 8), 0)
	sent := l.from(9, &newswire.Forward{Number: 1, Zone: zone.Root, Item: l.item(20, 1)})
	working := newswire.Working(l.wire)
	for _, s := range sent {
		number := uint32(0)
		switch m := s.Message.(type) {
		case *newswire.Forward:
			number = m.Number
		case *newswire.Deliver:
			number = m.Number
		default:
			continue
		}
		for _, from := range []sim.Node{63, 62} {
			if l.Peer(from) == s.To {
				continue
			}
			for _, m := range []engine.Message{
				&newswire.Done{Number: number}, &newswire.Taken{Number: number}, &newswire.Busy{Number: number},
				&newswire.Elsewhere{Number: number},
				&newswire.Done{Number: number + 1000},
			} {
				if sent := l.from(from, m); len(sent) > 0 {
					t.Fatalf("%v to %v", m, sent)
				}
			}
		}
		n, _ := l.NodeAt(s.To)
		for range 3 { // the last attempt was no failure, once
			l.from(n, &newswire.Busy{Number: number})
		}
	}
	if newswire.Working(l.wire) != working {
		t.Errorf("%d are at work, not %d", newswire.Working(l.wire), working)
	}
	l.env.Advance(2 * time.Minute)
	if n := newswire.Working(l.wire); n > 0 {
		t.Errorf("%d are at work after the deadline", n)
	}
}
