package corona_test

import (
	"math"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// answers lets a node ask about channels, and returns the answers.
func answers(v *coronatest.World, n sim.Node, channels ...engine.ID) (facts []corona.Fact) {
	asking := true
	v.Observe(func(_ time.Duration, at sim.Node, event any) {
		if e, ok := event.(corona.Told); ok && asking && at == n {
			facts = append(facts, e.Fact)
		}
	})
	v.Do(n, func(engine.Protocol) { v.Node(n).Corona.Inquire(channels) })
	v.Run(5 * time.Second)
	asking = false
	return facts
}

// A subscriber's node learns from the primary how many nodes poll its channel, for how many readers, and what detection
// time that promises. Others learn nothing.
func TestFactsOfAChannel(t *testing.T) {
	simtest.Run(t, 5, func(t *simtest.T) {
		v := newWorld(t, 40, 20, calm)
		v.Run(3 * time.Hour)
		for _, n := range []sim.Node{0, 7, v.Owners(v.news.ID, 1)[0]} {
			v.Subscribe(n, v.news, 3)
		}
		v.Run(time.Minute)
		pollers, readers := len(v.Pollers(v.news.ID)), 0
		for n := range sim.Node(v.Len()) {
			switch {
			case n == 0 || n == 7 || n == v.Owners(v.news.ID, 1)[0]:
				readers += 3
			case n < 20:
				readers++
			}
		}
		asked := append([]sim.Node{0, 7}, v.Owners(v.news.ID, 1)...)
		for _, n := range asked {
			facts := answers(v.World, n, v.news.ID, engine.ID{1})
			if len(facts) != 1 || facts[0].Channel != v.news.ID {
				t.Fatalf("node %d was answered %+v", n, facts)
			}
			f := facts[0]
			if int(f.Readers) != readers || int(f.Pollers) != pollers {
				t.Errorf("%d readers and %d pollers are reported, there are %d and %d", f.Readers, f.Pollers, readers,
					pollers)
			}
			interval := v.interval()
			if f.Interval != uint32(interval/time.Millisecond) || f.Update == 0 {
				t.Errorf("%+v", f)
			}
			want := interval.Seconds()/2/float64(pollers) + v.numbered[0].Took.Seconds()
			if got := float64(f.Detection) / 1000; math.Abs(got-want) > 0.01 {
				t.Errorf("a detection time of %v s is expected of %d pollers, want %v s", got, pollers, want)
			}
			if v.numbered[0].Took == 0 {
				t.Error("the report of the first version was confirmed in no time")
			}
			if got := f.Every(); got != interval/time.Duration(pollers) {
				t.Errorf("a poll every %v", got)
			}
		}
		if stranger := sim.Node(v.Len() - 1); stranger != asked[2] {
			if facts := answers(v.World, stranger, v.news.ID); len(facts) > 0 {
				t.Errorf("a node without a subscription was answered %+v", facts)
			}
		}
	})
}

// What is expected of a channel counts how long its late changes waited from a report until their number.
func TestExpectedTimeCountsConfirming(t *testing.T) {
	simtest.Run(t, 5, func(t *simtest.T) {
		v := newWorld(t, 40, 20, calm)
		v.Run(time.Hour)
		var mean time.Duration
		for i, content := range []string{"", "two", "three", "four"} {
			if content != "" {
				v.Origin.Change(v.news.ID, content)
				v.Run(v.interval())
			}
			v.versions(i + 1)
			took := v.numbered[len(v.numbered)-1].Took
			if i == 0 {
				mean = took
			}
			mean += (took - mean) / 4
		}
		v.Run(12 * v.interval()) // until the polls of these checks no longer replace turns
		facts := answers(v.World, 0, v.news.ID)
		if len(facts) != 1 {
			t.Fatalf("node 0 was answered %+v", facts)
		}
		want := v.interval().Seconds()/2/float64(facts[0].Pollers) + mean.Seconds()
		if got := float64(facts[0].Detection) / 1000; math.Abs(got-want) > 0.01 {
			t.Errorf("a change is expected to be a version after %v s, want %v s", got, want)
		}
	})
}

// Questions beyond the bounds wait, and then are dropped; the node says so.
func TestInquiriesAreBounded(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newWorld(t, 4, 4, calm)
		many := make([]engine.ID, 1<<16+5)
		for i := range many {
			many[i] = v.news.ID
		}
		before := v.events["LimitHit: maxInquiries"]
		asked := func() uint64 {
			if c := v.Counters().Kinds[new(corona.Inquire).Kind()]; c != nil {
				return c.Sent
			}
			return 0
		}
		began := asked()
		v.Do(0, func(engine.Protocol) { v.Node(0).Corona.Inquire(many) })
		if v.events["LimitHit: maxInquiries"] != before+1 {
			t.Error("no event says that some questions are dropped")
		}
		v.Run(10 * time.Second)
		if got := asked() - began; got < 4 || got > 11*4 { // 256 channels in a message, 1,024 a second
			t.Errorf("%d messages in ten seconds", got)
		}
		v.Run(2 * time.Minute)
		if got := asked() - began; got != 1<<16/256 {
			t.Errorf("%d messages, want %d", got, 1<<16/256)
		}
	})
}

// boaster is the Env of a node that reports millions of pollers to all.
type boaster struct {
	engine.Env
	channel func() engine.ID
	to      func() engine.Peer
}

func (b boaster) Send(to engine.Peer, m engine.Message) {
	if b.channel() != (engine.ID{}) {
		b.Env.Send(b.to(), &corona.Facts{Facts: []corona.Fact{{Channel: b.channel(), Readers: 1, Pollers: 1e6,
			Interval: 1}}})
	}
	b.Env.Send(to, m)
}

// A node that is not the primary is not believed (hostile 42), and impossible numbers of a primary are ignored.
func TestFactsOfOthers(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		var v *testWorld
		var channel engine.ID
		v = newWorld(t, 16, 8, calm, func(s *coronatest.Settings) {
			s.Env = func(n sim.Node, env engine.Env) engine.Env {
				return boaster{env, func() engine.ID {
					if v != nil && n != v.Owners(v.news.ID, 1)[0] {
						return channel
					}
					return engine.ID{}
				}, func() engine.Peer { return v.Peer(0) }}
			}
		})
		channel = v.news.ID
		var facts []corona.Fact
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			if e, ok := event.(corona.Told); ok {
				facts = append(facts, e.Fact)
			}
		})
		v.Run(10 * time.Minute)
		if len(facts) > 0 {
			t.Errorf("a stranger is believed: %+v", facts[0])
		}
		primary := v.Owners(v.news.ID, 1)[0]
		v.Do(0, func(engine.Protocol) {
			v.Node(0).Corona.Receive(v.Peer(primary),
				&corona.Facts{Facts: []corona.Fact{{Channel: v.news.ID, Interval: 1},
					{Channel: v.news.ID, Pollers: 1}}})
		})
		if len(facts) > 0 {
			t.Errorf("impossible facts are reported: %+v", facts[0])
		}
	})
}
