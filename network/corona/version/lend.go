package version

import "tidings/network/engine"

// maxLends is how many contents the library looks up at a time.
const maxLends = 256

// lend asks the library for what leads from a content to the latest. It returns false if too much is asked of it already.
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

// offer tells who asks by way of the ring that it can ask here: the ring does not vouch for who that is, and an update is long.
func (n *gaps) offer(from engine.Peer, m *Missing) {
	if version := n.held(m.Channel); version > m.Version && !n.IsSelf(from) {
		n.Env.Send(from, &Heard{Channel: m.Channel, Version: version})
	}
}

// answer sends what leads to the latest version that is held here.
func (n *gaps) answer(from engine.Peer, m *Missing) {
	version, hash := n.Library.Held(m.Channel)
	switch {
	case n.IsSelf(from), version <= m.Version:
	case hash == m.Base:
		if u := (&Update{Channel: m.Channel, Version: version, Base: hash, Hash: hash}); n.seals.sealed(u) {
			n.Env.Send(from, u)
		}
	default:
		n.lend(m.Channel, m.Base, func(u *Update) {
			if u != nil && n.seals.sealed(u) {
				sent := *u
				sent.trim()
				n.Env.Send(from, &sent)
			}
		})
	}
}
