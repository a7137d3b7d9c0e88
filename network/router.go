// Package network is everything between nodes. It holds the shape that all routers have; the
// packages below it are the rest.
package network

import (
	"fmt"
	"strings"

	"tidings/network/engine"
)

// Router carries events on topics from wherever they enter to every node that joined the topic.
// A topic is a channel's ID. Routers differ in how, and in what they promise of delay, load
// and loss; what they deliver is an event as it was published.
type Router interface {
	// Join has events on topic delivered to this node from now on. Joining twice is joining once.
	Join(topic engine.ID)
	// Leave ends what Join began.
	Leave(topic engine.ID)
	// Publish sends an event to all that have joined topic, this node included. The event
	// must not be changed afterwards.
	Publish(topic engine.ID, event engine.Message)
}

// Member is what the routers that build trees ask of whoever uses them: it knows what events are,
// and wants those of the topics that this node has joined. It is called in the middle of the
// router's work: it must not call back before it has returned.
type Member interface {
	// Admit looks at an event before anything is done with it, also at nodes that only pass it on. An event that is not
	// ok is dropped. digest tells the event from all others with which somebody may want to confuse it: the start of a
	// cryptographic hash. bytes is its length. from has sent it: this node, for one that it publishes; zero: nobody
	// knows for sure who has. An event that is genuine and too old is not ok and has a digest: the node that passes it
	// on may have kept it since it was new, and need not be asked for it again.
	Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool)
	// Deliver hands over an event of a topic that this node has joined, once. from is as in Admit.
	Deliver(topic engine.ID, event engine.Message, from engine.Peer)
}

// Selector is a Router whose events are wanted also by nodes that have not joined their topic: by what the events say.
type Selector interface {
	Router
	// Offer sends an event to those alone, for a topic whose members are sent it otherwise. Publish sends it to both.
	Offer(topic engine.ID, event engine.Message)
}

// Withdrawer is a Member that knows which events their publisher has withdrawn since. A router hands none of
// them to a node that asks for what it lacks: it lacks nothing then.
type Withdrawer interface {
	Withdrawn(topic engine.ID, event engine.Message) bool
}

// IsWithdrawn reports whether an event was withdrawn, as far as a Member knows.
func IsWithdrawn(m Member, topic engine.ID, event engine.Message) bool {
	w, ok := m.(Withdrawer)
	return ok && w.Withdrawn(topic, event)
}

// Doubter is a Member that judges some events by what this node knows of the network. An honest node may know
// otherwise, so one that passes such an event on is not to blame.
type Doubter interface {
	// Doubted returns the digest of an event that Admit has refused for this reason alone. Admit may accept another
	// event of the same digest, and the same event later.
	Doubted(topic engine.ID, event engine.Message) (digest uint64, is bool)
}

// Doubted is Doubter.Doubted; of a Member that is no Doubter no event is doubted.
func Doubted(m Member, topic engine.ID, event engine.Message) (digest uint64, is bool) {
	if d, ok := m.(Doubter); ok {
		return d.Doubted(topic, event)
	}
	return 0, false
}

// Recoverer is a Member that finds out by itself what was kept back from it of some topics, and gets it elsewhere. A
// router that looks for such events now and then need not for those.
type Recoverer interface {
	Recovers(topic engine.ID) bool
}

// RouterName says by which router a network carries the updates of polled channels. Its number
// stands in messages.
type RouterName uint8

// The routers.
const (
	Direct     RouterName = iota // the primary owner sends every update to every subscriber itself
	Scribe                       // trees over the ring: package scribe
	Rappel                       // trees of subscribers alone: package rappel
	SpiderCast                   // one overlay of few links, trees on them: package spidercast
	NewsWire                     // down a tree of zones, to those whose filters have the topic: package newswire
)

var routerNames = [...]string{Direct: "direct", Scribe: "scribe", Rappel: "rappel", SpiderCast: "spidercast",
	NewsWire: "newswire"}

// Validate returns an error if there is no such router.
func (r RouterName) Validate() error {
	if int(r) >= len(routerNames) {
		return fmt.Errorf("there is no router number %d", r)
	}
	return nil
}

// String returns the name as flags have it.
func (r RouterName) String() string {
	if r.Validate() != nil {
		return fmt.Sprintf("router %d", uint8(r))
	}
	return routerNames[r]
}

// ParseRouter reads the name of a router.
func ParseRouter(text string) (RouterName, error) {
	for i, name := range routerNames {
		if text == name {
			return RouterName(i), nil
		}
	}
	return 0, fmt.Errorf("there is no router %q: write one of %s", text, strings.Join(routerNames[:], ", "))
}
