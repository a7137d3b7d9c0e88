package coronatest

import (
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/sim"
)

// underway is how long a request takes to the origin, and its answer back.
const underway = 100 * time.Millisecond

// Poller polls channels from one node.
type Poller struct {
	env      engine.Env
	node     *corona.Node
	number   sim.Node
	origin   *Origin
	library  *Library
	tasks    map[engine.ID]*task
	reported map[engine.ID]corona.Hash // by channel: the last reported content
}

// task is a channel that is polled.
type task struct {
	channel  corona.Channel
	order    corona.Task
	next     time.Duration
	timer    engine.Timer
	interval time.Duration // last announced by the origin
}

// Poll begins to poll a channel, or changes when.
func (p *Poller) Poll(c corona.Channel, order corona.Task) {
	t := p.tasks[c.ID]
	if t == nil {
		t = &task{}
		p.tasks[c.ID] = t
	}
	t.channel, t.order, t.next = c, order, order.First
	for t.next < max(order.NotBefore, p.env.Now()) {
		t.next += order.Interval
	}
	p.wait(t)
}

// Stop ends polling.
func (p *Poller) Stop(channel engine.ID) {
	if t := p.tasks[channel]; t != nil {
		t.timer.Stop()
		delete(p.tasks, channel)
	}
}

// Verify polls a channel once, if it is kept here.
func (p *Poller) Verify(c corona.Channel) {
	if !p.library.has(c.ID) {
		p.env.After(0, func() { p.node.Polled(c.ID, corona.PollResult{Verified: true}) })
		return
	}
	p.fetch(c, func(r Reply) { p.node.Polled(c.ID, p.report(c, r, true)) })
}

// FirstPoll returns when a channel without a known content is polled.
func (p *Poller) FirstPoll(channel engine.ID) time.Duration {
	t := p.tasks[channel]
	switch {
	case t == nil || p.library.Content(channel) != corona.Hash{}:
		return 0
	case p.node.Subscribed(channel): // it has not polled when it subscribed to the channel
		return firstWithin
	}
	return t.next - p.env.Now() + firstWithin
}

// firstWithin is how much later than in its turn a poll may come, at most.
const firstWithin = 10 * time.Second

// Polls reports whether the node polls a channel.
func (p *Poller) Polls(channel engine.ID) bool { return p.tasks[channel] != nil }

func (p *Poller) wait(t *task) {
	t.timer.Stop()
	t.timer = p.env.After(t.next-p.env.Now(), func() { p.poll(t) })
}

// poll polls a channel, reports a change, and waits for the next time.
func (p *Poller) poll(t *task) {
	t.next += t.order.Interval
	p.wait(t)
	p.fetch(t.channel, func(r Reply) {
		if p.tasks[t.channel.ID] != t {
			return
		}
		first := p.library.Content(t.channel.ID) == corona.Hash{}
		report := p.report(t.channel, r, false)
		if first || report.Update != nil || report.Wait > 0 || report.Interval != t.interval {
			t.interval = report.Interval
			p.node.Polled(t.channel.ID, report)
		}
	})
}

// fetch asks the origin.
func (p *Poller) fetch(c corona.Channel, got func(Reply)) {
	p.env.After(underway, func() {
		r := p.origin.Fetch(p.number, c)
		p.env.After(underway, func() { got(r) })
	})
}

// report makes of a reply what it says against the version held.
func (p *Poller) report(c corona.Channel, r Reply, checked bool) corona.PollResult {
	report := corona.PollResult{Verified: checked, Wait: r.Wait, Interval: r.Interval}
	if !r.OK {
		return report
	}
	report.Hash, report.Size = HashOf(r.Content), uint32(len(r.Content))
	p.library.shown[c.ID] = r.Content
	version, base := p.library.Held(c.ID)
	if report.Hash == base {
		return report
	}
	report.Update = &corona.Update{
		Channel: c.ID, URL: c.URL, Version: version, Base: base, Hash: report.Hash,
		FoundBy: p.env.Self().ID, FoundAt: p.env.Wall().UnixMilli(), Size: report.Size, Payload: []byte(r.Content),
	}
	if r.Interval == 0 && p.reported[c.ID] != report.Hash {
		report.Update.Payload = nil // the owners are sure to poll, unless they do not reach the origin
	}
	p.reported[c.ID] = report.Hash
	if r.Modified > 0 {
		report.Update.Modified = p.origin.wall(r.Modified).UnixMilli()
	}
	return report
}
