package coronatest

import (
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/sim"
)

// How often a node itself polls a channel that it subscribes to and does not poll for others. The values are in polling
// intervals, as in package node.
const (
	backupEvery = 48 // that others watch
	deniedEvery = 8  // with owners that deny what it sees
	silentEvery = 1  // with owners that do not answer
)

// ownPolls is a node's own polls of the channels that it subscribes to, in case the network misses
// something; see Settings.OwnPolls.
type ownPolls struct {
	env      engine.Env
	poller   *Poller
	every    time.Duration // a polling interval
	channels map[engine.ID]*ownPoll
}

type ownPoll struct {
	channel corona.Channel
	acked   bool
	why     corona.Suspicion
	timer   engine.Timer
	period  time.Duration
}

// traced is the Env of a node whose polls depend on what it traces.
type traced struct {
	engine.Env
	ownPolls *ownPolls
}

func (e *traced) Trace(event any) {
	e.Env.Trace(event)
	switch event := event.(type) {
	case corona.Acknowledgement:
		e.ownPolls.change(event.Channel, func(l *ownPoll) { l.acked = event.Count > 0 && !event.Refused })
	case corona.Suspected:
		e.ownPolls.change(event.Channel, func(l *ownPoll) { l.why = event.Why })
	}
}

// begin begins to poll a channel that is subscribed to: at once, if nothing is known of it.
func (l *ownPolls) begin(c corona.Channel) {
	if l.channels[c.ID] != nil {
		return
	}
	l.channels[c.ID] = &ownPoll{channel: c}
	l.change(c.ID, func(*ownPoll) {})
	if l.poller.library.Content(c.ID) == (corona.Hash{}) {
		l.poller.pollOwn(c)
	}
}

func (l *ownPolls) end(channel engine.ID) {
	if k := l.channels[channel]; k != nil {
		k.timer.Stop()
		delete(l.channels, channel)
	}
}

// change changes the state of a channel, and with it how often it is polled.
func (l *ownPolls) change(channel engine.ID, f func(*ownPoll)) {
	k := l.channels[channel]
	if k == nil {
		return
	}
	f(k)
	period := backupEvery * l.every
	switch {
	case !k.acked, k.why == corona.Silent:
		period = silentEvery * l.every
	case k.why == corona.Denied:
		period = deniedEvery * l.every
	}
	if period != k.period {
		k.period = period
		l.wait(k, time.Duration(l.env.Rand().Int64N(int64(period))))
	}
}

func (l *ownPolls) wait(k *ownPoll, d time.Duration) {
	k.timer.Stop()
	k.timer = l.env.After(d, func() {
		l.wait(k, k.period)
		if !l.poller.Polls(k.channel.ID) {
			l.poller.pollOwn(k.channel)
		}
	})
}

// pollOwn polls a channel for the node itself, and shows the content.
func (p *Poller) pollOwn(c corona.Channel) {
	p.fetch(c, func(r Reply) {
		if report := p.report(c, r, false); report.Update != nil {
			p.node.Polled(c.ID, report)
		}
	})
}

// Shows returns what a node shows of a channel: the last content received or seen.
func (w *World) Shows(n sim.Node, channel engine.ID) string { return w.Node(n).Library.Shows(channel) }
