package node

import (
	"context"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
)

// pollWhy is what a poll is called that is made because a distrusted node has told of something.
const pollWhy = "a node that is distrusted here has told of a change"

// doubtsPart is how often this node polls, at most, because distrusted nodes tell of changes of a channel: so many
// times an interval.
const doubtsPart = 8

// believe tells whether the word of whoever stands for a version is enough for readers here (nil). Where it is
// not, the node polls itself, soon; once that has found the content, the version's number is all that is
// lacking.
func (s *sharing) believe(c *sharedChannel, u *corona.Update) error {
	r := s.node.republishers
	by, given := standsFor(u)
	if !given || r.standing(by) != tidings.Distrusted {
		return nil
	}
	now := time.Now()
	r.doubt(c.id, u.Hash, by, now)
	if r.mayPoll(c.id, s.terms().Interval/doubtsPart, now) {
		s.work(func(context.Context) { s.node.watcher.Check(c.url, pollWhy) })
	}
	return errDistrusted
}

// standsFor returns who vouches for what a version says: the finder, by its signature; where it is not known any
// more who that was, the owner that has given the number. A version that this node is about to give a number
// itself (not given) was seen by it, or by another node than the finder.
func standsFor(u *corona.Update) (by engine.ID, given bool) {
	if u.FoundBy != (engine.ID{}) {
		return u.FoundBy, len(u.Seal.Given) > 0
	}
	return u.Seal.Giver.ID, len(u.Seal.Given) > 0
}

// Peers lists every live node that this one knows, with what people here think of it.
func (m *membership) Peers(ctx context.Context) ([]tidings.Peer, error) {
	peers, err := m.network.Peers(ctx)
	m.node.republishers.mark(peers)
	return peers, err
}

// Network tells how the node stands among the others, with what people here think of its neighbours.
func (m *membership) Network(ctx context.Context) (tidings.Network, error) {
	view, err := m.network.Network(ctx)
	m.node.republishers.mark(view.Neighbours)
	return view, err
}

// mark fills in what is thought of nodes, where that is not nothing.
func (r *republishers) mark(peers []tidings.Peer) {
	for i := range peers {
		id, err := engine.ParseID(peers[i].ID)
		if s := r.standing(id); err == nil && s != tidings.Neutral {
			peers[i].Trust = s
		}
	}
}
