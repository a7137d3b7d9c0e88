package overlay

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/sim"
)

// noLinks ignores reports of links.
type noLinks struct{}

func (noLinks) LinkUp(engine.Peer, []engine.ID)      {}
func (noLinks) LinkDown(engine.Peer)                 {}
func (noLinks) LinkChanged(engine.Peer, []engine.ID) {}

// alone is a node that follows ten topics, and the test plays its neighbours.
type alone struct {
	*sim.World
	index *Index
}

func newAlone(c Config) *alone {
	w := &alone{World: sim.New(sim.Default(testCodec)), index: NewIndex(rand.New(rand.NewPCG(1, 1)), false, 0)}
	w.Add(engine.IDOf([]byte("node")), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		o := New(env, c, w.index, noLinks{})
		for _, id := range topicsUpTo(10) {
			o.Join(id)
		}
		return o
	})
	w.Boot(0)
	w.Run(100 * time.Millisecond)
	return w
}

func (w *alone) do(f func(o *Overlay)) { w.Do(0, func(p engine.Protocol) { f(p.(*Overlay)) }) }

func topicsUpTo(n int) (ids []engine.ID) {
	for i := range n {
		ids = append(ids, engine.IDOf(fmt.Append(nil, "topic ", i)))
	}
	return ids
}

func following(ids []engine.ID) Profile {
	return Profile{Version: 1 + uint32(len(ids)), Follows: interest.Of(ids, 64)}
}

// The running counts equal a count of everything; and so does what would be left without a neighbour.
func TestCoverageAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Default()
		c.Swaps.Risk = rapid.SampledFrom([]float64{0, 0.01, 0.1}).Draw(t, "risk")
		w := newAlone(c)
		w.do(func(o *Overlay) {
			peer := func() engine.Peer {
				return engine.Peer{ID: engine.ID{byte(rapid.IntRange(1, 6).Draw(t, "peer"))}, Address: "x"}
			}
			for range rapid.IntRange(1, 40).Draw(t, "steps") {
				some := topicsUpTo(12)[rapid.IntRange(0, 2).Draw(t, "from"):rapid.IntRange(3, 12).Draw(t, "to")]
				switch rapid.IntRange(0, 4).Draw(t, "action") {
				case 0, 1:
					o.Receive(peer(), &Connect{Profile: following(some)})
				case 2:
					o.Receive(peer(), &Leave{Greedy.bit()})
				case 3:
					if rapid.Bool().Draw(t, "join") {
						o.Join(some[0])
					} else {
						o.Leave(some[0])
					}
				case 4:
					o.setK(&o.tasks[Greedy], rapid.IntRange(1, 4).Draw(t, "k"))
				}
				task := &o.tasks[Greedy]
				checkCoverage(t, o, task.lacks(), nil)
				for _, l := range o.links.list {
					checkCoverage(t, o, o.topics.underWithout(task, l), l)
				}
			}
		})
	})
}

// checkCoverage counts which topics lack cover in the greedy task, without a neighbour if it is not nil.
func checkCoverage(t *rapid.T, o *Overlay, got int, without *link) {
	k := o.tasks[Greedy].k
	under, bare, count, risk := 0, 0, 0, 0.0
	for i, s := range o.topics.slots {
		if !s.on() {
			continue
		}
		count++
		cover, chance := 0, 1.0
		for _, l := range o.links.list {
			if l != without && l.sets[Greedy].in && l.profile.Follows.Has(o.topics.slots[i].name) {
				cover++
				chance /= 5
			}
		}
		if cover < k {
			under++
		}
		if cover < k-1 {
			bare++
		}
		risk += chance
	}
	if most := o.config.Swaps.Risk * float64(count); bare == 0 && risk <= most {
		under = 0
	}
	if got != under {
		t.Fatalf("%d topics lack cover of %d, want %d; %d much of it, at a risk of %v", got, count, under, bare, risk)
	}
}

