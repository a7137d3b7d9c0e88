package node

import (
	"context"

	"tidings"
	"tidings/network/engine"
	"tidings/source"
	"tidings/source/websub"
)

// callbackPath is where hubs find this node's callbacks, below its public address.
const callbackPath = "/websub/"

// openSubscriber makes what subscribes at the hubs of channels, if they can reach this node.
func (n *Node) openSubscriber(ctx context.Context) error {
	if n.config.PublicURL == "" {
		return nil
	}
	n.subscriber = websub.New(websub.Config{
		Callback: n.config.public() + callbackPath, Store: n.store.Hubs, Scheduler: n.watcher, Guard: n.config.guard(),
		UserAgent: "Tidings/" + Version, Log: n.log,
	})
	n.poller.Discovers, n.poller.Pushed = true, n.subscriber.Pushed
	return n.subscriber.Recall(ctx)
}

// polled passes on what a poll found of a channel's hub. In a network the channel's primary owner subscribes for all.
func (n *Node) polled(ctx context.Context, job source.Job, r source.Result) {
	if n.subscriber == nil || !r.Poll.Outcome.Read() {
		return
	}
	if job.Privacy != tidings.Public || !job.Access.IsZero() || !n.isPrimary(ctx, job.URL) {
		n.subscriber.Forget(job.URL)
		return
	}
	n.subscriber.Polled(job.URL, r.Hubs, job.Version > 0 && r.Poll.Outcome == tidings.OutcomeChanged)
}

// isPrimary reports whether this node is the primary owner of a channel, as one is of all without a network.
func (n *Node) isPrimary(ctx context.Context, url string) (is bool) {
	if n.coop == nil {
		return true
	}
	n.coop.InLoop(ctx, func() {
		if n.ring != nil {
			owners, sure := n.ring.Owners(engine.ID(tidings.IDOf(url)), 1)
			is = sure && owners[0].ID.String() == n.id
		}
	})
	return is
}

// describeHubs fills in how the hubs of channels announce what is new.
func (n *Node) describeHubs(followed []tidings.Subscription) {
	if n.subscriber == nil {
		return
	}
	for i := range followed {
		followed[i].Hub = n.subscriber.Describe(followed[i].URL)
	}
}
