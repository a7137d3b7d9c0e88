package livenet

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
	"tidings/node/publish"
	"tidings/source/announce"
	"tidings/source/feed"
	"tidings/view"
)

// announcement returns the element by which a feed announces its publisher's key, which is made if there is none.
func (n *Net) announcement(channel int) (string, error) {
	publisher := n.Nodes[n.work.Channels[channel].Publisher]
	if publisher.key == nil {
		key, err := keyring.In(publisher.data).New("me", "")
		if err != nil {
			return "", fmt.Errorf("making a publisher's key: %w", err)
		}
		publisher.key = &key
	}
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(n.URL(channel))), publisher.key.Fingerprint)
	a := feed.Announcement{Topic: topic, Fingerprint: publisher.key.Fingerprint, Silence: publish.UsualSilence}
	return announce.Snippet(feed.RSS, a)
}

// publishAll has the publishers publish what their feeds have.
func (n *Net) publishAll() error {
	for i := range n.work.Channels {
		c := &n.work.Channels[i]
		if c.Kind != Published {
			continue
		}
		order := view.PublishOrder{Source: n.sites[i].file, Channel: n.URL(i), Watch: c.Watched}
		issued, err := n.Nodes[c.Publisher].Client.Publish(n.ctx, order)
		if err != nil {
			return fmt.Errorf("publishing %s: %w", c.Name, err)
		}
		if len(issued.Items) != OldStories || !issued.Announced {
			return fmt.Errorf("a feed of %d stories that announces its key was published as %+v", OldStories, issued)
		}
	}
	return nil
}

// AwaitPushed waits until all subscribers of published channels rely on their publishers.
func (n *Net) AwaitPushed() error {
	for i := range n.work.Channels {
		if n.work.Channels[i].Kind != Published {
			continue
		}
		lacking, err := n.await(i, Patience, func(p *tidings.Push) bool { return p.State == tidings.PushGood })
		if err != nil {
			return err
		}
		if len(lacking) > 0 {
			published, err := n.publication(i)
			return errors.Join(err, fmt.Errorf("%d subscribers of %s do not rely on its publisher: one has %+v of %+v",
				len(lacking), n.work.Channels[i].Name, lacking[0], published))
		}
	}
	return nil
}

// AwaitNumbers waits until all subscribers have all items that were published of a channel. It returns how many items
// those are, and how many subscribers lacked any of them when patience was over.
func (n *Net) AwaitNumbers(channel int, patience time.Duration) (items uint64, gaps int, err error) {
	published, err := n.publication(channel)
	if err != nil {
		return 0, 0, err
	}
	lacking, err := n.await(channel, patience, func(p *tidings.Push) bool { return p.Number == published.Items })
	return published.Items, len(lacking), err
}

// await waits until the pushes of a channel are well at each of its subscribers, and returns those at which they are
// not.
func (n *Net) await(channel int, patience time.Duration, well func(*tidings.Push) bool) (lacking []tidings.Push,
	err error) {
	deadline := time.Now().Add(patience)
	for _, node := range n.subscribers(channel) {
		var push tidings.Push
		ok, err := n.within(time.Until(deadline), pause, func() (bool, error) {
			f, err := node.Client.Channel(n.ctx, n.URL(channel))
			if err != nil || f.Push == nil {
				return false, err
			}
			push = *f.Push
			return well(f.Push), nil
		})
		if err != nil {
			return nil, err
		}
		if !ok {
			lacking = append(lacking, push)
		}
	}
	return lacking, nil
}

// publication returns what a channel's publisher has published of it.
func (n *Net) publication(channel int) (view.Publication, error) {
	all, err := n.Nodes[n.work.Channels[channel].Publisher].Client.Publications(n.ctx)
	for _, p := range all {
		if p.Channel == n.URL(channel) {
			return p, nil
		}
	}
	return view.Publication{}, errors.Join(err, fmt.Errorf("%s is published no more", n.URL(channel)))
}

// Topic returns the topic of a published channel.
func (n *Net) Topic(channel int) (engine.ID, error) {
	p, err := n.publication(channel)
	if err != nil {
		return engine.ID{}, err
	}
	return engine.ParseID(p.Topic)
}

// Received is how many messages of some kinds a node has received.
func (n *Net) Received(node int, kinds ...string) (sum uint64, err error) {
	network, err := n.Nodes[node].Client.Network(n.ctx)
	if err != nil {
		return 0, err
	}
	for _, kind := range network.Traffic {
		if slices.Contains(kinds, kind.Kind) {
			sum += kind.Received
		}
	}
	return sum, nil
}

// Sent is how many bytes all nodes have given to their streams.
func (n *Net) Sent() (sum uint64, err error) {
	for _, node := range n.Nodes {
		network, err := node.Client.Network(n.ctx)
		if err != nil {
			return 0, err
		}
		for _, kind := range network.Traffic {
			sum += kind.SentBytes
		}
	}
	return sum, nil
}
