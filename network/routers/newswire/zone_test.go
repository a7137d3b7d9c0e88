package newswire_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// An item for a zone reaches all below it and no other node, wherever its publisher is (NewsWire, section 8: "selecting
// another zone than the root zone").
func TestZone(t *testing.T) {
	p := newPlan(64, 4) // sixteen zones of four
	p.full = 4          // in four zones
	w := newTown(p)
	leaf := w.paths[20]
	if leaf.Depth() != 2 {
		t.Fatalf("the zone is %s", leaf)
	}
	for _, z := range []zone.Path{zone.Root, leaf.Parent(), leaf} {
		for _, from := range []sim.Node{20, 24, 60} { // a member, one of the zone beside, one far away
			number := w.publish(t, from, z, 0, "")
			w.Run(2 * time.Second)
			w.expect(t, number, w.in(z))
		}
	}
	w.Run(time.Minute) // nobody is given more when it asks for what it has missed
	for number := range w.last {
		if z := []zone.Path{zone.Root, leaf.Parent(), leaf}[number/3]; z != zone.Root {
			w.expect(t, number+1, w.in(z))
		}
	}
	w.idle(t)
}

// An item for a zone that does not exist reaches nobody, and comes to an end.
func TestNoZone(t *testing.T) {
	p := newPlan(64, 4)
	p.full = 4
	w := newTown(p)
	for _, z := range []zone.Path{"/nowhere", w.paths[20].Child("nowhere"), w.paths[0].Parent().Child("nowhere")} {
		number := w.publish(t, 0, z, 0, "")
		w.Run(10 * time.Second)
		w.expect(t, number, nobody)
	}
	w.idle(t)
}

// A node may get an item for a zone that it does not lie in. If it knows that zone, or the one above that it lies in,
// it forwards the item. Otherwise it answers Elsewhere.
func TestOnTheWay(t *testing.T) {
	p := newPlan(64, 4)
	p.full = 4
	l := newLone(p, 0)
	sister := l.paths[4]
	for i, test := range []struct {
		to       zone.Path
		accepted bool
	}{{sister, true}, {l.paths[20], true}, {l.paths[20].Child("nowhere"), true}, {l.paths[0].Child("nowhere"), false},
		{sister.Parent().Child("nowhere"), false}, {"/nowhere", false}} {
		item := l.item(60, uint64(i+1), func(m *newswire.Item) { m.Zone = test.to })
		sent := l.from(60, &newswire.Forward{Number: 1, Zone: test.to, Item: item})
		if got := count[*newswire.Taken](sent) == 1 && count[*newswire.Forward](sent) == 1; got != test.accepted ||
			count[*newswire.Elsewhere](sent) == 1 == test.accepted {
			t.Errorf("%s: %v", test.to, sent)
		}
		if len(l.got) > 0 {
			t.Errorf("%s: it is delivered", test.to)
		}
	}
}

// conditions is a Compile of tests: "category 1" holds where a member says so, "fails" fails there, all else is no
// condition.
func conditions(text string) (newswire.Condition, error) {
	if !strings.HasPrefix(text, "category ") && text != "fails" {
		return nil, errors.New("no condition")
	}
	return stub(text), nil
}

type stub string

func (s stub) Holds(row attr.Row) (bool, error) {
	first := row.Get(astrolabe.AttrLoad).Real < 0.5
	if s == "fails" && first {
		return false, errors.New("it fails")
	}
	return s == "fails" || first, nil
}

func (stub) Close() {}

// compiled is a Compile with conditions in SQL.
func compiled(text string) (newswire.Condition, error) { return sql.CompilePredicate(text) }

// byThird puts every third member in category 1 and the others in 2, but for a zone without the former. They say so by
// their loads: zones have the least.
func byThird(n int) attr.Row {
	load := 0.75
	if n%3 == 0 && n >= 8 {
		load = 0.25
	}
	return attr.Row{{Name: astrolabe.AttrLoad, Value: attr.Float(load)}}
}

// A predicate holds of an item in zones and members alike (NewsWire, section 8: "evaluated using the attribute values
// of a child zone before it can be forwarded to that zone").
func TestPredicate(t *testing.T) {
	for _, test := range []struct {
		name, text string
		compile    func(string) (newswire.Condition, error)
	}{{"stub", "category 1", conditions}, {"sql", "load < 0.5", compiled}} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlan(64, 8)
			p.own = byThird
			p.seams = func(_ int, s *newswire.Seams) { s.Compile = test.compile }
			w := newTown(p)
			forwarded := 0
			w.Observe(func(_ time.Duration, _ sim.Node, event any) {
				if f, ok := event.(newswire.Forwarded); ok && f.Zone == w.paths[0] {
					forwarded++
				}
			})
			number := w.publish(t, 63, zone.Root, 0, test.text)
			w.Run(30 * time.Second) // nor does a node get it that requests what it has missed
			w.expect(t, number, func(n sim.Node) bool { return n%3 == 0 && n >= 8 })
			if forwarded > 0 {
				t.Errorf("%d times it was forwarded to the zone where nobody is concerned", forwarded)
			}
			w.idle(t)
		})
	}
}

// Where a predicate fails, the item does not go, and it goes everywhere else: to a zone of members of one category
// alone.
func TestPredicateFails(t *testing.T) {
	p := newPlan(64, 8)
	p.own = byThird
	p.seams = func(_ int, s *newswire.Seams) { s.Compile = conditions }
	w := newTown(p)
	number := w.publish(t, 0, zone.Root, 0, "fails")
	w.Run(5 * time.Second)
	w.expect(t, number, func(n sim.Node) bool { return n < 8 })
	w.idle(t)
}

// An invalid predicate is an error of Send, and so is any where none can be compiled. A node that cannot compile it
// does not forward it.
func TestNoPredicate(t *testing.T) {
	p := newPlan(16, 8)
	p.seams = func(n int, s *newswire.Seams) {
		if n < 8 {
			s.Compile = compiled
		}
	}
	w := newTown(p)
	send := func(from sim.Node, predicate string) (err error) {
		w.Do(from, func(engine.Protocol) {
			w.last++
			err = w.testNode(from).wire.Send(zone.Root, sub(0), []engine.ID{sub(0)}, predicate, note(w.last, 0))
		})
		return err
	}
	for _, text := range []string{"members >", "1; 1", "load(", strings.Repeat("1 + ", 200) + "1"} {
		if err := send(0, text); !errors.Is(err, newswire.ErrPredicate) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := send(8, "members > 0"); !errors.Is(err, newswire.ErrPredicate) {
		t.Errorf("without Compile: %v", err)
	}
	if err := send(0, "members > 0"); err != nil {
		t.Error(err)
	}
	w.Run(5 * time.Second)
	w.expect(t, w.last, func(n sim.Node) bool { return n < 8 })
	w.idle(t)
}
