package check

import (
	"fmt"

	"tidings/network/engine"
)

// Event is what checkers receive. The types are those of this file.
type Event interface {
	// about returns what the event concerns: a topic, a key; zero if nothing of the kind.
	about() engine.ID
	fmt.Stringer
}

// Topics are channels, or whatever else a router carries events on. Content is a hash of what
// was delivered or served, by engine.IDOf. Version is 0 for routers that number nothing.
type (
	// Subscribed says that the node wants the topic's updates from now on.
	Subscribed struct{ Topic engine.ID }

	// Unsubscribed says that it no longer does.
	Unsubscribed struct{ Topic engine.ID }

	// Forgot says that the node has lost its state: its subscriptions, and what it was
	// delivered. An experiment reports it when it removes a node's disk.
	Forgot struct{}

	// Published says that the update entered the network at the node: from now on
	// subscribers are owed it.
	Published struct {
		Topic   engine.ID
		Version uint64
		Content engine.ID
	}

	// Carried says that the update reached the node over the network, wanted or not.
	Carried struct {
		Topic   engine.ID
		Version uint64
	}

	// Delivered says that the node as a subscriber was given the update.
	Delivered struct {
		Topic   engine.ID
		Version uint64
		Content engine.ID
	}

	// Served says what the origin's content was when a node asked.
	Served struct {
		Topic   engine.ID
		Content engine.ID
	}

	// Polled says that the node asked the topic's origin.
	Polled struct{ Topic engine.ID }

	// Queued says how long a queue has become that has a bound.
	Queued struct {
		Queue         string
		Length, Bound int
	}

	// Sought says that a lookup sets out from the node. Number distinguishes it from all others
	// of the run.
	Sought struct {
		Key    engine.ID
		Number uint64
	}

	// Found says that a lookup was delivered to the node, as the closest to the key.
	Found struct {
		Key    engine.ID
		Number uint64
	}
)

func (e Subscribed) about() engine.ID   { return e.Topic }
func (e Unsubscribed) about() engine.ID { return e.Topic }
func (e Forgot) about() engine.ID       { return engine.ID{} }
func (e Published) about() engine.ID    { return e.Topic }
func (e Carried) about() engine.ID      { return e.Topic }
func (e Delivered) about() engine.ID    { return e.Topic }
func (e Served) about() engine.ID       { return e.Topic }
func (e Polled) about() engine.ID       { return e.Topic }
func (e Queued) about() engine.ID       { return engine.ID{} }
func (e Sought) about() engine.ID       { return e.Key }
func (e Found) about() engine.ID        { return e.Key }

func (e Subscribed) String() string   { return "subscribed" }
func (e Unsubscribed) String() string { return "unsubscribed" }
func (e Forgot) String() string       { return "forgot everything" }
func (e Published) String() string    { return "published " + update(e.Version, e.Content) }
func (e Carried) String() string      { return fmt.Sprintf("carried version %d", e.Version) }
func (e Delivered) String() string    { return "was delivered " + update(e.Version, e.Content) }
func (e Served) String() string       { return "was served " + e.Content.Short() }
func (e Polled) String() string       { return "polled" }
func (e Queued) String() string {
	return fmt.Sprintf("queue %s has %d of %d", e.Queue, e.Length, e.Bound)
}
func (e Sought) String() string { return fmt.Sprintf("sent out lookup %d", e.Number) }
func (e Found) String() string  { return fmt.Sprintf("found itself closest in lookup %d", e.Number) }

// update is how people read an update.
func update(version uint64, content engine.ID) string {
	return fmt.Sprintf("version %d (%s)", version, content.Short())
}
