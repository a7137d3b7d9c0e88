package newswire_test

import (
	"encoding/binary"
	"maps"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
)

// A node that was cut off for five minutes has everything of that time soon afterwards, and nothing twice (NewsWire,
// section 9: "the same cache is used for assisting in achieving end-to-end reliability"): one member, and a whole zone.
func TestCutOff(t *testing.T) {
	w := newTown(newPlan(64, 8))
	off := []sim.Node{3, 40, 41, 42, 43, 44, 45, 46, 47}
	var others []sim.Node
	for n := range sim.Node(64) {
		if n != 3 && n/8 != 5 {
			others = append(others, n)
		}
	}
	w.publish(t, 0, zone.Root, 0, "")
	w.Run(2 * time.Second)
	cut := w.Partition(others, off[:1], off[1:])
	for i := range 60 {
		w.publish(t, others[i%10], zone.Root, 0, "")
		w.Run(5 * time.Second)
	}
	for number := uint64(2); number <= w.last-1; number++ {
		w.expect(t, number, func(n sim.Node) bool { return n != 3 && n/8 != 5 })
	}
	cut.Heal()
	w.Run(5 * time.Minute)
	for number := range w.last {
		w.expect(t, number+1, everybody)
	}
	w.idle(t)
}

// A node that starts again after five minutes has everything of that time, and of the time before it. It does not know
// any more what came then.
func TestRestart(t *testing.T) {
	w := newTown(newPlan(64, 8))
	w.publish(t, 0, zone.Root, 0, "")
	w.Run(time.Minute)
	w.Crash(40)
	for i := range 30 {
		w.publish(t, sim.Node(i), zone.Root, 0, "")
		w.Run(10 * time.Second)
	}
	w.Boot(40)
	w.Run(2 * time.Minute)
	for number := uint64(2); number <= w.last; number++ {
		w.expect(t, number, everybody)
	}
	if got := w.got[1][40]; len(got) != 2 {
		t.Errorf("it has the first item %d times", len(got))
	}
}

// A node that joins a topic gets what was published on it in the last Missed ("a limited state transfer to participants
// that are joining the system"), and nothing older. Items that it received before, when it did not want them, do not
// come again.
func TestJoinLate(t *testing.T) {
	p := newPlan(64, 8)
	p.config.Missed, p.config.Keep = 4*time.Minute, 5*time.Minute
	p.follows = func(n int) []engine.ID {
		if n == 40 {
			return []engine.ID{sub(0)}
		}
		return []engine.ID{sub(0), sub(1)}
	}
	w := newTown(p)
	old := w.publish(t, 0, zone.Root, 1, "")
	w.Run(p.config.Missed + time.Second)
	late := w.publish(t, 0, zone.Root, 1, "")
	w.Run(time.Minute)
	w.Do(40, func(engine.Protocol) { w.testNode(40).wire.Join(sub(1)) })
	w.Run(2 * time.Minute)
	w.expect(t, late, everybody)
	w.expect(t, old, func(n sim.Node) bool { return n != 40 })
	unwanted := newTown(p)
	n := unwanted.testNode(40).wire
	number := uint64(1000)
	n.Receive(unwanted.Peer(0), &newswire.Deliver{Item: unwanted.item(0, number, onTopic(number, 1))})
	n.Join(sub(1))
	n.Receive(unwanted.Peer(0), &newswire.Deliver{Item: unwanted.item(0, number, onTopic(number, 1))})
	if len(unwanted.got[number]) > 0 {
		t.Error("what was not wanted has come again")
	}
}

// onTopic puts an item on another topic than 0.
func onTopic(number uint64, topic int) func(m *newswire.Item) {
	return func(m *newswire.Item) {
		m.Topic, m.Event, m.Bits = sub(topic), note(number, topic),
			newswire.Positions(newswire.Default().Shape, sub(topic))
	}
}

// ask returns the items that a node sends to one that requests what it has missed, and their ages.
func (l *lone) ask(from sim.Node, m *newswire.CatchUp) (numbers []uint64, ages []uint32) {
	m.Filter = l.plan.config.Shape.Filter([]engine.ID{sub(0)})
	if m.Zone == "" {
		m.Zone = l.paths[from]
	}
	for _, s := range l.from(from, m) {
		missed, is := s.Message.(*newswire.Missed)
		if !is { // what the node does by itself
			continue
		}
		for _, i := range missed.Items {
			numbers = append(numbers, i.(*newswire.Item).ID)
		}
		ages = append(ages, missed.Ages...)
	}
	return numbers, ages
}

