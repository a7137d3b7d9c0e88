package history

import (
	"context"
	"log/slog"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store/content"
	"tidings/store/published"
	"tidings/store/pushed"
	"tidings/store/shared"
)

// Host is what the package needs of its node. A Reader of a node that works alone needs Fetch alone.
type Host interface {
	// InLoop runs f where the protocols live, and returns when it has; after the network has stopped it runs nothing.
	InLoop(ctx context.Context, f func())
	// Work has a worker run a job; it does not wait for it.
	Work(job func(context.Context))
	// Refuse cuts off a peer that has been proven to lie. It is called in the loop.
	Refuse(liar engine.Peer, why string)
	// LastNumber returns the last number of a topic's items that is known of its publisher. sure reports whether the
	// publisher has spoken in time, and all up to that number is here. While the node catches up there may be more. It
	// is called in the loop.
	LastNumber(topic engine.ID) (last uint64, sure bool)
	// ItemsHere returns the items of a topic with numbers in a range that were published here or pushed to this node:
	// at most most.
	ItemsHere(ctx context.Context, topic engine.ID, from, to uint64, most int) ([]*feedtree.Item, error)
	// Withdrawals returns which earlier items of its topic an item withdraws that was published here, as when an agency
	// kills a news item. An error means that this is unknown now.
	Withdrawals(ctx context.Context, item published.Item) ([]*feedtree.Withdrawal, error)
	// Fetch asks an origin for a document, within what its host is to bear. Its errors are those of fetch.Client.
	Fetch(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Config says what is kept and read.
type Config struct {
	// Quota is how many bytes of items are kept for the network; 0: none.
	Quota int64
	// Pause is how long a Reader waits between two documents of an origin, besides the waits for the host's budget.
	Pause time.Duration
	// Feed bounds what is read of feeds and items.
	Feed feed.Config

	Content   *content.Store   // content of channels
	Published *published.Store // of this node
	Pushed    *pushed.Store    // of others
	Shared    *shared.Store    // for others
	Logger    *slog.Logger
}
