package rappel_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
	"tidings/network/vivaldi"
)

// liar is the Env of a node that changes what it sends as it likes: bend returns what is sent instead, nil for nothing.
type liar struct {
	engine.Env
	bend func(to engine.Peer, m engine.Message) engine.Message
}

func (l liar) Send(to engine.Peer, m engine.Message) {
	if m = l.bend(to, m); m != nil {
		l.Env.Send(to, m)
	}
}

// liars returns settings in which the bad nodes lie, once on is true.
func liars(nodes int, bad func(sim.Node) bool, on *bool,
	bend func(to engine.Peer, m engine.Message) engine.Message) settings {
	return settings{nodes: nodes, config: rappel.Default(), env: func(n sim.Node, env engine.Env) engine.Env {
		if !bad(n) {
			return env
		}
		return liar{env, func(to engine.Peer, m engine.Message) engine.Message {
			if *on {
				return bend(to, m)
			}
			return m
		}}
	}}
}

func isBad(n sim.Node) bool { return n%8 == 5 }

// An eighth of the nodes swallows all updates, and says in its answers that there were none. All members get all
// updates all the same. A member with missing updates learns of them from another ancestor and leaves its parent
// (section 4.1; hostile 41).
func TestHostile41SwallowedUpdates(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		on := false
		w := newWorld(wire(), t.World, liars(60, isBad, &on, func(_ engine.Peer, m engine.Message) engine.Message {
			switch m := m.(type) {
			case *rappel.Update, *rappel.Void:
				return nil
			case *rappel.Ack:
				changed := *m
				changed.News = nil
				return &changed
			case *rappel.Pulled:
				return &rappel.Pulled{Topic: m.Topic, Epoch: m.Epoch}
			case *rappel.JoinOK:
				changed := *m
				changed.Last, changed.First = 0, 0
				return &changed
			}
			return m
		}))
		w.roots[topic(0)] = 0
		for n := range sim.Node(60) {
			w.Join(n, topic(0))
		}
		w.Run(5 * time.Minute)
		on = true
		for range 8 {
			w.publish(0, topic(0))
			w.Run(4 * time.Minute)
		}
		w.Run(30 * time.Minute)
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
		if w.traced["Blamed"] == 0 {
			t.Error("nobody was blamed")
		}
	})
}

