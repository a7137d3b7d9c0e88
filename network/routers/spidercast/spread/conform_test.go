package spread_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/routertest"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
)

// Over links that an oracle makes, spreading does what all routers promise. Half a minute in parts is made up for
// afterwards.
func TestConform(t *testing.T) {
	var worlds sync.Map
	routertest.Conform(t, routertest.Protocol[*router]{
		Vocabularies: []engine.Vocabulary{vocabulary},
		Build: func(w *routertest.World[*router], h *routertest.Host[*router]) *router {
			made, known := worlds.LoadOrStore(w, &oracle{world: w, links: map[edge]*ends{}})
			o := made.(*oracle)
			if !known {
				w.After(0, o.run)
			}
			r := &router{Spread: spread.New(h.Env, spread.Default(), w.Member(h)), followed: map[engine.ID]bool{},
				published: map[engine.ID]bool{}}
			h.Add(engine.SpiderCast, host{r.Spread})
			return r
		},
	}, routertest.Promises{Noiseless: true, Kept: 64, Recovery: 30 * time.Second, Joining: 10 * time.Second,
		Settling: 3 * time.Minute})
}

// router is a node of these worlds.
type router struct {
	*spread.Spread
	followed, published map[engine.ID]bool
}

func (r *router) Join(topic engine.ID) {
	r.followed[topic] = true
	r.Spread.Join(topic)
}

func (r *router) Leave(topic engine.ID) {
	delete(r.followed, topic)
	r.Spread.Leave(topic)
}

func (r *router) Publish(topic engine.ID, event engine.Message) {
	r.published[topic] = true
	r.Spread.Publish(topic, event)
}

// oracle is an overlay that knows everything. The followers of each topic are a ring, with chords. A node that
// publishes on a topic that it does not follow is linked to two followers.
type oracle struct {
	world *routertest.World[*router]
	links map[edge]*ends
}

// ends is the last report to the nodes of a link.
type ends struct {
	routers [2]*router // of that incarnation
	shared  [2][]engine.ID
}

func (o *oracle) run() {
	want := o.wanted()
	for _, e := range sortedEdges(o.links) {
		if !want[e] {
			o.notify(e.a, func(r *router) { r.LinkDown(o.world.Peer(e.b)) })
			o.notify(e.b, func(r *router) { r.LinkDown(o.world.Peer(e.a)) })
			delete(o.links, e)
		}
	}
	for _, e := range sortedEdges(want) {
		o.link(e)
	}
	o.world.After(time.Second, o.run)
}

// wanted returns the links that there should be between nodes that are up.
func (o *oracle) wanted() map[edge]bool {
	want := map[edge]bool{}
	for i := range 3 {
		topic := routertest.Topic(i)
		var followers []sim.Node
		for _, n := range o.world.Live() {
			if o.world.Node(n).followed[topic] {
				followers = append(followers, n)
			}
		}
		for k, n := range followers {
			for _, step := range []int{1, 4} {
				if other := followers[(k+step)%len(followers)]; other != n {
					want[edgeOf(n, other)] = true
				}
			}
		}
		for _, n := range o.world.Live() {
			if r := o.world.Node(n); r.published[topic] && !r.followed[topic] {
				for _, other := range followers[:min(2, len(followers))] {
					want[edgeOf(n, other)] = true
				}
			}
		}
	}
	return want
}

// link reports a link's changes to its nodes.
func (o *oracle) link(e edge) {
	a, b := o.world.Node(e.a), o.world.Node(e.b)
	was := o.links[e]
	now := &ends{[2]*router{a, b}, [2][]engine.ID{sharedBy(a, b), sharedBy(b, a)}}
	o.links[e] = now
	for i, n := range []sim.Node{e.a, e.b} {
		other := []sim.Node{e.b, e.a}[i]
		switch {
		case was == nil || was.routers != now.routers:
			o.notify(n, func(r *router) { r.LinkUp(o.world.Peer(other), now.shared[i]) })
		case !slices.Equal(was.shared[i], now.shared[i]):
			o.notify(n, func(r *router) { r.LinkChanged(o.world.Peer(other), now.shared[i]) })
		}
	}
}

func (o *oracle) notify(n sim.Node, f func(r *router)) {
	if o.world.Up(n) {
		o.world.Do(n, func(engine.Protocol) { f(o.world.Node(n)) })
	}
}

func sharedBy(from, to *router) (list []engine.ID) {
	for i := range 3 {
		if topic := routertest.Topic(i); to.followed[topic] && (from.followed[topic] || from.published[topic]) {
			list = append(list, topic)
		}
	}
	return list
}
