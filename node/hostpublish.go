package node

import (
	"context"

	"tidings/node/publish"
)

// publishHost is the node as package publish sees it.
type publishHost struct{ host }

// IsAlone implements publish.Host.
func (h publishHost) IsAlone(ctx context.Context) bool { return h.member.IsAlone(ctx) }

// Taken implements publish.Host.
func (h publishHost) Taken() { h.archive.Published() }

func (n *Node) newPublisher() (*publish.Publisher, error) {
	return publish.New(publishHost{host{n}}, publish.Config{
		Store: n.store, Files: n.files, Keys: n.keys, Passphrase: n.config.Passphrase,
		Feed: n.poller.Feed, Fetch: n.config.fetching(), Interval: n.config.Interval, BodyLimit: n.config.BodyLimit, FilesQuota: n.config.FilesQuota, Log: n.log,
	})
}