// A node says which neighbours it needs for nothing, all of them at once. A node that publishes on what it follows is
// none of them.
func TestIdle(t *testing.T) {
	all, some := topicsUpTo(10), topicsUpTo(3)
	profiles := []Profile{following(all), following(all), following(all), following(all), following(some),
		{1, nil, interest.Of(all, 64)}}
	c := Paper()
	c.Heartbeat = time.Second
	w := newAlone(c)
	for range profiles {
		w.Boot(w.Add(engine.ID{byte(1 + w.Rand().Uint32()%200), byte(w.Rand().Uint32())},
			func(engine.Env, *sim.Disk) engine.Protocol { return silent{} }))
	}
	said := make(map[sim.Node][]bool)
	w.Tap(func(p sim.Delivery) {
		if m, is := p.Message.(*Heartbeat); is && p.Fate == sim.Received {
			said[p.To] = append(said[p.To], m.Idle == Greedy.bit())
		}
	})
	w.do(func(o *Overlay) {
		for i, profile := range profiles {
			o.Receive(w.Peer(sim.Node(1+i)), &Connect{Profile: profile})
		}
	})
	w.Run(20 * time.Second)
	spared := 0
	for beat := range said[1] {
		together := 0
		for n := sim.Node(1); n <= 4; n++ {
			if said[n][beat] {
				together++
				spared |= 1 << n
			}
		}
		if together != 1 || !said[5][beat] || said[6][beat] {
			t.Fatalf("heartbeat %d says that %d of four that cover everything can go, want 1; and of the others "+
				"%v and %v", beat, together, said[5][beat], said[6][beat])
		}
	}
	if len(said[1]) < 15 || spared != 0b11110 {
		t.Errorf("%d heartbeats; in none of them those may go that are missing in %b", len(said[1]), spared)
	}
}

// A node swaps for one that sets two neighbours free, or one and covers its topics better; and only if these have said
// that they can do without it.
func TestSwapsForWhoFreesNeighbors(t *testing.T) {
	first, second := topicsUpTo(5), topicsUpTo(10)[5:]
	all := topicsUpTo(10)
	for _, c := range []struct {
		name       string
		neighbours [][]engine.ID
		idle       bool
		candidate  []engine.ID
		want       bool
	}{
		{"two for one", [][]engine.ID{all, all, first, second}, true, all, true},
		{"not idle", [][]engine.ID{all, all, first, second}, false, all, false},
		{"nobody is set free", [][]engine.ID{all, all, first, second}, true, first[1:], false},
		{"one for one, better", [][]engine.ID{all, all, all[:9], all[9:], all[9:]}, true, all[8:], true},
		{"one for one, no better", [][]engine.ID{all, all, first, second}, true, first, false},
	} {
		config := Paper()
		config.Swaps = Swaps{Pause: 10 * time.Second}
		w := newAlone(config)
		w.index.Put(engine.Peer{ID: engine.ID{99}, Address: "y"}, interest.Of(c.candidate, 64), 0)
		asked := false
		w.Tap(func(p sim.Delivery) {
			if _, is := p.Message.(*Connect); is && p.Fate == sim.Sent {
				asked = true
			}
		})
		w.do(func(o *Overlay) {
			for i, follows := range c.neighbours {
				p := engine.Peer{ID: engine.ID{byte(i + 1)}, Address: "x"}
				o.Receive(p, &Connect{Profile: following(follows)})
				if c.idle {
					o.Receive(p, &Heartbeat{Tasks: Greedy.bit(), Known: o.profile.Version, Idle: Greedy.bit()})
				}
			}
			for _, l := range o.links.list {
				l.sets[Greedy].joined = -time.Hour
			}
			task := &o.tasks[Greedy]
			if task.lacks() > 0 {
				t.Fatalf("%s: %d topics lack cover before", c.name, task.lacks())
			}
			if did := o.swap(task); did != c.want {
				t.Errorf("%s: swaps is %v", c.name, did)
			}
			if again := o.swap(task); again {
				t.Errorf("%s: swaps twice at once", c.name)
			}
		})
		if asked != c.want {
			t.Errorf("%s: asked is %v", c.name, asked)
		}
	}
}

