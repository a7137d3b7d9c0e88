package feedtree

import "tidings/network/engine"

// Forgive relies again on a publisher that has given a number to two items, as a person wishes it. topic can be any
// that the channel has had. It returns the number up to which doubled numbers are no longer held against the publisher,
// for Following.Forgiven; 0 if the channel is not followed. If a later number is given to two items, all nodes announce
// it, even those that have forgiven. Of several within a minute, at least one is announced.
func (n *Node) Forgive(topic engine.ID) (upTo uint64) {
	f := n.followings.index[topic]
	if f == nil {
		return 0
	}
	f.Forgiven = max(f.Forgiven, f.last)
	for _, e := range f.eras {
		f.Forgiven = max(f.Forgiven, n.convictions.forgive(e.topic))
	}
	return f.Forgiven
}

// forgives reports whether a proof is of what was forgiven.
func (n *Node) forgives(e *Equivocation) bool {
	f := n.followings.index[e.Topic]
	return f != nil && e.First.Number <= f.Forgiven
}
