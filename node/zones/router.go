package zones

import (
	"maps"
	"slices"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/routers/newswire"
)

// Router is the router newswire, and the zones under it. Both begin when they are first used. If the network has
// another router, the node sends nothing for them, and answers nothing. It is used in the loop alone.
type Router struct {
	env   engine.Env
	ring  *pastry.Node
	seams astrolabe.Seams
	wire  newswire.Seams
	host  Host // of the part

	says []attr.Attribute // of the node, once it begins

	zones *astrolabe.Node // nil: not used yet
	news  *newswire.Node

	topics []engine.ID // that queries here need
	routes bool        // the network has agreed on this router
}

// newRouter returns the router of a node that is in a zone, or in one below it that made itself. If people have set
// something of its zone, it begins when the node is in a ring, even if nothing uses it.
func (z *Zones) newRouter(env engine.Env, p Parts) *Router {
	place, says := z.told.now()
	m := place.membership()
	r := &Router{env: env, ring: p.Ring, host: z.host}
	r.seams = astrolabe.Seams{
		Keys: p.Keys, Home: m.Home, Coordinates: p.Coordinates, Trusted: m.Trusted, Closed: m.Closed, Proof: m.Proof,
		OnPlaced: func(zone.Path) { z.config.Changed.Ring() },
		OnDenied: z.denied,
		Compile:  func(text string) (astrolabe.Function, error) { return sql.Compile(text) },
	}
	self := member{TreeMember: p.Updates, others: p.Others, zones: z, router: r}
	r.wire = newswire.Seams{
		Member: self, SignedBy: self.signedBy, Wants: z.host.Wants, Keys: p.Keys, Log: z.forwarding,
		OnTaken: func(topic engine.ID, event engine.Message, by engine.Peer) { p.Taken(topic, unnamed(event), by) },
		Compile: func(text string) (newswire.Condition, error) { return sql.CompilePredicate(text) },
		// Updates of channels are signed by their owners, as any member can be. Words of publishers and volunteers are
		// signed by these.
		Vouched: func(_ engine.ID, event engine.Message) bool { _, ok := event.(*feedtree.Item); return !ok },
	}
	for _, name := range slices.Sorted(maps.Keys(says)) {
		r.says = append(r.says, attr.Attribute{Name: name, Value: valueOf(says[name])})
	}
	if place.chosen || len(says) > 0 {
		p.Ring.OnJoined(func(int) { env.After(0, r.begin) }) // now that there are nodes to ask
	}
	return r
}

// denied logs that others do not let the node into their zones.
func (z *Zones) denied(by engine.Peer, why astrolabe.Denial) {
	z.log.Warn("other nodes do not let this one into their zones", "why", why.String(), "said by", by.ID.Short())
	z.config.Changed.Ring()
}

// rejoin has the node be in another zone, or show another certificate, and begin if it has not.
func (r *Router) rejoin(m astrolabe.Membership) {
	if r.zones == nil {
		r.seams.Home, r.seams.Trusted, r.seams.Closed, r.seams.Proof = m.Home, m.Trusted, m.Closed, m.Proof
		r.begin()
		return
	}
	r.zones.Rejoin(m)
}

// begin has the node look for its zone, unless it has begun before.
func (r *Router) begin() {
	if r.zones != nil {
		return
	}
	r.seams.Contacts = r.ring.Known()
	r.zones = astrolabe.New(r.env, astrolabe.Default(), r.seams)
	r.news = newswire.New(r.env, newswire.Default(), r.wire, r.zones)
	r.zones.Watch(r.news)
	r.zones.Set(r.says...)
	r.ring.OnNeighbours(func() { r.zones.Meet(r.ring.Known()...) })
}

// say has the node's row say something. Of what it says no more the router may have something to say itself.
func (r *Router) say(a attr.Attribute) {
	r.begin()
	r.zones.Set(a)
	r.selectAgain()
}

// Join and Leave are as in router.Router.
func (r *Router) Join(topic engine.ID) {
	r.begin()
	r.news.Join(topic)
}

func (r *Router) Leave(topic engine.ID) {
	r.begin()
	r.news.Leave(topic)
}

// Children returns nodes that may have the events of a topic, as FeedTree asks them.
func (r *Router) Children(topic engine.ID) []engine.Peer {
	if r.news == nil {
		return nil
	}
	return newswire.Fellows(r.news, topic)
}

// addTo puts both on a node's stack.
func (r *Router) addTo(stack *engine.Stack) {
	stack.Add(engine.Astrolabe, zonePart{r})
	stack.Add(engine.NewsWire, newsPart{r})
}

// zonePart and newsPart hand messages on, once the node has begun.
type (
	zonePart struct{ *Router }
	newsPart struct{ *Router }
)

func (p zonePart) Receive(from engine.Peer, m engine.Message) {
	if p.zones != nil {
		p.zones.Receive(from, m)
	}
}

func (p zonePart) PeerDown(peer engine.Peer) {
	if p.zones != nil {
		p.zones.PeerDown(peer)
	}
}

func (p zonePart) Stop() {
	if p.zones != nil {
		p.zones.Stop()
	}
}

func (p newsPart) Receive(from engine.Peer, m engine.Message) {
	if p.news != nil {
		p.news.Receive(from, m)
	}
}

func (p newsPart) PeerDown(peer engine.Peer) {
	if p.news != nil {
		p.news.PeerDown(peer)
	}
}

func (p newsPart) Stop() {
	if p.news != nil {
		p.news.Stop()
	}
}
