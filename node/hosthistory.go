package node

import (
	"context"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/history"
	"tidings/source/fetch"
	"tidings/store/published"
)

func historyConfig(n *Node) history.Config {
	c := history.Config{Quota: n.config.ArchiveQuota, Pause: history.DocumentPause, Feed: n.poller.Feed,
		Content: n.store.Content, Published: n.store.Published, Pushed: n.store.Pushed, Shared: n.store.Shared,
		Logger: n.log}
	if n.config.LabOrigins {
		c.Pause = 0 // origins of a lab are there to be asked
	}
	return c
}

// LastNumber returns the last known number of a topic's items. sure reports whether its publisher has spoken in time,
// and all items up to it are here. It is called in the loop.
func (h host) LastNumber(topic engine.ID) (last uint64, sure bool) {
	s, followed := h.pushes.Status(topic)
	return s.Last, followed && s.Healthy()
}

// ItemsHere returns the items of a topic with numbers in a range that were published here or pushed to this node: at
// most most.
func (h host) ItemsHere(ctx context.Context, topic engine.ID, from, to uint64, most int) ([]*feedtree.Item, error) {
	return h.pushes.Lend(ctx, topic, from, to, most)
}

// Withdrawals returns what an item withdraws that was published here.
func (h host) Withdrawals(ctx context.Context, item published.Item) ([]*feedtree.Withdrawal, error) {
	return h.publisher.Withdrawals(ctx, item)
}

// Fetch asks an origin for a document for people here.
func (h host) Fetch(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	return h.poller.Fetch(ctx, r)
}
