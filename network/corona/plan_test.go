package corona

import (
	"fmt"
	"math"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// From an empty start, load is what the policy allows within two maintenance intervals, and never
// exceeds it by a tenth for longer than one.
func TestLoadFromTheStart(t *testing.T) {
	long(t)
	t.Parallel()
	for seed := range uint64(short(1, 3)) {
		p := newPlanNet(t, 10+seed, short(50, 200), planNetConfig())
		p.zipf(short(300, 2000))
		over, longest := time.Duration(0), time.Duration(0)
		const every = 5 * time.Minute
		for at := time.Duration(0); at < 5*p.config.Maintenance; at += every {
			p.world.Run(every)
			polls, detection := p.load()
			if over += every; polls <= 1.1*p.allowed() {
				over = 0
			}
			longest = max(longest, over)
			if at%(30*time.Minute) == 0 {
				t.Logf("after %v: %.2f polls a channel of %.2f, detection %.1f s", at+every, polls, p.allowed(), detection)
			}
			if at+every == 2*p.config.Maintenance && polls < 0.9*p.allowed() {
				t.Errorf("after two maintenance intervals %.1f polls a channel, %.1f are allowed", polls, p.allowed())
			}
		}
		if longest > p.config.Maintenance {
			t.Errorf("load exceeded what is allowed by a tenth for %v", longest)
		}
		if polls, _ := p.load(); polls > 1.02*p.allowed() {
			t.Errorf("%.2f polls a channel in the end, %.2f are allowed", polls, p.allowed())
		}
	}
}

// Fast meets its target.
func TestFast(t *testing.T) {
	long(t)
	t.Parallel()
	c := planNetConfig()
	c.Policy = honeycomb.Policy{Goal: honeycomb.Fast, Target: time.Minute}
	p := newPlanNet(t, 20, short(60, 200), c)
	p.zipf(short(400, 1000))
	p.world.Run(4 * time.Hour)
	polls, detection := p.load()
	t.Logf("%.2f polls a channel, detection after %.1f s", polls, detection)
	if detection > 66 || detection < 54 {
		t.Errorf("detection after %.1f s, want 60", detection)
	}
	p.checkWedges()
}

// Fair gives more polls to channels that change often than to others with as many readers.
func TestFair(t *testing.T) {
	long(t)
	t.Parallel()
	c := planNetConfig()
	c.Policy = honeycomb.Policy{Goal: honeycomb.Fair}
	p := newPlanNet(t, 21, short(40, 150), c)
	for i := range 100 {
		p.subscribe("http://slow.example/"+string(rune('A'+i)), 8)
		p.subscribe("http://quick.example/"+string(rune('A'+i)), 8)
	}
	for range 4 * 4 {
		p.world.Run(30 * time.Minute)
		for i := 1; i < len(p.channels); i += 2 {
			n := p.primary(p.channels[i].ID)
			p.world.Do(n, func(engine.Protocol) {
				m := p.member(n).corona
				m.roster.Find(p.channels[i].ID).estimate.change(m.Env.Now(), c.Interval)
			})
		}
	}
	sum := [2]int{}
	for i, c := range p.channels {
		sum[i%2] += len(p.pollers(c.ID))
	}
	t.Logf("%d polls of slow channels, %d of quick ones", sum[0], sum[1])
	if sum[1] < 2*sum[0] {
		t.Errorf("%d polls of slow channels, %d of quick ones", sum[0], sum[1])
	}
}

// Paper's settings: levels are digits, sizes what the formula says, phases random (section 3.3).
func TestPaper(t *testing.T) {
	long(t)
	t.Parallel()
	c := Paper()
	c.MaxCount, c.Forget = 1<<20, 1000*time.Hour
	p := newPlanNet(t, 22, short(60, 256), c)
	p.zipf(short(300, 1000))
	p.world.Run(4 * time.Hour)
	for _, ch := range p.channels {
		if l := p.level(ch.ID); l != alone && l%4 != 0 {
			t.Errorf("level %d is no number of digits", l)
		}
	}
	p.checkWedges()
	polls, detection := p.load()
	t.Logf("%.2f polls a channel of %.2f, detection after %.1f s if phases were even; the mean gap squared is %.2f of the ideal's", polls, p.allowed(), detection, p.unevenness())
	if u := p.unevenness(); u < 1.5 {
		t.Errorf("the mean gap squared is %.2f of the ideal's: these are no random phases", u)
	}
}

// Levels stay where they are while nothing changes, and nearly so while the number of readers
// wavers by a twentieth.
//
// At rest steering may correct the load once an interval, by what lies between what is to stay
// unused and what may; a channel that changes its level changes its load by half at least. A
// level is the best of a channel's for prices that differ fourfold: so a channel whose readers
// waver by a twentieth changes its level with a chance of 0.05 / ln 4 each time.
func TestLevelsAreSteady(t *testing.T) {
	long(t)
	t.Parallel()
	for seed := range uint64(short(1, 3)) {
		steadyLevels(t, 23+seed)
	}
}

func steadyLevels(t *testing.T, seed uint64) {
	p := newPlanNet(t, seed, short(60, 150), planNetConfig())
	for i := range short(200, 1000) {
		p.subscribe(fmt.Sprintf("http://feeds.example/%d", i), 15+i%11)
	}
	p.world.Run(6 * time.Hour)
	changes := func() int {
		before := make(map[engine.ID]int)
		for _, c := range p.channels {
			before[c.ID] = p.level(c.ID)
		}
		p.world.Run(p.config.Maintenance)
		n := 0
		for _, c := range p.channels {
			if p.level(c.ID) != before[c.ID] {
				n++
			}
		}
		return n
	}
	quiet := changes()
	wavering := 0
	for round := range uint64(4) {
		for i, c := range p.channels {
			more := (uint64(i) + round) % 2
			n := p.primary(c.ID)
			p.world.Do(n, func(engine.Protocol) {
				p.member(n).corona.recount(c, p.readers[c.ID]+int(more), 10+round)
			})
		}
		wavering += changes()
	}
	t.Logf("of %d levels %d changed in an interval; while readers wavered by a twentieth, %d in four", len(p.channels), quiet, wavering)
	all := float64(len(p.channels))
	corrected := all * (band + spare) * 2
	if float64(quiet) > corrected {
		t.Errorf("%d of %.0f levels changed in an interval at rest, want %.0f at most", quiet, all, corrected)
	}
	if most := 4 * (all*0.05/math.Log(4) + corrected); float64(wavering) > most {
		t.Errorf("%d of %.0f levels changed in four intervals, for a twentieth more readers and less, want %.0f at most", wavering, all, most)
	}
}

// recount changes how many readers a channel has.
func (n *Node) recount(c Channel, readers int, stamp uint64) {
	o := n.roster.own(c)
	n.roster.merge(o, &Subscription{Node: n.Env.Self(), Count: uint32(readers), Stamp: 1<<32 + stamp})
}

// Hostile 12: where an origin asks for an interval between requests, the level is chosen with it:
// all pollers together keep to it.
func TestIntervalBoundsTheWedge(t *testing.T) {
	long(t)
	t.Parallel()
	p := newPlanNet(t, 24, 40, planNetConfig())
	p.zipf(50)
	p.world.Run(2 * time.Hour)
	c := p.channels[0]
	for _, interval := range []time.Duration{2 * time.Minute, 10 * time.Minute, 3 * time.Hour} {
		n := p.primary(c.ID)
		p.world.Do(n, func(engine.Protocol) {
			m := p.member(n).corona
			m.version.limit(m.roster.Find(c.ID), 0, interval)
		})
		for range 3 {
			p.world.Run(20 * time.Minute)
			pollers := p.pollers(c.ID)
			period := max(interval, p.config.Interval)
			if len(pollers) == 0 || time.Duration(len(pollers))*interval > period {
				t.Errorf("%d nodes poll, the origin asks for %v between requests", len(pollers), interval)
			}
			for _, n := range pollers {
				if got := p.member(n).poller.tasks[c.ID].Interval; got != period {
					t.Errorf("a node polls every %v, want %v", got, period)
				}
			}
		}
	}
}

// A few nodes that all follow the same channels: every one of them may poll each channel all the time, and that takes
// just what the policy allows. They do so from the start, and nothing is there to be corrected.
func TestAllPollWhatAllFollow(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{2, 3, 4, 7} {
		for _, channels := range []int{1, 3, 20} {
			p := newPlanNet(t, uint64(30+nodes), nodes, planNetConfig())
			for i := range channels {
				p.subscribe(fmt.Sprintf("http://feeds.example/%d", i), nodes)
			}
			for at := time.Duration(0); at < 8*p.config.Maintenance; at += p.config.Maintenance / 4 {
				p.world.Run(p.config.Maintenance / 4)
				for _, c := range p.channels {
					if got := len(p.pollers(c.ID)); got != nodes {
						t.Fatalf("after %v %d of %d nodes poll one of %d channels", at, got, nodes, channels)
					}
				}
			}
		}
	}
}

// One poll out of turn is soon forgotten.
func TestOnePollOutOfTurnIsForgotten(t *testing.T) {
	t.Parallel()
	const nodes = 3
	p := newPlanNet(t, 40, nodes, planNetConfig())
	c := p.subscribe("http://feeds.example/", nodes)
	p.world.Run(2 * p.config.Maintenance)
	n := p.primary(c.ID)
	p.world.Do(n, func(engine.Protocol) { p.member(n).corona.plan.poller.Verify(c) })
	for i := range 12 {
		p.world.Run(p.config.Maintenance)
		if got := len(p.pollers(c.ID)); i >= 3 && got != nodes {
			t.Errorf("%d of %d nodes poll %d maintenance intervals after a look out of turn", got, nodes, i+1)
		}
	}
}
