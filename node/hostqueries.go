package node

import (
	"context"

	"tidings"
	router "tidings/network"
	"tidings/store"
)

// queriesHost is the node as package queries sees it.
type queriesHost struct{ *Node }

// Record stores what a query has selected, and shows it to readers.
func (n queriesHost) Record(ctx context.Context, channel string, f *tidings.Change) error {
	_, err := n.entrance.Apply(ctx, store.Remote{Shared: store.Shared{URL: channel}, Change: f})
	return err
}

// Want has the network send what queries need, where its router can.
func (n queriesHost) Want(topics []string) {
	if n.zones != nil {
		n.zones.Want(topics)
	}
}

// Routed reports whether the network brings what queries need from channels that the node does not have.
func (n queriesHost) Routed() bool {
	return n.member != nil && n.coop.Params().Router == router.NewsWire
}
