// Package agreed carries events by the router on which the network has agreed: for all who speak on topics of their
// own, as FeedTree and volunteers do. What is sent of polled channels Corona gives to the router itself, as it sends
// much directly.
//
// Nodes take over another router at different times. For Overlap after it has done so a node stays in the trees of
// the one before, and publishes by both; what comes twice its receiver knows. So who has gone over hears those who
// have not.
package agreed

import (
	"maps"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// Overlap is for how long a node uses the router as well that the network had before: nodes compare what they use every
// five minutes or oftener.
const Overlap = 15 * time.Minute

// What routers can do beyond network.Router. Of one that cannot, there is no such node.
type (
	// hierarchy has trees with somebody above.
	hierarchy interface {
		Parent(topic engine.ID) (engine.Peer, bool)
		Distrust(topic engine.ID)
	}
	// company knows others that have a topic's events: children, or neighbours.
	company interface {
		Children(topic engine.ID) []engine.Peer
	}
	// rooted has nodes at which all events of a topic enter.
	rooted interface {
		Roots(topic engine.ID) []engine.Peer
	}
)

// Router hands on what it is asked to the router of the network. It is used in the loop alone.
type Router struct {
	env     engine.Env
	routers map[network.RouterName]network.Router
	joined  map[engine.ID]bool

	now, before network.RouterName
	settled     bool          // the network has agreed
	until       time.Duration // when before is left
	leave       engine.Alarm
}

// New returns a Router of a node that was started with a name. Nothing is to be asked of it before Use has been
// called for all routers.
func New(env engine.Env, name network.RouterName) *Router {
	name = carrying(name)
	return &Router{env: env, routers: make(map[network.RouterName]network.Router), joined: make(map[engine.ID]bool),
		now: name, before: name}
}

// carrying returns by which router events travel where updates of channels travel by one: owners that send to their
// subscribers themselves know nobody who follows another topic.
func carrying(name network.RouterName) network.RouterName {
	if name == network.Direct {
		return network.Scribe
	}
	return name
}

// Use has events carried by a router where the network has agreed on its name.
func (r *Router) Use(name network.RouterName, router network.Router) { r.routers[name] = router }

// Name returns by which router events are carried.
func (r *Router) Name() network.RouterName { return r.now }

// Agreed says on which router the network has agreed. What the node was started with before counts for nothing: nobody
// else went by that.
func (r *Router) Agreed(name network.RouterName) {
	name = carrying(name)
	was := r.settled
	r.settled = true
	switch name {
	case r.now:
		return
	case r.before: // in which the node still is
		r.before, r.now = r.now, name
	default:
		r.leaveBefore()
		r.before, r.now = r.now, name
		for _, topic := range r.topics() {
			r.routers[name].Join(topic)
		}
	}
	if !was {
		r.leaveBefore()
		return
	}
	r.until = r.env.Now() + Overlap
	r.leave.Set(r.env, r.until, r.leaveBefore)
}

// leaveBefore ends the use of the router that there was before.
func (r *Router) leaveBefore() {
	if r.before != r.now {
		for _, topic := range r.topics() {
			r.routers[r.before].Leave(topic)
		}
	}
	r.before = r.now
	r.leave.Stop()
}

// topics returns those that are joined, in order.
func (r *Router) topics() []engine.ID {
	return slices.SortedFunc(maps.Keys(r.joined), engine.ID.Compare)
}

// each calls f with the router of the network, and with the one before as long as that is used.
func (r *Router) each(f func(network.Router)) {
	f(r.routers[r.now])
	if r.before != r.now {
		f(r.routers[r.before])
	}
}

// Join, Leave and Publish are as in network.Router.
func (r *Router) Join(topic engine.ID) {
	r.joined[topic] = true
	r.each(func(by network.Router) { by.Join(topic) })
}

// Leave is described with Join.
func (r *Router) Leave(topic engine.ID) {
	delete(r.joined, topic)
	r.each(func(by network.Router) { by.Leave(topic) })
}

// Publish is described with Join.
func (r *Router) Publish(topic engine.ID, event engine.Message) {
	r.each(func(by network.Router) { by.Publish(topic, event) })
}

// Parent returns who stands above this node in a topic's tree, and whether anybody does.
func (r *Router) Parent(topic engine.ID) (p engine.Peer, ok bool) {
	if h, has := r.routers[r.now].(hierarchy); has {
		return h.Parent(topic)
	}
	return p, false
}

// Distrust looks for another parent.
func (r *Router) Distrust(topic engine.ID) {
	if h, has := r.routers[r.now].(hierarchy); has {
		h.Distrust(topic)
	}
}

// Children returns others to whom this node hands the events of a topic, or from whom it may have them.
func (r *Router) Children(topic engine.ID) []engine.Peer {
	if c, has := r.routers[r.now].(company); has {
		return c.Children(topic)
	}
	return nil
}

// Roots returns at whom the events of a topic enter, as far as that is known; not this node.
func (r *Router) Roots(topic engine.ID) []engine.Peer {
	if h, has := r.routers[r.now].(rooted); has {
		return h.Roots(topic)
	}
	return nil
}

var _ network.Router = (*Router)(nil)
