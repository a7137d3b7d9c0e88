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
	"tidings/network/live"
	"tidings/network/newswire"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/network/rappel"
	"tidings/network/scribe"
	"tidings/network/spidercast"
	"tidings/network/vivaldi"
	"tidings/network/volunteer"
	"tidings/node/coop"
)

// Codec returns the codec of all that nodes say to each other.
func Codec() *engine.Codec {
	return engine.NewCodec(engine.TransportVocabulary, live.Vocabulary, pastry.Vocabulary, vivaldi.Vocabulary, corona.Vocabulary,
		scribe.Vocabulary, feedtree.Vocabulary, archive.Vocabulary, volunteer.Vocabulary, pieces.Vocabulary, rappel.Vocabulary, spidercast.Vocabulary,
		astrolabe.Vocabulary, newswire.Vocabulary)
}

// network is the protocols of a live node that its parts have in common.
type network struct {
	node    *Node
	host    *live.Host
	ring    *pastry.Node // touched in the host's loop only
	coop    *coop.Coop
	pushes  *pushes
	env     engine.Env // touched in the host's loop only, as are the routers
	rappel  *rappel.Node
	scribe  *scribe.Node
	spider  *spidercast.Node
	friends friendsMemory
}

// start makes the protocols; it is called in the host's loop.
func (n *network) start(env engine.Env, host *live.Host, ring *pastry.Node, stack *engine.Stack) {
	n.env, n.host, n.ring = env, host, ring
	coordinates := vivaldi.New(env, vivaldi.Default(), vicinity{n.ring})
	stack.Add(engine.Vivaldi, coordinates)
	updates, turns := n.coop.Start(env, n.ring)
	updates.Listen(agreeing{n.coop.Listener(), n.node})
	stack.Add(engine.Corona, updates)
	n.rappel = rappel.New(env, rappel.Default(), rappel.Seams{
		Member: updates.TreeMember(), Directory: updates, Coordinates: coordinates, Keys: n.host.Keys(), Memory: &n.friends,
	})
	updates.Use(router.Rappel, n.rappel)
	updates.OnRoot(n.rappel.RootChanged)
	stack.Add(engine.Rappel, n.rappel)
	n.spider = spidercast.New(env, spidercast.Default(), spidercast.Seams{Member: updates.TreeMember(), Coordinates: coordinates})
	updates.Use(router.SpiderCast, &introduced{Node: n.spider, ring: n.ring})
	stack.Add(engine.SpiderCast, n.spider)
	updates.Use(router.NewsWire, n.node.zones.Start(env, ring, host.Keys(), coordinates, updates.TreeMember(), stack))
	n.node.archive.start(env, n.ring, stack)
	n.scribe = n.pushes.start(env, n.ring, stack, updates, turns)
	n.node.piecing.start(env, n.ring, stack)
}

// vicinity is whom coordinates are measured against.
type vicinity struct{ ring *pastry.Node }

func (v vicinity) Peers() []engine.Peer { return v.ring.Known() }

// agreeing has the zones' router follow what the network agrees on.
type agreeing struct {
	corona.Listener
	node *Node
}

// Agreed implements corona.Listener.
func (a agreeing) Agreed(e corona.Agreed) {
	a.Listener.Agreed(e)
	a.node.zones.Agreed(e.Params.Router)
	a.node.changed.Ring()
}

// Disagreed implements corona.Listener.
func (a agreeing) Disagreed(e corona.Disagreed) {
	a.Listener.Disagreed(e)
	a.node.changed.Ring()
}

// observe hears of everything that the protocols and the transport trace, in the loop.
func (n *Node) observe(event any) {
	if n.config.Trace != nil {
		n.config.Trace(event)
	}
	if n.log.Enabled(context.Background(), slog.LevelDebug) {
		n.log.Debug("network", "event", fmt.Sprintf("%T%+v", event, event))
	}
}
