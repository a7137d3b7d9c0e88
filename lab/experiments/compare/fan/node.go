// Package fan is the plainest router: the root of a topic sends each event to every subscriber itself. With the owners
// of channels as roots it is what the network does with the router direct. With one node as the root of all topics it
// is a hub, as WebSub has them.
//
// It differs from network/corona/version/deliver, which needs the whole of Corona: a subscription is at the root alone,
// and subscribers learn of another root by a Directory that is never wrong. The retries are the same: a subscriber that
// does not acknowledge is sent an event five times, after 2 s and twice as long each time. It gets what it still lacks
// when it renews its subscription.
package fan

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// Directory knows the root of each topic.
type Directory interface {
	Root(topic engine.ID) engine.Peer
}

// How events and subscriptions are sent.
const (
	again  = 2 * time.Second  // until an unacknowledged message is sent again, doubled each time
	sends  = 5                // of an event to one subscriber
	renew  = time.Minute      // how often a subscription is renewed
	kept   = 64               // events of a topic that the root keeps
	keep   = 2 * time.Minute  // for how long events are kept for subscribers of another epoch
	seen   = 256              // digests of a topic that a node remembers
	forget = 3 * renew        // until a subscription that is not renewed ends
	lately = 10 * time.Second // how old events are at most that a former root hands to the next
)

// Node is a node's part: a subscriber of some topics, and the root of others.
type Node struct {
	env       engine.Env
	member    network.Member
	directory Directory
	topics    map[engine.ID]*topic
	open      map[parcelName]*parcel
}

// topic is what a node knows of a topic: as a subscriber, and as its root.
type topic struct {
	id engine.ID

	joined        bool
	epoch, number uint64   // of the latest event up to which none is lacked
	ahead         []uint64 // numbers above that came
	digests       []uint64 // of the latest events that came, at most seen
	alarm         engine.Alarm
	wait          time.Duration // until the subscription is sent again

	rootEpoch, last uint64
	subscribers     []subscriber // in the order of their coming
	events          []event      // the latest, at most kept
}

type subscriber struct {
	peer    engine.Peer
	renewed time.Duration
}

type event struct {
	number uint64
	at     time.Duration
	event  engine.Message
}

// parcel is a message that is sent until it is acknowledged.
type parcel struct {
	to      engine.Peer
	message engine.Message
	sends   int
	timer   engine.Timer
}

// parcelName names a parcel by what its acknowledgement has. Of a Publish it has the digest as number, and no receiver.
type parcelName struct {
	topic, to engine.ID
	epoch     uint64
	number    uint64
}

// New returns a node that has joined nothing.
func New(env engine.Env, member network.Member, directory Directory) *Node {
	return &Node{env: env, member: member, directory: directory, topics: make(map[engine.ID]*topic),
		open: make(map[parcelName]*parcel)}
}

func (n *Node) topic(id engine.ID) *topic {
	t := n.topics[id]
	if t == nil {
		t = &topic{id: id, wait: again}
		n.topics[id] = t
	}
	return t
}

func (n *Node) isRoot(topic engine.ID) bool { return n.directory.Root(topic).ID == n.env.Self().ID }

// Join subscribes at the topic's root.
func (n *Node) Join(id engine.ID) {
	if t := n.topic(id); !t.joined {
		t.joined = true
		n.subscribe(t)
	}
}

// Leave ends the subscription.
func (n *Node) Leave(id engine.ID) {
	t := n.topic(id)
	t.joined, t.epoch = false, 0
	t.alarm.Stop()
	n.env.Send(n.directory.Root(id), &Subscribe{Topic: id, End: true})
}

