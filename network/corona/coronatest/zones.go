package coronatest

import (
	"tidings/network"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/vivaldi"
)

// anything is the topic that every event has.
var anything = engine.IDOf([]byte("anything"))

// startZones adds NewsWire to a node, with zones and coordinates.
func (n *Node) startZones(env engine.Env, keys engine.Keys, home zone.Path, selects bool) {
	coordinates := vivaldi.New(env, vivaldi.Default(), vicinity{n.Pastry})
	zones := astrolabe.New(env, astrolabe.Default(), astrolabe.Seams{Keys: keys, Home: home, Coordinates: coordinates})
	wire := newswire.New(env, newswire.Default(), newswire.Seams{
		Member: n.member(selecting{n.Corona.TreeMember(), n}), Keys: keys, SignedBy: n.signedBy,
		Wants:   func(engine.Message) bool { return selects },
		OnTaken: n.arrived(),
	}, zones)
	zones.Watch(wire)
	n.Pastry.OnNeighbours(func() { zones.Meet(n.Pastry.Known()...) })
	if selects {
		wire.Select([]engine.ID{anything})
	}
	n.Corona.Use(network.NewsWire, offering{wire})
	if n.Feed != nil {
		n.carried.Use(network.NewsWire, zoned{wire})
	}
	n.Add(engine.Vivaldi, coordinates)
	n.Add(engine.Astrolabe, zones)
	n.Add(engine.NewsWire, wire)
}

// signedBy permits the possible owners of a channel to publish its versions. Any node can publish what publishers have
// signed, as in package node/zones.
func (n *Node) signedBy(node, topic engine.ID, event engine.Message) bool {
	if _, polled := event.(*corona.Update); !polled && n.Feed != nil {
		return true
	}
	return n.Corona.TreeMember().CouldPublish(topic, node)
}

// zoned is NewsWire as it carries pushed items: with others that have a node's items.
type zoned struct{ *newswire.Node }

// Children returns them.
func (z zoned) Children(topic engine.ID) []engine.Peer { return newswire.Fellows(z.Node, topic) }

// selecting records what queries select, whether or not the node follows the channel.
type selecting struct {
	corona.TreeMember
	node *Node
}

func (s selecting) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	s.TreeMember.Deliver(topic, event, from)
	s.node.Selected = append(s.node.Selected, event.(*corona.Update))
}

// offering also sends every event to the nodes that want anything.
type offering struct{ *newswire.Node }

func (o offering) Publish(topic engine.ID, event engine.Message) { o.send(topic, event, topic) }
func (o offering) Offer(topic engine.ID, event engine.Message)   { o.send(topic, event) }

func (o offering) send(topic engine.ID, event engine.Message, topics ...engine.ID) {
	if err := o.Send(zone.Root, topic, append(topics, anything), "", event); err != nil {
		panic(err) // what a primary publishes is admitted
	}
}

var _ network.Selector = offering{}
