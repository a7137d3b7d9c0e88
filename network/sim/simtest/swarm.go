package simtest

import (
	"math/rand/v2"
	"strings"
	"time"

	"tidings/network/sim"
)

// Plan is what goes wrong in the safety phase of a run: the faults of messages, and how often
// other things happen. A mean of 0: never.
type Plan struct {
	// Faults are those of the whole network.
	Faults sim.Faults

	// The means of the times between two events of a kind, somewhere in the network.
	Crash     time.Duration // a node crashes and comes back with its disk after up to Outage
	Amnesia   time.Duration // the same, and the disk is lost
	Move      time.Duration // the same, and it comes back at another address
	Pause     time.Duration // a process stops for up to Outage
	Suspend   time.Duration // a machine sleeps for up to Outage
	Clock     time.Duration // a clock is set wrong, by an hour at most, or runs at 0.5 to 2 times
	Partition time.Duration // the network falls in two for up to Outage
	OneWay    time.Duration // one node is not heard by some others, for up to Outage
	Slow      time.Duration // a node needs up to 100 ms a message, for up to Outage

	// Outage is how long things stay broken at most.
	Outage time.Duration

	// Spare is how many nodes, those added first, neither crash, move nor stop, and have right clocks: for nodes that
	// publish what no other has yet. Cuts may part them from others.
	Spare int
}

// Storm returns a plan with everything in it.
func Storm() Plan {
	return Plan{
		Faults: sim.Faults{
			Loss: 0.05, Duplicate: 0.02, Reorder: 0.05, ReorderBy: time.Second,
			Spike: 0.002, SpikeBy: 30 * time.Second,
		},
		Crash: 20 * time.Second, Amnesia: time.Minute, Move: time.Minute, Pause: 20 * time.Second,
		Suspend: time.Minute, Clock: 30 * time.Second, Partition: time.Minute,
		OneWay: 30 * time.Second, Slow: 30 * time.Second, Outage: 30 * time.Second,
	}
}

// Swarm returns the storm with some of its parts, drawn by the seed, switched fully off. A
// fault that is always on hides the ones that need its absence (Groce et al., "Swarm Testing",
// 2012).
func Swarm(seed uint64) Plan {
	chance := rand.New(rand.NewPCG(seed, 0x5357))
	p := Storm()
	for _, part := range p.parts() {
		if chance.IntN(2) == 0 {
			part.off()
		}
	}
	return p
}

// part is something in a plan that can be switched off.
type part struct {
	name string
	on   bool
	off  func()
}

func (p *Plan) parts() []part {
	f := &p.Faults
	parts := []part{
		{"loss", f.Loss > 0, func() { f.Loss = 0 }},
		{"duplicates", f.Duplicate > 0, func() { f.Duplicate = 0 }},
		{"reordering", f.Reorder > 0, func() { f.Reorder, f.ReorderBy = 0, 0 }},
		{"delay spikes", f.Spike > 0, func() { f.Spike, f.SpikeBy = 0, 0 }},
	}
	for _, e := range p.events() {
		parts = append(parts, part{e.name, *e.mean > 0, func() { *e.mean = 0 }})
	}
	return parts
}

// String names what is on.
func (p Plan) String() string {
	var on []string
	for _, part := range p.parts() {
		if part.on {
			on = append(on, part.name)
		}
	}
	if len(on) == 0 {
		return "no faults"
	}
	return strings.Join(on, ", ")
}

// event is something that a plan has happen at times.
type event struct {
	name   string
	mean   *time.Duration
	happen func(s *storm, n sim.Node, d time.Duration)
}

func (p *Plan) events() []event {
	return []event{
		{"crashes", &p.Crash, (*storm).crash},
		{"lost disks", &p.Amnesia, (*storm).forget},
		{"moves", &p.Move, (*storm).move},
		{"pauses", &p.Pause, func(s *storm, n sim.Node, d time.Duration) { s.w.Pause(n, d) }},
		{"suspended machines", &p.Suspend, func(s *storm, n sim.Node, d time.Duration) { s.w.Suspend(n, d) }},
		{"clocks", &p.Clock, (*storm).clock},
		{"partitions", &p.Partition, (*storm).partition},
		{"one-way cuts", &p.OneWay, (*storm).oneWay},
		{"slow nodes", &p.Slow, (*storm).slow},
	}
}

