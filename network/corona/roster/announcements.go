package roster

import "tidings/network/engine"

// announcements are subscriptions to be sent: to known owners, and over the ring.
type announcements struct {
	direct batches[Wanted]
	routed []*Subscribe
}

const (
	maxWanted = 64 // subscriptions in a message
	arc       = 8  // about as many nodes as a routed message visits at most
)

// add adds a subscription to a message. They come in the order of the ring.
func (out *announcements) add(n *subscriptions, s *subscription) {
	w := Wanted{Channel: s.channel.ID, URL: s.channel.URL, Outside: s.outside, Count: s.count, Stamp: s.stamp,
		Renewed: s.acked}
	w.Signature = n.Sign(w.of(n.Env.Self()).Words(w.Channel))
	last := len(out.routed) - 1
	switch {
	case !s.home.IsZero():
		out.direct.add(s.home, w, maxWanted)
	case last >= 0 && len(out.routed[last].Wanted) < maxWanted &&
		n.within(out.routed[last].Wanted[0].Channel, w.Channel):
		out.routed[last].Wanted = append(out.routed[last].Wanted, w)
	default:
		out.routed = append(out.routed, &Subscribe{Node: n.Env.Self(), Wanted: []Wanted{w}})
	}
}

// within reports whether two channels are on one short arc of the ring.
func (n *subscriptions) within(a, b engine.ID) bool {
	return a.Distance(b).Position()*float64(n.Ring.Nodes()) < arc
}

func (out *announcements) send(n *subscriptions) {
	for _, d := range out.direct {
		n.Env.Send(d.to, &Subscribe{Node: n.Env.Self(), Wanted: d.list})
	}
	for _, m := range out.routed {
		to := m.Wanted[0].Channel
		if s := n.wanted(to, m.Wanted[0].Outside); n.Keys != nil && s != nil && s.tries > triesByPrimary {
			to, m.Hops = n.AlternateKey(to), maxPassed
		}
		n.Ring.Route(to, m)
	}
}