// RootChanged says that the Directory's answer for a topic is another. A root for a moment may have had no subscribers
// yet, so it hands what came lately to the next.
func (n *Node) RootChanged(id engine.ID) {
	t := n.topics[id]
	if t == nil {
		return
	}
	if t.joined {
		t.wait = again
		t.alarm.Set(n.env, n.env.Now()+n.jitter(time.Second), func() { n.subscribe(t) })
	}
	if n.isRoot(id) {
		return
	}
	for _, e := range t.events {
		if digest, _, ok := n.member.Admit(id, e.event, n.env.Self()); ok && e.at+lately > n.env.Now() {
			n.send(parcelName{topic: id, number: digest}, n.directory.Root(id), &Publish{Topic: id, Event: e.event})
		}
	}
}

// jitter draws a time up to d, so that subscribers do not act in step.
func (n *Node) jitter(d time.Duration) time.Duration {
	return time.Duration(n.env.Rand().Int64N(int64(d)))
}

// subscribe sends a subscription, and again until it is answered; then it waits until it is to be renewed.
func (n *Node) subscribe(t *topic) {
	if !n.isRoot(t.id) {
		n.env.Send(n.directory.Root(t.id), &Subscribe{Topic: t.id, Epoch: t.epoch, Number: t.number})
	}
	t.alarm.Set(n.env, n.env.Now()+t.wait+n.jitter(t.wait/4), func() { n.subscribe(t) })
	t.wait = min(2*t.wait, renew)
}

// Publish hands an event to the topic's root.
func (n *Node) Publish(id engine.ID, m engine.Message) {
	digest, _, ok := n.member.Admit(id, m, n.env.Self())
	if !ok {
		return
	}
	if n.isRoot(id) {
		n.issue(n.topic(id), m, digest)
		return
	}
	n.deliver(n.topic(id), m, digest, n.env.Self())
	n.send(parcelName{topic: id, number: digest}, n.directory.Root(id), &Publish{Topic: id, Event: m})
}

// issue numbers an event and sends it to all subscribers, as the root.
func (n *Node) issue(t *topic, m engine.Message, digest uint64) {
	n.deliver(t, m, digest, n.env.Self())
	n.beRoot(t)
	t.last++
	t.events = append(t.events, event{t.last, n.env.Now(), m})
	if len(t.events) > kept {
		t.events = slices.Delete(t.events, 0, 1)
	}
	t.subscribers = slices.DeleteFunc(t.subscribers,
		func(s subscriber) bool { return s.renewed+forget < n.env.Now() })
	for _, s := range t.subscribers {
		n.sendEvent(t, t.events[len(t.events)-1], s.peer)
	}
}

// beRoot begins an epoch, drawn by chance, if the node has been no root of the topic.
func (n *Node) beRoot(t *topic) {
	if t.rootEpoch == 0 {
		t.rootEpoch = n.env.Rand().Uint64() | 1
	}
}

func (n *Node) sendEvent(t *topic, e event, to engine.Peer) {
	n.send(parcelName{t.id, to.ID, t.rootEpoch, e.number}, to,
		&Event{Topic: t.id, Epoch: t.rootEpoch, Number: e.number, Event: e.event})
}

// send sends a message until it is acknowledged, unless that is under way.
func (n *Node) send(name parcelName, to engine.Peer, m engine.Message) {
	if n.open[name] == nil {
		p := &parcel{to: to, message: m}
		n.open[name] = p
		n.sendAgain(name, p)
	}
}

func (n *Node) sendAgain(name parcelName, p *parcel) {
	if p.sends == sends {
		delete(n.open, name)
		return
	}
	if name.to == (engine.ID{}) {
		p.to = n.directory.Root(name.topic) // it may be another by now
	}
	n.env.Send(p.to, p.message)
	wait := again << p.sends
	p.sends++
	p.timer = n.env.After(wait+n.jitter(again/4), func() { n.sendAgain(name, p) })
}

func (n *Node) acknowledged(name parcelName) {
	if p := n.open[name]; p != nil {
		p.timer.Stop()
		delete(n.open, name)
	}
}

// Receive handles a message.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Subscribe:
		n.onSubscribe(from, m)
	case *Subscribed:
		n.onSubscribed(m)
	case *Event:
		n.onEvent(from, m)
	case *Got:
		n.acknowledged(parcelName{m.Topic, from.ID, m.Epoch, m.Number})
	case *Publish:
		n.onPublish(from, m)
	case *Taken:
		n.acknowledged(parcelName{topic: m.Topic, number: m.Digest})
	}
}