// A topic may have only two neighbours. After a neighbour was lost without a farewell, it is to have three, for ten
// minutes only.
func TestCaution(t *testing.T) {
	c := Default()
	c.Adaptive, c.Silence, c.Swaps.Risk = false, time.Hour, 0.0135
	w := newAlone(c)
	all := topicsUpTo(10)
	neighbours := [][]engine.ID{all, all, all[:9], all[:9], all[:9], all[:1], all[:1]}
	for i := range neighbours {
		w.Boot(w.Add(engine.IDOf(fmt.Append(nil, "silent ", i)),
			func(engine.Env, *sim.Disk) engine.Protocol { return silent{} }))
	}
	w.do(func(o *Overlay) {
		for i, follows := range neighbours {
			o.Receive(w.Peer(sim.Node(1+i)), &Connect{Profile: following(follows)})
		}
	})
	lacks := func(when string, want int) {
		t.Helper()
		w.do(func(o *Overlay) {
			if got := len(o.Uncovered()); got != want || o.tasks[Greedy].lacks() != want {
				t.Errorf("%s %d topics lack cover, want %d", when, got, want)
			}
		})
	}
	lacks("at first", 0)
	w.do(func(o *Overlay) { o.Receive(w.Peer(7), &Leave{Greedy.bit()}) })
	lacks("after a farewell", 0)
	w.do(func(o *Overlay) { o.PeerDown(w.Peer(6)) })
	lacks("after a loss", 1)
	w.Run(caution - time.Second)
	lacks("almost ten minutes later", 1)
	w.Run(2 * time.Second)
	lacks("ten minutes later", 0)
}

// silent says nothing.
type silent struct{}

func (silent) Receive(engine.Peer, engine.Message) {}
func (silent) PeerDown(engine.Peer)                {}
func (silent) Stop()                               {}

// A neighbour that says that it can go, and never does, costs one request a minute. There are no more swaps than that.
func TestNeverGoesThoughIdle(t *testing.T) {
	c := Paper()
	c.Swaps = Swaps{Pause: 10 * time.Second}
	c.Silence = time.Hour
	w := newAlone(c)
	const liars, others = 4, 20
	for i := range liars + others {
		n := w.Add(engine.IDOf(fmt.Append(nil, "silent ", i)),
			func(engine.Env, *sim.Disk) engine.Protocol { return silent{} })
		if w.Boot(n); i >= liars {
			w.index.Put(w.Peer(n), interest.Of(topicsUpTo(10), 64), 0)
		}
	}
	connects, disconnects := 0, 0
	w.Tap(func(p sim.Delivery) {
		if p.Fate != sim.Sent {
			return
		}
		switch p.Message.(type) {
		case *Connect:
			connects++
		case *Disconnect:
			disconnects++
		}
	})
	w.do(func(o *Overlay) {
		for i := range liars {
			o.Receive(w.Peer(sim.Node(1+i)), &Connect{Profile: following(topicsUpTo(10))})
		}
	})
	for range 60 {
		w.do(func(o *Overlay) {
			for i := range liars {
				o.Receive(w.Peer(sim.Node(1+i)), &Heartbeat{Tasks: Greedy.bit(), Known: o.profile.Version,
					Idle: Greedy.bit()})
			}
		})
		w.Run(10 * time.Second)
	}
	if most := liars * 11; disconnects < 10 || disconnects > most {
		t.Errorf("in ten minutes %d requests to disconnect were sent to %d neighbours, want at most %d", disconnects,
			liars, most)
	}
	if most := liars * 11; connects > most {
		t.Errorf("%d others were asked in their place, want at most %d", connects, most)
	}
}

// stale offers a candidate by what this node followed once.
type stale struct {
	Candidates
	shared []interest.Name
}

func (s stale) Alike(Task) (engine.Peer, []interest.Name, bool) {
	return engine.Peer{ID: engine.ID{99}, Address: "y"}, s.shared, true
}

// What a candidate shares counts as far as this node follows it still: nobody is asked for what was left.
func TestCandidatesCountByWhatIsFollowed(t *testing.T) {
	all := topicsUpTo(10)
	left := interest.Of(topicsUpTo(12)[10:], 64).Names()
	for what, shared := range map[string][]interest.Name{"followed": interest.Of(all, 64).Names(), "left": left} {
		config := Paper()
		config.Swaps = Swaps{Pause: 10 * time.Second}
		w := newAlone(config)
		w.do(func(o *Overlay) {
			for i, follows := range [][]engine.ID{all, all, all[:1], all[:1], all[1:]} {
				p := engine.Peer{ID: engine.ID{byte(i + 1)}, Address: "x"}
				o.Receive(p, &Connect{Profile: following(follows)})
				o.Receive(p, &Heartbeat{Tasks: Greedy.bit(), Known: o.profile.Version, Idle: Greedy.bit()})
			}
			for _, l := range o.links.list {
				l.sets[Greedy].joined = -time.Hour
			}
			o.candidates = stale{o.candidates, shared}
			if did, want := o.swap(&o.tasks[Greedy]), what == "followed"; did != want {
				t.Errorf("%s: swaps is %v", what, did)
			}
		})
	}
}
