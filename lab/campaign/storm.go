package campaign

import (
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/sim"
)

// storms is the first phase: all faults happen, and end.
func (r *run) storms() {
	r.storm, r.changing = r.sim.Now(), true
	for _, f := range r.world.Faults {
		r.sim.After(f.At, func() { r.happen(f) })
	}
	r.sim.Run(r.world.Storm.D())
	r.end()
}

// happen begins a fault. What befalls nodes leaves out those that have not joined.
func (r *run) happen(f Fault) {
	n := sim.Node(f.Node)
	if f.Kind.atNode() && !r.joined[n] {
		return
	}
	switch f.Kind {
	case Loss, Duplicate, Reorder, Spike:
		r.sim.SetFaults(r.weather.with(f.Kind, f.Amount))
		r.until(f, func() { r.sim.SetFaults(r.weather.with(f.Kind, 0)) })
	case Partition:
		r.until(f, r.sim.Partition(side(r.sim.Len(), f.Amount)).Heal)
	case OneWay:
		r.until(f, r.sim.CutOneWay([]sim.Node{n}, side(r.sim.Len(), f.Amount)).Heal)
	case Crash, Amnesia, Move:
		r.down(f, n)
	case Pause:
		if r.sim.Up(n) {
			r.sim.Pause(n, f.For)
		}
	case Suspend:
		if r.sim.Up(n) {
			r.sim.Suspend(n, f.For)
		}
	case Slow:
		r.sim.SetSlow(n, time.Duration(f.Amount*float64(time.Second)))
		r.until(f, func() { r.sim.SetSlow(n, 0) })
	case Wall:
		r.sim.SetWall(n, time.Duration(f.Amount*float64(time.Second)))
		r.until(f, func() { r.sim.SetWall(n, 0) })
	case Rate:
		r.sim.SetRate(n, f.Amount)
		r.until(f, func() { r.sim.SetRate(n, 1) })
	case Join:
		r.join(f.For)
	case Unfollow:
		r.unfollow(f, n)
	}
}

// until does what ends a fault, unless the phase has ended.
func (r *run) until(f Fault, end func()) {
	r.sim.After(f.For, func() {
		if !r.over {
			end()
		}
	})
}

// weather is the chance of each fault that befalls all messages alike.
type weather map[Kind]float64

// with sets one of the chances, and returns what they are now.
func (w weather) with(k Kind, amount float64) sim.Faults {
	w[k] = amount
	f := sim.Faults{Loss: w[Loss], Duplicate: w[Duplicate], Reorder: w[Reorder], Spike: w[Spike]}
	if f.Reorder > 0 {
		f.ReorderBy = time.Second
	}
	if f.Spike > 0 {
		f.SpikeBy = 30 * time.Second
	}
	return f
}

// side returns half of so many nodes.
func side(nodes int, amount float64) (side []sim.Node) {
	for n := range sim.Node(nodes) {
		if half(amount, n) {
			side = append(side, n)
		}
	}
	return side
}

// down has a node crash, and come back.
func (r *run) down(f Fault, n sim.Node) {
	r.sim.Crash(n)
	switch f.Kind {
	case Amnesia:
		r.sim.Restore(n, nil)
	case Move:
		r.sim.Move(n)
	}
	r.until(f, func() { r.boot(n) })
}

func (r *run) boot(n sim.Node) {
	if r.sim.Up(n) {
		return
	}
	first := !r.joined[n]
	r.sim.Boot(n)
	if first {
		r.followAll(n)
	}
}

// join has all late nodes start, at even intervals.
func (r *run) join(within time.Duration) {
	first := r.world.Nodes - r.world.Late
	for i := range r.world.Late {
		r.sim.After(within*time.Duration(i)/time.Duration(r.world.Late), func() { r.boot(sim.Node(first + i)) })
	}
}

// unfollow has a node follow nothing for a while.
func (r *run) unfollow(f Fault, n sim.Node) {
	if !r.sim.Up(n) {
		return
	}
	r.each(n, func(c corona.Channel) { r.net.Unsubscribe(n, c.ID) })
	for _, i := range r.pushes[n] {
		r.net.Unfollow(n, r.authors[i].topic)
	}
	r.until(f, func() {
		if r.sim.Up(n) {
			r.followAll(n)
		}
	})
}

// each calls f for the channels that a node follows.
func (r *run) each(n sim.Node, f func(c corona.Channel)) {
	for _, c := range r.channels {
		if r.net.Node(n).Corona.Subscribed(c.ID) {
			f(c)
		}
	}
}

// end makes everything good again: what is cut is healed, nodes wake and boot, and follow what they should.
func (r *run) end() {
	r.over, r.changing = true, false
	r.sim.SetFaults(sim.Faults{})
	r.sim.Heal()
	for n := range sim.Node(r.sim.Len()) {
		r.sim.SetSlow(n, 0)
		r.sim.SetRate(n, 1)
		r.sim.SetWall(n, 0)
		r.sim.Wake(n)
		r.boot(n)
	}
	for n := range sim.Node(r.sim.Len()) {
		r.followAll(n)
	}
}

// wants reports whether a node that is up follows a channel.
func (r *run) wants(n sim.Node, channel engine.ID) bool {
	return r.net.Node(n).Corona.Subscribed(channel)
}