func (n *Node) onSubscribe(from engine.Peer, m *Subscribe) {
	if !n.isRoot(m.Topic) {
		return
	}
	t := n.topic(m.Topic)
	i := slices.IndexFunc(t.subscribers, func(s subscriber) bool { return s.peer.ID == from.ID })
	switch {
	case m.End:
		if i >= 0 {
			t.subscribers = slices.Delete(t.subscribers, i, i+1)
		}
		return
	case i < 0:
		t.subscribers = append(t.subscribers, subscriber{from, n.env.Now()})
	default:
		t.subscribers[i] = subscriber{from, n.env.Now()}
	}
	n.beRoot(t)
	above := t.last
	switch {
	case m.Epoch == t.rootEpoch:
		above = m.Number
	case m.Epoch != 0: // it may lack what was issued since this node is the root
		for i := len(t.events) - 1; i >= 0 && t.events[i].at+keep > n.env.Now(); i-- {
			above = t.events[i].number - 1
		}
	}
	n.env.Send(from, &Subscribed{Topic: m.Topic, Epoch: t.rootEpoch, Number: above})
	for _, e := range t.events {
		if e.number > above {
			n.sendEvent(t, e, from)
		}
	}
}

func (n *Node) onSubscribed(m *Subscribed) {
	t := n.topics[m.Topic]
	if t == nil || !t.joined {
		return
	}
	t.wait = again
	t.alarm.Set(n.env, n.env.Now()+renew-n.jitter(renew/4), func() { n.subscribe(t) })
	if t.epoch != m.Epoch {
		t.epoch, t.number, t.ahead = m.Epoch, m.Number, nil
	}
}

func (n *Node) onEvent(from engine.Peer, m *Event) {
	digest, _, ok := n.member.Admit(m.Topic, m.Event, from)
	if !ok {
		return
	}
	n.env.Send(from, &Got{Topic: m.Topic, Epoch: m.Epoch, Number: m.Number})
	t := n.topics[m.Topic]
	if t == nil || !t.joined {
		return
	}
	if m.Epoch == t.epoch && m.Number > t.number && !slices.Contains(t.ahead, m.Number) && len(t.ahead) < kept {
		t.ahead = append(t.ahead, m.Number)
		for {
			i := slices.Index(t.ahead, t.number+1)
			if i < 0 {
				break
			}
			t.number++
			t.ahead = slices.Delete(t.ahead, i, i+1)
		}
	}
	n.deliver(t, m.Event, digest, from)
}

func (n *Node) onPublish(from engine.Peer, m *Publish) {
	digest, _, ok := n.member.Admit(m.Topic, m.Event, from)
	if !ok || !n.isRoot(m.Topic) {
		return
	}
	n.env.Send(from, &Taken{Topic: m.Topic, Digest: digest})
	if t := n.topic(m.Topic); !slices.Contains(t.digests, digest) {
		n.issue(t, m.Event, digest)
	}
}

// deliver hands an event over, once.
func (n *Node) deliver(t *topic, m engine.Message, digest uint64, from engine.Peer) {
	if slices.Contains(t.digests, digest) {
		return
	}
	if t.digests = append(t.digests, digest); len(t.digests) > seen {
		t.digests = slices.Delete(t.digests, 0, 1)
	}
	if t.joined {
		n.member.Deliver(t.id, m, from)
	}
}

// PeerDown does nothing: what a peer lacks it gets when it subscribes again.
func (n *Node) PeerDown(engine.Peer) {}

// Stop does nothing.
func (n *Node) Stop() {}

// Entries returns how many subscriptions the node has, its own and those of others.
func (n *Node) Entries() (count int) {
	for _, t := range n.topics {
		count += len(t.subscribers)
		if t.joined {
			count++
		}
	}
	return count
}