// An item goes round no longer than Keep, whichever nodes forward it: each learns how old it is.
func TestAges(t *testing.T) {
	p := newPlan(64, 8)
	old := uint32(19 * 60)
	for name, m := range map[string]func(*newswire.Item) engine.Message{
		"Forward": func(i *newswire.Item) engine.Message {
			return &newswire.Forward{Zone: zone.Root, Item: i,
				Age: old}
		},
		"Deliver": func(i *newswire.Item) engine.Message { return &newswire.Deliver{Item: i, Age: old} },
		"Missed": func(i *newswire.Item) engine.Message {
			return &newswire.Missed{Items: []engine.Message{i}, Ages: []uint32{old}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLone(p, 0)
			told := 0
			for _, s := range l.from(9, m(l.item(20, 1))) {
				switch m := s.Message.(type) {
				case *newswire.Forward:
					told++
					if m.Age != old {
						t.Errorf("Forward with an age of %d", m.Age)
					}
				case *newswire.Deliver:
					told++
					if m.Age != old {
						t.Errorf("Deliver with an age of %d", m.Age)
					}
				}
			}
			if told == 0 && name != "Deliver" {
				t.Error("it is not passed on")
			}
			for minute := range uint32(11) {
				numbers, ages := l.ask(40, &newswire.CatchUp{Within: 1 << 20})
				if len(numbers) != 1 || ages[0] != old+60*minute {
					t.Fatalf("after %d minutes items %v of ages %v are given", minute, numbers, ages)
				}
				l.env.Advance(time.Minute)
				l.sent()
			}
			l.env.Advance(30 * time.Second)
			if numbers, _ := l.ask(40, &newswire.CatchUp{Within: 1 << 20}); len(numbers) > 0 {
				t.Error("it is given after Keep")
			}
		})
	}
}

// Items and their ages come as two lists: each item has its own age, and without one for each nothing is accepted. An
// item that is too old is left out, and no other with it.
func TestEachItemHasItsAge(t *testing.T) {
	want := map[uint64]uint32{1: 5, 2: 1100, 3: 0, 5: 600}
	given := func(l *lone, ages ...uint32) (all map[uint64]uint32) {
		m := &newswire.Missed{Ages: ages}
		for number := range uint64(5) {
			m.Items = append(m.Items, l.item(20, number+1))
		}
		l.from(9, m)
		l.env.Advance(3 * time.Second)
		l.sent()
		all = make(map[uint64]uint32)
		numbers, rest := l.ask(40, &newswire.CatchUp{Within: 1 << 20})
		for i, number := range numbers {
			all[number] = rest[i] - 3
		}
		return all
	}
	p := newPlan(64, 8)
	if got := given(newLone(p, 0), 5, 1100, 0, uint32(p.config.Missed/time.Second)+1, 600); !maps.Equal(got, want) {
		t.Errorf("items of ages %v are kept, not %v", got, want)
	}
	for _, ages := range [][]uint32{nil, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}} {
		if got := given(newLone(p, 0), ages...); len(got) > 0 {
			t.Errorf("with %d ages for 5 items %v are kept", len(ages), got)
		}
	}
}

