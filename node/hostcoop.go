package node

import (
	"context"

	"tidings"
	"tidings/node/coop"
	"tidings/source"
)

// coopHost is the node as cooperative polling sees it.
type coopHost struct{ *Node }

// Reviewed implements coop.Host.
func (h coopHost) Reviewed(ctx context.Context, url string, shared bool) {
	h.pushes.reviewed(ctx, url, shared)
}

// PushBackup implements coop.Host.
func (h coopHost) PushBackup(others source.Slot) source.Slot { return h.pushes.backup(others) }

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
func (n *Node) coopChannels() (c tidings.CoopChannels) {
	if n.coop != nil {
		c = n.coop.Counts()
	}
	return c
}

// PollingStats fills in how channels are polled by all nodes together, and how soon changes were detected.
func (n *Node) PollingStats(ctx context.Context, followed []tidings.Subscription) error {
	urls := make([]string, len(followed))
	for i := range followed {
		urls[i] = followed[i].URL
	}
	detected, err := n.store.Detected(ctx, urls)
	if err != nil {
		return err
	}
	for i := range followed {
		followed[i].Detected = detected[i]
	}
	if n.coop != nil {
		n.coop.Describe(ctx, followed)
		n.pushes.describe(followed)
	}
	return nil
}

// CoopStatus tells how this node polls together with others.
func (n *Node) CoopStatus(ctx context.Context) (s tidings.CoopStatus, err error) {
	if n.coop != nil {
		s = n.coop.Status()
		s.Pushes = n.pushes.counts()
	}
	s.Republishers = n.trust.Counts()
	s.Detection, err = n.detection.get(ctx, n.store.Detection)
	return s, err
}
