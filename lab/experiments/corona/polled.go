package corona

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/sim"
)

// polled is a world with channels that change and are polled, and its measurements.
type polled struct {
	*testnet.Ring
	*measured
	watch *watch
	began time.Duration // when all subscribed, from which on is measured

	changes func(channel int) // what else happens whenever a channel changes
}

// newPolled returns a world without nodes. Salt separates its random numbers from those of other worlds with the run's
// seed.
func newPolled(run *lab.Run, c sim.Config, salt uint64, m *measured) *polled {
	p := &polled{Ring: testnet.NewRing(run, c, salt), measured: m, changes: func(int) {}}
	p.watch = newWatch(p.World, m.work.length)
	p.watch.counted = func(channel int, at time.Duration, _ bool) { p.poll(channel, at-p.began) }
	p.watch.answered = p.answered
	return p
}

// answered notes how long a change, or a probe, waited for the next poll.
func (p *polled) answered(channel int, q question, at time.Duration) {
	if q.change {
		p.change(channel, q.at-p.began, at-q.at)
	} else {
		p.probe(q.at-p.began, at-q.at, p.work.readers[channel])
	}
}

// settling is how long a ring has to become right before the first node subscribes, in periods in which a node
// exchanges one row.
const settling = 10

// form boots nodes one by one, and gives the ring time to become right.
func (p *polled) form(nodes []sim.Node, share float64) {
	p.Run.Stage("joining", share)
	const step = 50 * time.Millisecond
	for i, n := range nodes {
		p.At(time.Duration(i)*step, func() { p.Boot(n) })
	}
	p.Run.Advance(p.World, time.Duration(len(nodes))*step+settling*p.Config.TablePeriod)
	p.began = p.Now()
}

// changeLater has a channel change for the k-th time and on.
func (p *polled) changeLater(channel, k int) {
	gap := p.work.untilChange(channel, k)
	if p.Now()+gap >= p.began+p.sizes.For {
		return
	}
	p.After(gap, func() {
		p.changes(channel)
		p.watch.change(channel)
		p.changeLater(channel, k+1)
	})
}

// probeLater asks, for the k-th time and on, when the next poll of a channel is: at a random moment of each part of a
// polling interval.
func (p *polled) probeLater(channel, k int) {
	at := p.work.probedAt(channel, k, p.interval/time.Duration(p.sizes.Probes))
	if at >= p.sizes.For {
		return
	}
	p.At(p.began+at, func() {
		p.watch.ask(channel, question{at: p.Now()})
		p.probeLater(channel, k+1)
	})
}
