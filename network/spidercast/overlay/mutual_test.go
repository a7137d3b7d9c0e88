package overlay

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/spidercast/interest"
)

// The threshold halves in each halving, never rises, and is reached when until says so.
func TestThreshold(t *testing.T) {
	h := threshold{800, time.Minute}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{0, 800}, {5 * time.Second, 600}, {10 * time.Second, 400}, {30 * time.Second, 100}, {35 * time.Second, 75}, {time.Hour, 0}} {
		if got := h.at(time.Minute+c.after, 10*time.Second); got != c.want {
			t.Errorf("after %v it is %d, want %d", c.after, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h := threshold{rapid.IntRange(1, 10_000).Draw(t, "first"), time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "since"))}
		halving := time.Duration(rapid.Int64Range(1e6, 1e11).Draw(t, "halving"))
		worth := rapid.IntRange(1, 10_000).Draw(t, "worth")
		at := h.until(worth, halving)
		if got := h.at(at, halving); got > worth {
			t.Fatalf("it is %d when it should be %d", got, worth)
		}
		if before := at - halving/50; before >= h.since && worth < h.first && h.at(before, halving) < worth {
			t.Fatalf("it is below %d long before", worth)
		}
		if h.at(at+halving, halving) > h.at(at, halving) {
			t.Fatal("it rises")
		}
	})
}

// pairs is Weighing whose answer a test says. It notes what is needed.
type pairs struct {
	needed       map[engine.ID]bool
	peer         engine.Peer
	ours, theirs int
	unsettled    float64
}

func (p *pairs) Need(task Task, topic engine.ID, on bool) {
	if delete(p.needed, topic); on && task == Greedy {
		p.needed[topic] = true
	}
}
func (p *pairs) Forget(topic engine.ID)               { delete(p.needed, topic) }
func (p *pairs) Exclude(Task, engine.ID, bool)        {}
func (p *pairs) Best(Task) (engine.Peer, bool)        { return engine.Peer{}, false }
func (p *pairs) Any(Task) (engine.Peer, bool)         { return engine.Peer{}, false }
func (p *pairs) Unsettled(Task) float64               { return p.unsettled }
func (p *pairs) Worth(engine.ID) int                  { return MeanWorth }
func (p *pairs) LinkUp(engine.Peer, []engine.ID)      {}
func (p *pairs) LinkDown(engine.Peer)                 {}
func (p *pairs) LinkChanged(engine.Peer, []engine.ID) {}
func (p *pairs) BestPair(Task) (engine.Peer, int, int, bool) {
	return p.peer, p.ours, p.theirs, p.peer != engine.Peer{} && len(p.needed) > 0
}

// pairWorld is two frugal nodes that follow ten topics; the first asks the second when its candidates say so.
type pairWorld struct {
	*sim.World
	candidates [2]*pairs
	asked      []*Connect // that the first sent
	refused    int
}

