package volunteer_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
	"tidings/network/volunteer"
)

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(volunteer.Vocabulary)) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(volunteer.Vocabulary)) }

// quick is an ordinary network in which turns come often.
func quick() volunteer.Config {
	c := volunteer.Default()
	c.Interval = 2 * time.Minute
	return c
}

// However many follow a channel, it is polled about as often as Config.Enough says at most, and once an interval at
// least. All learn of each change.
func TestVolunteersShareThePolling(t *testing.T) {
	for _, nodes := range []int{3, 40} {
		simtest.Run(t, 3, func(t *simtest.T) {
			v := newTown(t, nodes, quick(), nil)
			start := v.Now()
			for range 20 {
				v.change()
				v.Run(2 * v.config.Interval)
			}
			rate := v.rate(start)
			if most := float64(min(nodes, v.config.Enough)); rate < 1 || rate > 1.25*most {
				t.Errorf("%d nodes poll %.1f times an interval; %d are enough", nodes, rate, v.config.Enough)
			}
			if len(v.detected) != 20 {
				t.Errorf("%d of 20 changes were detected", len(v.detected))
			}
			for _, d := range v.detected {
				if longest := v.config.Interval * 3 / 2; d > longest+time.Minute {
					t.Errorf("a change waited %v for a poll", d)
				}
			}
			for i, n := range v.nodes {
				if len(n.seen) != 20 || n.had != 20 {
					t.Errorf("node %d saw the changes %v", i, n.seen)
				}
			}
		})
	}
}

// A node that seldom finds anything volunteers seldom: a channel that never changes is polled less than one that does.
func TestZealFollowsSuccess(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		rates := make(map[bool]float64)
		for _, changes := range []bool{false, true} {
			v := newTown(t, 24, quick(), nil)
			v.Run(20 * v.config.Interval)
			start := v.Now()
			for range 100 {
				if changes {
					v.change()
				}
				v.Run(v.config.Interval / 5)
			}
			rates[changes] = v.rate(start)
		}
		if rates[false] > 0.75*rates[true] {
			t.Errorf("%.1f polls an interval where nothing changes, %.1f where much does", rates[false], rates[true])
		}
	})
}

// Hostile 42: a report in another's name goes nowhere.
func TestNobodySpeaksForAnother(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		refused := 0
		v := newTown(t, 20, quick(), nil)
		v.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if _, ok := event.(volunteer.Refused); ok {
				refused++
			}
		})
		victim, other := v.nodes[3], v.nodes[7]
		m := &volunteer.PollReport{
			Channel: followed, Finder: victim.env.Self(), Time: v.nodes[7].env.Wall().UnixMilli(), Hash: hashOf(99),
			Payload:   []byte("a lie"),
			Signature: make([]byte, engine.SignatureLength),
		}
		v.Do(7, func(engine.Protocol) { other.scribe.Publish(volunteer.TopicOf(followed), m) })
		v.Run(time.Minute)
		for i, n := range v.nodes {
			if n.had == 99 {
				t.Errorf("node %d believes it", i)
			}
		}
		if refused == 0 {
			t.Error("nobody refused it")
		}
	})
}

// A node that claims all the time that it has polled, and that nothing has changed, keeps the others from polling only
// until they poll by themselves.
func TestALiarIsFoundOut(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		c := quick()
		c.Trust = 6
		v := newTown(t, 12, c, nil)
		quiet := v.nodes[5]
		stop := v.Now() + 40*c.Interval
		var lie func()
		lie = func() {
			if v.Now() < stop {
				v.Do(5, func(engine.Protocol) { quiet.volunteer.Polled(followed, volunteer.Found{Hash: hashOf(0)}) })
				v.After(c.Interval/time.Duration(2*c.Enough), lie)
			}
		}
		lie()
		v.Run(2 * c.Interval)
		v.change()
		v.Run(time.Duration(c.Trust+2) * c.Interval)
		for i, n := range v.nodes {
			if i != 5 && n.had != 1 {
				t.Errorf("node %d never heard of the change", i)
			}
		}
	})
}

// report makes a node report a poll at once.
func (v *town) report(i sim.Node, f volunteer.Found) {
	v.Do(i, func(engine.Protocol) { v.nodes[i].volunteer.Polled(followed, f) })
}

// A distrusted node's report is believed only by nodes that trust it. A node that distrusts it polls by itself, and
// soon no node believes the lie.
func TestTheDistrustedAreNotBelieved(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newTown(t, 12, quick(), nil)
		v.Run(3 * v.config.Interval)
		liar, wary := v.nodes[4], v.nodes[9]
		wary.opinions[liar.env.Self().ID] = volunteer.Distrusted
		before := wary.polls
		v.report(4, volunteer.Found{Hash: hashOf(99), Payload: []byte("a lie")})
		v.Run(time.Second)
		if v.nodes[1].had != 99 {
			t.Error("a node that trusts it does not believe it")
		}
		if wary.had == 99 {
			t.Error("a node that distrusts it believes it")
		}
		v.Run(v.config.Interval * 2)
		if wary.polls == before {
			t.Error("a node that distrusts it has not polled")
		}
		for i, n := range v.nodes {
			if n.had == 99 {
				t.Errorf("node %d believes it still", i)
			}
		}
	})
}

