// Package routing shows people by which router, and over whom, the updates of channels come to this node. It has the routers rappel and spidercast,
// which are there for that alone; scribe and newswire carry other things too, and are given.
package routing

import (
	"context"
	"fmt"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/rappel"
	"tidings/network/scribe"
	"tidings/network/spidercast"
	"tidings/network/vivaldi"
)

// Host is what the package asks of the node that it is a part of.
type Host interface {
	// WayOf returns by whom the updates of a channel are brought here, and the topic of their tree if they come down one.
	WayOf(channel engine.ID) (topic engine.ID, w Way)
	// InCommon returns the URLs of those of some channels that an account follows, sorted, at most [tidings.MaxFriendChannels] of them.
	InCommon(ctx context.Context, account tidings.AccountID, channels []engine.ID) ([]string, error)
	// Zone returns the zone in which the node is; not placed: it is in none. It is called in the loop.
	Zone() (path string, placed bool)
}

// Way is by whom a channel's updates are brought.
type Way int

// The ways.
const (
	ByNobody    Way = iota // but this node itself
	ByOwners               // of the channel
	ByPublisher            // of the feed
	ByTurns                // nodes that poll in turns
)

// Routing is the node's place in trees and overlays. Its methods are safe for concurrent use, but for those that are called in the loop.
type Routing struct {
	host    Host
	friends friends

	connections *live.Host
	// What follows is touched in the loop alone.
	env     engine.Env
	ring    *pastry.Node
	updates *corona.Node
	rappel  *rappel.Node
	spider  *spidercast.Node
	scribe  *scribe.Node
}

// New returns the routing of a node that had some friends in the run before, as [Routing.Remembered] has said.
func New(host Host, friends []string) *Routing {
	r := &Routing{host: host}
	r.friends.recall(friends)
	return r
}

// Start makes the routers and puts them on the node's stack; they carry updates as the network agrees.
func (r *Routing) Start(env engine.Env, connections *live.Host, ring *pastry.Node, coordinates *vivaldi.Vivaldi, updates *corona.Node, stack *engine.Stack) {
	r.env, r.connections, r.ring, r.updates = env, connections, ring, updates
	r.rappel = rappel.New(env, rappel.Default(), rappel.Seams{
		Member: updates.TreeMember(), Directory: updates, Coordinates: coordinates, Keys: connections.Keys(), Memory: &r.friends,
	})
	updates.Use(router.Rappel, r.rappel)
	updates.OnRoot(r.rappel.RootChanged)
	stack.Add(engine.Rappel, r.rappel)
	r.spider = spidercast.New(env, spidercast.Default(), spidercast.Seams{Member: updates.TreeMember(), Coordinates: coordinates})
	updates.Use(router.SpiderCast, &introduced{Node: r.spider, ring: ring})
	stack.Add(engine.SpiderCast, r.spider)
}

// UseScribe has Tree look into the trees over the ring; it is called in the loop.
func (r *Routing) UseScribe(trees *scribe.Node) { r.scribe = trees }

// Remembered returns rappel's friends, the best first, for the next run; it is called in the loop.
func (r *Routing) Remembered() []string { return r.friends.texts() }

// ask runs f in the loop, and returns when it has.
func (r *Routing) ask(ctx context.Context, f func()) error {
	if err := r.connections.Do(ctx, f); err != nil {
		return fmt.Errorf("asking the network: %w", err)
	}
	return nil
}
