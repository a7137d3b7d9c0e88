package corona

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"tidings/lab/effort"
	"tidings/network/engine"
	"tidings/network/sim"
)

// At rest every member of a channel's wedge polls it and nobody else does, all nodes have counted
// all others right, polls are evenly spread, and nothing is said that grows with the number of
// channels. It is so again after a fifth of the nodes have gone at once and levels have changed.
func TestAtRest(t *testing.T) {
	long(t)
	t.Parallel()
	p := newPlanNet(t, 1, upTo(40, 400, 1000), planNetConfig())
	p.zipf(upTo(100, 1000, 2000))
	p.world.Run(5 * time.Hour) // until the limit is met within what is left unused
	p.checkRest(1.02)

	before := make(map[engine.ID]int)
	for _, c := range p.channels {
		before[c.ID] = p.level(c.ID)
	}
	up := p.active()
	for _, i := range p.chance.Perm(len(up))[:len(up)/5] {
		p.world.Crash(up[i])
	}
	p.world.Run(5 * time.Hour)
	p.channels = p.known()
	changed := 0
	for _, c := range p.channels {
		if p.level(c.ID) != before[c.ID] {
			changed++
		}
	}
	t.Logf("without a fifth of the nodes: %d of %d channels have another level", changed, len(p.channels))
	if changed == 0 {
		t.Error("no level has changed")
	}
	p.checkRest(1.02)
}

// checkRest checks what holds at rest. most is how many times the ideal the mean gap squared may
// be.
func (p *planNet) checkRest(most float64) {
	p.t.Helper()
	p.checkWedges()
	p.checkSizes()
	if uneven := p.unevenness(); uneven > most {
		p.t.Errorf("the mean gap squared is %.4f of the ideal's, want %.2f", uneven, most)
	} else {
		p.t.Logf("the mean gap squared is %.4f of the ideal's", uneven)
	}
	polls, detection := p.load()
	p.t.Logf("%.2f polls a channel and interval of %.2f allowed, detection after %.1f s", polls, p.allowed(), detection)
	// In a small network one channel's change of level is a hundredth of the load.
	over := 1.03
	if testing.Short() {
		over = 1.06
	}
	if polls > over*p.allowed() {
		p.t.Errorf("%.2f polls a channel and interval, %.2f are allowed", polls, p.allowed())
	}
	begun, bytes := p.begun(), p.bytes()
	p.world.Run(p.config.Maintenance)
	perNode := float64(p.bytes()-bytes) / float64(len(p.active()))
	p.t.Logf("%.0f bytes a node and maintenance interval; %d of %d polls moved", perNode, p.begun()-begun, p.tasks())
	if moved := p.begun() - begun; moved > p.tasks()/20 {
		p.t.Errorf("%d of %d polls moved at rest", moved, p.tasks())
	}
}

// checkWedges checks that members of wedges poll, and nobody else.
func (p *planNet) checkWedges() {
	p.t.Helper()
	wrong := 0
	for _, c := range p.channels {
		if got, want := p.pollers(c.ID), p.wedge(c.ID); !slices.Equal(got, want) {
			if wrong++; wrong < 10 {
				p.t.Errorf("%s at level %d: %s", c.URL, p.level(c.ID), difference(got, want))
			}
		}
	}
	if wrong > 0 {
		p.t.Errorf("%d of %d wedges are wrong", wrong, len(p.channels))
	}
}

func difference(got, want []sim.Node) string {
	extra, missing := 0, 0
	for _, n := range got {
		if !slices.Contains(want, n) {
			extra++
		}
	}
	for _, n := range want {
		if !slices.Contains(got, n) {
			missing++
		}
	}
	return fmt.Sprintf("%d nodes poll, %d are in the wedge: %d too many, %d missing", len(got), len(want), extra, missing)
}