// Run lets d pass in the world with everything going wrong that is in the plan, and then ends it all. Cuts are healed,
// sleepers wake, nodes that are down boot, and clocks are set right. Then the liveness phase follows: let Config.Detect
// pass in it, as some peers are yet to be notified of past outages.
func (p Plan) Run(w *sim.World, d time.Duration) {
	s := &storm{w: w, spare: p.Spare}
	w.SetFaults(p.Faults)
	for _, e := range p.events() {
		if *e.mean > 0 {
			s.schedule(e, *e.mean, p.Outage)
		}
	}
	w.Run(d)
	s.end()
}

// storm is a plan that is carried out.
type storm struct {
	w     *sim.World
	spare int
	slows []sim.Node
	odd   []sim.Node // nodes with wrong clocks
	over  bool
}

// schedule has e happen at random times.
func (s *storm) schedule(e event, mean, outage time.Duration) {
	s.later(time.Duration(s.w.Rand().Int64N(2*int64(mean)+1)), func() {
		n := sim.Node(s.spare + s.w.Rand().IntN(s.w.Len()-s.spare))
		e.happen(s, n, 1+time.Duration(s.w.Rand().Int64N(max(int64(outage), 1))))
		s.schedule(e, mean, outage)
	})
}

// later does f after d, but not in the liveness phase.
func (s *storm) later(d time.Duration, f func()) {
	s.w.After(d, func() {
		if !s.over {
			f()
		}
	})
}

func (s *storm) crash(n sim.Node, d time.Duration) {
	s.w.Crash(n)
	s.later(d, func() {
		if !s.w.Up(n) {
			s.w.Boot(n)
		}
	})
}

func (s *storm) forget(n sim.Node, d time.Duration) {
	s.crash(n, d)
	s.w.Restore(n, nil)
}

func (s *storm) move(n sim.Node, d time.Duration) {
	s.crash(n, d)
	s.w.Move(n)
}

func (s *storm) clock(n sim.Node, _ time.Duration) {
	s.odd = append(s.odd, n)
	if s.w.Rand().IntN(2) == 0 {
		s.w.SetWall(n, time.Duration(s.w.Rand().Int64N(int64(2*time.Hour)))-time.Hour)
		return
	}
	rates := []float64{0.5, 0.9, 0.999, 1, 1.001, 1.1, 2}
	s.w.SetRate(n, rates[s.w.Rand().IntN(len(rates))])
}

func (s *storm) partition(_ sim.Node, d time.Duration) {
	var side []sim.Node
	for n := range sim.Node(s.w.Len()) {
		if s.w.Rand().IntN(2) == 0 {
			side = append(side, n)
		}
	}
	s.later(d, s.w.Partition(side).Heal)
}

func (s *storm) oneWay(n sim.Node, d time.Duration) {
	var deaf []sim.Node
	for range 1 + s.w.Rand().IntN(s.w.Len()) {
		deaf = append(deaf, sim.Node(s.w.Rand().IntN(s.w.Len())))
	}
	s.later(d, s.w.CutOneWay([]sim.Node{n}, deaf).Heal)
}

func (s *storm) slow(n sim.Node, d time.Duration) {
	s.slows = append(s.slows, n)
	s.w.SetSlow(n, time.Duration(s.w.Rand().Int64N(int64(100*time.Millisecond))))
	s.later(d, func() { s.w.SetSlow(n, 0) })
}

// end makes everything good again.
func (s *storm) end() {
	s.over = true
	s.w.SetFaults(sim.Faults{})
	s.w.Heal()
	for _, n := range s.slows {
		s.w.SetSlow(n, 0)
	}
	for _, n := range s.odd {
		s.w.SetRate(n, 1)
		s.w.SetWall(n, 0)
	}
	for n := range sim.Node(s.w.Len()) {
		s.w.Wake(n)
	}
	s.w.BootAll(0)
}
