package node

import (
	"context"

	"tidings/node/files"
	"tidings/node/publish"
	"tidings/store/published"
)

// publishHost is the node as package publish sees it.
type publishHost struct{ host }

// IsAlone implements publish.Host.
func (h publishHost) IsAlone(ctx context.Context) bool {
	return h.member == nil || h.member.IsAlone(ctx)
}

// Archive implements publish.Host.
func (h publishHost) Archive(ctx context.Context, items []published.Item) (kept []uint64) {
	for _, item := range h.archive.Insert(ctx, items) {
		kept = append(kept, item.Number)
	}
	return kept
}

// Taken implements publish.Host.
func (h publishHost) Taken() { h.archive.Published() }

// newPublisher returns the node's publisher. While the node makes its key, it is not connected. It numbers, signs and
// keeps what is ordered, and sends it when the node has joined others.
func (n *Node) newPublisher(lent *files.Files) (*publish.Publisher, error) {
	return publish.New(publishHost{host{n}}, publish.Config{
		Store: n.store.Published, Settings: n.store.DB, Files: lent, Keys: n.keys, Passphrase: n.config.Passphrase,
		Feed: n.poller.Feed, Fetch: n.config.fetching(), Interval: n.config.Interval, BodyLimit: n.config.BodyLimit,
		FilesQuota: n.config.FilesQuota, Log: n.log,
	})
}