func newPairWorld(c Config) *pairWorld {
	w := &pairWorld{World: sim.New(sim.Default(testCodec))}
	for i := range w.candidates {
		w.candidates[i] = &pairs{needed: make(map[engine.ID]bool)}
		w.Add(engine.IDOf(fmt.Append(nil, "node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			o := New(env, c, w.candidates[i], w.candidates[i])
			for t := range 10 {
				o.Join(engine.IDOf(fmt.Append(nil, "topic ", t)))
			}
			return o
		})
	}
	w.Tap(func(p sim.Passage) {
		switch m := p.Message.(type) {
		case *Connect:
			if p.Fate == sim.Received && p.From == 0 {
				w.asked = append(w.asked, m)
			}
		case *Redirect:
			if p.Fate == sim.Received {
				w.refused++
			}
		}
	})
	w.Boot(0)
	w.Boot(1)
	return w
}

func (w *pairWorld) offer(ours, theirs int) {
	w.candidates[0].peer, w.candidates[0].ours, w.candidates[0].theirs = w.Peer(1), ours, theirs
}

// A node waits for links that serve both ends, and not where the others would gain little.
func TestMutualWaits(t *testing.T) {
	for _, c := range []struct {
		ours, theirs int
		unsettled    float64
		after        time.Duration // from when to when it asks: ten topics make a threshold of 800
		until        time.Duration
		least        int
	}{
		{400, 400, 1, 0, 2 * time.Second, 400},
		{200, 200, 1, 9 * time.Second, 13 * time.Second, 200}, // the threshold has halved
		{300, 99, 1, 0, 2 * time.Second, 0},                   // others gain too little to be worth waiting for
		{50, 50, 1, 20 * time.Second, 25 * time.Second, 0},    // nobody covers some topic after two halvings
		{200, 200, 0.4, 0, 2 * time.Second, 0},                // most others have what they need, and a topic has no neighbour
	} {
		w := newPairWorld(Frugal())
		w.candidates[0].unsettled = c.unsettled
		w.offer(c.ours, c.theirs)
		w.Run(c.after)
		if len(w.asked) > 0 {
			t.Errorf("%d and %d: asked before %v", c.ours, c.theirs, c.after)
		}
		w.Run(c.until - c.after)
		if len(w.asked) == 0 {
			t.Errorf("%d and %d: not asked by %v", c.ours, c.theirs, c.until)
		} else if least := int(w.asked[0].Least); least > c.least || least < c.least-50 {
			t.Errorf("%d and %d: the other is to gain %d, want %d", c.ours, c.theirs, least, c.least)
		}
	}
}

// A node that is asked refuses what gains it less than the asker thought: topics that are covered, or that the two do not share, are no gain.
func TestMutualRefuses(t *testing.T) {
	all := interest.Of(topicsUpTo(10), 64)
	for _, c := range []struct {
		name  string
		from  interest.Set
		least uint32
		cover int // neighbours that cover everything
		want  bool
	}{
		{"all that is wanted", all, 10 * MeanWorth, 0, true},
		{"too little", all, 10*MeanWorth + 1, 0, false},
		{"a part of the topics", interest.Of(topicsUpTo(4), 64), 4*MeanWorth + 1, 0, false},
		{"nothing to gain", all, 1, 3, false},
		{"nothing asked", all, 0, 3, true},
	} {
		w := newPairWorld(Frugal())
		w.Run(100 * time.Millisecond)
		w.Do(1, func(p engine.Protocol) {
			o := p.(*Overlay)
			for i := range c.cover {
				o.Receive(engine.Peer{ID: engine.ID{byte(i + 1)}, Address: "x"}, &Connect{Profile: Profile{Version: 1, Follows: all}})
			}
			asker := engine.Peer{ID: engine.ID{99}, Address: "y"}
			o.Receive(asker, &Connect{Profile: Profile{Version: 1, Follows: c.from}, Least: c.least})
			if got := o.in(Greedy, asker.ID); got != c.want {
				t.Errorf("%s: accepted is %v", c.name, got)
			}
		})
	}
}

func topicsUpTo(n int) (ids []engine.ID) {
	for i := range n {
		ids = append(ids, engine.IDOf(fmt.Append(nil, "topic ", i)))
	}
	return ids
}

// A tenth of the topics may have one neighbour less, and candidates are not told that these are needed; what is counted as things change is what a
// count of everything says.
func TestSpare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Frugal()
		c.Mutual.Spare = rapid.SampledFrom([]float64{0, 0.1, 0.25}).Draw(t, "spare")
		w := newPairWorld(c)
		w.Run(100 * time.Millisecond)
		w.Do(0, func(p engine.Protocol) {
			o := p.(*Overlay)
			peer := func() engine.Peer {
				return engine.Peer{ID: engine.ID{byte(rapid.IntRange(1, 6).Draw(t, "peer"))}, Address: "x"}
			}
			for range rapid.IntRange(1, 40).Draw(t, "steps") {
				some := topicsUpTo(12)[rapid.IntRange(0, 2).Draw(t, "from"):rapid.IntRange(3, 12).Draw(t, "to")]
				switch rapid.IntRange(0, 3).Draw(t, "action") {
				case 0, 1:
					o.Receive(peer(), &Connect{Profile: Profile{Version: 1 + uint32(len(some)), Follows: interest.Of(some, 64)}})
				case 2:
					o.Receive(peer(), &Leave{Greedy.bit()})
				case 3:
					if topic := some[0]; rapid.Bool().Draw(t, "join") {
						o.Join(topic)
					} else {
						o.Leave(topic)
					}
				}
				checkSpare(t, o, w.candidates[0])
			}
		})
	})
}

