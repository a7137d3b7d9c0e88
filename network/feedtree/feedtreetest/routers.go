package feedtreetest

import (
	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/rappel"
	"tidings/network/routers/rappel/roots"
	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast"
	"tidings/network/vivaldi"
)

// Routers are those that can carry what is published.
var Routers = []network.RouterName{network.Scribe, network.Rappel, network.SpiderCast, network.NewsWire}

// route puts the router of the world's settings under a node.
func (w *World) route(h *routertest.Host[*Node], n *Node) {
	name := w.settings.Router
	n.Router = agreed.New(h.Env, name)
	switch name {
	case network.Rappel:
		n.Router.Use(name, n.rappel(h))
	case network.SpiderCast:
		r := spidercast.New(h.Env, spidercast.Default(),
			spidercast.Seams{Member: n.Feed, Coordinates: n.coordinates(h)})
		meet := func() { r.Meet(h.Pastry.Known()...) }
		h.Pastry.OnNeighbours(meet)
		h.Add(engine.SpiderCast, r)
		n.Router.Use(name, r)
	case network.NewsWire:
		n.Router.Use(name, n.newswire(h))
	default:
		n.Scribe = scribe.New(h.Env, h.Pastry, n.Feed, w.settings.Scribe)
		n.Scribe.OnRootAcked(func(e scribe.RootAcked) { n.Feed.Arrived(e.Group.Topic, e.Event, e.Root) })
		h.Pastry.Handle(engine.Scribe, n.Scribe)
		h.Add(engine.Scribe, n.Scribe)
		n.Router.Use(network.Scribe, n.Scribe)
	}
}

func (n *Node) rappel(h *routertest.Host[*Node]) network.Router {
	finder := roots.New(h.Env, h.Pastry, nil)
	r := rappel.New(h.Env, rappel.Default(), rappel.Seams{
		Member: n.Feed, Directory: finder, Coordinates: n.coordinates(h), Keys: h.Keys(), OnTaken: n.Feed.Arrived,
	})
	finder.OnRoot(r.RootChanged)
	h.Pastry.Handle(engine.Roots, finder)
	h.Add(engine.Roots, finder)
	h.Add(engine.Rappel, r)
	return roots.Router{Node: r, Finder: finder}
}

func (n *Node) newswire(h *routertest.Host[*Node]) network.Router {
	zones := astrolabe.New(h.Env, astrolabe.Default(),
		astrolabe.Seams{Keys: h.Keys(), Home: zone.Root, Coordinates: n.coordinates(h)})
	r := newswire.New(h.Env, newswire.Default(),
		newswire.Seams{Member: n.Feed, Keys: h.Keys(), OnTaken: n.Feed.Arrived}, zones)
	zones.Watch(r)
	h.Pastry.OnNeighbours(func() { zones.Meet(h.Pastry.Known()...) })
	h.Add(engine.Astrolabe, zones)
	h.Add(engine.NewsWire, r)
	return zoned{r}
}

// zoned is NewsWire with others that have what a node has.
type zoned struct{ *newswire.Node }

// Children returns them.
func (z zoned) Children(topic engine.ID) []engine.Peer { return newswire.Fellows(z.Node, topic) }

func (n *Node) coordinates(h *routertest.Host[*Node]) *vivaldi.Vivaldi {
	c := vivaldi.New(h.Env, vivaldi.Default(), vicinity{n})
	h.Add(engine.Vivaldi, c)
	return c
}

// vicinity is the nodes that coordinates are measured against.
type vicinity struct{ *Node }

// Peers returns the nodes that the ring knows.
func (v vicinity) Peers() []engine.Peer { return v.Pastry.Known() }
