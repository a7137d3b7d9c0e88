package compare

import (
	"time"

	"tidings/lab/experiments/compare/fan"
	"tidings/lab/experiments/compare/plumtree"
	"tidings/lab/experiments/testnet"
	"tidings/network"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/settled"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/newswire"
	"tidings/network/routers/rappel"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast"
	"tidings/network/sim"
)

// contestant is a system that carries events.
type contestant struct {
	name, title  string
	yardstick    bool // it is reported and not judged
	noiseless    bool // it promises that no node is sent an event that it does not follow
	vocabularies []engine.Vocabulary
	zones        bool // it begins with zones that are at rest

	// build makes the node that starts on a host.
	build func(h *host) network.Router
}

// host is one incarnation of a node.
type host struct {
	engine.Env
	*engine.Stack
	world   *world
	node    sim.Node
	entered bool // it has entered the ring
}

// contestants are the systems, the routers first.
var contestants = []*contestant{
	{name: "direct", title: "Direct", noiseless: true, vocabularies: []engine.Vocabulary{fan.Vocabulary},
		build: func(h *host) network.Router { return h.fan(h.world) }},
	{name: "scribe", title: "Scribe", vocabularies: []engine.Vocabulary{pastry.Vocabulary, scribe.Vocabulary},
		build: (*host).scribe},
	{name: "rappel", title: "Rappel", noiseless: true, vocabularies: []engine.Vocabulary{rappel.Vocabulary},
		build: (*host).rappel},
	{name: "spidercast", title: "SpiderCast", noiseless: true,
		vocabularies: []engine.Vocabulary{spidercast.Vocabulary}, build: (*host).spidercast},
	{name: "newswire", title: "NewsWire", zones: true,
		vocabularies: []engine.Vocabulary{astrolabe.Vocabulary, newswire.Vocabulary}, build: (*host).newswire},
	{name: "central", title: "Central hub", yardstick: true, vocabularies: []engine.Vocabulary{fan.Vocabulary},
		build: func(h *host) network.Router { return h.fan(hub{h.world}) }},
	{name: "plumtree", title: "Plumtree", yardstick: true, vocabularies: []engine.Vocabulary{plumtree.Vocabulary},
		build: (*host).plumtree},
}

// hub is the directory in which one node is the root of all topics.
type hub struct{ world *world }

func (h hub) Root(engine.ID) engine.Peer { return h.world.Peer(0) }

func (h *host) member() network.Member { return member{h.world.meter, h.node, testnet.Reader{}} }

// contacts draws up to k other nodes that are up.
func (h *host) contacts(k int) (contacts []engine.Peer) {
	for _, i := range h.world.Chance.Perm(len(h.world.Live)) {
		if n := h.world.Live[i]; n != h.node && len(contacts) < k {
			contacts = append(contacts, h.world.Peer(n))
		}
	}
	return contacts
}

// begins is how many others a node knows at first, where there is no ring.
const begins = 3

func (h *host) coordinate() testnet.Fixed { return testnet.Fixed(h.world.sites.Coordinate(h.node)) }

func (h *host) fan(directory fan.Directory) network.Router {
	n := fan.New(h.Env, h.member(), directory)
	h.Add(fan.Protocol, n)
	return n
}

func (h *host) scribe() network.Router {
	ring := pastry.New(h.Env, h.world.Config)
	n := scribe.New(h.Env, ring, h.member(), scribe.Default())
	ring.Handle(engine.Scribe, n)
	h.Add(engine.Pastry, ring)
	h.Add(engine.Scribe, n)
	h.world.Enter(h.node, ring)
	h.entered = true
	return n
}

func (h *host) rappel() network.Router {
	n := rappel.New(h.Env, rappel.Default(), rappel.Seams{Member: h.member(), Directory: h.world,
		Coordinates: h.coordinate(), Memory: h.world.friends[h.node]})
	h.Add(engine.Rappel, n)
	return n
}

func (h *host) spidercast() network.Router {
	n := spidercast.New(h.Env, spidercast.Default(), spidercast.Seams{Member: h.member(),
		Contacts: h.contacts(begins), Coordinates: h.coordinate()})
	h.Add(engine.SpiderCast, n)
	return n
}

// newswire makes a node that begins at rest. One that returns finds its zone anew.
func (h *host) newswire() network.Router {
	keys := h.world.Keys(h.node)
	seams := astrolabe.Seams{Keys: keys}
	if h.world.Left[h.node] == 0 {
		seams.Settled = h.world.zones.Of(int(h.node))
	} else {
		seams.Contacts = h.contacts(begins)
	}
	zones := astrolabe.New(h.Env, astrolabe.Default(), seams)
	h.Add(engine.Astrolabe, zones)
	h.world.zoned[h.node] = zones
	n := newswire.New(h.Env, newswire.Default(), newswire.Seams{Member: h.member(), Keys: keys}, zones)
	zones.Watch(n)
	h.Add(engine.NewsWire, n)
	return n
}

// atRest returns the zones that the nodes form before anything happens, with filters of what they follow.
func (w *world) atRest(epoch time.Time) *settled.Network {
	shape := newswire.Default().Shape
	return testnet.ZonesAtRest(w.World, epoch, astrolabe.Default(), w.nodes, func(n int) attr.Row {
		var topics []engine.ID
		for _, t := range w.interests.Follows[n] {
			topics = append(topics, w.topicIDs[t])
		}
		return attr.Of(newswire.Attributes(shape.Filter(topics))...)
	})
}

func (h *host) plumtree() network.Router {
	n := plumtree.New(h.Env, h.member(), func() []engine.Peer { return h.contacts(1) })
	h.Add(plumtree.Protocol, n)
	return n
}