func checkSpare(t *rapid.T, o *Overlay, told *pairs) {
	task := &o.tasks[Greedy]
	var lack []engine.ID
	bare, count := 0, 0
	for _, s := range o.topics.slots {
		if !s.on() {
			continue
		}
		count++
		if s.cover[Greedy] < 3 {
			lack = append(lack, s.id)
		}
		if s.cover[Greedy] < 2 {
			bare++
		}
	}
	want := len(lack)
	if bare == 0 && len(lack) <= int(o.config.Mutual.Spare*float64(count)) {
		want = 0
	}
	if task.bare != bare || task.under != len(lack) || task.lacks() != want {
		t.Fatalf("%d lack cover, %d much of it, %d count; want %d, %d, %d", task.under, task.bare, task.lacks(), len(lack), bare, want)
	}
	if len(told.needed) != want {
		t.Fatalf("candidates are told that %d are needed, want %d", len(told.needed), want)
	}
	for _, id := range lack {
		if want > 0 && !told.needed[id] {
			t.Fatalf("candidates are not told of a topic that is needed")
		}
	}
}

// A topic that is spared is no gain.
func TestSparedTopicIsNoGain(t *testing.T) {
	w := newPairWorld(Frugal())
	w.Run(100 * time.Millisecond)
	w.Do(1, func(p engine.Protocol) {
		o := p.(*Overlay)
		for i, n := range []int{10, 10, 9} {
			o.Receive(engine.Peer{ID: engine.ID{byte(i + 1)}, Address: "x"}, &Connect{Profile: Profile{Version: 1, Follows: interest.Of(topicsUpTo(n), 64)}})
		}
		asker := engine.Peer{ID: engine.ID{99}, Address: "y"}
		o.Receive(asker, &Connect{Profile: Profile{Version: 1, Follows: interest.Of(topicsUpTo(10), 64)}, Least: 1})
		if o.in(Greedy, asker.ID) {
			t.Error("a node that spares a topic accepts who covers it")
		}
	})
}

// Only a neighbour that says that it can do without this node is asked to disconnect.
func TestOnlyIdleNeighborsAreAsked(t *testing.T) {
	for _, idle := range []bool{false, true} {
		w := newPairWorld(Frugal())
		all := interest.Of(topicsUpTo(10), 64)
		peer := func(i int) engine.Peer { return engine.Peer{ID: engine.ID{byte(i + 1)}, Address: "x"} }
		asked := 0
		w.Tap(func(p sim.Passage) {
			if _, is := p.Message.(*Disconnect); is && p.Fate == sim.Sent && p.From == 1 {
				asked++
			}
		})
		w.Do(1, func(p engine.Protocol) {
			o := p.(*Overlay)
			for i := range 4 {
				o.Receive(peer(i), &Connect{Profile: Profile{Version: 1, Follows: all}})
				var bits uint8
				if idle {
					bits = Greedy.bit()
				}
				o.Receive(peer(i), &Heartbeat{Tasks: Greedy.bit(), Known: o.profile.Version, Idle: bits})
			}
		})
		w.Run(4 * time.Second)
		if (asked > 0) != idle {
			t.Errorf("neighbours are idle: %v; %d are asked to disconnect", idle, asked)
		}
	}
}

// A node says which neighbours it needs for nothing. Who publishes on what it follows is none of them.
func TestIdle(t *testing.T) {
	w := newPairWorld(Frugal())
	w.Run(100 * time.Millisecond)
	w.Do(1, func(p engine.Protocol) {
		o := p.(*Overlay)
		all := interest.Of(topicsUpTo(10), 64)
		for i, profile := range []Profile{{1, all, nil}, {1, all, nil}, {1, all, nil}, {1, interest.Of(topicsUpTo(3), 64), nil}, {1, nil, all}} {
			o.Receive(engine.Peer{ID: engine.ID{byte(i + 1)}, Address: "x"}, &Connect{Profile: profile})
		}
		for i, want := range []uint8{0, 0, 0, Greedy.bit(), 0} {
			if got := o.idle(o.links.list[i]); got != want {
				t.Errorf("neighbour %d: idle is %b, want %b", i+1, got, want)
			}
		}
	})
}
