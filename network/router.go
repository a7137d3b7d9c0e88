// Package network is everything between nodes. It holds the shape that all routers have; the
// rooms below it are the rest.
package network

import "tidings/network/engine"

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
