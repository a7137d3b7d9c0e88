package node

import (
	"context"
	"fmt"
	"log/slog"

	router "tidings/network"
	"tidings/network/archive"
	"tidings/network/astrolabe"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/forward"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/network/routers/newswire"
	"tidings/network/routers/rappel"
	"tidings/network/routers/rappel/roots"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast"
	"tidings/network/vivaldi"
	"tidings/network/volunteer"
	"tidings/node/routing"
	"tidings/node/zones"
)

// Codec returns the codec of all that nodes say to each other.
func Codec() *engine.Codec {
	return engine.NewCodec(engine.TransportVocabulary, live.Vocabulary, forward.Vocabulary, pastry.Vocabulary,
		vivaldi.Vocabulary, corona.Vocabulary,
		scribe.Vocabulary, roots.Vocabulary, feedtree.Vocabulary, archive.Vocabulary, volunteer.Vocabulary,
		pieces.Vocabulary, rappel.Vocabulary, spidercast.Vocabulary,
		astrolabe.Vocabulary, newswire.Vocabulary)
}

// Start makes the protocols that run on the ring.
func (h memberHost) Start(env engine.Env, connections *live.Host, ring *pastry.Node, stack *engine.Stack) {
	h.connections, h.ring = connections, ring
	coordinates := vivaldi.New(env, vivaldi.Default(), vicinity{ring})
	stack.Add(engine.Vivaldi, coordinates)
	updates, turns := h.coop.Start(connections, env, ring)
	updates.Listen(agreeing{h.coop.Listener(), h.Node})
	stack.Add(engine.Corona, updates)
	h.archive.Start(env, ring, stack)
	trees, member := h.startSpeakers(env, ring, stack, updates, turns)
	h.routing.Start(env, routing.Parts{
		Connections: connections, Ring: ring, Coordinates: coordinates, Updates: updates, Carried: h.carried,
		Member: member, Taken: trees.Arrived,
	}, stack)
	news := h.zones.Start(env, zones.Parts{
		Ring: ring, Keys: connections.Keys(), Coordinates: coordinates, Updates: updates.TreeMember(), Others: member,
		Taken: trees.Arrived,
	}, stack)
	updates.Use(router.NewsWire, news)
	h.carried.Use(router.NewsWire, news)
	h.files.Start(env, ring, stack)
}

// vicinity is the set of peers against which coordinates are measured.
type vicinity struct{ ring *pastry.Node }

func (v vicinity) Peers() []engine.Peer { return v.ring.Known() }

// agreeing has routers follow what the network agrees on.
type agreeing struct {
	corona.Listener
	node *Node
}

// Agreed implements corona.Listener.
func (a agreeing) Agreed(e corona.Agreed) {
	a.Listener.Agreed(e)
	a.node.zones.Agreed(e.Params.Router)
	a.node.carried.Agreed(e.Params.Router)
	a.node.changed.Ring()
}

// Disagreed implements corona.Listener.
func (a agreeing) Disagreed(e corona.Disagreed) {
	a.Listener.Disagreed(e)
	a.node.changed.Ring()
}

// tracer returns the function that receives everything that the protocols and the transport trace, in the loop. It
// observes, and has no effect. nil: there is no observer.
func (n *Node) tracer() func(event any) {
	debug := n.log.Enabled(context.Background(), slog.LevelDebug)
	if !debug {
		return n.config.Trace
	}
	return func(event any) {
		if n.config.Trace != nil {
			n.config.Trace(event)
		}
		n.log.Debug("network", "event", fmt.Sprintf("%T%+v", event, event))
	}
}
