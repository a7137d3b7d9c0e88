package node

import (
	"context"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/feedtree"
	"tidings/store"
	"tidings/store/shared"
)

// queriesHost is the node as package queries sees it.
type queriesHost struct{ *Node }

// Record stores what a query has selected, and shows it to readers.
func (n queriesHost) Record(ctx context.Context, channel string, f *tidings.Change) error {
	_, err := n.entrance.Apply(ctx, store.Remote{Version: shared.Version{URL: channel}, Change: f})
	return err
}

// Want has the network send what queries need, where its router can.
func (n queriesHost) Want(topics []string) {
	if n.zones != nil {
		n.zones.Want(topics)
	}
}

// Names reports whether a feed names a publisher's key.
func (n queriesHost) Names(ctx context.Context, channel, fingerprint string) (bool, error) {
	f, err := feedtree.ParseFingerprint(fingerprint)
	if err != nil {
		return false, err
	}
	return n.pushes.Names(ctx, channel, f)
}

// Spread returns the time over which each node must spread its requests to one host, so that all together keep to the
// ceiling of hosts.
func (n queriesHost) Spread(ctx context.Context) time.Duration {
	p := n.coop.Params()
	return time.Duration(float64(p.Interval) * float64(n.pushes.Nodes(ctx)) / float64(max(p.HostCeiling, 1)))
}

// Routed reports whether the network brings what queries need from channels that the node does not have.
func (n queriesHost) Routed() bool {
	return n.member != nil && n.coop.Params().Router == router.NewsWire
}