// checkSizes checks that all nodes have counted right.
func (p *planNet) checkSizes() {
	p.t.Helper()
	up, wrong := p.active(), 0
	for _, n := range up {
		self := p.world.Peer(n).ID
		var size [engine.Bits + 1]uint32
		for _, m := range up {
			for b := range self.CommonBits(p.world.Peer(m).ID) + 1 {
				size[b]++
			}
		}
		for b := range 32 {
			if got := p.member(n).corona.plan.size(b); got != size[b] {
				wrong++
				if wrong < 5 {
					p.t.Errorf("node %d counts %d that share %d bits, there are %d", n, got, b, size[b])
				}
			}
		}
	}
}

// unevenness returns the mean over channels, each as often as it has readers, of the mean gap
// squared between polls against that of as many even gaps: 1 is the best there is, random
// phases have 2n/(n+1).
func (p *planNet) unevenness() float64 {
	sum, all := 0., 0.
	for _, c := range p.channels {
		var phases []float64
		for _, n := range p.pollers(c.ID) {
			// Nodes' clocks begin when they start; the world's is the same for all.
			first := p.member(n).poller.tasks[c.ID].First + p.member(n).poller.began
			phases = append(phases, float64(first%p.config.Interval)/float64(p.config.Interval))
		}
		slices.Sort(phases)
		squares := 0.
		for i := range phases {
			next := phases[(i+1)%len(phases)]
			if i == len(phases)-1 {
				next++
			}
			squares += (next - phases[i]) * (next - phases[i])
		}
		q := float64(p.readers[c.ID])
		sum += q * squares * float64(len(phases))
		all += q
	}
	return sum / all
}

// load returns how many polls a channel there are in an interval, and the mean detection time over
// readers that they give if they are even, in seconds.
func (p *planNet) load() (polls, detection float64) {
	readers := 0
	for _, c := range p.channels {
		n := len(p.pollers(c.ID))
		polls += float64(n)
		readers += p.readers[c.ID]
		detection += float64(p.readers[c.ID]) * p.config.Interval.Seconds() / 2 / max(float64(n), 1e-9)
	}
	return polls / float64(len(p.channels)), detection / float64(readers)
}

// allowed returns how many polls a channel and interval Lite allows.
func (p *planNet) allowed() float64 {
	sum := 0
	for _, c := range p.channels {
		sum += p.readers[c.ID]
	}
	return float64(sum) / float64(len(p.channels))
}

// begun returns how often nodes were told to poll, or to poll at other times.
func (p *planNet) begun() (sum int) {
	for _, n := range p.active() {
		sum += p.member(n).poller.begun
	}
	return sum
}

// tasks returns how many channels are polled by how many nodes.
func (p *planNet) tasks() (sum int) {
	for _, n := range p.active() {
		sum += len(p.member(n).poller.tasks)
	}
	return sum
}

// bytes returns how much the aggregation and assignments have sent.
func (p *planNet) bytes() (sum uint64) {
	for _, m := range []engine.Message{new(AggregateRequest), new(Aggregate), new(Maintenance), new(MaintenanceDigest), new(MaintenancePull), new(Unknown)} {
		if k := p.world.Counters().Kinds[m.Kind()]; k != nil {
			sum += k.Bytes
		}
	}
	return sum
}

// zipf subscribes to so many channels, the first the most popular, as the paper's workload does
// (section 5.1): exponent 0.5, 50 readers each on average, or a fifth of the nodes if that is less.
func (p *planNet) zipf(channels int) {
	mean := min(50, float64(p.world.Len())/5)
	weight, sum := make([]float64, channels), 0.
	for i := range weight {
		weight[i] = 1 / math.Sqrt(float64(i+1))
		sum += weight[i]
	}
	for i, w := range weight {
		p.subscribe(fmt.Sprintf("http://feeds.example/%d", i), max(1, int(math.Round(mean*float64(channels)*w/sum))))
	}
}

// upTo returns how much a test is to do: with -short, without it, and if all cases are asked for.
func upTo(quick, full, most int) int {
	if effort.All() {
		return most
	}
	return short(quick, full)
}

// short returns the first with -short, else the second.
func short(quick, full int) int {
	if testing.Short() {
		return quick
	}
	return full
}

// long skips a test that takes long, with -short. Some short ones go the same ways.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
}
