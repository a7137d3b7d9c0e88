package node

import (
	"context"
	"errors"

	"tidings"
	"tidings/network/astrolabe/zone"
	"tidings/node/channels"
	"tidings/node/coop"
	"tidings/node/queries"
	"tidings/source"
)

// newChannels returns what people here follow.
func (n *Node) newChannels() *channels.Channels {
	c := channels.Config{
		Store: n.store, Scheduler: n.watcher, Poller: n.poller, Entrance: n.entrance, Queries: n.queries, Log: n.log,
		Interval: n.config.Interval, Lab: n.config.LabOrigins, ImportPace: n.config.importPace(),
		MaxSelections: queries.MaxQueries,
	}
	if n.config.PublicURL != "" {
		c.Polled = n.polled
	}
	if n.coop != nil {
		c.Network = channelsNetwork{n.coop, n}
	}
	return channels.New(c)
}

// channelsNetwork is what the node's channels are to other nodes.
type channelsNetwork struct {
	*coop.Coop
	node *Node
}

// Found implements channels.Network.
func (h channelsNetwork) Found(ctx context.Context, job source.Job, r source.Result) error {
	err := errors.Join(h.node.pushes.Found(ctx, job, r), h.node.pushes.Announced(ctx, job, r.Document))
	if err != nil && !errors.Is(err, tidings.ErrNotFollowed) && ctx.Err() == nil {
		h.node.log.Error("what a feed says of pushes was not noted", "channel", job.URL, "error", err)
	}
	return nil
}

// MayFollowZone implements channels.Network.
func (h channelsNetwork) MayFollowZone(ctx context.Context, p zone.Path) error {
	return h.node.zones.MayFollow(ctx, p)
}
