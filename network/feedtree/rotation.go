package feedtree

import (
	"fmt"

	"tidings/network/engine"
)

// notices are what publishers have said of their keys.
type notices struct {
	rotated recent[engine.ID, *Rotation]   // by topic: the first one
	revoked recent[engine.ID, *Revocation] // by topic
	void    recent[Key, struct{}]
}

func newNotices(most int) notices {
	return notices{newRecent[engine.ID, *Rotation](most), newRecent[engine.ID, *Revocation](most), newRecent[Key, struct{}](most)}
}

// noteRotation remembers who follows the key of a topic.
func (n *Node) noteRotation(topic engine.ID, r *Rotation) {
	first, known := n.notices.rotated.get(topic)
	switch {
	case !known:
		n.notices.rotated.put(topic, r)
	case first.New != r.New:
		n.env.Trace(Disputed{topic, *first, *r})
	}
}

// noteRevocation remembers that a key is void.
func (n *Node) noteRevocation(topic engine.ID, r *Revocation) {
	n.notices.revoked.put(topic, r)
	n.notices.void.put(r.Key, struct{}{})
}

// noticesOn returns what is known of the key of a topic.
func (n *Node) noticesOn(topic engine.ID) (list []engine.Message) {
	if r, known := n.notices.rotated.get(topic); known {
		list = append(list, r)
	}
	if r, known := n.notices.revoked.get(topic); known {
		list = append(list, r)
	}
	return list
}

// rotate goes over to a publisher's new key. The new topic is joined before the old one is left.
func (n *Node) rotate(f *following, topic engine.ID, r *Rotation, way Way) {
	now := f.present()
	first, known := n.notices.rotated.get(topic)
	if topic != now.topic || r.New == r.Old || known && first.New != r.New {
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
	n.followings.index[next.topic] = f
	n.tree.Join(next.topic)
	n.listen(f, r, r.Time, way)
	f.latest = nil // nobody has spoken on the new topic
	n.env.Trace(Rotated{topic, next.topic, next.pin, *r})
	n.listener.Rotated(Rotated{topic, next.topic, next.pin, *r})
	n.env.After(n.config.Linger, func() { n.leave(f, topic) })
	f.search.fresh = true
	n.searchAnew(f)
}

// revoke takes nothing more of a key. If it is the present one, nothing more of the channel.
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

// Learn takes a Rotation or a Revocation that came in another way than down the tree: in a feed's document.
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
	if why := n.judge(topic, &s, engine.Peer{}); why != Genuine {
		return fmt.Errorf("learning a %T of %s: %w", notice, topic.Short(), why)
	}
	n.note(topic, notice, &s)
	n.take(f, topic, notice, engine.Peer{}, Asked)
	return nil
}
