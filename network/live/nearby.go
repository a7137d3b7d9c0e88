package live

import (
	"net/netip"
	"slices"

	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/engine"
	"tidings/network/live/nat"
)

// maxNearby bounds of how many peers it is remembered where they are on the local network.
const maxNearby = 256

// nearby remembers where peers are on the local network. It stays here: protocols send others the addresses of peers,
// and strangers are none the wiser for these. The loop alone uses it.
type nearby struct {
	places map[engine.ID][]ma.Multiaddr
	order  []engine.ID // oldest first
}

func newNearby() *nearby { return &nearby{places: make(map[engine.ID][]ma.Multiaddr)} }

// add notes places of a peer, those of the local network among them.
func (n *nearby) add(id engine.ID, places ...ma.Multiaddr) {
	for _, place := range places {
		known := n.places[id]
		if distance(place) != onLAN || len(known) >= maxPlaces || slices.ContainsFunc(known, place.Equal) {
			continue
		}
		if known == nil {
			n.order = append(n.order, id)
		}
		n.places[id] = append(known, place)
	}
	if len(n.order) > maxNearby {
		n.forget(n.order[0])
	}
}

// forget forgets where a peer is.
func (n *nearby) forget(id engine.ID) {
	delete(n.places, id)
	n.order = slices.DeleteFunc(n.order, func(other engine.ID) bool { return other == id })
}

// dialled returns where a peer is dialled if protocols have its address. A host that is on the open internet does not
// dial it at addresses of a local network, but for those that are known to be of this one.
func (p *ways) dialled(id engine.ID, c contact) contact {
	if !p.h.outside.Is() {
		return c
	}
	places := slices.DeleteFunc(slices.Clone(c.places), func(a ma.Multiaddr) bool { return distance(a) == onLAN })
	return contact{key: c.key, places: bestFirst(append(places, p.nearby.places[id]...))}
}

// placed notes where a peer says it listens. A place at which it was reached is added, as it is known to be good. A
// place to which a hole was punched is not: it is closed to others.
func (p *ways) placed(l *link, m *Place, c contact) {
	if p.sharesAddress(l, m) {
		if near, err := ownPlace(&Place{Address: m.Near}, c.key); err == nil && len(near.places) > 0 {
			p.nearby.add(l.peer.ID, near.places...)
			l.punching.again()
		}
		if !l.near { // it does not know yet where this host is on the local network
			l.near = true
			if l.state == open {
				p.say(l, p.placeFor(l))
			}
		}
	}
	if l.stream != nil && !l.punched && l.stream.Conn().Stat().Direction == network.DirOutbound {
		here := l.stream.Conn().RemoteMultiaddr()
		if transportOf(here) != overNothing && !slices.ContainsFunc(c.places, here.Equal) {
			c.places = append(slices.Clone(c.places), here)
		}
	}
	if p.h.outside.Is() { // what is of this local network is nobody else's business
		if l.isNear() {
			p.nearby.add(l.peer.ID, c.places...)
		}
		c.places = slices.DeleteFunc(slices.Clone(c.places), func(a ma.Multiaddr) bool { return distance(a) == onLAN })
	}
	if before, err := parseContact(l.peer.Address); err != nil ||
		!slices.EqualFunc(before.open(), c.open(), ma.Multiaddr.Equal) {
		l.punching.again()
	}
	l.punching.seenAt(m.Seen)
	l.peer.Address = c.address()
}

// open returns the places that can be dialled from everywhere.
func (c contact) open() []ma.Multiaddr {
	return slices.DeleteFunc(slices.Clone(c.places), func(a ma.Multiaddr) bool { return !nat.IsOpen(a) })
}

// isNear reports whether a link's peer is on the local network.
func (l *link) isNear() bool {
	return slices.ContainsFunc(l.streams(),
		func(s network.Stream) bool { return distance(s.Conn().RemoteMultiaddr()) == onLAN })
}

// streams returns those of a link that there are: this host's, and the peer's.
func (l *link) streams() (all []network.Stream) {
	if l.stream != nil {
		all = append(all, l.stream)
	}
	if l.in != nil {
		all = append(all, l.in.stream)
	}
	return all
}

// sharesAddress reports whether a peer is seen at a public address at which this host is seen too: one router stands
// before both. The peer claims it, and nothing shows otherwise. A peer that this host sees at another public address
// has lied.
func (p *ways) sharesAddress(l *link, m *Place) bool {
	own := p.h.outside.IPs()
	for _, s := range l.streams() {
		if at := s.Conn().RemoteMultiaddr(); nat.IsOpen(at) && !slices.Contains(own, nat.AddrOf(at)) {
			return false
		}
	}
	for seen := m.Seen; len(seen) >= 16; seen = seen[16:] {
		if slices.Contains(own, netip.AddrFrom16([16]byte(seen[:16])).Unmap()) {
			return true
		}
	}
	return false
}

// placeFor returns the places of this host for a link's peer; on the local network too, if the peer is behind the same
// router.
func (p *ways) placeFor(l *link) *Place {
	m := p.h.place()
	if l.near {
		m.Near = contact{key: keyOf32(m.Address), places: p.h.local()}.address()
	}
	return m
}

func keyOf32(a engine.Address) []byte { return []byte(a[:32]) }

// place returns where this host is, and at which addresses others see it.
func (h *Host) place() *Place {
	m := &Place{Address: h.Self().Address}
	for _, ip := range h.outside.IPs() {
		if at := ip.As16(); len(m.Seen)+len(at) <= maxSeen {
			m.Seen = append(m.Seen, at[:]...)
		}
	}
	return m
}

// local returns where this host listens on its local network.
func (h *Host) local() []ma.Multiaddr {
	all, err := h.net.Network().InterfaceListenAddresses()
	if err != nil {
		h.log.Debug("reading this machine's addresses", "err", err)
	}
	return slices.DeleteFunc(bestFirst(all), func(a ma.Multiaddr) bool { return distance(a) != onLAN })
}

// placeAgain says to all peers where this host is.
func (p *ways) placeAgain() {
	for _, l := range p.links {
		if l.state == open {
			p.say(l, p.placeFor(l))
		}
	}
}
