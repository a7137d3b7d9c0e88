package plan

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// From an empty start, load reaches the policy's limit within two maintenance intervals, and never exceeds it by a
// tenth for longer than one.
func TestLoadFromTheStart(t *testing.T) {
	long(t)
	t.Parallel()
	for seed := range uint64(short(1, 3)) {
		p := newNet(t, 10+seed, short(50, 200), testConfig())
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
				t.Logf("after %v: %.2f polls a channel of %.2f, detection %.1f s", at+every, polls, p.allowed(),
					detection)
			}
			if at+every == 2*p.config.Maintenance && polls < 0.9*p.allowed() {
				t.Errorf("after two maintenance intervals %.1f polls a channel, %.1f are allowed", polls, p.allowed())
			}
		}
		if longest > p.config.Maintenance {
			t.Errorf("load exceeded the limit by a tenth for %v", longest)
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
	c := testConfig()
	c.Policy = honeycomb.Policy{Goal: honeycomb.Fast, Target: time.Minute}
	p := newNet(t, 20, short(60, 200), c)
	p.zipf(short(400, 1000))
	p.world.Run(4 * time.Hour)
	polls, detection := p.load()
	t.Logf("%.2f polls a channel, detection after %.1f s", polls, detection)
	if detection > 66 || detection < 54 {
		t.Errorf("detection after %.1f s, want 60", detection)
	}
	p.checkSets()
}

// Fair assigns more polls to channels that change often than to others with as many readers.
func TestFair(t *testing.T) {
	long(t)
	t.Parallel()
	c := testConfig()
	c.Policy = honeycomb.Policy{Goal: honeycomb.Fair}
	p := newNet(t, 21, short(40, 150), c)
	for i := range 100 {
		p.subscribe("http://slow.example/"+string(rune('A'+i)), 8)
		p.subscribe("http://quick.example/"+string(rune('A'+i)), 8)
	}
	for i, c := range p.channels {
		p.updates[c.ID] = []time.Duration{7 * 24 * time.Hour, time.Hour}[i%2]
	}
	p.world.Run(4 * time.Hour)
	sum := [2]int{}
	for i, c := range p.channels {
		sum[i%2] += len(p.pollers(c.ID))
	}
	t.Logf("%d polls of slow channels, %d of quick ones", sum[0], sum[1])
	if sum[1] < 2*sum[0] {
		t.Errorf("%d polls of slow channels, %d of quick ones", sum[0], sum[1])
	}
}

// Sizes stay while nothing changes, and nearly so while the number of readers varies by a twentieth.
func TestSizesAreSteady(t *testing.T) {
	long(t)
	t.Parallel()
	for seed := range uint64(short(1, upTo(1, 1, 3))) {
		steadySizes(t, 23+seed)
	}
}

func steadySizes(t *testing.T, seed uint64) {
	p := newNet(t, seed, short(60, 150), testConfig())
	for i := range short(200, 600) {
		p.subscribe(fmt.Sprintf("http://feeds.example/%d", i), 15+i%11)
	}
	p.world.Run(4 * time.Hour)
	changes := func() int {
		before := make(map[engine.ID]machine.Size)
		for _, c := range p.channels {
			before[c.ID] = p.size(c.ID)
		}
		p.world.Run(p.config.Maintenance)
		n := 0
		for _, c := range p.channels {
			if p.size(c.ID) != before[c.ID] {
				n++
			}
		}
		return n
	}
	quiet := changes()
	wavering := 0
	for round := range 4 {
		for i, c := range p.channels {
			p.readers[c.ID] = 15 + i%11 + (i+round)%2
		}
		wavering += changes()
	}
	t.Logf("of %d sizes %d changed in an interval; while readers wavered by a twentieth, %d in four", len(p.channels),
		quiet, wavering)
	if quiet > len(p.channels)/100 {
		t.Errorf("%d of %d sizes changed in an interval at rest", quiet, len(p.channels))
	}
	if wavering > len(p.channels) {
		t.Errorf("%d of %d sizes changed in four intervals, for a twentieth more readers and less", wavering,
			len(p.channels))
	}
}

// Hostile 12: if an origin asks for an interval between requests, the level is chosen so that all pollers together keep
// it.
func TestIntervalBoundsTheSet(t *testing.T) {
	long(t)
	t.Parallel()
	p := newNet(t, 24, 40, testConfig())
	p.zipf(50)
	p.world.Run(2 * time.Hour)
	c := p.channels[0]
	for _, interval := range []time.Duration{2 * time.Minute, 10 * time.Minute, 3 * time.Hour} {
		n := p.primary(c.ID)
		p.world.Do(n, func(engine.Protocol) {
			p.limits[c.ID] = Limits{Interval: interval}
			p.member(n).plan.Renew(c.ID)
		})
		for range 3 {
			p.world.Run(20 * time.Minute)
			pollers := p.pollers(c.ID)
			period := max(interval, p.config.Interval)
			if len(pollers) == 0 || time.Duration(len(pollers))*interval > period {
				t.Errorf("%d nodes poll, the origin asks for %v between requests", len(pollers), interval)
			}
			for _, n := range pollers {
				if got := p.member(n).recorder.tasks[c.ID].Interval; got != period {
					t.Errorf("a node polls every %v, want %v", got, period)
				}
			}
		}
	}
}

// A few nodes all follow the same channels. Every one of them may poll each channel all the time, exactly at the
// policy's limit. They do so from the start, and nothing needs a correction.
func TestAllPollWhatAllFollow(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{2, 3, 4, 7} {
		for _, channels := range []int{1, 3, 20} {
			p := newNet(t, uint64(30+nodes), nodes, testConfig())
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
	p := newNet(t, 40, nodes, testConfig())
	c := p.subscribe("http://feeds.example/", nodes)
	p.world.Run(2 * p.config.Maintenance)
	n := p.primary(c.ID)
	p.world.Do(n, func(engine.Protocol) { p.member(n).plan.Verifies() })
	for i := range 12 {
		p.world.Run(p.config.Maintenance)
		if got := len(p.pollers(c.ID)); i >= 3 && got != nodes {
			t.Errorf("%d of %d nodes poll %d maintenance intervals after a look out of turn", got, nodes, i+1)
		}
	}
}

// Fast meets its target also where channels are few, and one poller more or less of each shows.
func TestFastOfFewChannels(t *testing.T) {
	long(t)
	t.Parallel()
	for _, target := range []time.Duration{20 * time.Second, time.Minute, 4 * time.Minute} {
		for seed := range uint64(upTo(2, 4, 10)) {
			c := testConfig()
			c.Policy = honeycomb.Policy{Goal: honeycomb.Fast, Target: target}
			p := newNet(t, 700+seed, 120, c)
			for i := range 3 {
				p.subscribe(fmt.Sprintf("http://few/%d/%d", seed, i), 30+40*i)
			}
			p.world.Run(5 * time.Hour)
			polls, detection := p.load()
			t.Logf("target %v: detection after %.2f s by %.1f pollers a channel", target, detection, polls)
			if detection > target.Seconds() {
				t.Errorf("target %v: detection after %.2f s", target, detection)
			}
			if least := p.config.Interval.Seconds() / 2 / target.Seconds(); polls > least*1.25+1 {
				t.Errorf("target %v: %.1f pollers a channel, where %.1f reach it", target, polls, least)
			}
		}
	}
}