// A requester gets the oldest items that it lacks, within its time, of its topics, for its zone, and none of the last
// moment.
func TestAnswer(t *testing.T) {
	l := newLone(newPlan(64, 8), 0)
	give := func(number uint64, change ...func(*newswire.Item)) {
		l.from(9, &newswire.Deliver{Item: l.item(20, number, change...)})
	}
	for i := range 20 {
		give(uint64(i+1), func(m *newswire.Item) { m.Zone = l.paths[0] })
	}
	give(30, onTopic(30, 1))
	give(31, func(m *newswire.Item) { m.Predicate = "1" })
	give(32)
	l.env.Advance(time.Minute)
	give(33)
	l.env.Advance(2 * time.Second)
	give(34)
	l.env.Advance(time.Second / 2)
	l.sent()
	for _, test := range []struct {
		from sim.Node
		m    newswire.CatchUp
		want []uint64
	}{
		// items for another zone are in nobody's way; whether a predicate holds, it knows itself
		{40, newswire.CatchUp{Within: 600}, []uint64{31, 32, 33}},
		{40, newswire.CatchUp{Within: 30}, []uint64{33}},
		{40, newswire.CatchUp{Within: 600, Have: []byte{0, 0, 0, 0, 0, 0, 0, 31, 0, 0, 0, 0, 0, 0, 0, 32}},
			[]uint64{33}},
		{40, newswire.CatchUp{Within: 600, Have: []byte{0, 0, 0, 0, 0, 0, 0, 31, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0,
			0, 0, 33}}, nil},
		{1, newswire.CatchUp{Within: 600}, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
	} {
		got, _ := l.ask(test.from, &test.m)
		if len(got) != len(test.want) {
			t.Errorf("%d is given %v, not %v", test.from, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%d is given %v, not %v", test.from, got, test.want)
			}
		}
	}
}

// A node that has more items than a CatchUp can name asks for a shorter time, and names those of its topics alone.
func TestHave(t *testing.T) {
	p := newPlan(64, 8)
	l := newLone(p, 0)
	asked := func() (m *newswire.CatchUp) {
		for m == nil {
			l.env.Advance(time.Second)
			for _, s := range l.sent() {
				if c, ok := s.Message.(*newswire.CatchUp); ok {
					m = c
				}
			}
		}
		return m
	}
	number := uint64(0)
	give := func(change ...func(*newswire.Item)) {
		number++
		l.from(9, &newswire.Deliver{Item: l.item(20, number, change...)})
	}
	for range 300 {
		give(func(m *newswire.Item) { onTopic(number, 1)(m) })
	}
	for range newswire.MaxHave {
		give()
	}
	m := asked()
	if len(m.Have) != 8*newswire.MaxHave || m.Within != 20*60 || m.Zone != l.paths[0] {
		t.Errorf("it names %d items within %d s", len(m.Have)/8, m.Within)
	}
	l.env.Advance(100 * time.Second)
	give()
	m = asked()
	if first, last := binary.BigEndian.Uint64(m.Have),
		binary.BigEndian.Uint64(m.Have[len(m.Have)-8:]); first != number-newswire.MaxHave+1 || last != number {
		t.Errorf("it names the items from %d to %d, the latest is %d", first, last, number)
	}
	if len(m.Have) != 8*newswire.MaxHave || m.Within < 75 || m.Within > 110 {
		t.Errorf("it names %d items within %d s", len(m.Have)/8, m.Within)
	}
	l.env.Advance(100 * time.Second)
	for range newswire.MaxHave - 1 {
		give()
	}
	m = asked() // the first named item came 100 s before the others, and 100 s after those left out
	if first := binary.BigEndian.Uint64(m.Have); first != number-newswire.MaxHave+1 || m.Within < 75 || m.Within > 110 {
		t.Errorf("it names the items from %d on within %d s, the latest is %d", first, m.Within, number)
	}
}

// A node that subscribes to nothing asks for nothing.
func TestNothingToAsk(t *testing.T) {
	p := newPlan(64, 8)
	p.follows = func(int) []engine.ID { return nil }
	l := newLone(p, 0)
	l.env.Advance(2 * time.Minute)
	if n := count[*newswire.CatchUp](l.sent()); n > 0 {
		t.Errorf("it asks %d times", n)
	}
}

// A node that has had more than it keeps asks for no more than the time of that.
func TestHaveOfSmallCache(t *testing.T) {
	p := newPlan(64, 8)
	p.config.Cache = 10
	l := newLone(p, 0)
	for i := range 12 {
		l.from(9, &newswire.Deliver{Item: l.item(20, uint64(i+1))})
		l.env.Advance(100 * time.Second)
	}
	l.sent()
	for range 30 {
		l.env.Advance(time.Second)
		for _, s := range l.sent() {
			if m, ok := s.Message.(*newswire.CatchUp); ok && (m.Within < 1100 || m.Within > 1130 || len(m.Have) != 80) {
				t.Errorf("it names %d items within %d s", len(m.Have)/8, m.Within)
			}
		}
	}
}

// The cache holds its bounds of items and of bytes, which are those of the events too, in whatever order items come. It
// remembers of four times as many that they came.
func TestCacheBounds(t *testing.T) {
	p := newPlan(64, 8)
	p.config.Cache, p.config.CacheBytes = 20, 20_000
	for _, size := range []int{0, 400, 5000, 30_000} {
		l := newLone(p, 0)
		l.env.Advance(time.Hour)
		for i := range 500 {
			number := uint64(i + 1)
			age := uint32(l.env.Rand().IntN(15 * 60))
			l.from(9, &newswire.Deliver{Age: age, Item: l.item(20, number, func(m *newswire.Item) {
				m.Event = &routertest.Note{Topic: sub(0), Number: number, Text: strings.Repeat("a", size)}
			})})
			items, bytes, known := newswire.Kept(l.wire)
			most := min(20, 20_000/(512+size), i+1)
			if items > most || bytes > 20_000 || known > 80 {
				t.Fatalf("with %d bytes each %d items are kept and %d known, of %d bytes", size, items, known, bytes)
			}
			if i > 100 && known != 80 || i == most-1 && items != most {
				t.Fatalf("with %d bytes each %d items are kept and %d known", size, items, known)
			}
		}
		l.env.Advance(31 * time.Minute)
		if items, _, known := newswire.Kept(l.wire); items != 0 || known != 80 {
			t.Errorf("after Keep %d are kept and %d known", items, known)
		}
		l.env.Advance(43 * time.Minute) // the oldest was of the last 15 minutes before
		if _, _, known := newswire.Kept(l.wire); known != 80 {
			t.Errorf("a moment before three times Keep %d are known", known)
		}
		l.env.Advance(18 * time.Minute)
		if _, _, known := newswire.Kept(l.wire); known != 0 {
			t.Errorf("after three times Keep %d are known", known)
		}
	}
}

// A node that gets an item to forward to another zone has it delivered too, if it is for it: others count it as one
// that has it.
func TestForwarderHasTheItem(t *testing.T) {
	p := newPlan(64, 8)
	p.follows = func(int) []engine.ID { return []engine.ID{sub(0)} }
	l := newLone(p, 0)
	l.from(30, &newswire.Forward{Number: 1, Zone: l.paths[20], Item: l.item(20, 7)})
	l.from(30, &newswire.Forward{Number: 2, Zone: l.paths[20], Item: l.item(20, 8, onTopic(8, 1))})
	l.from(30, &newswire.Forward{Number: 3, Zone: l.paths[20],
		Item: l.item(20, 9, func(m *newswire.Item) { m.Zone = l.paths[20] })})
	if len(l.got[7]) != 1 || len(l.got[8]) > 0 || len(l.got[9]) > 0 {
		t.Errorf("delivered: %v", l.got)
	}
}

// Items with a predicate are recovered too, by nodes that satisfy it and are in zones that do.
func TestPredicateIsRecovered(t *testing.T) {
	p := newPlan(64, 8)
	p.own = byThird
	p.seams = func(_ int, s *newswire.Seams) { s.Compile = conditions }
	w := newTown(p)
	w.Run(time.Second)
	var others []sim.Node
	for n := range sim.Node(56) {
		others = append(others, n)
	}
	cut := w.Partition(others) // from the publisher's zone
	number := w.publish(t, 63, zone.Root, 0, "category 1")
	w.Run(90 * time.Second) // until all have been tried
	cut.Heal()
	w.Run(5 * time.Minute)
	w.expect(t, number, func(n sim.Node) bool { return n%3 == 0 && n >= 8 })
	w.idle(t)
}

// What a node has passed on before it wanted it, it has when it does, once: nobody brings it again. What was published
// too long ago for that it has not.
func TestPassedOnBeforeItWasWanted(t *testing.T) {
	p := newPlan(64, 8)
	p.follows = func(i int) []engine.ID {
		if i == 0 {
			return nil
		}
		return []engine.ID{sub(0)}
	}
	for after, want := range map[time.Duration]int{time.Minute: 1, p.config.Missed + time.Minute: 0} {
		l := newLone(p, 0)
		l.from(20, &newswire.Forward{Number: 1, Zone: zone.Root, Item: l.item(20, 1)})
		l.env.Advance(after)
		if n := len(l.got[1][0]); n > 0 {
			t.Fatalf("it was delivered %d times to a node that does not want it", n)
		}
		for range 2 {
			l.wire.Join(sub(0))
			l.env.Advance(time.Second)
			l.wire.Leave(sub(0))
			l.env.Advance(time.Second)
		}
		if n := len(l.got[1][0]); n != want {
			t.Errorf("%s later it was delivered %d times, not %d", after, n, want)
		}
	}
}
