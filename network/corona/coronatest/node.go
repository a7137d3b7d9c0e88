package coronatest

import (
	"slices"

	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/forward/forwardtest"
	"tidings/network/pastry"
	"tidings/network/routers/rappel"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast"
	"tidings/network/sim"
	"tidings/network/vivaldi"
)

// Node is one incarnation of a node of a world.
type Node struct {
	*forwardtest.Stack
	Pastry   *pastry.Node
	Corona   *corona.Node
	Scribe   *scribe.Node     // nil: no trees
	Rappel   *rappel.Node     // nil: none of Rappel's trees
	Spider   *spidercast.Node // nil: no overlay
	Library  *Library
	Poller   *Poller
	Disk     *sim.Disk
	Feed     *feedtree.Node        // nil: without pushes
	Items    *feedtreetest.Library // pushed items; nil: without pushes
	carried  *agreed.Router        // carries pushed items; nil: without pushes
	ownPolls *ownPolls             // nil: it does not itself poll what it subscribes to

	// Selected is what NewsWire has delivered for queries here, in the order of arrival.
	Selected []*corona.Update
}

// start makes the protocols of a node that starts.
func (w *World) start(number sim.Node) sim.Start {
	return func(env engine.Env, disk *sim.Disk) engine.Protocol {
		if w.settings.Env != nil {
			env = w.settings.Env(number, env)
		}
		stack := forwardtest.Plain(env)
		if w.settings.Homes {
			env, stack = forwardtest.NewStack(w.World, number, env, codec)
		}
		n := &Node{
			Stack:   stack,
			Pastry:  pastry.New(env, w.settings.Pastry),
			Library: newLibrary(env, disk, w.settings.KeepAtOnce),
			Disk:    disk,
		}
		n.Poller = &Poller{env: env, number: number, origin: w.Origin, library: n.Library,
			tasks: make(map[engine.ID]*task), reported: make(map[engine.ID]corona.Hash)}
		var keys engine.Keys
		if !w.settings.Unsigned {
			keys = w.Keys(number)
		}
		config := w.settings.Corona
		if w.settings.Configure != nil {
			w.settings.Configure(number, &config)
		}
		if w.settings.OwnPolls {
			n.ownPolls = &ownPolls{env: env, poller: n.Poller, every: config.Interval,
				channels: make(map[engine.ID]*ownPoll)}
			env = &traced{env, n.ownPolls}
		}
		n.Corona = corona.New(env, n.Pastry, keys, n.Poller, n.Library, config)
		n.Library.node, n.Poller.node = n.Corona, n.Corona
		n.Library.keeps = func(c engine.ID) bool { return n.Poller.Polls(c) || n.Corona.Subscribed(c) }
		n.Pastry.Handle(engine.Corona, n.Corona)
		n.Add(engine.Pastry, n.Pastry)
		n.Add(engine.Corona, n.Corona)
		if w.settings.Pushes {
			w.startPushes(number, env, n)
		}
		if w.settings.Trees {
			n.startScribe(env)
		}
		if w.settings.Rappel {
			n.startRappel(env, keys)
		}
		if w.settings.Spider {
			n.startSpider(env)
		}
		if w.settings.Zones {
			home := zone.Root
			if w.settings.Home != nil {
				home = w.settings.Home(number)
			}
			n.startZones(env, keys, home, w.settings.Selects != nil && w.settings.Selects(number))
		}
		w.notice(number, disk)
		env.After(0, func() {
			w.join(number, n)
			for _, s := range w.wanted[number] {
				n.subscribe(s)
			}
			for _, p := range w.follows[number] {
				n.follow(p)
			}
		})
		if w.settings.Started != nil {
			w.settings.Started(number, env, n)
		}
		return n
	}
}

// startScribe puts Scribe's trees under a node.
func (n *Node) startScribe(env engine.Env) {
	n.Scribe = scribe.New(env, n.Pastry, n.member(n.Corona.TreeMember()), scribe.Default())
	n.Corona.Use(network.Scribe, n.Scribe)
	n.Pastry.Handle(engine.Scribe, n.Scribe)
	n.Add(engine.Scribe, n.Scribe)
	if n.Feed != nil {
		n.Scribe.OnRootAcked(func(e scribe.RootAcked) { n.Feed.Arrived(e.Group.Topic, e.Event, e.Root) })
		n.carried.Use(network.Scribe, n.Scribe)
	}
}

// startRappel puts Rappel's trees under a node, with coordinates.
func (n *Node) startRappel(env engine.Env, keys engine.Keys) {
	coordinates := vivaldi.New(env, vivaldi.Default(), vicinity{n.Pastry})
	seams := rappel.Seams{Member: n.member(n.Corona.TreeMember()), Directory: n.Corona, Coordinates: coordinates,
		Keys: keys}
	if n.Feed == nil {
		n.Rappel = rappel.New(env, rappel.Default(), seams)
	} else {
		n.rooted(env, seams)
	}
	n.Corona.Use(network.Rappel, n.Rappel)
	n.Corona.OnRoot(n.Rappel.RootChanged)
	n.Add(engine.Vivaldi, coordinates)
	n.Add(engine.Rappel, n.Rappel)
}

// startSpider puts SpiderCast's overlay under a node, which learns of other nodes from the ring.
func (n *Node) startSpider(env engine.Env) {
	coordinates := vivaldi.New(env, vivaldi.Default(), vicinity{n.Pastry})
	n.Spider = spidercast.New(env, spidercast.Default(),
		spidercast.Seams{Member: n.member(n.Corona.TreeMember()), Coordinates: coordinates})
	n.Pastry.OnNeighbours(func() { n.Spider.Meet(n.Pastry.Known()...) })
	n.Corona.Use(network.SpiderCast, n.Spider)
	if n.Feed != nil {
		n.carried.Use(network.SpiderCast, n.Spider)
	}
	n.Add(engine.Vivaldi, coordinates)
	n.Add(engine.SpiderCast, n.Spider)
}

// vicinity is the nodes that coordinates are measured against.
type vicinity struct{ ring *pastry.Node }

// Peers returns the nodes that the ring knows.
func (v vicinity) Peers() []engine.Peer { return v.ring.Known() }

// bornFile is on the disk of every node that has started before.
const bornFile = "born"

// notice reports to the checkers if a node that has lived before has lost its disk.
func (w *World) notice(number sim.Node, disk *sim.Disk) {
	if _, kept := disk.Get(bornFile); !kept && w.born[number] {
		w.forget(number)
	}
	w.born[number] = true
	disk.Put(bornFile, nil)
}

// join lets a starting node join the ring through some of its nodes; the first node makes one.
func (w *World) join(number sim.Node, n *Node) {
	var seeds []engine.Peer
	active := w.Active()
	if w.settings.Homes {
		active = slices.DeleteFunc(active, forwardtest.Private)
	}
	for range min(3, len(active)) {
		seeds = append(seeds, w.Peer(active[w.chance.IntN(len(active))]))
	}
	if len(seeds) == 0 {
		n.Pastry.Create()
		return
	}
	n.Pastry.Join(seeds...)
}

func (n *Node) subscribe(s subscription) {
	if n.ownPolls != nil {
		n.ownPolls.begin(s.channel)
	}
	n.Corona.Subscribe(s.channel, "", s.count)
}

func (n *Node) unsubscribe(channel engine.ID) {
	if n.ownPolls != nil {
		n.ownPolls.end(channel)
	}
	n.Corona.Unsubscribe(channel, "")
}
