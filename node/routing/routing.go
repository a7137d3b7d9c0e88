// Package routing makes the routers that deliver the events of other nodes to this one, except newswire, which is a
// part of zones. It also shows people the router and the nodes by which the updates of channels come.
package routing

import (
	"context"
	"fmt"

	"tidings"
	router "tidings/network"
	"tidings/network/agreed"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/routers/rappel"
	"tidings/network/routers/rappel/roots"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast"
	"tidings/network/vivaldi"
)

// Host is what the package asks of the node that it is a part of.
type Host interface {
	// WayOf returns how the updates of a channel come here, and the topic of their tree if they come down one.
	WayOf(channel engine.ID) (topic engine.ID, w Way)
	// InCommon returns the URLs of the given channels that an account follows, sorted, at most
	// [view.MaxFriendChannels] of them.
	InCommon(ctx context.Context, account tidings.AccountID, channels []engine.ID) ([]string, error)
	// Zone returns the zone in which the node is; not placed: it is in none. It is called in the loop.
	Zone() (path string, placed bool)
}

// Way is how a channel's updates come here.
type Way int

// The ways.
const (
	ByNobody    Way = iota // but this node itself
	ByOwners               // of the channel
	ByPublisher            // of the feed
	ByTurns                // nodes that poll in turns
)

// Routing is the node's place in trees and overlays. Its methods are safe for concurrent use, but for those that are
// called in the loop.
type Routing struct {
	host    Host
	friends friends

	connections *live.Host
	// What follows is touched in the loop alone.
	env     engine.Env
	ring    *pastry.Node
	updates *corona.Node
	carried *agreed.Router
	rappel  *rappel.Node
	spider  *spidercast.Node
	scribe  *scribe.Node
}

// New returns the routing of a node with friends from the run before, as [Routing.Remembered] has returned them.
func New(host Host, friends []string) *Routing {
	r := &Routing{host: host}
	r.friends.recall(friends)
	return r
}

// Parts are what the routers need of the rest of the node.
type Parts struct {
	Connections *live.Host
	Ring        *pastry.Node
	Coordinates *vivaldi.Vivaldi
	Updates     *corona.Node   // of polled channels
	Carried     *agreed.Router // what is carried besides
	Member      router.Member  // of both
	// Taken is called with nodes that have what this one has published.
	Taken func(topic engine.ID, event engine.Message, by engine.Peer)
}

// Start makes the routers and puts them on the node's stack; they carry events as the network agrees.
func (r *Routing) Start(env engine.Env, p Parts, stack *engine.Stack) {
	r.env, r.connections, r.ring, r.updates, r.carried = env, p.Connections, p.Ring, p.Updates, p.Carried
	finder := roots.New(env, p.Ring, p.Updates)
	r.rappel = rappel.New(env, rappel.Default(), rappel.Seams{
		Member: p.Member, Directory: finder, Coordinates: p.Coordinates, Keys: p.Connections.Keys(), Memory: &r.friends,
		OnTaken: p.Taken,
	})
	p.Updates.Use(router.Rappel, r.rappel)
	p.Carried.Use(router.Rappel, roots.Router{Node: r.rappel, Finder: finder})
	p.Updates.OnRoot(r.rappel.RootChanged)
	finder.OnRoot(r.rappel.RootChanged)
	p.Ring.Handle(engine.Roots, finder)
	stack.Add(engine.Roots, finder)
	stack.Add(engine.Rappel, r.rappel)
	r.spider = spidercast.New(env, spidercast.Default(), spidercast.Seams{Member: p.Member, Coordinates: p.Coordinates})
	spider := &introduced{Node: r.spider, ring: p.Ring}
	p.Updates.Use(router.SpiderCast, spider)
	p.Carried.Use(router.SpiderCast, spider)
	stack.Add(engine.SpiderCast, r.spider)
	r.scribe = scribe.New(env, p.Ring, p.Member, scribe.Default())
	r.scribe.OnRootAcked(func(e scribe.RootAcked) { p.Taken(e.Group.Topic, e.Event, e.Root) })
	p.Updates.Use(router.Scribe, r.scribe)
	p.Carried.Use(router.Scribe, r.scribe)
	p.Ring.Handle(engine.Scribe, r.scribe)
	stack.Add(engine.Scribe, r.scribe)
}

// Remembered returns rappel's friends, the best first, for the next run; it is called in the loop.
func (r *Routing) Remembered() []string { return r.friends.texts() }

// ask runs f in the loop, and returns when it has.
func (r *Routing) ask(ctx context.Context, f func()) error {
	if err := r.connections.Do(ctx, f); err != nil {
		return fmt.Errorf("asking the network: %w", err)
	}
	return nil
}
