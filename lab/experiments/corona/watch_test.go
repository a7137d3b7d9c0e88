package corona

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/sim"
)

// plainPoller is the watch's judge: a world of the same pollers in which every poll is an event.
type plainPoller struct {
	world   *sim.World
	content uint32
	has     map[sim.Node]uint32
	life    map[sim.Node]int // counts schedules: polls of an older one are not made
	asked   []question
	counted []time.Duration
	waits   []time.Duration
	finds   []find
}

type find struct {
	node sim.Node
	at   time.Duration
}

func (p *plainPoller) schedule(n sim.Node, first, every time.Duration) {
	p.life[n]++
	if every > 0 {
		p.pollAt(n, p.life[n], first, every)
	}
}

func (p *plainPoller) pollAt(n sim.Node, life int, at, every time.Duration) {
	p.world.At(at, func() {
		if p.life[n] != life {
			return
		}
		p.counted = append(p.counted, at)
		for _, q := range p.asked {
			p.waits = append(p.waits, at-q.at)
		}
		p.asked = nil
		if p.has[n] < p.content {
			p.finds = append(p.finds, find{n, at})
		}
		p.pollAt(n, life, at+every, every)
	})
}

// pollingStep is something that befalls a channel.
type pollingStep struct {
	After, First, Every int
	Node                int
	What                int
}

const (
	reschedule = iota
	endPolling
	changeContent
	probeChannel
	learn
	whatCount
)

// The watch has the same polls, finds the same changes at the same times and answers the same probes as pollers with an
// event for each poll.
func TestWatchHasEveryPoll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pollingStep {
			return pollingStep{
				After: rapid.IntRange(0, 40).Draw(t, "after"), First: rapid.IntRange(0, 30).Draw(t, "first"),
				Every: rapid.IntRange(1, 30).Draw(t, "every"), Node: rapid.IntRange(0, 4).Draw(t, "node"),
				What: rapid.IntRange(0, whatCount-1).Draw(t, "what"),
			}
		}), 1, 60).Draw(t, "steps")
		lazy, plain := sim.New(sim.Default(codec)), sim.New(sim.Default(codec))
		v := newWatch(lazy, []uint32{documentLength})
		var counted, waits []time.Duration
		var finds []find
		v.counted = func(_ int, at time.Duration, _ bool) { counted = append(counted, at) }
		v.answered = func(_ int, q question, at time.Duration) { waits = append(waits, at-q.at) }
		v.found = func(n sim.Node, _ int) { finds = append(finds, find{n, lazy.Now()}) }
		p := &plainPoller{world: plain, has: make(map[sim.Node]uint32), life: make(map[sim.Node]int)}

		// Polls fall on whole seconds, of each node on other milliseconds. All else falls between, so that no two
		// things happen at one moment.
		version := uint64(0)
		for i, s := range steps {
			d := time.Duration(s.After)*time.Second + time.Duration(i+1)*time.Microsecond
			lazy.Run(d)
			plain.Run(d)
			n := sim.Node(s.Node)
			first := lazy.Now().Truncate(time.Second) + time.Duration(s.First+1)*time.Second + time.Duration(
				s.Node+1)*50*time.Millisecond
			every := time.Duration(s.Every) * time.Second
			switch s.What {
			case reschedule:
				v.schedule(0, n, first, every)
				p.schedule(n, first, every)
			case endPolling:
				v.schedule(0, n, 0, 0)
				p.schedule(n, 0, 0)
			case changeContent:
				v.change(0)
				p.content++
				p.asked = append(p.asked, question{at: plain.Now()})
			case probeChannel:
				v.ask(0, question{at: lazy.Now()})
				p.asked = append(p.asked, question{at: plain.Now()})
			case learn:
				version++
				v.update(0, n, version, hashOf(0, p.content))
				p.has[n] = p.content
			}
		}
		lazy.Run(time.Minute)
		plain.Run(time.Minute)
		v.finish()
		slices.Sort(counted)
		slices.Sort(p.counted)
		if !slices.Equal(counted, p.counted) {
			t.Fatalf("polls at %v, want %v", counted, p.counted)
		}
		if !slices.Equal(waits, p.waits) {
			t.Fatalf("waited %v, want %v", waits, p.waits)
		}
		if !slices.Equal(finds, p.finds) {
			t.Fatalf("found %v, want %v", finds, p.finds)
		}
	})
}