// A node that receives reports of preferred nodes' polls relies on them. Without one it polls by itself at times,
// whatever it receives.
func TestThePreferredAreReliedOn(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		polls := make(map[volunteer.Opinion]int)
		for _, opinion := range []volunteer.Opinion{volunteer.Neutral, volunteer.Preferred} {
			c := quick()
			c.Trust, c.Enough = 3, 1
			v := newTown(t, 3, c, nil)
			for _, of := range []int{1, 2} {
				v.nodes[0].opinions[v.nodes[of].env.Self().ID] = opinion
			}
			before, stop := v.nodes[0].polls, v.Now()+60*c.Interval
			var each func()
			each = func() {
				if v.Now() < stop {
					v.report(1, volunteer.Found{Hash: hashOf(v.content)})
					v.After(c.Interval/3, each)
				}
			}
			each()
			v.Run(60 * c.Interval)
			polls[opinion] = v.nodes[0].polls - before
		}
		if polls[volunteer.Neutral] < 10 || polls[volunteer.Preferred] > 2 {
			t.Errorf("beside neutral nodes it polled %d times, beside preferred ones %d", polls[volunteer.Neutral],
				polls[volunteer.Preferred])
		}
	})
}

// A follower to which nothing fits that others send has each change all the same, by its own polls.
func TestWhoLacksAContentPolls(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newTown(t, 12, quick(), nil)
		v.nodes[7].unfit = true
		v.Run(3 * v.config.Interval)
		for range 5 {
			v.change()
			v.Run(4 * v.config.Interval)
			if v.nodes[7].had != v.content {
				t.Errorf("it has %d, not %d", v.nodes[7].had, v.content)
			}
		}
	})
}

// One that talks all the time silences nobody: however much a node says, it counts as one poll.
func TestManyWordsOfOneNodeAreOnePoll(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		c := quick()
		c.Enough, c.LeastPollProbability = 2, 0.5
		v := newTown(t, 2, c, nil)
		heard := 0
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			if e, ok := event.(volunteer.Volunteered); ok && n == 0 {
				heard = max(heard, e.Heard)
			}
		})
		before, stop := v.nodes[0].polls, v.Now()+60*c.Interval
		var each func()
		each = func() {
			if v.Now() < stop {
				v.report(1, volunteer.Found{Hash: hashOf(0)})
				v.After(c.Interval/20, each)
			}
		}
		each()
		v.Run(60 * c.Interval)
		if polls := v.nodes[0].polls - before; heard > 1 || polls < 12 {
			t.Errorf("it polled %d times in 60 intervals, and heard %d others", polls, heard)
		}
	})
}

// Hostile 42: an old report is not accepted again from a node that kept it.
func TestNothingIsHeardTwice(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newTown(t, 6, quick(), nil)
		first := v.nodes[2]
		m := &volunteer.PollReport{Channel: followed, Finder: first.env.Self(), Time: first.env.Wall().UnixMilli(),
			Hash: hashOf(50), Payload: []byte("it was so")}
		deliver := func() {
			v.Do(4, func(engine.Protocol) {
				v.nodes[4].volunteer.Deliver(volunteer.TopicOf(followed), m,
					engine.Peer{})
			})
			v.Run(time.Second)
		}
		deliver()
		if v.nodes[4].stored != 1 {
			t.Fatal("it was not accepted")
		}
		v.Do(4, func(engine.Protocol) { v.nodes[4].volunteer.Holds(followed, hashOf(51)) })
		deliver()
		if v.nodes[4].stored != 1 {
			t.Error("it was accepted again")
		}
	})
}

// At another pace turns come as they would have from the beginning.
func TestThePaceCanChange(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newTown(t, 20, quick(), nil)
		slow := 10 * v.config.Interval
		v.config.Interval = slow
		for i := range v.nodes {
			v.Do(sim.Node(i), func(engine.Protocol) { v.nodes[i].volunteer.SetInterval(slow) })
		}
		v.Run(3 * slow)
		start := v.Now()
		v.Run(10 * slow)
		if rate := v.rate(start); rate < 1 || rate > 1.25*float64(v.config.Enough) {
			t.Errorf("%.1f polls an interval", rate)
		}
	})
}

// A node follows no more channels than it has room for, and says so.
func TestRoomForChannels(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		c := quick()
		c.MaxChannels = 2
		v := newTown(t, 1, c, nil)
		v.Do(0, func(engine.Protocol) {
			n := v.nodes[0].volunteer
			if !n.Follow(followed, host) || !n.Follow(engine.ID{1}, host) || n.Follow(engine.ID{2}, host) {
				t.Error("it follows too few, or too many")
			}
			n.Unfollow(engine.ID{1})
			if !n.Follow(engine.ID{2}, host) {
				t.Error("a channel that it no longer follows uses memory")
			}
		})
	})
}
