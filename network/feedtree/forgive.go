package feedtree

import "tidings/network/engine"

// Forgive relies again on a publisher that has given a number to two items, as a person wishes it. topic can be any
// that the channel has had. It returns up to which number that is not held against the publisher any more, for
// Following.Forgiven; 0 if the channel is not followed. A later number that is given to two items is told of by all nodes,
// whether they have forgiven or not; of several within a minute, of one at least.
func (n *Node) Forgive(topic engine.ID) (upTo uint64) {
	f := n.followings.index[topic]
	if f == nil {
		return 0
	}
	f.Forgiven = max(f.Forgiven, f.last)
	for _, e := range f.eras {
		if c := n.convictionOf(e.topic); c != nil {
			f.Forgiven = max(f.Forgiven, c.latest.First.Number)
			n.convictions.put(e.topic, nil)
		}
	}
	return f.Forgiven
}

// forgives reports whether a proof is of what was forgiven.
func (n *Node) forgives(e *Equivocation) bool {
	f := n.followings.index[e.Topic]
	return f != nil && e.First.Number <= f.Forgiven
}
