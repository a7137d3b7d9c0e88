package newswire

import (
	"tidings/network"
	"tidings/network/astrolabe/attr"
	"tidings/network/engine"
)

// Seams are what a node asks of its surroundings.
type Seams struct {
	Member network.Member
	Keys   engine.Keys

	// Wants reports whether one of the node's queries may select an event on a topic that the node has not joined, or
	// on none. Member receives those then as well. nil: there are no queries.
	Wants func(event engine.Message) bool

	// Vouched reports whether an event needs no right to publish in a closed network. Member.Admit lets pass only
	// events that are signed by nodes that may send them, so any member can publish it. nil: there are no such events.
	Vouched func(topic engine.ID, event engine.Message) bool

	// SignedBy reports whether a node has signed an event, or is one of those that can have. No other can publish it,
	// as the node that publishes an event decides which nodes get it. nil: each can.
	SignedBy func(node, topic engine.ID, event engine.Message) bool

	// OnTaken, if not nil, is called with another node that has an event which this node has published: a
	// representative, which answers for the rest, or a member. It calls nothing back.
	OnTaken func(topic engine.ID, event engine.Message, by engine.Peer)

	// Log keeps what the node is at work on through a crash. nil: nothing does.
	Log Log

	// Compile makes a condition on attributes of its text, for items with predicates. nil: those go to nobody.
	Compile func(text string) (Condition, error)
}

// Condition is a condition on a row's attributes.
type Condition interface {
	Holds(row attr.Row) (bool, error)
	Close() // gives back what it holds: it is not needed any more
}
