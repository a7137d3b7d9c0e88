package node

import (
	"context"
	"errors"

	"tidings/network/engine"
	"tidings/network/feedtree"
)

// host is the node as its parts see it: each part declares as an interface what it needs of that.
type host struct{ *Node }

// InLoop runs f in the loop of the protocols, and returns when it has. Without a network, or after that has stopped, it
// runs nothing.
func (h host) InLoop(ctx context.Context, f func()) {
	if h.coop != nil {
		h.coop.InLoop(ctx, f)
	}
}

// Do runs f where the protocols live, and returns when it has. It returns an error if the network has not started, or
// has stopped, or ctx has ended.
func (h host) Do(ctx context.Context, f func()) error {
	if h.connections == nil {
		return errors.New("the network has not started yet")
	}
	return h.connections.Do(ctx, f)
}

// Work has a worker run a job that others wait for. It does not wait for it. The callers bound how many jobs wait. A
// node that works alone has no workers: what they do is for others.
func (h host) Work(job func(context.Context)) {
	if h.coop != nil {
		h.coop.Work(job)
	}
}

// Refuse cuts off a peer that has been proven to lie, as long as FeedTree does not listen to one. A lie that may have
// an honest cause is no such proof, such as what Corona's nodes report of origins.
func (h host) Refuse(liar engine.Peer, why string) {
	h.connections.Refuse(liar.ID, feedtree.Default().StrikeFor, why)
}
