package feedtree

import (
	"fmt"

	"tidings/network/engine"
)

// rotate goes over to a publisher's new key. The new topic is joined before the old one is left.
func (n *Node) rotate(f *following, topic engine.ID, r *Rotation, way Way) {
	now := f.present()
	if topic != now.topic || r.New == r.Old || n.record.disputes(topic, r) {
		return
	}
	next := era{TopicOf(now.topic, r.New.Fingerprint()), r.New.Fingerprint(), n.env.Now()}
	if n.followings.index[next.topic] != nil {
		return
	}
	if len(f.eras) >= maxEras {
		n.forget(f, f.eras[len(f.eras)-1].topic)
		f.eras = f.eras[:len(f.eras)-1]
	}
	f.eras = append([]era{next}, f.eras...)
	f.vouched = f.last
	n.followings.index[next.topic] = f
	n.tree.Join(next.topic)
	n.spoke(f, f.voice.listen(r, r.Time, way))
	f.voice.forgetWord() // nobody has spoken on the new topic
	n.env.Trace(Rotated{topic, next.topic, next.pin, *r})
	n.listener.Rotated(Rotated{topic, next.topic, next.pin, *r})
	n.env.After(n.config.Linger, func() { n.leave(f, topic) })
	f.search.unknown()
	n.searcher.anew(&f.search)
}

// revoke accepts nothing more of a key. If it is the present one, nothing more of the channel.
func (n *Node) revoke(f *following, topic engine.ID, r *Revocation) {
	if topic != f.present().topic {
		return
	}
	n.env.Trace(Revoked{topic, *r})
	n.listener.Revoked(topic)
	f.void = true
	n.quiet(f)
	for _, e := range f.eras {
		n.leave(f, e.topic)
	}
}

// Learn accepts a Rotation or a Revocation that came in another way than down the tree: in a feed's document.
func (n *Node) Learn(topic engine.ID, notice engine.Message) error {
	f := n.followings.index[topic]
	s, ok := statementOf(topic, notice)
	switch notice.(type) {
	case *Rotation, *Revocation:
	default:
		ok = false
	}
	if f == nil || !ok {
		return fmt.Errorf("learning a %T of %s: %w", notice, topic.Short(), Malformed)
	}
	if why := n.record.judge(topic, &s, engine.Peer{}); why != Genuine {
		return fmt.Errorf("learning a %T of %s: %w", notice, topic.Short(), why)
	}
	n.record.note(topic, notice, &s)
	n.receiveWord(f, topic, notice, engine.Peer{}, Asked)
	return nil
}