// Nodes claim to lie next to the root, so that others become their children. They get no more children than any node
// near the root. Nodes that measure that the coordinate is false leave the liar, or send it away (hostile 47).
func TestHostile47InventedCoordinates(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		on := true
		var root *point
		s := liars(60, isBad, &on, func(_ engine.Peer, m engine.Message) engine.Message {
			claim := func(c vivaldi.Coordinate) vivaldi.Coordinate {
				c.Vector = append([]int32(nil), root.at.Vector...)
				return c
			}
			switch m := m.(type) {
			case *rappel.Join:
				changed := *m
				changed.Coordinate = claim(m.Coordinate)
				return &changed
			case *rappel.JoinOK:
				changed := *m
				changed.Place.Self, changed.Place.Path = claim(m.Place.Self), 0
				return &changed
			case *rappel.Placed:
				changed := *m
				changed.Place.Self, changed.Place.Path = claim(m.Place.Self), 0
				return &changed
			case *rappel.Profile:
				changed := *m
				changed.Coordinate = claim(m.Coordinate)
				return &changed
			}
			return m
		})
		w := newWorld(wire(), t.World, s)
		root = remote(w, isBad)
		w.Run(40 * time.Minute)
		for range 5 {
			w.publish(0, topic(0))
			w.Run(10 * time.Second)
		}
		w.Run(time.Minute)
		below := 0
		for n := range sim.Node(60) {
			v, _ := w.Node(n).Tree(topic(0))
			if len(v.Ancestors) == 0 || isBad(n) {
				continue
			}
			if p, _ := w.NodeAt(v.Ancestors[0].Peer); isBad(p) {
				below++
			}
		}
		if below > 3 {
			t.Errorf("%d nodes have parents that lie", below)
		}
		for n := range sim.Node(60) {
			if isBad(n) {
				w.Watch.Report(n, check.Unsubscribed{Topic: topic(0)}) // a liar may lose its place by that
			}
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// remote makes all nodes join a topic with the first one as its root. The bad ones lie far from all others: 1.2 s. It
// returns where the root lies.
func remote(w *world, bad func(sim.Node) bool) (root *point) {
	w.roots[topic(0)] = 0
	root = w.points[0]
	root.at.Vector = []int32{0, 0}
	for n := range sim.Node(w.Len()) {
		if bad(n) {
			w.points[n].at.Vector = []int32{900_000, 900_000}
		}
		w.Join(n, topic(0))
	}
	return root
}

// The coordinate of a node fits badly to its round trips, as it happens to honest nodes. Nodes that notice it no longer
// admit that node. The root has room for such nodes: they get all updates.
func TestBadCoordinatesLoseNothing(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		on := true
		isBad := func(n sim.Node) bool { return n%20 == 7 }
		var root *point
		s := liars(60, isBad, &on, func(_ engine.Peer, m engine.Message) engine.Message {
			if m, ok := m.(*rappel.Join); ok {
				changed := *m
				changed.Coordinate.Vector = append([]int32(nil), root.at.Vector...)
				return &changed
			}
			return m
		})
		w := newWorld(wire(), t.World, s)
		root = remote(w, isBad)
		for range 10 {
			w.Run(5 * time.Minute)
			w.publish(0, topic(0))
		}
		w.Run(5 * time.Minute)
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// Nodes claim to want everything. A friend that denies joins twice is none, so that joins by way of friends find their
// tree (hostile 46).
func TestHostile46FullFilters(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		on := true
		w := newWorld(wire(), t.World, liars(40, isBad, &on, func(_ engine.Peer, m engine.Message) engine.Message {
			if m, ok := m.(*rappel.Profile); ok {
				changed := *m
				for i := range changed.Filter {
					changed.Filter[i] = 0xff
				}
				return &changed
			}
			return m
		}))
		for i := range 8 {
			w.roots[topic(i)] = sim.Node(i)
		}
		for n := range sim.Node(40) {
			for i := range 3 {
				w.Join(n, topic((int(n)+i)%4))
			}
		}
		w.Run(20 * time.Minute)
		for n := range sim.Node(40) {
			if !isBad(n) {
				for i := 4; i < 8; i++ {
					w.Join(n, topic(i))
				}
			}
		}
		w.Run(time.Minute)
		for i := range 8 {
			w.publish(sim.Node(i), topic(i))
		}
		w.Run(time.Minute)
		bad := 0
		for n := range sim.Node(40) {
			for _, f := range w.Node(n).Friends() {
				if p, _ := w.NodeAt(f.Peer); isBad(p) && !isBad(n) && len(f.Shared) == 7 {
					bad++
				}
			}
		}
		if bad > 10 { // of 210
			t.Errorf("%d friends lie", bad)
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// Updates and void ones without the root's signature are dropped, whichever node sends them. No node learns of numbers
// that do not exist (hostile 42).
func TestHostile42ForgedUpdates(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		on := false
		w := newWorld(wire(), t.World, liars(40, isBad, &on, func(_ engine.Peer, m engine.Message) engine.Message {
			switch m := m.(type) {
			case *rappel.Update:
				changed := *m
				changed.Event = &routertest.Note{Number: m.Event.(*routertest.Note).Number + 1000, Text: "forged"}
				return &changed
			case *rappel.Void:
				changed := *m
				changed.Stamp.Number += 1000
				return &changed
			}
			return m
		}))
		w.roots[topic(0)] = 0
		forged := 0
		w.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if e, ok := event.(rappel.Delivered); ok && e.Event.(*routertest.Note).Text == "forged" {
				forged++
			}
		})
		for n := range sim.Node(40) {
			w.Join(n, topic(0))
		}
		w.Run(5 * time.Minute)
		on = true
		for range 6 {
			w.publish(0, topic(0))
			w.Run(4 * time.Minute)
		}
		w.Run(30 * time.Minute)
		if forged > 0 {
			t.Errorf("%d forged events were delivered", forged)
		}
		for n := range sim.Node(40) {
			if v, _ := w.Node(n).Tree(topic(0)); v.Last > 6 {
				t.Errorf("node %d believes in %d updates", n, v.Last)
			}
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// Nodes name ancestors that are none. A node that asks them finds out and leaves (hostile 41). Chains of the greatest
// length break nothing.
func TestHostile41InventedAncestors(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		on := true
		var root engine.Peer
		var strangers []engine.Peer
		invent := func(p rappel.Place) rappel.Place {
			p.Chain = append(append([]engine.Peer(nil), strangers...), root)
			if t.Seed()%2 == 0 {
				p.Chain = p.Chain[len(p.Chain)-2:] // a node that is there
			}
			return p
		}
		w := newWorld(wire(), t.World, liars(60, isBad, &on, func(_ engine.Peer, m engine.Message) engine.Message {
			switch m := m.(type) {
			case *rappel.JoinOK:
				changed := *m
				changed.Place = invent(m.Place)
				return &changed
			case *rappel.Placed:
				return &rappel.Placed{Topic: m.Topic, Place: invent(m.Place)}
			}
			return m
		}))
		root = w.Peer(0)
		for i := range 40 {
			strangers = append(strangers, engine.Peer{ID: engine.IDOf(fmt.Append(nil, "stranger ", i)),
				Address: w.Peer(59).Address})
		}
		strangers = append(strangers, w.Peer(59)) // a node that is there, and has not joined
		w.roots[topic(0)] = 0
		for n := range sim.Node(59) {
			w.Join(n, topic(0))
		}
		w.Run(time.Hour)
		for range 4 {
			w.publish(0, topic(0))
			w.Run(30 * time.Second)
		}
		w.Run(10 * time.Minute)
		if w.traced["Blamed"] == 0 {
			t.Error("nobody was blamed")
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// flooder asks one node for everything, all the time.
type flooder struct {
	env    engine.Env
	victim func() engine.Peer
}

var flood = &routertest.Note{Topic: routertest.Topic(0), Number: 1 << 40, Text: "flood"}

func (f *flooder) flood() {
	for i := range 50 {
		var m engine.Message
		switch i % 6 {
		case 0:
			m = &rappel.Join{Topic: topic(0), Attempt: uint32(i),
				Coordinate: vivaldi.Coordinate{Vector: []int32{int32(i), 0}}}
		case 1:
			m = &rappel.Pull{Topic: topic(0)}
		case 2:
			m = &rappel.Ping{Number: uint32(i)}
		case 3:
			m = &rappel.ProfileRequest{Number: uint32(i)}
		case 4:
			m = &rappel.FriendRequest{Number: uint32(i)}
		default:
			m = &rappel.Publish{Topic: topic(0), Event: flood}
		}
		f.env.Send(f.victim(), m)
	}
	f.env.After(100*time.Millisecond, f.flood)
}

func (f *flooder) Receive(engine.Peer, engine.Message) {}
func (f *flooder) PeerDown(engine.Peer)                {}
func (f *flooder) Stop()                               {}

// A peer that asks five hundred times a second is answered twenty times (hostile 44), and the tree holds.
func TestHostile44Floods(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := newWorld(wire(), t.World, settings{nodes: 30, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(30) {
			w.Join(n, topic(0))
		}
		w.Run(5 * time.Minute)
		f := w.Add(engine.IDOf([]byte("flooder")), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			f := &flooder{env, func() engine.Peer { return w.Peer(0) }}
			f.flood()
			return f
		})
		w.points = append(w.points, &point{w.points[0].at})
		w.Watch.Report(f, check.Subscribed{Topic: topic(0)}) // what it asks for is no noise
		w.Watch.Report(-1, check.Served{Topic: topic(0), Content: flood.Content()})
		w.Boot(f)
		w.Run(30 * time.Second)
		before := w.NodeCount(f).Received
		w.Run(time.Minute)
		c := rappel.Default()
		// A Pull is answered by all that is kept at most.
		if got := w.NodeCount(f).Received - before; got > uint64(60*c.PeerRate*(c.Cache+1)) {
			t.Errorf("the flooder was answered %d times a minute", got)
		}
		w.Crash(f)
		w.Watch.Report(f, check.Forgot{})
		w.Run(2 * time.Minute)
		w.publish(0, topic(0))
		w.Run(time.Minute)
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
		for n := range sim.Node(30) {
			if v, _ := w.Node(n).Tree(topic(0)); len(v.Children) > 5 {
				t.Errorf("node %d has %d children", n, len(v.Children))
			}
		}
	})
}

// A friend that claims to want everything is asked for two topics that it has not joined, and for no third (hostile
// 46).
func TestHostile46AFriendWithAFullFilter(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		on := true
		w := newWorld(wire(), t.World, liars(3, func(n sim.Node) bool { return n == 1 }, &on,
			func(_ engine.Peer, m engine.Message) engine.Message {
				if m, ok := m.(*rappel.Profile); ok {
					changed := *m
					for i := range changed.Filter {
						changed.Filter[i] = 0xff
					}
					return &changed
				}
				return m
			}))
		asked, dropped := 0, 0
		w.Observe(func(_ time.Duration, _ sim.Node, event any) {
			switch e := event.(type) {
			case rappel.Asked:
				if n, _ := w.NodeAt(e.To); n == 1 {
					asked++
				}
			case rappel.Unfriended:
				if e.Why == "filter" {
					dropped++
				}
			}
		})
		for i := range 6 {
			w.roots[topic(i)] = 0
		}
		w.Join(1, topic(0))
		w.Run(time.Minute)
		w.Join(2, topic(0))
		w.Run(2 * time.Minute)
		if len(w.Node(2).Friends()) != 1 {
			t.Fatalf("friends: %v", w.Node(2).Friends())
		}
		asked = 0
		for i := range 5 {
			w.Join(2, topic(1+i))
			w.Run(2 * time.Second)
		}
		if asked != 2 || dropped != 1 || len(w.Node(2).Friends()) != 0 {
			t.Errorf("it is asked %d times, and dropped %d times", asked, dropped)
		}
		w.Run(time.Minute)
		for i := range 6 {
			w.publish(0, topic(i))
		}
		w.Run(time.Minute)
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}
