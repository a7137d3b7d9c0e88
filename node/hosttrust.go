package node

import (
	"context"

	"tidings"
)

// Republishers is trust.Trust.List.
func (n *Node) Republishers(context.Context) ([]tidings.Republisher, error) {
	return n.trust.List(), nil
}

// Republisher is trust.Trust.Get.
func (n *Node) Republisher(ctx context.Context, node string) (tidings.Republisher, error) {
	return n.trust.Get(ctx, node)
}

// SetRepublisher is trust.Trust.Set.
func (n *Node) SetRepublisher(ctx context.Context, node string, level tidings.TrustLevel) (tidings.Republisher, error) {
	return n.trust.Set(ctx, node, level)
}
