package version

import "tidings/network/engine"

// maxLends is how many contents the library looks up at a time.
const maxLends = 256

// lend requests the change from a content to the latest from the library. It returns false if maxLends requests are
// under way.
func (n *gaps) lend(channel engine.ID, base Hash, found func(*Update)) bool {
	if n.lends >= maxLends {
		return n.LimitHit("maxLends", maxLends)
	}
	n.lends++
	n.Library.Lend(channel, base, func(u *Update) {
		n.lends--
		found(u)
	})
	return true
}

// unpublished returns the candidate with a version's number that is not published yet, while its witnesses are asked.
// Without their signatures no node would believe it. It returns nil if there is none.
func (n *gaps) unpublished(channel engine.ID, version uint64) *candidate {
	o := n.find(channel)
	if o == nil || o.candidate() == nil || o.candidate().version != version {
		return nil
	}
	if !n.believe.Asks(channel, version) {
		return nil
	}
	return o.candidate()
}

// offer answers a request that came over the ring by an offer only. The ring does not authenticate the requester, and
// an update is long.
func (n *gaps) offer(from engine.Peer, m *Missing) {
	if version := n.held(m.Channel); version > m.Version && !n.IsSelf(from) &&
		n.unpublished(m.Channel, version) == nil {
		n.Env.Send(from, &Heard{Channel: m.Channel, Version: version})
	}
}

// answer sends the change to the latest version held here.
func (n *gaps) answer(from engine.Peer, m *Missing) {
	version, hash := n.Library.Held(m.Channel)
	switch {
	case n.IsSelf(from), version <= m.Version:
	case n.unpublished(m.Channel, version) != nil:
		if c := n.unpublished(m.Channel, version); len(c.lacking) < maxLacking {
			c.lacking = append(c.lacking, lacking{from, m})
		}
	case hash == m.Base:
		if u := (&Update{Channel: m.Channel, Version: version, Base: hash, Hash: hash}); n.believe.Sealed(u) {
			n.Env.Send(from, u)
		}
	default:
		n.lend(m.Channel, m.Base, func(u *Update) {
			if u != nil && n.believe.Sealed(u) {
				sent := *u
				sent.Trim()
				n.Env.Send(from, &sent)
			}
		})
	}
}
