package node

import (
	"context"

	"tidings"
	"tidings/node/coop"
	"tidings/source"
	"tidings/view"
)

// coopHost is the node as cooperative polling sees it.
type coopHost struct{ *Node }

// Reviewed implements coop.Host.
func (h coopHost) Reviewed(ctx context.Context, url string, shared bool) {
	h.pushes.Reviewed(ctx, url, shared)
}

// PushBackup implements coop.Host.
func (h coopHost) PushBackup(others source.Slot) source.Slot { return h.pushes.Backup(others) }

func (n *Node) newCoop() *coop.Coop {
	return coop.New(coop.Config{
		Store: n.store, Scheduler: n.watcher, Entrance: n.entrance, Log: n.log, NodeID: n.id, Feed: n.poller.Feed,
		Interval: n.config.Interval, Lab: n.config.LabOrigins, Own: n.config.corona(),
	}, coopHost{n}, n.trust)
}

func (n *Node) saveCoop(ctx context.Context) error {
	if n.coop == nil {
		return nil
	}
	return n.coop.Save(ctx)
}

// coopChannels counts channels that are polled for others, and by others.
func (n *Node) coopChannels() (c view.CoopChannels) {
	if n.coop != nil {
		c = n.coop.Counts()
	}
	return c
}

// PollingStats fills in how channels are polled by all nodes together, and how soon changes were detected.
func (n *Node) PollingStats(ctx context.Context, followed []tidings.Subscription) error {
	if err := n.Channels.Detected(ctx, followed); err != nil {
		return err
	}
	n.describeHubs(followed)
	if n.coop != nil {
		n.coop.Describe(ctx, followed)
		n.pushes.Describe(followed)
	}
	return nil
}

// Penalties are what this node has against others.
func (n *Node) Penalties() []view.Penalty {
	if n.coop == nil {
		return nil
	}
	return n.coop.Penalties()
}

// CoopStatus returns how this node polls together with others.
func (n *Node) CoopStatus(ctx context.Context) (s view.CoopStatus, err error) {
	if n.coop != nil {
		s = n.coop.Status()
		s.Pushes = n.pushes.Counts()
	}
	s.Republishers = n.trust.Counts()
	s.Detection, err = n.Channels.Detection(ctx)
	return s, err
}
