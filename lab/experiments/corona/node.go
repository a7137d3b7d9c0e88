package corona

import (
	"encoding/binary"
	"time"

	"tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// node is one incarnation of a node that polls with others.
type node struct {
	*engine.Stack
	env    engine.Env
	number sim.Node
	pastry *pastry.Node
	corona *corona.Node
	scribe *scribe.Node // nil: there are no trees
	row    *row
}

// desk is a node's Poller and Library: both only speak with the watch.
type desk struct{ *node }

// keepingTime is how long a library needs to store an update, and requestTime how long a request to an origin lasts.
const (
	keepingTime = 5 * time.Millisecond
	requestTime = 100 * time.Millisecond
)

// start makes a node that starts now.
func (r *row) start(number sim.Node, env engine.Env) engine.Protocol {
	n := &node{Stack: engine.NewStack(env), env: env, number: number, pastry: pastry.New(env, r.Config), row: r}
	var keys engine.Keys
	if r.signs {
		keys = r.Keys(number)
	}
	n.corona = corona.New(env, n.pastry, keys, desk{n}, desk{n}, r.config)
	n.pastry.Handle(engine.Corona, n.corona)
	n.Add(engine.Pastry, n.pastry)
	n.Add(engine.Corona, n.corona)
	if r.trees {
		n.scribe = scribe.New(env, n.pastry, n.corona.TreeMember(), scribe.Default())
		n.corona.Use(network.Scribe, n.scribe)
		n.pastry.Handle(engine.Scribe, n.scribe)
		n.Add(engine.Scribe, n.scribe)
	}
	if r.complete != nil {
		n.pastry.Complete(r.complete.knownTo(number))
		r.Entered(number, n.pastry)
	} else {
		r.Enter(number, n.pastry)
	}
	if r.subscribed {
		n.subscribe()
	}
	return n
}

// subscribe has the node subscribe for its readers.
func (n *node) subscribe() {
	if int(n.number) >= len(n.row.wants) {
		return // it came later, without readers
	}
	for _, s := range n.row.wants[n.number] {
		n.corona.Subscribe(n.row.work.channels[s.channel], "", s.count)
	}
}

// Poll implements corona.Poller.
func (n desk) Poll(c corona.Channel, t corona.Task) {
	now, first := n.env.Now(), t.First
	if n.row.random {
		first = now + (phase(n.env.Self().ID, c.ID, t.Interval)-now%t.Interval+t.Interval)%t.Interval
	}
	for first < max(t.NotBefore, now) {
		first += t.Interval
	}
	n.row.watch.schedule(n.row.channel(c.ID), n.number, n.row.Now()+first-n.env.Now(), t.Interval)
}

// phase returns when, in each interval, a node polls a channel at a random phase.
func phase(node, channel engine.ID, interval time.Duration) time.Duration {
	drawn := engine.Mix(binary.BigEndian.Uint64(node[:]) ^ binary.BigEndian.Uint64(channel[:]))
	return time.Duration(drawn % uint64(interval))
}

// Stop implements corona.Poller.
func (n desk) Stop(channel engine.ID) { n.row.watch.schedule(n.row.channel(channel), n.number, 0, 0) }

// Verify implements corona.Poller.
func (n desk) Verify(c corona.Channel) {
	i := n.row.channel(c.ID)
	n.env.After(requestTime, func() {
		n.row.watch.once(i)
		if n.row.trust != nil {
			n.row.trust.requests[n.row.trust.kind]++
		}
		r := n.row.watch.report(c, i, n.number, n.env.Self().ID)
		r.Verified = true
		n.corona.Polled(c.ID, r)
	})
}

// FirstPoll implements corona.Poller: no poll finds that there is nothing new.
func (n desk) FirstPoll(engine.ID) time.Duration { return 0 }

// found reports that a poll has found something new.
func (n *node) found(channel int) {
	c := n.row.work.channels[channel]
	n.corona.Polled(c.ID, n.row.watch.report(c, channel, n.number, n.env.Self().ID))
}

// Held implements corona.Library.
func (n desk) Held(channel engine.ID) (version uint64, hash corona.Hash) {
	return n.row.watch.held(n.row.channel(channel), n.number)
}

// Content implements corona.Library.
func (n desk) Content(channel engine.ID) corona.Hash {
	_, hash := n.Held(channel)
	return hash
}

// Relay and Release implement corona.Library.
func (n desk) Relay(corona.Channel) {}
func (n desk) Release(engine.ID)    {}

// Store implements corona.Library. It uses no events: storing updates would be a fifth of all events.
func (n desk) Store(u *corona.Update) {
	ok := n.row.watch.update(n.row.channel(u.Channel), n.number, u.Version, u.Hash)
	if ok && n.row.trust != nil {
		n.row.trust.shows(n.number, u.Hash)
	}
	n.corona.Stored(u.Channel, u.Version, ok)
}

// Lend implements corona.Library.
func (n desk) Lend(channel engine.ID, _ corona.Hash, found func(*corona.Update)) {
	n.env.After(keepingTime, func() {
		version, hash := n.Held(channel)
		if version == 0 {
			found(nil)
			return
		}
		c := n.row.work.channels[n.row.channel(channel)]
		found(&corona.Update{Channel: c.ID, URL: c.URL, Version: version, Hash: hash,
			Size: n.row.work.length[n.row.channel(channel)], Payload: wholeContent})
	})
}
