package corona

import "tidings/network/engine"

// offer tells who asks by way of the ring that it can ask here: the ring does not vouch for who
// that is, and an update is long.
func (n *versioner) offer(from engine.Peer, m *Missing) {
	if version, _ := n.library.Held(m.Channel); version > m.Version && !n.IsSelf(from) {
		n.Env.Send(from, &Heard{Channel: m.Channel, Version: version})
	}
}

// maxLends is how many contents the library looks up at a time.
const maxLends = 256

// answerMissing sends what leads to the latest version that is held here.
func (n *versioner) answerMissing(from engine.Peer, m *Missing) {
	version, hash := n.library.Held(m.Channel)
	switch {
	case n.IsSelf(from), version <= m.Version:
		return
	case hash == m.Base:
		if u := (&Update{Channel: m.Channel, Version: version, Base: hash, Hash: hash}); n.sealed(u) {
			n.Env.Send(from, u)
		}
		return
	}
	n.lend(m.Channel, m.Base, func(u *Update) {
		if u != nil && n.sealed(u) {
			sent := *u
			sent.trim()
			n.Env.Send(from, &sent)
		}
	})
}

// lend asks the library for what leads from a content to the latest. It returns false if too
// much is asked of it already.
func (n *versioner) lend(channel engine.ID, base Hash, found func(*Update)) bool {
	v := &n.versions
	if v.lends >= maxLends {
		return n.LimitHit("maxLends", maxLends)
	}
	v.lends++
	n.library.Lend(channel, base, func(u *Update) {
		v.lends--
		found(u)
	})
	return true
}
