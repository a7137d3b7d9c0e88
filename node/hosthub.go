package node

import (
	"context"
	"errors"
	"fmt"

	"tidings"
	"tidings/node/hub"
	"tidings/node/notifications"
)

// openHub makes the node's WebSub hub, if it is to have one. Where it has none, the subscriptions of one that it had
// go.
func (n *Node) openHub(ctx context.Context) (err error) {
	if n.config.hub() == hub.Off {
		account, err := n.store.Subscribers.Find(ctx, tidings.HubSubscriber)
		if errors.Is(err, tidings.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = n.Channels.RemovePerson(ctx, account)
		}
		if err != nil {
			return fmt.Errorf("removing the subscriptions of the hub, which is off: %w", err)
		}
		return nil
	}
	account, err := n.store.Subscribers.Add(ctx, tidings.HubSubscriber)
	if err != nil {
		return err
	}
	n.hub = hub.New(hub.Config{
		Mode: n.config.hub(), PublicURL: n.config.public(), Account: account, Signature: n.config.HubSignature,
		Lab: n.config.LabOrigins, Store: n.store.Hub, Content: n.store.Content, Channels: n.Channels,
		Scheduler: n.watcher,
		Feeds:     n.store, Guard: n.config.guard(),
		UserAgent: "Tidings/" + Version, Log: n.log,
	})
	n.poller.KeepsDocument = n.hub.KeepsDocument
	return n.hub.Recall(ctx)
}

// hubStatus returns what the node's hub does; zero: it has none.
func (n *Node) hubStatus(ctx context.Context) (tidings.HubStatus, error) {
	if n.hub == nil {
		return tidings.HubStatus{}, nil
	}
	return n.hub.Status(ctx)
}

// withHub has the node's hub deliver to its subscribers.
func (n *Node) withHub(p notifications.Protocols) notifications.Protocols {
	if n.hub != nil {
		p[tidings.WebSub] = n.hub
	}
	return p
}
