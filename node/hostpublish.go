package node

import (
	"context"

	"tidings"
	"tidings/node/keyring"
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
		Store: n.store, Files: n.files, Keys: keyring.In(n.config.Data), Passphrase: n.config.Passphrase,
		Feed: n.poller.Feed, Fetch: n.config.fetching(), BodyLimit: n.config.BodyLimit, FilesQuota: n.config.FilesQuota, Log: n.log,
	})
}

var errAlone = tidings.WithHint(tidings.Invalidf("the node works alone, so it cannot publish"), "start it without --no-network")

// Publish is publish.Publisher.Publish; a node alone cannot.
func (n *Node) Publish(ctx context.Context, o tidings.PublishOrder) (tidings.Issued, error) {
	if n.publisher == nil {
		return tidings.Issued{}, errAlone
	}
	return n.publisher.Publish(ctx, o)
}

// PublishEntry is publish.Publisher.PublishEntry; a node alone cannot.
func (n *Node) PublishEntry(ctx context.Context, channel, key string, e tidings.PublishedEntry) (tidings.Issued, error) {
	if n.publisher == nil {
		return tidings.Issued{}, errAlone
	}
	return n.publisher.PublishEntry(ctx, channel, key, e)
}

// Publications lists what is published, and what was.
func (n *Node) Publications(ctx context.Context) ([]tidings.Publication, error) {
	if n.publisher == nil {
		return publish.Publications(ctx, n.store, errAlone.Error())
	}
	return n.publisher.Publications(ctx)
}

// StopPublishing is publish.Publisher.Stop; a node alone has nobody to tell.
func (n *Node) StopPublishing(ctx context.Context, channel string) error {
	if n.publisher == nil {
		_, err := publish.Stop(ctx, n.store, channel)
		return err
	}
	return n.publisher.Stop(ctx, channel)
}
